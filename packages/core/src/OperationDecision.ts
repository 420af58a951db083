/**
 * Decisions about operations: asking, settling, giving up.
 */
import type { Schema } from "effect"
import { Equal, HashMap, Option, Result } from "effect"
import type { Allowance, BudgetExceeded, Spend } from "./Budget.ts"
import { recordOf } from "./Budget.ts"
import type { Decision } from "./Decision.ts"
import { events, whileOpen } from "./Decision.ts"
import { idempotencyKey } from "./Digest.ts"
import type { Actor, OperationKey, Seq } from "./Ids.ts"
import type { RunClosed } from "./RunError.ts"
import { AlreadySettled, InvalidRequest, KeyMismatch, WaitClosed } from "./RunError.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, Operation, OperationKind, RequestEvent, RunState } from "./RunState.ts"
import { isEnded, placeAt } from "./RunState.ts"
import { fits } from "./Spending.ts"

/**
 * What an operation asks to have recorded before it acts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly key: OperationKey
  readonly kind: OperationKind
  /** The tool of a tool call; empty otherwise. */
  readonly name: string
  /** What the idempotency key covers: the arguments of a tool call, `{}` otherwise. */
  readonly arguments: Schema.Json
  /** The most that one attempt may spend. */
  readonly reserve?: Spend
  /** The parts of the run that it belongs to and that have budgets of their own; `Operation.perform` says which. */
  readonly within?: ReadonlyArray<Allowance>
  /** Why it must not be carried out: recorded as its outcome, in place of a request and without a claim on the budget. */
  readonly refusal?: string | { readonly error: string; readonly failure: Schema.Json }
  /** Events of the same decision that come before the first request, or before its refusal, such as guardrail verdicts. */
  readonly before?: ReadonlyArray<RunEvent>
  readonly requested: (attempt: { key: OperationKey; attempt: number; idempotencyKey: string }) => RequestEvent
  /** Builds the failure event of this operation's kind. */
  readonly failed: (failure: FailureFields) => FailedEvent
}

/**
 * What the failure events of all kinds of operation have in common.
 *
 * @category models
 * @since 0.1.0
 */
export type FailureFields = Omit<RunEventOf<"StepFailed">, "_tag">

/**
 * What a key that is named again must agree with.
 *
 * @category operations
 * @since 0.1.0
 */
export const matches = (
  state: RunState,
  asked: { readonly key: OperationKey; readonly kind: string; readonly name: string }
): Result.Result<void, KeyMismatch> => {
  const place = placeAt(state, asked.key)
  if (place === undefined) return Result.void
  const kind = place._tag === "Operation" ? place.kind : place._tag
  const name = place._tag === "Operation" || place._tag === "Signal" ? place.name : ""
  return kind === asked.kind && name === asked.name ? Result.void : Result.fail(new KeyMismatch({
    runId: state.runId,
    key: asked.key,
    recorded: describe(kind, name),
    asked: describe(asked.kind, asked.name)
  }))
}

