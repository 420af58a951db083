/**
 * Group commit: appends that wait at the same moment share one statement, and each gets its own answer.
 */
import { type RunId, SequenceConflict, StoreError } from "@durable-agents/core"
import type { Scope } from "effect"
import { Cause, Deferred, Duration, Effect, Exit, Latch } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Entry, isPlain, lengthsOf, storeAlone, storedOf, storeGroup } from "./AppendStatement.ts"
import * as Crowd from "./Crowd.ts"
import type { Database } from "./Database.ts"
import { monotonicMillis, onHostClock, pauseAfter } from "./Patience.ts"
import { isTaken, passes, storeFailure } from "./StoreFailure.ts"

type Answer = Exit.Exit<number, SequenceConflict | StoreError>

interface Waiting {
  readonly entry: Entry
  readonly weight: number
  /** Until when a failure that passes is waited for, in monotonic milliseconds. */
  readonly until: number
  readonly answer: (answer: Answer) => void
  isOpen: boolean
}

/** Groups are bounded in number and in characters. */
const mostAppends = 256
const mostWeight = 1024 * 1024

/** While one group commits, the next one is sent and the one after it gathers. */
const mostInFlight = 2

/** How long the other side of a run is held back for one that was outpaced by it. */
const headStartMillis = 20

/**
 * Starts the fiber that appends, and returns how to ask it: it answers with the time at which the events were stored. Closing the
 * scope stores first what was asked for before. `stored` is told of each append that went in.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  database: Database,
  stored: (entry: Entry) => void
): Effect.fn.Return<
  (entry: Entry) => Effect.Effect<number, SequenceConflict | StoreError>,
  never,
  Scope.Scope
> {
  const { once, retryForMillis } = database
  let waiting: Array<Waiting> = []
  /** Runs of which an append is in flight. */
  const busy = new Set<RunId>()
  /** Who found a position of a run taken, and until when that side goes first. */
  const outpaced = new Map<RunId, { readonly fromOutside: boolean; readonly until: number }>()
  const asked = Latch.makeUnsafe()
  const drained = Latch.makeUnsafe(true)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let inFlight = 0
  const workers = Crowd.make()
  const outsiders = Crowd.make()
  let closed = false

  const crowds = [workers, outsiders]
  const crowdOf = ({ entry }: Waiting) => entry.fromOutside ? outsiders : workers
  const isEnough = (): boolean =>
    waiting.length >= mostAppends || crowds.some((crowd) => crowd.waiting() >= crowd.enough())
  /** Nobody else will ask in this turn of the event loop. */
  const isAlone = (): boolean => crowds.reduce((total, crowd) => total + crowd.size(), 0) === 1
  const isCrowded = (): boolean => crowds.some((crowd) => crowd.enough() < Infinity)

  const isHeldBack = ({ fromOutside, runId }: Entry): boolean => {
    const loser = outpaced.get(runId)
    if (loser === undefined) return false
    if (loser.until <= monotonicMillis()) outpaced.delete(runId)
    return loser.fromOutside !== fromOutside && outpaced.has(runId)
  }

  /** At most one append of each run: a second one is decided on what the first has left, or refused. */
  const take = (): ReadonlyArray<Waiting> => {
    const taken: Array<Waiting> = []
    const left: Array<Waiting> = []
    let weight = 0
    for (const next of waiting) {
      const isFull = taken.length === mostAppends || (taken.length > 0 && weight + next.weight > mostWeight)
      if (isFull || busy.has(next.entry.runId) || isHeldBack(next.entry)) {
        left.push(next)
        continue
      }
      weight += next.weight
      busy.add(next.entry.runId)
      crowdOf(next).sent()
      taken.push(next)
    }
    waiting = left
    return taken.sort((one, other) => one.entry.runId < other.entry.runId ? -1 : 1)
  }

  /** Lets everyone ask who is about to: with one writer that is one turn of the event loop. */
  const gather = Effect.gen(function*() {
    let seen = 0
    while (waiting.length > seen && !isEnough()) {
      seen = waiting.length
      yield* Effect.yieldNow
    }
  })

  const settle = (one: Waiting, answer: Answer): void => {
    const { entry: { fromOutside, runId }, entry } = one
    one.isOpen = false
    busy.delete(runId)
    crowdOf(one).answered()
    if (waiting.length === 0 && busy.size === 0) drained.openUnsafe()
    if (Exit.isSuccess(answer)) {
      if (outpaced.get(runId)?.fromOutside === fromOutside) outpaced.delete(runId)
      stored(entry)
    }
    one.answer(answer)
  }

  const conflict = (one: Waiting): void => {
    const { expected, fromOutside, runId } = one.entry
    const now = monotonicMillis()
    if (outpaced.size >= mostAppends) outpaced.forEach(({ until }, other) => until <= now && outpaced.delete(other))
    outpaced.set(runId, { fromOutside, until: now + headStartMillis })
    settle(one, Exit.fail(new SequenceConflict({ runId, expected })))
  }

  /** Answers those that are in the log, and returns the others. */
  const answerStored = (
    group: ReadonlyArray<Waiting>,
    found: ReadonlyMap<RunId, number>
  ): ReadonlyArray<Waiting> => {
    for (const crowd of crowds) crowd.nextGroup()
    return group.filter((one) => {
      const at = found.get(one.entry.runId)
      if (at !== undefined) settle(one, Exit.succeed(at))
      return at === undefined
    })
  }

  const look = (group: ReadonlyArray<Waiting>): Effect.Effect<ReadonlyArray<Waiting>, SqlError> =>
    group.length === 0
      ? Effect.succeed(group)
      : Effect.map(once(storedOf(database, entriesOf(group))), (found) => answerStored(group, found))

  const insert = (group: ReadonlyArray<Waiting>): Effect.Effect<ReadonlyMap<RunId, number>, SqlError> => {
    const [first] = group
    if (first === undefined) return Effect.succeed(new Map())
    if (group.length > 1 || !isPlain(first.entry)) return once(storeGroup(database, entriesOf(group)))
    return once(storeAlone(database, first.entry)).pipe(
      Effect.catchIf(isTaken, () => Effect.undefined),
      Effect.map((at) => new Map(at === undefined ? [] : [[first.entry.runId, at]]))
    )
  }

  /** Answers those that did not go in: somebody was first, or the event before is missing. Returns those that should have. */
  const refuse = (group: ReadonlyArray<Waiting>): Effect.Effect<ReadonlyArray<Waiting>, SqlError> =>
    group.length === 0
      ? Effect.succeed(group)
      : Effect.map(once(lengthsOf(database, entriesOf(group))), (lengths) =>
        group.filter((one) => {
          const { expected, runId } = one.entry
          const length = lengths.get(runId) ?? 0
          if (expected < length) conflict(one)
          if (expected > length) settle(one, Exit.fail(gap(one.entry, length)))
          return expected === length
        }))

  /** From the second attempt on it is not known what the ones before have stored, so it is looked for. */
  const attempt = (group: ReadonlyArray<Waiting>, attempts: number): Effect.Effect<ReadonlyArray<Waiting>, SqlError> =>
    (attempts === 1 ? Effect.succeed(group) : look(group)).pipe(
      Effect.flatMap((open) => Effect.map(insert(open), (found) => answerStored(open, found))),
      Effect.flatMap((open) => attempts === 1 ? Effect.succeed(open) : look(open)),
      Effect.flatMap(refuse)
    )

  const fail = (group: ReadonlyArray<Waiting>, error: SqlError): void =>
    group.filter(({ isOpen }) => isOpen).forEach((one) => settle(one, Exit.fail(storeFailure("append", error))))

  const store = (group: ReadonlyArray<Waiting>, attempts: number): Effect.Effect<void> =>
    Effect.matchEffect(attempt(group, attempts), {
      onSuccess: (open) =>
        open.length === 0 ? Effect.void : Effect.andThen(pauseAfter(attempts), store(open, attempts + 1)),
      onFailure: (error) => {
        const open = group.filter(({ isOpen }) => isOpen)
        if (passes(error)) {
          const now = monotonicMillis()
          fail(open.filter(({ until }) => until <= now), error)
          const patient = open.filter(({ until }) => until > now)
          return patient.length === 0
            ? Effect.void
            : Effect.andThen(pauseAfter(attempts), store(patient, attempts + 1))
        }
        if (open.length > 1) return inHalves(open, attempts)
        return Effect.sync(() => fail(open, error))
      }
    })

  /** A group that fails as a whole is split until the guilty append stands alone. */
  const inHalves = (group: ReadonlyArray<Waiting>, attempts: number): Effect.Effect<void> => {
    const half = Math.ceil(group.length / 2)
    return Effect.andThen(store(group.slice(0, half), attempts), store(group.slice(half), attempts))
  }

  const commit = (group: ReadonlyArray<Waiting>): Effect.Effect<void> =>
    Effect.suspend(() => store(group, 1)).pipe(
      Effect.catchCause((cause) =>
        Effect.sync(() =>
          group.filter(({ isOpen }) => isOpen).forEach((one) => settle(one, Exit.die(Cause.squash(cause))))
        )
      ),
      Effect.ensuring(Effect.sync(() => {
        inFlight -= 1
        asked.openUnsafe()
      })),
      Effect.uninterruptible
    )

  /** Sends a group, if there is a connection for it and somebody whose turn it is. */
  const send = (): void => {
    if (inFlight === mostInFlight) return
    const group = take()
    if (group.length === 0) return
    inFlight += 1
    run(commit(group))
    if (waiting.length > 0) asked.openUnsafe()
  }

  /** Those that are held back come in their turn also if nobody asks. */
  const someoneAsks = Effect.suspend(() =>
    waiting.length === 0
      ? asked.await
      : Effect.raceFirst(asked.await, onHostClock(Effect.sleep(Duration.millis(headStartMillis))))
  )

  const turn = Effect.gen(function*() {
    yield* someoneAsks
    asked.closeUnsafe()
    yield* gather
    // In a crowd a few do not go alone: whoever has an answer soon will join them.
    if (inFlight === 0 || !isCrowded() || isEnough()) send()
  })

  yield* Effect.forkScoped(Effect.forever(turn, { disableYield: true }))
  yield* Effect.addFinalizer(() => {
    closed = true
    return drained.await
  })

  return (entry) =>
    Effect.suspend(() => {
      if (closed) return Effect.fail(new StoreError({ operation: "append", detail: "the store is closed" }))
      const answer = Deferred.makeUnsafe<number, SequenceConflict | StoreError>()
      const one: Waiting = {
        entry,
        weight: entry.rows.reduce((total, { payload }) => total + payload.length, 0),
        until: monotonicMillis() + retryForMillis,
        answer: (exit) => Deferred.doneUnsafe(answer, exit),
        isOpen: true
      }
      waiting.push(one)
      crowdOf(one).asked()
      drained.closeUnsafe()
      asked.openUnsafe()
      if (isAlone() || isEnough()) send()
      return Deferred.await(answer)
    })
})

const entriesOf = (group: ReadonlyArray<Waiting>): ReadonlyArray<Entry> => group.map(({ entry }) => entry)

/**
 * Refuses a position that the log of this length does not reach yet, or a beginning that is no start.
 *
 * @category errors
 * @since 0.1.0
 */
export const gap = ({ expected, runId }: Entry, length: number): StoreError =>
  new StoreError({
    operation: "append",
    detail: `run \`${runId}\` has ${length} events, so nothing can be stored at position ${expected}`
  })
