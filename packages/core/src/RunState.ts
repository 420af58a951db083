/**
 * The state of a run as a fold of its log: operations, waits, usage and status. Pure, total, valid for every prefix.
 */
import { Chunk, HashMap, HashSet, Option, Schema } from "effect"
import type { Allowance, Budget, CallUsage, Spend, Usage } from "./Budget.ts"
import { addCall, addSpend, nothing, noUsage, subtractSpend, unaccounted } from "./Budget.ts"
import type { Actor, OperationKey, RunId, Seq } from "./Ids.ts"
import type {
  CompletedEvent,
  FailedEvent,
  Operation,
  OperationKind,
  Place,
  RequestEvent,
  SignalWait,
  Wait,
  WaitFields
} from "./Place.ts"
import type { Recorded, RunEvent, RunEventOf } from "./RunEvent.ts"

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
export { comparePositions } from "./Place.ts"

/**
 * An approval that waits for a decision, as shown to the person who decides. `key` is its reference.
 *
 * @category models
 * @since 0.1.0
 */
export interface PendingApproval {
  readonly key: OperationKey
  readonly requestedAt: number
  readonly subject: string
  readonly reason: string
  readonly tool: string | undefined
  readonly arguments: Schema.Json | undefined
  readonly expiresAt: number | undefined
  readonly onExpiry: "deny" | "approve" | undefined
  readonly approvers: ReadonlyArray<string> | undefined
  /** Whoever started the run may not allow it. */
  readonly notByRequester: boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export const RunStatus = Schema.Literals([
  "NotStarted",
  "Pending",
  "Running",
  "AwaitingApproval",
  "AwaitingSignal",
  "Sleeping",
  "Cancelling",
  "Paused",
  "Stuck",
  "Completed",
  "Failed",
  "Cancelled"
])

/**
 * @category models
 * @since 0.1.0
 */
export type RunStatus = typeof RunStatus.Type

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
  readonly signalIds: HashSet.HashSet<string>
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

const emptyQueue: SignalQueue = { received: Chunk.empty(), awaiting: Chunk.empty() }

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
  signalIds: HashSet.empty(),
  verdicts: Chunk.empty(),
  undigested: false,
  recoveries: 0,
  paused: false,
  stuck: undefined,
  cancel: undefined,
  end: undefined,
  problem: undefined
})

/**
 * What the log holds at a key.
 *
 * @category folds
 * @since 0.1.0
 */
export const placeAt = (state: RunState, key: OperationKey): Place | undefined =>
  Option.getOrUndefined(HashMap.get(state.places, key))

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
    problem: state.problem ?? (seq === state.seq ? undefined : { seq, detail: `expected event ${state.seq} here` })
  }
  if (state.end !== undefined) return note(next, seq, "the log goes on after the end of the run")
  return event._tag === "RunRecovered"
    ? { ...next, recoveries: recoveriesWith(state, event.epoch) }
    : apply(next, event, recorded)
}

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

const hasNotBegun = (state: RunState): boolean => HashMap.isEmpty(state.places) && state.epoch === 0

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
        ? closeWaits({ ...state, cancel: { seq, actor: event.actor, reason: event.reason } }, openKeys(state))
        : state
    case "RunCompleted":
    case "RunFailed":
    case "RunCancelled":
      return { ...state, end: event, open: HashSet.empty(), inFlight: 0, undigested: false }
    case "LLMCallRequested":
    case "ToolCallRequested":
    case "StepRequested":
      return request(state, event, at, seq)
    case "LLMCallCompleted":
    case "ToolCallCompleted":
    case "StepCompleted":
    case "LLMCallFailed":
    case "ToolCallFailed":
    case "StepFailed":
      return settle(state, event, at, seq, epoch)
    case "BranchDecided":
      return placeAt(state, event.key) === undefined ? decideBranch(state, event, seq) : state
    case "TimerStarted":
      return withWait(state, { _tag: "Timer", until: event.untilMillis, ...wait(state, event.key, seq, at) })
    case "TimerFired":
      return answer(state, event.key, "Timer", (timer) => ({ ...timer, position: { shown: seq, seq } }), epoch)
    case "ApprovalRequested":
      return withWait(state, {
        _tag: "Approval",
        request: event,
        decision: undefined,
        ...wait(state, event.key, seq, at)
      })
    case "ApprovalGranted":
    case "ApprovalDenied":
      return answer(
        state,
        event.key,
        "Approval",
        (approval) => ({ ...approval, decision: event, position: { shown: seq, seq } }),
        epoch
      )
    case "SignalAwaited":
      return placeAt(state, event.key) === undefined ? awaitSignal(state, event, seq, at) : state
    case "SignalReceived":
      return receiveSignal(state, event, seq, epoch)
    case "WaitAbandoned":
      return closeWaits(state, [event.key])
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

