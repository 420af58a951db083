/**
 * Group commit: writes that wait at the same moment share one transaction, and each gets its own answer.
 */
import { StoreError } from "@durable-agents/core"
import type { Scope } from "effect"
import { Deferred, Effect, Exit, Latch, Random, Result, Schema } from "effect"
import type { DatabaseSync } from "node:sqlite"
import { monotonicMillis, patiently, pause } from "./Patience.ts"
import { query } from "./Query.ts"
import { storeFailure } from "./StoreFailure.ts"

/**
 * Something to write.
 *
 * @category models
 * @since 0.1.0
 */
export interface Write<A, E> {
  readonly operation: string
  /**
   * Runs statements at the store's time. If it fails it must not have written, since its neighbours are committed; if it throws,
   * nothing of it stays. It may run more than once, and it runs even if nobody waits for its answer any more.
   */
  readonly body: (at: number) => Result.Result<A, E>
  /** Runs after the commit, if `body` succeeded. */
  readonly committed?: () => void
  /** About how many characters it stores; default 0. */
  readonly weight?: number
  /** Goes before those of its group that do not say so; default false. */
  readonly first?: boolean
  /** Waits for nobody to join it; default false. */
  readonly hurried?: boolean
}

interface Waiting {
  readonly operation: string
  readonly weight: number
  readonly first: boolean
  readonly hurried: boolean
  /** Runs the statements and returns what to do after the commit. */
  readonly run: (at: number) => () => void
  readonly fail: (cause: unknown) => void
}

/** A group keeps the event loop for one commit, so it is bounded in number and in characters. */
const mostWrites = 256
const mostWeight = 1024 * 1024

/**
 * Starts the fiber that writes. Closing the scope stores first what was asked for before.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly connection: DatabaseSync
  readonly file: string
  readonly now: () => number
}): Effect.fn.Return<<A, E>(write: Write<A, E>) => Effect.Effect<A, E | StoreError>, StoreError, Scope.Scope> {
  const { connection, file, now } = options
  const begin = connection.prepare("begin immediate")
  const commit = connection.prepare("commit")
  const rollback = connection.prepare("rollback")
  const dataVersion = query(connection, "pragma data_version", Schema.Struct({ data_version: Schema.Int }))
  const waiting: Array<Waiting> = []
  const asked = Latch.makeUnsafe()
  let closed = false
  /** How long a transaction takes, in milliseconds, as of late. */
  let hold = 0.5
  /** When another connection was last seen to write, in monotonic milliseconds. */
  let sharedAt = -Infinity
  const versionOf = () => dataVersion.first()?.data_version
  let version = yield* patiently(file, "open", versionOf)

  const take = (): ReadonlyArray<Waiting> => {
    let count = 0
    let weight = 0
    for (const next of waiting) {
      if (count === mostWrites || (count > 0 && weight + next.weight > mostWeight)) break
      count += 1
      weight += next.weight
    }
    const taken = waiting.splice(0, count)
    if (waiting.length === 0) asked.closeUnsafe()
    return taken.sort((left, right) => Number(right.first) - Number(left.first))
  }

  /** Lets everyone ask who is about to: with one writer that is one turn of the event loop. */
  const gather = Effect.gen(function*() {
    let seen = 0
    while (waiting.length > seen && waiting.length < mostWrites && !waiting.some(({ hurried }) => hurried)) {
      seen = waiting.length
      yield* Effect.yieldNow
    }
  })

  const shared = (): void => {
    sharedAt = monotonicMillis()
  }

  const beginInTurn = (operation: string): Effect.Effect<void, StoreError> =>
    Effect.map(patiently(file, operation, () => begin.run(), { hold: () => hold, onLocked: shared }), () => {
      const seen = versionOf()
      if (seen !== version) shared()
      version = seen
    })

  const inTransaction = (operation: string, group: () => ReadonlyArray<Waiting>): Effect.Effect<void> =>
    Effect.matchEffect(beginInTurn(operation), {
      onFailure: ({ cause }) => Effect.sync(() => group().forEach(({ fail }) => fail(cause))),
      onSuccess: () => Effect.suspend(() => store(group()))
    })

  /** A group that fails as a whole is split in halves until the guilty write stands alone. */
  const store = (group: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const begun = monotonicMillis()
    const stored = Result.try(() => {
      const at = now()
      const answers = group.map(({ run }) => run(at))
      commit.run()
      return answers
    })
    hold += (monotonicMillis() - begun - hold) / 8
    if (Result.isSuccess(stored)) return Effect.sync(() => stored.success.forEach((answer) => answer()))
    if (connection.isTransaction) Result.try(() => rollback.run())
    const [first] = group
    if (first === undefined) return Effect.void
    if (group.length === 1) return Effect.sync(() => first.fail(stored.failure))
    const half = Math.ceil(group.length / 2)
    return Effect.andThen(
      inTransaction(first.operation, () => group.slice(0, half)),
      inTransaction(first.operation, () => group.slice(half))
    )
  }

  /** A busy process that took the lock again at once would leave the others to chance. */
  const letOthers = Effect.suspend(() =>
    monotonicMillis() - sharedAt < 100
      ? Effect.flatMap(Random.nextBetween(0.5, 1.5), (jitter) => pause(jitter * hold))
      : Effect.void
  )

  const turn = asked.await.pipe(
    Effect.andThen(gather),
    Effect.andThen(inTransaction("write", take)),
    Effect.andThen(letOthers)
  )

  const ask = <A, E>({ body, committed, first = false, hurried = false, operation, weight = 0 }: Write<A, E>) => {
    const answer = Deferred.makeUnsafe<A, E | StoreError>()
    waiting.push({
      operation,
      weight,
      first,
      hurried,
      run: (at) => {
        const result = body(at)
        return () => {
          if (Result.isSuccess(result)) committed?.()
          Deferred.doneUnsafe(answer, Effect.fromResult(result))
        }
      },
      fail: (cause) => {
        Deferred.doneUnsafe(answer, Exit.fail(storeFailure(file, operation, cause)))
      }
    })
    asked.openUnsafe()
    return Deferred.await(answer)
  }

  yield* Effect.forkScoped(Effect.forever(turn, { disableYield: true }))
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      // Writes are stored in the order in which they were asked for, so when this one is answered, all are.
      const last = ask({ operation: "close", body: () => Result.void })
      closed = true
      return Effect.exit(last)
    })
  )

  return (write) =>
    Effect.suspend(() =>
      closed
        ? Effect.fail(new StoreError({ operation: write.operation, detail: `the store of \`${file}\` is closed` }))
        : ask(write)
    )
})
