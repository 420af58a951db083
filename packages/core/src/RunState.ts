/**
 * The state of a run as a fold of its log: operations, waits, usage and status. Pure, total, valid for every prefix.
 */
import { Chunk, HashMap, HashSet } from "effect"
import type { Budget, Usage } from "./Budget.ts"
import { noUsage } from "./Budget.ts"
import type { Actor, OperationKey, RunId, Seq } from "./Ids.ts"
import * as OperationFold from "./OperationFold.ts"
import type { Place } from "./Place.ts"
import { placeAt, withPlace } from "./Place.ts"
import type { Recorded, RunEvent, RunEventOf } from "./RunEvent.ts"
import { hasNotBegun } from "./RunStatus.ts"
import * as WaitFold from "./WaitFold.ts"

export { kindOf, paidOf } from "./OperationFold.ts"
export type {
  ApprovalWait,
  Choice,
  CompletedEvent,
  FailedEvent,
  Operation,
  OperationKind,
  Place,
  Position,
  RequestEvent,
  SignalWait,
  TimerWait,
  Wait
} from "./Place.ts"
export { comparePositions, placeAt } from "./Place.ts"
export {
  goesOnAt,
  isEnded,
  openPlaces,
  type PendingApproval,
  pendingApprovals,
  RunStatus,
  status,
  wakeAt
} from "./RunStatus.ts"
export { earlySignal, nextAwait } from "./WaitFold.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface RunState {
  readonly runId: RunId
  /** The position that the next event takes, which is the number of events. */
  readonly seq: Seq
  readonly started: RunEventOf<"RunStarted"> | undefined
  readonly startedAt: number
  readonly updatedAt: number
  /** How long, up to its last event, the run did not rest. */
  readonly activeMillis: number
  /** The highest lease that has written. */
  readonly epoch: number
  readonly budget: Budget
  readonly usage: Usage
  /** The budgets of parts of the run as they were last recorded, by their paths. */
  readonly allowances: HashMap.HashMap<string, Budget>
  readonly places: HashMap.HashMap<OperationKey, Place>
  /** Keys of operations and waits without an outcome. */
  readonly open: HashSet.HashSet<OperationKey>
  /** How many operations are in flight. */
  readonly inFlight: number
  readonly signals: HashMap.HashMap<string, SignalQueue>
  /** Ids of signals, and where each stands in the log. */
  readonly signalIds: HashMap.HashMap<string, Seq>
  /** Verdicts of guardrails, oldest first. */
  readonly verdicts: Chunk.Chunk<RunEventOf<"GuardrailTriggered">>
  /** A decision from outside that no worker has written after. */
  readonly undigested: boolean
  /** Takeovers since the last outcome, from workers that had begun. */
  readonly recoveries: number
  readonly paused: boolean
  readonly stuck: RunEventOf<"RunStuck"> | undefined
  readonly cancel: { readonly seq: Seq; readonly actor: Actor; readonly reason: string } | undefined
  readonly end: RunEventOf<"RunCompleted" | "RunFailed" | "RunCancelled"> | undefined
  /** The span of the latest execution that has said one, or of the start. */
  readonly traceparent: string | undefined
  /** Why this build cannot execute the run: an event that it does not know, a gap, a second start, more after the end. */
  readonly problem: { readonly seq: Seq; readonly detail: string } | undefined
}

/**
 * Signals of one name meet their awaits in log order, so at most one of the two lists is not empty.
 *
 * @category models
 * @since 0.1.0
 */
export interface SignalQueue {
  readonly received: Chunk.Chunk<RunEventOf<"SignalReceived">>
  readonly awaiting: Chunk.Chunk<OperationKey>
}

/**
 * The state of a log without events.
 *
 * @category folds
 * @since 0.1.0
 */
export const initial = (runId: RunId): RunState => ({
  runId,
  seq: 0,
  started: undefined,
  startedAt: 0,
  updatedAt: 0,
  activeMillis: 0,
  epoch: 0,
  budget: {},
  usage: noUsage,
  allowances: HashMap.empty(),
  places: HashMap.empty(),
  open: HashSet.empty(),
  inFlight: 0,
  signals: HashMap.empty(),
  signalIds: HashMap.empty(),
  verdicts: Chunk.empty(),
  undigested: false,
  recoveries: 0,
  paused: false,
  stuck: undefined,
  cancel: undefined,
  end: undefined,
  traceparent: undefined,
  problem: undefined
})

/**
 * The state after some more events.
 *
 * @category folds
 * @since 0.1.0
 */
export const fold = (state: RunState, events: Iterable<Recorded>): RunState => {
  let next = state
  for (const recorded of events) next = evolve(next, recorded)
  return next
}

/**
 * The state after one more event. Never fails, so that a damaged log stays readable: of two events that contradict each other
 * the first counts, an answer that nobody asked for changes nothing, and what keeps the run from being executed is noted in
 * `problem`.
 *
 * @category folds
 * @since 0.1.0
 */