const wait = (state: RunState, key: OperationKey, seq: Seq, since: number): WaitFields => ({
  key,
  seq,
  since,
  activeBefore: state.activeMillis,
  position: undefined,
  closed: false
})

const withPlace = (state: RunState, place: Place): RunState => ({
  ...state,
  places: HashMap.set(state.places, place.key, place)
})

const withWait = (state: RunState, open: Wait): RunState =>
  placeAt(state, open.key) === undefined
    ? { ...withPlace(state, open), open: HashSet.add(state.open, open.key) }
    : state

/** `epoch` is that of the answer: one from outside has yet to be acted on. */
const answer = <Tag extends Wait["_tag"]>(
  state: RunState,
  key: OperationKey,
  tag: Tag,
  f: (wait: Extract<Wait, { _tag: Tag }>) => Wait,
  epoch: number | undefined
): RunState => {
  const place = placeAt(state, key)
  return isWait(place, tag) && place.position === undefined && !place.closed
    ? {
      ...withPlace(state, f(place)),
      open: HashSet.remove(state.open, key),
      undigested: epoch === undefined
    }
    : state
}

const isWait = <Tag extends Wait["_tag"]>(
  place: Place | undefined,
  tag: Tag
): place is Extract<Wait, { _tag: Tag }> => place?._tag === tag

const openKeys = (state: RunState): ReadonlyArray<OperationKey> => Array.from(state.open)

const decideBranch = (state: RunState, { key, winner }: RunEventOf<"BranchDecided">, seq: Seq): RunState =>
  closeWaits(
    withPlace(state, { _tag: "Branch", key, seq, winner, position: { shown: seq, seq } }),
    openKeys(state).filter((open) => open.startsWith(`${key}/`) && !open.startsWith(`${key}/${winner}/`))
  )

/** Those of the keys where a wait is open. */
const closeWaits = (state: RunState, keys: ReadonlyArray<OperationKey>): RunState => {
  let next = state
  for (const key of keys) {
    const place = placeAt(next, key)
    if (place === undefined || place._tag === "Operation" || place._tag === "Branch" || !HashSet.has(next.open, key)) {
      continue
    }
    next = { ...withPlace(next, { ...place, closed: true }), open: HashSet.remove(next.open, key) }
    if (place._tag === "Signal") {
      const queue = signalQueue(next, place.name)
      next = withQueue(next, place.name, {
        ...queue,
        awaiting: Chunk.filter(queue.awaiting, (awaiting) => awaiting !== key)
      })
    }
  }
  return next
}

const signalQueue = (state: RunState, name: string): SignalQueue =>
  Option.getOrElse(HashMap.get(state.signals, name), () => emptyQueue)

const withQueue = (state: RunState, name: string, queue: SignalQueue): RunState => ({
  ...state,
  signals: HashMap.set(state.signals, name, queue)
})

/**
 * The await that the next signal of this name meets.
 *
 * @category folds
 * @since 0.1.0
 */
export const nextAwait = (state: RunState, name: string): OperationKey | undefined =>
  Option.getOrUndefined(Chunk.head(signalQueue(state, name).awaiting))

/**
 * The early signal that the next await of this name meets.
 *
 * @category folds
 * @since 0.1.0
 */
export const earlySignal = (state: RunState, name: string): RunEventOf<"SignalReceived"> | undefined =>
  Option.getOrUndefined(Chunk.head(signalQueue(state, name).received))

const awaitSignal = (state: RunState, event: RunEventOf<"SignalAwaited">, seq: Seq, at: number): RunState => {
  const { key, name } = event
  const queue = signalQueue(state, name)
  const early = earlySignal(state, name)
  const signal: SignalWait = { _tag: "Signal", name, received: early, ...wait(state, key, seq, at) }
  return early === undefined
    ? withQueue(withWait(state, signal), name, { ...queue, awaiting: Chunk.append(queue.awaiting, key) })
    : withQueue(withPlace(state, { ...signal, position: { shown: seq, seq } }), name, {
      ...queue,
      received: Chunk.drop(queue.received, 1)
    })
}

