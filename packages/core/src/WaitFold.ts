/**
 * How the state follows waits: timers, approvals, and signals, which meet those who await them in log order.
 */
import { Chunk, HashMap, HashSet, Option } from "effect"
import type { OperationKey, Seq } from "./Ids.ts"
import type { Place, SignalWait, Wait, WaitFields } from "./Place.ts"
import { placeAt, withPlace } from "./Place.ts"
import type { RunEventOf } from "./RunEvent.ts"
import type { RunState, SignalQueue } from "./RunState.ts"

const emptyQueue: SignalQueue = { received: Chunk.empty(), awaiting: Chunk.empty() }

/**
 * What every wait begins with.
 *
 * @category folds
 * @since 0.1.0
 */
export const wait = (state: RunState, key: OperationKey, seq: Seq, since: number): WaitFields => ({
  key,
  seq,
  since,
  activeBefore: state.activeMillis,
  position: undefined,
  closed: false
})

/**
 * The state with an open wait; unchanged if the key is taken.
 *
 * @category folds
 * @since 0.1.0
 */
export const withWait = (state: RunState, open: Wait): RunState =>
  placeAt(state, open.key) === undefined
    ? { ...withPlace(state, open), open: HashSet.add(state.open, open.key) }
    : state

/**
 * The state after an answer to an open wait. `epoch` is that of the answer: one from outside has yet to be acted on.
 *
 * @category folds
 * @since 0.1.0
 */
export const answer = <Tag extends Wait["_tag"]>(
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

/**
 * The state without those of the waits that are open.
 *
 * @category folds
 * @since 0.1.0
 */
export const closeWaits = (state: RunState, keys: ReadonlyArray<OperationKey>): RunState => {
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

/**
 * The state after a program has begun to wait for a signal, which may have come before.
 *
 * @category folds
 * @since 0.1.0
 */
export const awaitSignal = (state: RunState, event: RunEventOf<"SignalAwaited">, seq: Seq, at: number): RunState => {
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

/**
 * The state after a signal; one whose id is known changes nothing.
 *
 * @category folds
 * @since 0.1.0
 */
export const receiveSignal = (
  state: RunState,
  event: RunEventOf<"SignalReceived">,
  seq: Seq,
  epoch: number | undefined
): RunState => {
  const { name, signalId } = event
  if (signalId !== undefined && HashMap.has(state.signalIds, signalId)) return state
  const known = signalId === undefined ? state : { ...state, signalIds: HashMap.set(state.signalIds, signalId, seq) }
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