const describe = (kind: string, name: string): string =>
  `a ${kind.toLowerCase()}${name === "" ? "" : ` named \`${name}\``}`

/**
 * Asks for the next attempt of an operation. Past the budget, the refusal is recorded as the outcome.
 *
 * **Details**
 *
 * The idempotency key covers the position that the first request takes, so a decision that is taken again on a longer log
 * derives it again; nothing acts before its request is stored, so a key that left the process never changes. Under a budget
 * that says `atLimit: "park"` the run becomes stuck instead, and nothing is recorded of the operation.
 *
 * @category operations
 * @since 0.1.0
 */
export const request = (asked: Request, now: number): Decision<RunClosed | KeyMismatch | AlreadySettled> =>
  whileOpen<KeyMismatch | AlreadySettled>((state) => {
    const mismatch = matches(state, asked)
    if (Result.isFailure(mismatch)) return Result.fail(mismatch.failure)
    const known = placeAt(state, asked.key)
    const operation = known?._tag === "Operation" ? known : undefined
    if (operation?.outcome !== undefined) {
      return Result.fail(new AlreadySettled({ runId: state.runId, key: asked.key }))
    }
    const before = operation === undefined ? asked.before ?? [] : []
    if (operation === undefined && asked.refusal !== undefined) {
      const why = typeof asked.refusal === "string" ? { error: asked.refusal } : asked.refusal
      return events(
        ...before,
        asked.failed({ key: asked.key, attempt: 0, reason: "Refused", ...why, final: true })
      )
    }
    const fit = fits(state, {
      kind: asked.kind,
      isFirst: operation === undefined,
      reserve: asked.reserve,
      within: asked.within ?? [],
      now
    })
    if (Result.isFailure(fit)) {
      return isParked(state, fit.failure)
        ? events(...parked(state, asked.key, fit.failure))
        : events(...before, asked.failed(refusal(asked.key, fit.failure, state)))
    }
    const attempt = (operation?.attempt ?? 0) + 1
    const within = unsaid(state, asked.within ?? [])
    const requested = asked.requested({
      key: asked.key,
      attempt,
      idempotencyKey: operation?.idempotencyKey ??
        idempotencyKey(
          state.runId,
          state.seq + before.length,
          asked.kind === "tool" ? asked.name : asked.key,
          asked.arguments
        )
    })
    return events(...before, within.length === 0 ? requested : { ...requested, within })
  })

/** The budgets that the log does not say yet, or says otherwise. */
const unsaid = ({ allowances }: RunState, within: ReadonlyArray<Allowance>): ReadonlyArray<Allowance> =>
  within.filter(({ budget, path }) =>
    !Option.exists(HashMap.get(allowances, path), (said) => Equal.equals(said, budget))
  )

/** Whether the run waits for an operator rather than for the program to say what it does without the operation. */
const isParked = ({ budget, cancel }: RunState, { within }: BudgetExceeded): boolean =>
  budget.atLimit === "park" && within === undefined && cancel === undefined

const parked = ({ stuck }: RunState, key: OperationKey, { message }: BudgetExceeded): ReadonlyArray<RunEvent> =>
  stuck === undefined ? [{ _tag: "RunStuck", reason: "budget", detail: message, key }] : []

const refusal = (key: OperationKey, exceeded: BudgetExceeded, state: RunState): FailureFields => {
  const known = placeAt(state, key)
  return {
    key,
    attempt: known?._tag === "Operation" ? known.attempt : 0,
    reason: "BudgetExceeded",
    error: exceeded.message,
    failure: recordOf(exceeded),
    final: true,
    ...(known?._tag === "Operation" ? { shown: state.seq } : {}),
    ...(known?._tag === "Operation" && known.inFlight ? { outcome: "unknown" } : {})
  }
}

/**
 * Records the outcome of an attempt, or that it failed and will be tried again. The first outcome wins, and an attempt fails
 * once.
 *
 * **Details**
 *
 * `shown` is up to where the program had been shown the log when it got this outcome; it is written only when it is not
 * simply the event before.
 *
 * @category operations
 * @since 0.1.0
 */
export const settle = (
  event: CompletedEvent | FailedEvent,
  options: { readonly shown: Seq; readonly before?: ReadonlyArray<RunEvent> }
): Decision<RunClosed | AlreadySettled> =>
  whileOpen((state) => {
    const operation = placeAt(state, event.key)
    const retry = "final" in event && !event.final
    if (
      operation?._tag !== "Operation" || operation.outcome !== undefined || operation.attempt > event.attempt ||
      (retry && !operation.inFlight)
    ) return Result.fail(new AlreadySettled({ runId: state.runId, key: event.key }))
    const before = options.before ?? []
    return events(
      ...before,
      options.shown === state.seq + before.length - 1 ? event : { ...event, shown: options.shown }
    )
  })

/**
 * Records that the program stopped waiting for an operation, whichever attempt of it has been requested by now. An attempt that
 * is in flight and not a later one than the event speaks of may have acted.
 *
 * @category operations
 * @since 0.1.0
 */
export const stopWaiting = (
  event: FailedEvent,
  options: { readonly shown: Seq }
): Decision<RunClosed | AlreadySettled> =>
(state) => {
  const operation = placeAt(state, event.key)
  if (operation?._tag !== "Operation") return settle(event, options)(state)
  const unknown = operation.inFlight && operation.attempt === event.attempt ? { outcome: "unknown" as const } : {}
  return settle({ ...event, ...unknown, attempt: operation.attempt }, options)(state)
}

/**
 * The program stopped waiting for an operation that has no outcome. Whether its effect happened is unknown, unless it never
 * acted.
 *
 * @category operations
 * @since 0.1.0
 */
export const interrupt = (asked: Request, hasActed: boolean): Decision => (state) => {
  const operation = placeAt(state, asked.key)
  if (isEnded(state) || operation?._tag !== "Operation" || operation.outcome !== undefined) return events()
  return events(asked.failed({
    key: asked.key,
    attempt: operation.attempt,
    reason: "Interrupted",
    error: "the program stopped waiting for it",
    final: true,
    ...(operation.inFlight && hasActed ? { outcome: "unknown" } : {})
  }))
}

/**
 * Records an outcome that the program is given only after it is stored: by recovery, or by a person.
 *
 * @category operations
 * @since 0.1.0
 */
export const settleStored = (
  build: (operation: Operation) => CompletedEvent | FailedEvent,
  key: OperationKey
): Decision<RunClosed | AlreadySettled | WaitClosed> =>
  whileOpen<AlreadySettled | WaitClosed>((state) => {
    const operation = placeAt(state, key)
    if (operation?._tag !== "Operation") return Result.fail(new WaitClosed({ runId: state.runId, key }))
    if (operation.outcome !== undefined) return Result.fail(new AlreadySettled({ runId: state.runId, key }))
    return events({ ...build(operation), shown: state.seq })
  })

/**
 * A failure event of an operation's kind, from what its latest request says.
 *
 * @category operations
 * @since 0.1.0
 */
export const failureOf = (operation: Operation, fields: FailureFields): FailedEvent => {
  const request = operation.request
  switch (request?._tag) {
    case "LLMCallRequested":
      return { _tag: "LLMCallFailed", ...fields, turn: request.turn }
    case "ToolCallRequested": {
      const { arguments: args, idempotencyKey, tool, toolCallId, turn } = request
      return { _tag: "ToolCallFailed", ...fields, turn, tool, toolCallId, arguments: args, idempotencyKey }
    }
    default:
      return { _tag: "StepFailed", ...fields }
  }
}

/**
 * What a person found out about an operation whose outcome the log does not have.
 *
 * @category models
 * @since 0.1.0
 */
export type Resolution =
  | { readonly _tag: "Happened"; readonly output: Schema.Json }
  | { readonly _tag: "DidNotHappen"; readonly error: string }

/**
 * A person says how an operation in flight ended. It counts like any outcome: the first one stands. The output of a model call
 * cannot be supplied.
 *
 * @category operations
 * @since 0.1.0
 */
export const resolve = (
  key: OperationKey,
  resolution: Resolution,
  actor: Actor
): Decision<RunClosed | AlreadySettled | WaitClosed | InvalidRequest> =>
(state) => {
  const known = placeAt(state, key)
  if (resolution._tag === "Happened" && known?._tag === "Operation" && known.kind === "model") {
    const detail = `cannot be given for \`${key}\`, a call of a model: say that it did not happen`
    return Result.fail(new InvalidRequest({ field: "output", detail }))
  }
  return settleStored((operation) => {
    const outcome = { key, attempt: operation.attempt, actor }
    if (resolution._tag === "DidNotHappen") {
      return failureOf(operation, { ...outcome, reason: "Resolved", error: resolution.error, final: true })
    }
    const request = operation.request
    if (request?._tag !== "ToolCallRequested") return { _tag: "StepCompleted", ...outcome, output: resolution.output }
    const { tool, toolCallId, turn } = request
    return { _tag: "ToolCallCompleted", ...outcome, turn, tool, toolCallId, result: resolution.output }
  }, key)(state)
}