const receiveSignal = (
  state: RunState,
  event: RunEventOf<"SignalReceived">,
  seq: Seq,
  epoch: number | undefined
): RunState => {
  const { name, signalId } = event
  if (signalId !== undefined && HashSet.has(state.signalIds, signalId)) return state
  const known = signalId === undefined ? state : { ...state, signalIds: HashSet.add(state.signalIds, signalId) }
  const queue = signalQueue(known, name)
  const key = nextAwait(known, name)
  if (key === undefined) return withQueue(known, name, { ...queue, received: Chunk.append(queue.received, event) })
  const answered = answer(
    known,
    key,
    "Signal",
    (signal) => ({ ...signal, received: event, position: { shown: seq, seq } }),
    epoch
  )
  return withQueue(answered, name, { ...queue, awaiting: Chunk.drop(queue.awaiting, 1) })
}

/**
 * Whether an event speaks of a model call, a tool call or a step.
 *
 * @category folds
 * @since 0.1.0
 */
export const kindOf = (event: RequestEvent | CompletedEvent | FailedEvent): OperationKind =>
  event._tag.startsWith("LLM") ? "model" : event._tag.startsWith("Tool") ? "tool" : "step"

const reserveOf = (request: RequestEvent | undefined): Spend =>
  request?._tag === "LLMCallRequested" ? request.reserve ?? nothing : nothing

const request = (state: RunState, event: RequestEvent, at: number, seq: Seq): RunState => {
  const known = placeAt(state, event.key)
  if (known !== undefined && (known._tag !== "Operation" || known.outcome !== undefined)) return state
  const reserve = reserveOf(event)
  const before = known ?? unasked(state, event, at, seq)
  const operation: Operation = {
    ...before,
    idempotencyKey: known?.idempotencyKey ?? event.idempotencyKey,
    request: event,
    attempt: event.attempt,
    inFlight: true,
    possible: reserve === nothing ? before.possible : addSpend(before.possible, reserve),
    doubtful: before.doubtful + (before.inFlight ? 1 : 0),
    wakeAt: undefined
  }
  const usage = state.usage
  return {
    ...state,
    places: HashMap.set(state.places, operation.key, operation),
    open: HashSet.add(state.open, event.key),
    inFlight: state.inFlight + (before.inFlight ? 0 : 1),
    allowances: event.within === undefined ? state.allowances : allowed(state.allowances, event.within),
    usage: operation.kind === "step" ? usage : {
      ...usage,
      turns: usage.turns + (known === undefined && operation.kind === "model" ? 1 : 0),
      toolCalls: usage.toolCalls + (known === undefined && operation.kind === "tool" ? 1 : 0),
      possible: reserve === nothing ? usage.possible : addSpend(usage.possible, reserve)
    }
  }
}

const allowed = (before: RunState["allowances"], within: ReadonlyArray<Allowance>): RunState["allowances"] =>
  within.reduce((known, { budget, path }) => HashMap.set(known, path, budget), before)

/** An operation of which nothing is recorded yet. */
const unasked = (
  state: RunState,
  event: RequestEvent | CompletedEvent | FailedEvent,
  at: number,
  seq: Seq
): Operation => ({
  _tag: "Operation",
  key: event.key,
  kind: kindOf(event),
  name: "tool" in event ? event.tool : "",
  seq,
  since: at,
  activeBefore: state.activeMillis,
  idempotencyKey: "",
  request: undefined,
  attempt: 0,
  inFlight: false,
  possible: nothing,
  doubtful: 0,
  failures: [],
  wakeAt: undefined,
  outcome: undefined
})

const settle = (
  state: RunState,
  event: CompletedEvent | FailedEvent,
  at: number,
  seq: Seq,
  epoch: number | undefined
): RunState => {
  const found = placeAt(state, event.key)
  const failed = event._tag === "LLMCallFailed" || event._tag === "ToolCallFailed" || event._tag === "StepFailed"
  if (found === undefined && !(failed && event.final)) return state
  if (found !== undefined && (found._tag !== "Operation" || found.outcome !== undefined)) return state
  const known = found ?? unasked(state, event, at, seq)
  const reserve = known.inFlight ? reserveOf(known.request) : nothing
  const possible = (before: Spend): Spend =>
    reserve === nothing ? before : addSpend(subtractSpend(before, reserve), leftOf(reserve, event))
  const unspent = reserve === nothing ? state.usage : { ...state.usage, possible: possible(state.usage.possible) }
  const paid = paidOf(event)
  const usage = paid === undefined ? unspent : addCall(unspent, paid)
  const inFlight = state.inFlight - (known.inFlight ? 1 : 0)
  const undigested = state.undigested || (epoch === undefined && event.actor !== undefined)
  if (failed && !event.final) {
    return withPlace({ ...state, undigested, usage, inFlight }, {
      ...known,
      inFlight: false,
      possible: possible(known.possible),
      failures: [...known.failures, { at, event }],
      wakeAt: event.wakeAtMillis ?? at
    })
  }
  const refused = known.request === undefined
  return {
    ...state,
    undigested,
    inFlight,
    usage,
    places: HashMap.set(state.places, event.key, {
      ...known,
      inFlight: false,
      possible: possible(known.possible),
      wakeAt: undefined,
      outcome: { event, position: { shown: event.shown ?? (refused ? seq : seq - 1), seq } }
    }),
    open: HashSet.remove(state.open, event.key),
    recoveries: 0
  }
}

