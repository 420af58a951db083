/**
 * Everything that may be written into a log, each as a pure function from the state to the events to append, or to a typed no.
 *
 * Whoever writes runs a decision on the state that it knows and appends the events under that state's sequence number. Lost
 * the race? Read the tail, fold, decide again.
 */
import type { Schema } from "effect"
import { HashMap, HashSet, Result } from "effect"
import type { Budget, BudgetExceeded, Spend } from "./Budget.ts"
import { check, nothing } from "./Budget.ts"
import { idempotencyKey } from "./Digest.ts"
import type { Actor, OperationKey, Seq } from "./Ids.ts"
import {
  AlreadySettled,
  ApprovalNotPending,
  KeyMismatch,
  NotAnApprover,
  RunClosed,
  StartConflict,
  WaitClosed
} from "./RunError.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, Operation, OperationKind, RequestEvent, RunState } from "./RunState.ts"
import { isEnded, openPlaces, placeAt, recoveriesWith, status } from "./RunState.ts"

/**
 * A pure function from what is known to what is to be appended (all or none), or to the reason why not.
 *
 * @category models
 * @since 0.1.0
 */
export type Decision<E = never> = (state: RunState) => Result.Result<ReadonlyArray<RunEvent>, E>

const events = (...list: ReadonlyArray<RunEvent>): Result.Result<ReadonlyArray<RunEvent>, never> => Result.succeed(list)

const closed = (state: RunState) => Result.fail(new RunClosed({ runId: state.runId, status: status(state) }))

const whileOpen = <E>(decision: Decision<E>): Decision<E | RunClosed> => (state) =>
  state.started === undefined || isEnded(state) ? closed(state) : decision(state)

/**
 * Begins a log. Starting again with the same start key and input changes nothing.
 *
 * @category runs
 * @since 0.1.0
 */
export const start = (event: RunEventOf<"RunStarted">): Decision<StartConflict> => (state) => {
  if (state.started === undefined) return events(event)
  return event.startKey !== undefined && state.started.startKey === event.startKey &&
      state.started.program === event.program && state.started.inputDigest === event.inputDigest
    ? events()
    : Result.fail(new StartConflict({ runId: state.runId, startKey: event.startKey ?? "" }))
}

/**
 * A worker takes over a run whose lease was not released. More than `maxRecoveries` takeovers without an outcome between
 * them park the run; one from a worker that had not begun does not count.
 *
 * @category runs
 * @since 0.1.0
 */
export const recover = (epoch: number, owner: string, maxRecoveries: number): Decision<RunClosed> =>
  whileOpen((state) => {
    const recovered: RunEvent = { _tag: "RunRecovered", epoch, owner }
    const recoveries = recoveriesWith(state, epoch)
    if (state.stuck !== undefined || recoveries <= maxRecoveries) return events(recovered)
    const suspect = openPlaces(state).find((place) => place._tag === "Operation" && place.inFlight)
    return events(recovered, {
      _tag: "RunStuck",
      reason: "poison",
      detail: `taken over ${recoveries} times without a new outcome`,
      ...(suspect === undefined ? {} : { key: suspect.key })
    })
  })

/**
 * Parks the run until an operator releases it.
 *
 * @category runs
 * @since 0.1.0
 */
export const stick = (stuck: Omit<RunEventOf<"RunStuck">, "_tag">): Decision<RunClosed> =>
  whileOpen((state) => state.stuck === undefined ? events({ _tag: "RunStuck", ...stuck }) : events())

/**
 * An operator lets a stuck run go on.
 *
 * @category runs
 * @since 0.1.0
 */
export const release = (actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) =>
    state.stuck === undefined ? closed(state) : events({ _tag: "RunReleased", actor, ...withReason(reason) })
  )

/**
 * Takes the run out of work until it is resumed. Pausing twice changes nothing.
 *
 * @category runs
 * @since 0.1.0
 */
export const pause = (actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) => state.paused ? events() : events({ _tag: "RunPaused", actor, ...withReason(reason) }))

/**
 * Lets a paused run go on; any other is left as it is.
 *
 * @category runs
 * @since 0.1.0
 */
export const resume = (actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) => state.paused ? events({ _tag: "RunResumed", actor, ...withReason(reason) }) : events())

/**
 * Replaces the limits that are named; the others stay.
 *
 * @category runs
 * @since 0.1.0
 */
export const changeBudget = (budget: Budget, actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) =>
    events({ _tag: "BudgetChanged", budget: { ...state.budget, ...budget }, actor, ...withReason(reason) })
  )

/**
 * Asks a run to stop. A run that has not done anything yet, or that is stuck, stops at once: its program has nothing to undo,
 * or cannot. A second request changes nothing, unless the run has become stuck since the first.
 *
 * @category runs
 * @since 0.1.0
 */
