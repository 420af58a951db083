/**
 * What a process that executes runs measures of them. Everything that is in logs is counted when the store has it, by the worker
 * that wrote it, so the sum over all workers is what the logs say. No label names a run, and none holds what somebody has written.
 */
import type { Context } from "effect"
import { Predicate } from "effect"
import type { Instrument } from "./Instrument.ts"
import { table } from "./MetricTable.ts"
import type { Recorded, RunEventOf } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, RequestEvent, RunState } from "./RunState.ts"
import { activeMillisAt, kindOf, paidOf, placeAt } from "./RunState.ts"

const {
  started,
  claims,
  executing,
  losses,
  recoveries,
  ended,
  durations,
  active,
  stuck,
  attempts,
  failures,
  retries,
  unknown,
  tokens,
  spend,
  unpriced,
  budgetStops,
  verdicts,
  due,
  longestDue,
  approvals,
  approvalAge,
  stuckNow
} = table

/**
 * Every metric of this package.
 *
 * @category models
 * @since 0.1.0
 */
export const all: ReadonlyArray<Instrument> = Object.values(table)

type Into = Context.Context<never>

/**
 * @category updates
 * @since 0.1.0
 */
export const runStarted = (into: Into, program: string): void => started.update(into, 1, { program })

/**
 * @category updates
 * @since 0.1.0
 */
export const claimed = (into: Into, program: string, takeover: boolean): void =>
  claims.update(into, 1, { program, takeover: `${takeover}` })

/**
 * Executions begin and end.
 *
 * @category updates
 * @since 0.1.0
 */
export const executes = (into: Into, program: string, more: 1 | -1): void => executing.modify(into, more, { program })

/**
 * @category updates
 * @since 0.1.0
 */
export const leaseLost = (into: Into, program: string): void => losses.update(into, 1, { program })

/**
 * What the store says at the moment of a look. Times are in milliseconds.
 *
 * @category updates
 * @since 0.1.0
 */
export const store = (into: Into, seen: {
  /** How many runs are due, and for how long the first of them; absent if nobody knows which programs there are. */
  readonly due?: { readonly count: number; readonly longestMillis: number }
  readonly approvals: number
  readonly approvalAgeMillis: number
  readonly stuck: number
}): void => {
  if (seen.due !== undefined) {
    due.update(into, seen.due.count, {})
    longestDue.update(into, Math.max(0, seen.due.longestMillis) / 1_000, {})
  }
  approvals.update(into, seen.approvals, {})
  approvalAge.update(into, Math.max(0, seen.approvalAgeMillis) / 1_000, {})
  stuckNow.update(into, seen.stuck, {})
}

/**
 * Counts an event that this process has stored, once; the state is that before it.
 *
 * @category updates
 * @since 0.1.0
 */
export const recorded = (into: Into, program: string, { at, event }: Recorded, before: RunState): void => {
  switch (event._tag) {
    case "StepRequested":
    case "ToolCallRequested":
    case "LLMCallRequested":
      return event.attempt > 1
        ? retries.update(into, 1, { program, kind: kindOf(event), code: codeBefore(before, event) })
        : undefined
    case "StepCompleted":
    case "ToolCallCompleted":
    case "LLMCallCompleted":
      took(into, program, event, "completed")
      return paid(into, program, event, before)
    case "StepFailed":
    case "ToolCallFailed":
    case "LLMCallFailed":
      return failed(into, program, event, before)
    case "RunRecovered":
      return recoveries.update(into, 1, { program })
    case "RunStuck":
      return parked(into, program, event, before)
    case "GuardrailTriggered":
      return verdicts.update(into, 1, { program, action: event.action, shadow: event.shadow })
    case "RunCompleted":
      return over(into, program, "Completed", undefined, at, before)
    case "RunFailed":
      return over(into, program, "Failed", event.reason, at, before)
    case "RunCancelled":
      return over(into, program, "Cancelled", undefined, at, before)
  }
}

