/**
 * What a process that executes runs measures of them. Everything that is in logs is counted when the store has it, by the worker
 * that wrote it, so the sum over all workers is what the logs say. No label names a run, and none holds what somebody has written.
 */
import type { Context } from "effect"
import { Predicate } from "effect"
import type { Instrument } from "./Instrument.ts"
import { counter, gauge, histogram } from "./Instrument.ts"
import type { Recorded, RunEventOf } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, RequestEvent, RunState } from "./RunState.ts"
import { activeMillisAt, kindOf, paidOf, placeAt } from "./RunState.ts"

const seconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const longSeconds = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800]

const started = counter("durable_agents_runs_started_total", {
  unit: "{run}",
  labels: ["program"],
  description: "Runs that were started here"
})

const claims = counter("durable_agents_claims_total", {
  unit: "{claim}",
  labels: ["program", "takeover"],
  description: "Leases of runs that were taken; a takeover is from a worker that did not give the run back"
})

const executing = gauge("durable_agents_runs_executing", {
  unit: "{run}",
  labels: ["program"],
  description: "Runs that are being executed in this process"
})

const losses = counter("durable_agents_lease_losses_total", {
  unit: "{lease}",
  labels: ["program"],
  description: "Executions that ended because the lease was lost, or could not be confirmed in time"
})

const recoveries = counter("durable_agents_recoveries_total", {
  unit: "{recovery}",
  labels: ["program"],
  description: "Runs that were taken over from a worker that died or was silent"
})

const ended = counter("durable_agents_runs_ended_total", {
  unit: "{run}",
  labels: ["program", "status", "code"],
  description: "Runs that ended; the code says why they failed"
})

const durations = histogram("durable_agents_run_duration_seconds", {
  unit: "s",
  labels: ["program", "status"],
  description: "From when a run was to begin to its end, waiting included",
  boundaries: longSeconds
})

const active = histogram("durable_agents_run_active_seconds", {
  unit: "s",
  labels: ["program", "status"],
  description: "The same without the time in which the run rested",
  boundaries: longSeconds
})

const stuck = counter("durable_agents_stuck_total", {
  unit: "{run}",
  labels: ["program", "reason"],
  description: "Times that a run was parked until an operator releases it"
})

const attempts = histogram("durable_agents_operation_duration_seconds", {
  unit: "s",
  labels: ["program", "kind", "outcome"],
  description: "How long attempts of operations took",
  boundaries: seconds
})

const failures = counter("durable_agents_failures_total", {
  unit: "{attempt}",
  labels: ["program", "kind", "code"],
  description: "Attempts of operations that failed, and operations that were refused"
})

const retries = counter("durable_agents_retries_total", {
  unit: "{attempt}",
  labels: ["program", "kind", "code"],
  description: "Attempts of operations after the first; the code is that of the failure before"
})

const unknown = counter("durable_agents_unknown_outcomes_total", {
  unit: "{operation}",
  labels: ["program", "kind", "policy"],
  description: "Operations of which nobody knows whether they happened: recorded as such, or waiting for an operator"
})

const tokens = counter("durable_agents_model_tokens_total", {
  unit: "{token}",
  labels: ["program", "model", "type"],
  description: "Tokens of model calls, as providers report them; cached ones are part of input, reasoning of output"
})

const spend = counter("durable_agents_model_cost_usd_total", {
  unit: "USD",
  labels: ["program", "model"],
  description: "What model calls cost, as far as it is known"
})

const unpriced = counter("durable_agents_model_unpriced_calls_total", {
  unit: "{call}",
  labels: ["program", "model"],
  description: "Answered model calls whose cost is not known, and not in the sum of costs"
})

const budgetStops = counter("durable_agents_budget_stops_total", {
  unit: "{operation}",
  labels: ["program", "limit"],
  description: "Operations that a budget did not let begin"
})

const verdicts = counter("durable_agents_guardrail_verdicts_total", {
  unit: "{verdict}",
  labels: ["program", "action", "shadow"],
  description: "Verdicts of guardrails by what they did, or would have done in shadow mode"
})

const due = gauge("durable_agents_runs_due", {
  unit: "{run}",
  labels: [],
  description: "Runs that wait for a worker; 1000 means at least so many"
})

const longestDue = gauge("durable_agents_run_longest_due_seconds", {
  unit: "s",
  labels: [],
  description: "For how long the run has been due that has waited for a worker for the longest"
})

const approvals = gauge("durable_agents_approvals_waiting", {
  unit: "{approval}",
  labels: [],
  description: "Approvals that wait for a decision; 1000 means at least so many"
})

const approvalAge = gauge("durable_agents_approval_oldest_seconds", {
  unit: "s",
  labels: [],
  description: "How long the oldest of them has been waiting"
})

const stuckNow = gauge("durable_agents_stuck_waiting", {
  unit: "{run}",
  labels: [],
  description: "Runs that an operator has to release; 1000 means at least so many"
})

/**
 * Every metric of this package.
 *
 * @category models
 * @since 0.1.0
 */
export const all: ReadonlyArray<Instrument> = [
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
]

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