export const evolve = (state: RunState, recorded: Recorded): RunState => {
  const { at, epoch, event, seq } = recorded
  const next: RunState = {
    ...state,
    seq: seq + 1,
    updatedAt: at,
    activeMillis: activeMillisAt(state, at),
    epoch: Math.max(state.epoch, epoch ?? 0),
    undigested: epoch === undefined && state.undigested,
    traceparent: state.end === undefined ? traceOf(event) ?? state.traceparent : state.traceparent,
    problem: state.problem ?? (seq === state.seq ? undefined : { seq, detail: `expected event ${state.seq} here` })
  }
  if (state.end !== undefined) return note(next, seq, "the log goes on after the end of the run")
  return event._tag === "RunRecovered"
    ? { ...next, recoveries: recoveriesWith(state, event.epoch) }
    : apply(next, event, recorded)
}

const traceOf = (event: RunEvent): string | undefined => "traceparent" in event ? event.traceparent : undefined

/**
 * How long the run has not rested by then: neither waited for a person, a signal or a time, nor been paused or stuck. What an
 * operation takes counts, and so does the time in which it was due and no worker had it.
 *
 * @category folds
 * @since 0.1.0
 */
export const activeMillisAt = (state: RunState, now: number): number =>
  state.activeMillis + (isResting(state) ? 0 : Math.max(0, now - state.updatedAt))

const isResting = (state: RunState): boolean =>
  state.started === undefined || state.end !== undefined || state.paused || state.stuck !== undefined ||
  (state.inFlight === 0 && !state.undigested && (HashSet.size(state.open) > 0 || hasNotBegun(state)))

/**
 * The count of takeovers with one by this lease. Nothing in flight, and nothing written under the lease before: that worker had
 * not begun, so taking over from it does not count.
 *
 * @category folds
 * @since 0.1.0
 */
export const recoveriesWith = (state: RunState, epoch: number): number =>
  state.recoveries + (epoch <= state.epoch + 1 || state.inFlight > 0 ? 1 : 0)

const apply = (
  state: RunState,
  event: Exclude<RunEvent, { readonly _tag: "RunRecovered" }>,
  { at, epoch, seq }: Recorded
): RunState => {
  switch (event._tag) {
    case "RunStarted":
      return state.started === undefined
        ? { ...state, started: event, startedAt: at, budget: event.budget }
        : note(state, seq, "the run starts twice")
    case "RunStuck":
      return { ...state, stuck: event }
    case "RunReleased":
      return { ...state, stuck: undefined, recoveries: 0 }
    case "RunPaused":
      return { ...state, paused: true }
    case "RunResumed":
      return { ...state, paused: false }
    case "BudgetChanged":
      return { ...state, budget: event.budget }
    case "RunCancelRequested":
      return state.cancel === undefined
        ? WaitFold.closeWaits({ ...state, cancel: { seq, actor: event.actor, reason: event.reason } }, openKeys(state))
        : state
    case "RunCompleted":
    case "RunFailed":
    case "RunCancelled":
      return { ...state, end: event, open: HashSet.empty(), inFlight: 0, undigested: false }
    case "LLMCallRequested":
    case "ToolCallRequested":
    case "StepRequested":
      return OperationFold.request(state, event, at, seq)
    case "LLMCallCompleted":
    case "ToolCallCompleted":
    case "StepCompleted":
    case "LLMCallFailed":
    case "ToolCallFailed":
    case "StepFailed":
      return OperationFold.settle(state, event, at, seq, epoch)
    case "BranchDecided":
      return placeAt(state, event.key) === undefined ? decideBranch(state, event, seq) : state
    case "TimerStarted":
      return WaitFold.withWait(state, {
        _tag: "Timer",
        until: event.untilMillis,
        ...WaitFold.wait(state, event.key, seq, at)
      })
    case "TimerFired":
      return WaitFold.answer(state, event.key, "Timer", (timer) => ({ ...timer, position: { shown: seq, seq } }), epoch)
    case "ApprovalRequested":
      return WaitFold.withWait(state, {
        _tag: "Approval",
        request: event,
        decision: undefined,
        ...WaitFold.wait(state, event.key, seq, at)
      })
    case "ApprovalGranted":
    case "ApprovalDenied":
      return WaitFold.answer(
        state,
        event.key,
        "Approval",
        (approval) => ({ ...approval, decision: event, position: { shown: seq, seq } }),
        epoch
      )
    case "SignalAwaited":
      return placeAt(state, event.key) === undefined ? WaitFold.awaitSignal(state, event, seq, at) : state
    case "SignalReceived":
      return WaitFold.receiveSignal(state, event, seq, epoch)
    case "WaitAbandoned":
      return WaitFold.closeWaits(state, [event.key])
    case "GuardrailTriggered":
      return { ...state, verdicts: Chunk.append(state.verdicts, event) }
    case "UnknownEvent":
      return note(state, seq, event.problem)
  }
}

const note = (state: RunState, seq: Seq, detail: string): RunState => ({
  ...state,
  problem: state.problem ?? { seq, detail }
})

const openKeys = (state: RunState): ReadonlyArray<OperationKey> => Array.from(state.open)

const decideBranch = (state: RunState, { key, winner }: RunEventOf<"BranchDecided">, seq: Seq): RunState =>
  WaitFold.closeWaits(
    withPlace(state, { _tag: "Branch", key, seq, winner, position: { shown: seq, seq } }),
    openKeys(state).filter((open) => open.startsWith(`${key}/`) && !open.startsWith(`${key}/${winner}/`))
  )
