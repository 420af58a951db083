/**
 * The line in which decisions of one executing run wait for the store: one append at a time, in order, decided on the state
 * that the one before left. Holds that state.
 */
import type { Clock, Context } from "effect"
import { Cause, Duration, Effect, Exit, Option, Result, Stream } from "effect"
import { canonicalJson } from "./Digest.ts"
import type { Append, EventStore, StoreError } from "./EventStore.ts"
import type { Decision } from "./RunDecision.ts"
import type { AlreadySettled, KeyMismatch, RunClosed, WaitClosed } from "./RunError.ts"
import type { Recorded, RunEvent } from "./RunEvent.ts"
import { encode } from "./RunEvent.ts"
import { summarize } from "./RunIndex.ts"
import type { Owner } from "./RunQueue.ts"
import type { RunState } from "./RunState.ts"
import { evolve, isEnded } from "./RunState.ts"

/**
 * Why a decision in the line came to nothing.
 *
 * @category models
 * @since 0.1.0
 */
export type Refusal = RunClosed | KeyMismatch | AlreadySettled | WaitClosed

/**
 * One decision in the line.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  readonly decide: Decision<Refusal>
  /** Called once its events, if any, are in the log and in the state. */
  readonly stored?: () => void
  readonly refused?: (error: AlreadySettled) => void
  /** Called when it leaves the line for the store: from then on it cannot be taken back. */
  readonly sent?: () => void
  /** About how much it adds to an append. */
  readonly bytes: number
  /** The run ends with it, and so does its lease. */
  readonly ends?: boolean
}

/**
 * Why nothing more can be stored.
 *
 * @category models
 * @since 0.1.0
 */
export type Closed =
  | { readonly _tag: "Ended"; readonly here: boolean }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Unavailable"; readonly error: StoreError }
  | { readonly _tag: "Broken"; readonly error: unknown }

/**
 * @category models
 * @since 0.1.0
 */
export interface AppendLine {
  readonly state: () => RunState
  readonly add: (entry: Entry) => void
  readonly remove: (entry: Entry) => void
  readonly clear: () => void
  readonly isEmpty: () => boolean
  /** An append or a read is under way. */
  readonly isBusy: () => boolean
  /** An append under way ends the run and its lease with it: what the queue says of that lease means nothing. */
  readonly isEnding: () => boolean
  /** Sends what waits, unless something is under way. */
  readonly flush: () => void
  /** Reads what others have appended; later, if something is under way. */
  readonly read: () => void
  /** Stops: whatever the store still answers is ignored. */
  readonly close: () => void
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly store: EventStore["Service"]
  readonly owner: Owner
  readonly epoch: number
  readonly state: RunState
  readonly appendBytes: number
  readonly context: Context.Context<never>
  readonly realClock: Clock.Clock
  readonly now: () => number
  readonly isFresh: () => boolean
  /** The span of this execution, to be said by the first event that can; undefined if nobody sees it. */
  readonly traceparent: string | undefined
  /** An event is in the log, and the state before it is given. */
  readonly onEvent: (recorded: Recorded, before: RunState) => void
  readonly onTime: (at: number) => void
  readonly onRefused: (error: KeyMismatch) => void
  /** Something was answered: look again. */
  readonly onAnswer: () => void
  /** The run has ended (here or elsewhere), the lease is gone, the store does not answer, or there is a bug. */
  readonly onClosed: (why: Closed) => void
}

/** What is on its way into the log. */
interface Decided {
  readonly batch: ReadonlyArray<Entry>
  readonly append: Append
  readonly answers: ReadonlyArray<() => void>
}