export const cancel = (actor: Actor, reason: string): Decision<RunClosed> =>
  whileOpen((state) => {
    const atOnce = state.stuck !== undefined || (state.epoch === 0 && HashMap.isEmpty(state.places))
    const { cancel: standing = { actor, reason }, usage } = state
    return events(
      ...(state.cancel === undefined ? [{ _tag: "RunCancelRequested", actor, reason } as const] : []),
      ...(atOnce
        ? [
          ...inFlight(state),
          { _tag: "RunCancelled", actor: standing.actor, reason: standing.reason, usage } as const
        ]
        : [])
    )
  })

const withReason = (reason: string | undefined) => reason === undefined ? {} : { reason }

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
  readonly reserve?: Spend
  /** Why it must not be carried out: recorded as its outcome, in place of a request and without a claim on the budget. */
  readonly refusal?: string
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
 * derives it again; nothing acts before its request is stored, so a key that left the process never changes.
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
      const refused = { key: asked.key, attempt: 0, reason: "Refused" as const, error: asked.refusal, final: true }
      return events(...before, asked.failed(refused))
    }
    const fits = check(state.budget, state.usage, {
      turns: operation === undefined && asked.kind === "model" ? 1 : 0,
      toolCalls: operation === undefined && asked.kind === "tool" ? 1 : 0,
      spends: asked.kind === "model",
      reserve: asked.reserve ?? nothing,
      elapsedMillis: now - Math.max(state.startedAt, state.started?.startAtMillis ?? 0)
    })
    if (Result.isFailure(fits)) return events(...before, asked.failed(refusal(asked.key, fits.failure, state)))
    const attempt = (operation?.attempt ?? 0) + 1
    return events(
      ...before,
      asked.requested({
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
    )
  })