/**
 * What an attempt of a model call is reported to have used; undefined if there was no answer.
 *
 * @category folds
 * @since 0.1.0
 */
export const paidOf = (event: CompletedEvent | FailedEvent): CallUsage | undefined =>
  event._tag === "LLMCallCompleted" || event._tag === "LLMCallFailed" ? event.usage : undefined

/** What is still possible of a reservation once its attempt is over. */
const leftOf = (reserve: Spend, event: CompletedEvent | FailedEvent): Spend => {
  const paid = paidOf(event)
  if (paid !== undefined) return unaccounted(reserve, paid)
  return "outcome" in event && event.outcome === "unknown" ? reserve : nothing
}

/**
 * Everything that is open: operations in flight or between two attempts, and waits; oldest first.
 *
 * @category folds
 * @since 0.1.0
 */
export const openPlaces = (state: RunState): ReadonlyArray<Operation | Wait> =>
  Array.from(state.open, (key) => placeAt(state, key))
    .filter((place): place is Operation | Wait => place !== undefined && place._tag !== "Branch")
    .sort((left, right) => left.seq - right.seq)

/**
 * The approvals that a person can decide now, oldest first.
 *
 * @category folds
 * @since 0.1.0
 */
export const pendingApprovals = (state: RunState): ReadonlyArray<PendingApproval> =>
  openPlaces(state)
    .filter((place) => place._tag === "Approval")
    .map(({ key, request, since }) => ({
      key,
      requestedAt: since,
      subject: request.subject,
      reason: request.reason,
      tool: request.tool,
      arguments: request.arguments,
      expiresAt: request.expiresAtMillis,
      onExpiry: request.onExpiry,
      approvers: request.approvers,
      notByRequester: request.notByRequester === true
    }))

/**
 * The status of a run: the first that applies of ended, stuck, paused, cancelling, running (an operation in flight, or a
 * decision that no worker has acted on), waiting for a person, a signal, a time, and not begun.
 *
 * @category folds
 * @since 0.1.0
 */
export const status = (state: RunState): RunStatus => {
  if (state.started === undefined) return "NotStarted"
  if (state.end !== undefined) {
    return state.end._tag === "RunCompleted" ? "Completed" : state.end._tag === "RunFailed" ? "Failed" : "Cancelled"
  }
  if (state.stuck !== undefined) return "Stuck"
  if (state.paused) return "Paused"
  if (state.cancel !== undefined) return "Cancelling"
  const open = openPlaces(state)
  if (state.undigested || state.inFlight > 0) return "Running"
  if (open.some((place) => place._tag === "Approval")) return "AwaitingApproval"
  if (open.some((place) => place._tag === "Signal")) return "AwaitingSignal"
  if (open.length > 0) return "Sleeping"
  return hasNotBegun(state) ? "Pending" : "Running"
}

/**
 * When the run is next due by itself: the earliest of its timers, retries and expiries that count; undefined if none has a
 * time.
 *
 * @category folds
 * @since 0.1.0
 */
export const wakeAt = (state: RunState): number | undefined => {
  let earliest: number | undefined
  for (const key of state.open) {
    const place = placeAt(state, key)
    const due = place?._tag === "Timer"
      ? place.until
      : place?._tag === "Operation"
      ? place.wakeAt
      : place?._tag === "Approval" && place.request.onExpiry !== undefined
      ? place.request.expiresAtMillis
      : undefined
    if (due !== undefined && (earliest === undefined || due < earliest)) earliest = due
  }
  return earliest
}

/**
 * Whether the log has its last event.
 *
 * @category folds
 * @since 0.1.0
 */
export const isEnded = (state: RunState): boolean => state.end !== undefined