/** While the lease is fresh a failed call is tried again after 25 ms, then twice as long each time, at most a second. */
const maxFailures = 12

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): AppendLine => {
  const { appendBytes, epoch, onAnswer, onClosed, realClock, store } = options
  const runId = options.state.runId
  const run = Effect.runCallbackWith(options.context)

  let state = options.state
  let waiting: Array<Entry> = []
  let busy = false
  let ending = false
  let readNext = false
  let isTraceSaid = options.state.traceparent === options.traceparent
  let closed = false

  /** A bug, here or in what builds events, must end the execution visibly, never leave it hanging. */
  const step = (f: () => void): void => {
    if (closed) return
    const done = Result.try(f)
    if (Result.isSuccess(done)) return
    busy = false
    onClosed({ _tag: "Broken", error: done.failure })
  }

  /** The store's answer comes back to this line, unless it is closed by then. */
  const ask = <A, E>(effect: Effect.Effect<A, E>, answer: (exit: Exit.Exit<A, E>) => void): void => {
    run(effect, { onExit: (exit) => step(() => answer(exit)) })
  }

  const apply = (recorded: Recorded): void => {
    const before = state
    state = evolve(state, recorded)
    if (state.traceparent !== before.traceparent && state.traceparent === options.traceparent) isTraceSaid = true
    options.onEvent(recorded, before)
  }

  /** A call to the store failed: tries again while the lease is fresh. What the port does not declare is a bug. */
  const failed = (
    error: StoreError | undefined,
    cause: Cause.Cause<unknown>,
    failures: number,
    f: (failures: number) => void
  ): void => {
    if (error === undefined || failures >= maxFailures || !options.isFresh()) {
      busy = false
      return onClosed(error === undefined
        ? { _tag: "Broken", error: Cause.squash(cause) }
        : { _tag: "Unavailable", error })
    }
    run(realClock.sleep(Duration.millis(Math.min(1000, 25 * 2 ** failures))), {
      onExit: () => closed ? undefined : f(failures + 1)
    })
  }

  const decideAll = (batch: ReadonlyArray<Entry>) => {
    const answers: Array<() => void> = []
    const events: Array<RunEvent> = []
    let last = state
    /** The state after the events so far. */
    const next = (): RunState => {
      for (const event of events.slice(last.seq - state.seq)) {
        last = evolve(last, { runId, seq: last.seq, at: options.now(), epoch, event })
      }
      return last
    }
    for (const entry of batch) {
      const decided = entry.decide(next())
      if (Result.isFailure(decided)) {
        const error = decided.failure
        answers.push(() => refused(entry, error))
        continue
      }
      for (const event of decided.success) events.push(event)
      if (entry.stored !== undefined) answers.push(entry.stored)
    }
    return { answers, events, next }
  }

  const refused = (entry: Entry, error: Refusal): void => {
    if (error._tag === "AlreadySettled") entry.refused?.(error)
    if (error._tag === "KeyMismatch") options.onRefused(error)
  }

  const send = (batch: ReadonlyArray<Entry>): void => {
    const { answers, events, next } = decideAll(batch)
    if (events.length === 0) return answered(answers)
    const append = { expected: state.seq, epoch, events: withTrace(events), ...nextOf(batch, events, next) }
    put({ batch, answers, append }, 0)
  }

  const withTrace = (events: ReadonlyArray<RunEvent>): ReadonlyArray<RunEvent> => {
    const { traceparent } = options
    if (traceparent === undefined || isTraceSaid) return events
    const first = events.findIndex(saysTrace)
    return events.map((event, index) => index === first ? { ...event, traceparent } : event)
  }

  const put = (decided: Decided, failures: number): void => {
    const { answers, append } = decided
    ending = append.next?.release !== undefined
    ask(store.append(runId, append), (exit) => {
      if (Exit.isSuccess(exit)) {
        options.onTime(exit.value.at)
        for (const event of append.events) apply({ runId, seq: state.seq, at: exit.value.at, epoch, event })
        return answered(answers)
      }
      const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      return error?._tag === "SequenceConflict"
        ? catchUp(decided, 0)
        : failed(error, exit.cause, failures, (count) => put(decided, count))
    })
  }

  const nextOf = (batch: ReadonlyArray<Entry>, events: ReadonlyArray<RunEvent>, next: () => RunState) => {
    const ends = batch.some((entry) => entry.ends === true) && isEnded(next())
    if (!ends && !events.some(concernsIndex)) return {}
    const summary = summarize(next())
    return {
      next: {
        ...(summary === undefined ? {} : { summary }),
        ...(ends ? { wakeAt: null, release: options.owner } : {})
      }
    }
  }

  /**
   * Someone else was first: folds what is new, and decides the same things again. Unless it was this append, whose first answer
   * was lost: even then nobody acts on it if another worker has written since.
   */
  const catchUp = (decided: Decided, failures: number): void => {
    ask(Stream.runCollect(store.read(runId, state.seq)), (exit) => {
      if (!Exit.isSuccess(exit)) {
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        return failed(error, exit.cause, failures, (count) => catchUp(decided, count))
      }
      const { answers, append, batch } = decided
      const ours = isOurs(exit.value, append)
      for (const recorded of exit.value) apply(recorded)
      const endsHere = ours && append.next?.release !== undefined
      if (!endsHere && (state.epoch > epoch || isEnded(state))) {
        busy = false
        return onClosed(isEnded(state) ? { _tag: "Ended", here: false } : { _tag: "Lost" })
      }
      return ours ? answered(answers) : send(batch)
    })
  }

  /** The store's first answer was lost, and the append that is in the way is our own. */
  const isOurs = (tail: ReadonlyArray<Recorded>, append: Append): boolean =>
    tail.length >= append.events.length && append.events.every((event, index) => {
      const recorded = tail[index]
      return recorded?.epoch === epoch && written(recorded.event) === written(event)
    })

  const answered = (answers: ReadonlyArray<() => void>): void => {
    busy = false
    for (const answer of answers) answer()
    if (closed) return
    if (isEnded(state)) return onClosed({ _tag: "Ended", here: true })
    if (readNext) read()
    onAnswer()
  }

  const read = (): void => {
    readNext = busy
    if (busy || closed) return
    busy = true
    ask(Stream.runCollect(store.read(runId, state.seq)), (exit) => {
      busy = false
      for (const recorded of Exit.isSuccess(exit) ? exit.value : []) apply(recorded)
      if (closed) return
      if (state.epoch > epoch) return onClosed({ _tag: "Lost" })
      if (isEnded(state)) return onClosed({ _tag: "Ended", here: false })
      if (readNext) read()
      onAnswer()
    })
  }

  /** As many as fit into one append, at least one. */
  const take = (): ReadonlyArray<Entry> => {
    let bytes = 0
    let count = 0
    for (const entry of waiting) {
      bytes += entry.bytes
      if (count > 0 && bytes > appendBytes) break
      count += 1
    }
    return waiting.splice(0, count)
  }

  return {
    state: () => state,
    add: (entry) => {
      if (!closed) waiting.push(entry)
    },
    remove: (entry) => {
      waiting = waiting.filter((other) => other !== entry)
    },
    clear: () => {
      waiting = []
    },
    isEmpty: () => waiting.length === 0,
    isBusy: () => busy,
    isEnding: () => busy && ending,
    flush: () => {
      if (busy || closed || waiting.length === 0) return
      busy = true
      const batch = take()
      for (const entry of batch) entry.sent?.()
      step(() => send(batch))
    },
    read,
    close: () => {
      closed = true
      waiting = []
    }
  }
}

/** An event as text, in whatever order a store gave its fields back. */
const written = (event: RunEvent): string => `${event._tag} ${canonicalJson(encode(event).payload)}`

const saysTrace = ({ _tag }: RunEvent): boolean =>
  _tag === "StepRequested" || _tag === "LLMCallRequested" || _tag === "ToolCallRequested" || _tag === "TimerStarted" ||
  _tag === "SignalAwaited" || _tag === "ApprovalRequested"

const concernsIndex = (event: RunEvent): boolean =>
  event._tag === "ApprovalRequested" || event._tag === "ApprovalGranted" || event._tag === "ApprovalDenied" ||
  event._tag === "SignalAwaited" || event._tag === "RunStuck" || event._tag === "WaitAbandoned" ||
  event._tag === "BranchDecided"