const refusal = (key: OperationKey, exceeded: BudgetExceeded, state: RunState): FailureFields => {
  const known = placeAt(state, key)
  return {
    key,
    attempt: known?._tag === "Operation" ? known.attempt : 0,
    reason: "BudgetExceeded",
    error: exceeded.message,
    failure: { limit: exceeded.limit, allowed: exceeded.allowed, used: exceeded.used },
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
 * Opens a wait, or makes a choice, unless it is in the log. A run that is being cancelled opens no wait any more.
 *
 * @category waits
 * @since 0.1.0
 */
export const open = (
  event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested" | "BranchDecided">,
  before: ReadonlyArray<RunEvent> = []
): Decision<RunClosed | KeyMismatch> =>
  whileOpen((state) => {
    const mismatch = matches(state, { key: event.key, ...waitKind(event) })
    if (Result.isFailure(mismatch)) return Result.fail(mismatch.failure)
    const useless = state.cancel !== undefined && event._tag !== "BranchDecided"
    return placeAt(state, event.key) !== undefined || useless ? events() : events(...before, event)
  })

/**
 * What a wait or a choice is called in `matches`.
 *
 * @category waits
 * @since 0.1.0
 */
export const waitKind = (
  event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested" | "BranchDecided">
): { readonly kind: string; readonly name: string } =>
  event._tag === "TimerStarted"
    ? { kind: "Timer", name: "" }
    : event._tag === "SignalAwaited"
    ? { kind: "Signal", name: event.name }
    : event._tag === "ApprovalRequested"
    ? { kind: "Approval", name: "" }
    : { kind: "Branch", name: "" }

const openWait = (state: RunState, key: OperationKey) => {
  const place = placeAt(state, key)
  return place === undefined || place._tag === "Operation" || place._tag === "Branch" || place.closed ||
      place.position !== undefined
    ? undefined
    : place
}

/**
 * The program went on without this wait.
 *
 * @category waits
 * @since 0.1.0
 */
export const abandon = (key: OperationKey): Decision => (state) =>
  isEnded(state) || openWait(state, key) === undefined ? events() : events({ _tag: "WaitAbandoned", key })

/**
 * Records what has come due at `now`: timers, and approvals whose expiry has a declared default.
 *
 * @category waits
 * @since 0.1.0
 */
export const fireDue = (now: number): Decision => (state) => {
  if (state.started === undefined || isEnded(state) || state.cancel !== undefined) return events()
  const policy: Actor = { kind: "policy", id: "expiry" }
  return events(...openPlaces(state).flatMap((place): ReadonlyArray<RunEvent> => {
    if (place._tag === "Timer" && place.until <= now) return [{ _tag: "TimerFired", key: place.key }]
    if (place._tag !== "Approval" || !(expired(place.request, now))) return []
    return place.request.onExpiry === "approve"
      ? [{ _tag: "ApprovalGranted", key: place.key, actor: policy }]
      : [{ _tag: "ApprovalDenied", key: place.key, actor: policy, reason: "nobody decided in time" }]
  }))
}

const expired = (request: RunEventOf<"ApprovalRequested">, now: number): boolean =>
  request.onExpiry !== undefined && request.expiresAtMillis !== undefined && request.expiresAtMillis <= now

/**
 * A person allows exactly one request. Only the first decision counts; a request whose time is over has been decided by its
 * declared default.
 *
 * @category approvals
 * @since 0.1.0
 */
export const approve = (
  approval: OperationKey,
  actor: Actor,
  now: number,
  extra: { readonly comment?: string; readonly arguments?: Schema.Json } = {}
): Decision<ApprovalNotPending | WaitClosed | NotAnApprover> =>
  decideApproval(approval, actor, now, { _tag: "ApprovalGranted", key: approval, actor, ...extra })

/**
 * A person refuses exactly one request.
 *
 * @category approvals
 * @since 0.1.0
 */
export const deny = (
  approval: OperationKey,
  actor: Actor,
  now: number,
  reason: string
): Decision<ApprovalNotPending | WaitClosed | NotAnApprover> =>
  decideApproval(approval, actor, now, { _tag: "ApprovalDenied", key: approval, actor, reason })

const decideApproval = (
  approval: OperationKey,
  actor: Actor,
  now: number,
  decision: RunEvent
): Decision<ApprovalNotPending | WaitClosed | NotAnApprover> =>
(state) => {
  const runId = state.runId
  const place = placeAt(state, approval)
  if (place?._tag !== "Approval") {
    return Result.fail(new ApprovalNotPending({ runId, approval, status: status(state) }))
  }
  const stands = place.decision
  if (stands !== undefined) {
    return Result.fail(new ApprovalNotPending({
      runId,
      approval,
      status: status(state),
      decision: stands._tag === "ApprovalGranted"
        ? { decision: "granted", actor: stands.actor }
        : { decision: "denied", actor: stands.actor, reason: stands.reason }
    }))
  }
  if (isEnded(state) || state.cancel !== undefined) {
    return Result.fail(new ApprovalNotPending({ runId, approval, status: status(state) }))
  }
  if (place.closed) return Result.fail(new WaitClosed({ runId, key: approval }))
  if (expired(place.request, now)) {
    return Result.fail(new ApprovalNotPending({
      runId,
      approval,
      status: status(state),
      decision: {
        decision: place.request.onExpiry === "approve" ? "granted" : "denied",
        actor: { kind: "policy", id: "expiry" }
      }
    }))
  }
  const approvers = place.request.approvers
  return approvers !== undefined && !approvers.includes(actor.id)
    ? Result.fail(new NotAnApprover({ runId, approval, actor: actor.id, approvers }))
    : events(decision)
}

/**
 * Something from outside for the program. A second one with the same `signalId` changes nothing.
 *
 * @category signals
 * @since 0.1.0
 */
export const receive = (event: RunEventOf<"SignalReceived">): Decision<RunClosed> =>
  whileOpen((state) => {
    if (state.cancel !== undefined) return closed(state)
    return event.signalId !== undefined && hasSignal(state, event.signalId) ? events() : events(event)
  })

const hasSignal = (state: RunState, id: string): boolean => HashSet.has(state.signalIds, id)

/**
 * How a program ended.
 *
 * @category models
 * @since 0.1.0
 */
export type End =
  | Omit<RunEventOf<"RunCompleted">, "usage">
  | Omit<RunEventOf<"RunFailed">, "usage">
  | { readonly _tag: "RunCancelled" }

/**
 * Ends a run. Operations still in flight are recorded with an unknown outcome. A run that was asked to stop ends as cancelled,
 * however its program ended.
 *
 * @category runs
 * @since 0.1.0
 */
export const end = (event: End): Decision<RunClosed> =>
  whileOpen((state) => {
    const usage = state.usage
    const left = inFlight(state)
    if (state.cancel !== undefined) {
      const { actor, reason } = state.cancel
      return events(...left, { _tag: "RunCancelled", actor, reason, usage })
    }
    return event._tag === "RunCancelled" ? events() : events(...left, { ...event, usage })
  })

const inFlight = (state: RunState): ReadonlyArray<RunEvent> =>
  openPlaces(state).flatMap((place) =>
    place._tag === "Operation" && place.inFlight
      ? [failureOf(place, {
        key: place.key,
        attempt: place.attempt,
        reason: "Interrupted",
        error: "the run ended while this was in flight",
        final: true,
        outcome: "unknown"
      })]
      : []
  )

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
): Decision<RunClosed | AlreadySettled | WaitClosed> =>
(state) => {
  const known = placeAt(state, key)
  if (resolution._tag === "Happened" && known?._tag === "Operation" && known.kind === "model") {
    return Result.fail(new WaitClosed({ runId: state.runId, key }))
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