const took = (into: Into, program: string, event: CompletedEvent | FailedEvent, outcome: string): void => {
  if (event.durationMillis === undefined) return
  attempts.update(into, event.durationMillis / 1_000, { program, kind: kindOf(event), outcome })
}

const failed = (into: Into, program: string, event: FailedEvent, before: RunState): void => {
  const kind = kindOf(event)
  failures.update(into, 1, { program, kind, code: codeOf(event) })
  took(into, program, event, event.outcome === "unknown" ? "unknown" : "failed")
  if (event.final && event.outcome === "unknown") unknown.update(into, 1, { program, kind, policy: "record" })
  if (event.reason === "BudgetExceeded") budgetStops.update(into, 1, { program, limit: limitOf(event.failure) })
  paid(into, program, event, before)
}

const parked = (into: Into, program: string, { key, reason }: RunEventOf<"RunStuck">, before: RunState): void => {
  stuck.update(into, 1, { program, reason })
  const place = key === undefined ? undefined : placeAt(before, key)
  if (reason === "unknownOutcome" && place?._tag === "Operation") {
    unknown.update(into, 1, { program, kind: place.kind, policy: "ask" })
  }
  if (reason === "budget") budgetStops.update(into, 1, { program, limit: undefined })
}

const paid = (into: Into, program: string, event: CompletedEvent | FailedEvent, before: RunState): void => {
  const usage = paidOf(event)
  if (usage === undefined) return
  const place = placeAt(before, event.key)
  const request = place?._tag === "Operation" ? place.request : undefined
  const model = request?._tag === "LLMCallRequested" ? request.model : undefined
  const counts = [
    ["input", usage.inputTokens],
    ["cached_input", usage.cachedInputTokens],
    ["cache_write", usage.cacheWriteTokens],
    ["output", usage.outputTokens],
    ["reasoning", usage.reasoningTokens]
  ] as const
  for (const [type, count] of counts) {
    if (count !== undefined && count > 0) tokens.update(into, count, { program, model, type })
  }
  if (usage.costUsd === undefined) unpriced.update(into, 1, { program, model })
  else spend.update(into, Number(usage.costUsd), { program, model })
}

const over = (
  into: Into,
  program: string,
  status: "Completed" | "Failed" | "Cancelled",
  code: string | undefined,
  at: number,
  before: RunState
): void => {
  ended.update(into, 1, { program, status, code })
  const began = Math.max(before.startedAt, before.started?.startAtMillis ?? 0)
  durations.update(into, Math.max(0, at - began) / 1_000, { program, status })
  active.update(into, activeMillisAt(before, at) / 1_000, { program, status })
}

/** Tags of errors are names in code; anything else that somebody might have put there is none. */
const isName = (text: unknown): text is string => Predicate.isString(text) && /^[A-Za-z][\w./-]{0,63}$/.test(text)

/**
 * What kind of failure it is: why the attempt has no result, or for a failure of the operation's own the tag of its error, for
 * one of a model the reason.
 *
 * @category folds
 * @since 0.1.0
 */
export const codeOf = ({ _tag, failure, reason }: Pick<FailedEvent, "_tag" | "failure" | "reason">): string => {
  if (reason !== "Error" || !Predicate.isObject(failure)) return reason
  const name = _tag === "LLMCallFailed" && "reason" in failure
    ? failure.reason
    : "_tag" in failure
    ? failure._tag
    : undefined
  return isName(name) ? name : reason
}

const codeBefore = (before: RunState, { key }: RequestEvent): string => {
  const place = placeAt(before, key)
  if (place?._tag !== "Operation" || place.inFlight) return "Crashed"
  const last = place.failures.at(-1)
  return last === undefined ? "Crashed" : codeOf(last.event)
}

const limitOf = (failure: unknown): string | undefined =>
  Predicate.isObject(failure) && "limit" in failure && isName(failure.limit) ? failure.limit : undefined
