/**
 * Who has to look again: followers of logs, and workers without work, when this process or another one has stored something.
 */
import { RunId, type StoreError } from "@durable-agents/core"
import type { Scope } from "effect"
import { Duration, Effect, Latch, Option, PubSub, Random, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { texts } from "./Columns.ts"
import type { Database } from "./Database.ts"
import { onHostClock } from "./Patience.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Notice {
  /** This process has stored events of a run; those that came from outside concern workers everywhere. */
  readonly stored: (runId: RunId, options: { readonly fromOutside: boolean }) => void
  /** This process has made runs due, or knows that they may be. */
  readonly due: (runIds: ReadonlyArray<RunId>) => void
  /** An owner of this process holds leases for the first time. */
  readonly newOwner: () => void
  /** What another process has told. */
  readonly heard: (payload: string) => void
  /** Something may have become of these runs that nobody has told. */
  readonly missed: (runIds: ReadonlyArray<RunId>) => void
  /** For one follower of a run: ends when its log may hold more than it did the time before. */
  readonly changes: (runId: RunId) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  /** Runs that were decided about, or may have become due, here or elsewhere. */
  readonly wakeups: Stream.Stream<RunId, StoreError>
}

/** How often followers look when nobody tells them. */
const pollMillis = 250

/** One message holds the id of a run, far below the 8,000 bytes that one may have. */
const mostAtOnce = 256

/** What is told instead of the id of a run. */
const newOwner = "new-owner"

/**
 * Starts the fiber that tells other processes.
 *
 * **Details**
 *
 * It tells them after the commit, by statements of its own: nothing that may be wrong with notifications can harm an append, and
 * appends do not queue for the lock under which the server orders notifications. `onNewOwner` is told when another process has
 * an owner that holds leases for the first time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  { once, schema, sql }: Database,
  onNewOwner: () => void
): Effect.fn.Return<Notice, never, Scope.Scope> {
  const origin = randomUUID()
  const woken = yield* PubSub.sliding<RunId>(1024)
  const followers = new Map<RunId, Set<() => void>>()
  let untold = new Set<string>()
  const toTell = Latch.makeUnsafe()

  const tell = Effect.suspend(() => {
    const subjects = Array.from(untold).slice(0, mostAtOnce)
    for (const subject of subjects) untold.delete(subject)
    if (untold.size === 0) toTell.closeUnsafe()
    const messages = texts(sql, subjects.map((subject) => `${origin} ${subject}`))
    // What is told need not survive the server, so nobody waits for the disk.
    return once(sql`
      select set_config('synchronous_commit', 'off', true), pg_notify(${schema}, m.message) from unnest(${messages}) as m (message)`)
  })

  yield* toTell.await.pipe(
    Effect.andThen(tell),
    // Those who are not told find out by looking; when the database is away, there is nobody to tell.
    Effect.catch(() =>
      Effect.suspend(() => {
        untold = new Set()
        toTell.closeUnsafe()
        return Effect.void
      })
    ),
    Effect.forever,
    Effect.forkScoped
  )

  const wake = (runId: RunId): void => {
    wakeFollowers(runId)
    PubSub.publishUnsafe(woken, runId)
  }

  const wakeFollowers = (runId: RunId): void => followers.get(runId)?.forEach((wake) => wake())

  const due: Notice["due"] = (runIds) => {
    for (const runId of runIds) {
      PubSub.publishUnsafe(woken, runId)
      untold.add(runId)
    }
    if (untold.size > 0) toTell.openUnsafe()
  }

  return {
    stored: (runId, { fromOutside }) => {
      wakeFollowers(runId)
      if (fromOutside) due([runId])
    },
    due,
    newOwner: () => {
      untold.add(newOwner)
      toTell.openUnsafe()
    },
    heard: (payload) => {
      const [from, subject] = payload.split(" ")
      if (from === origin) return
      if (subject === newOwner) return onNewOwner()
      const runId = Option.getOrUndefined(decodeRunId(subject))
      if (runId !== undefined) wake(runId)
    },
    missed: (runIds) => runIds.forEach(wake),
    changes: (runId) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            const changed = Latch.makeUnsafe()
            const wakes = followers.get(runId) ?? new Set()
            const wake = () => changed.openUnsafe()
            followers.set(runId, wakes.add(wake))
            return { changed, wake, wakes }
          }),
          ({ wake, wakes }) =>
            Effect.sync(() => {
              wakes.delete(wake)
              if (wakes.size === 0) followers.delete(runId)
            })
        ),
        ({ changed }) =>
          Effect.flatMap(Random.nextBetween(0.8, 1.2), (jitter) =>
            Effect.raceFirst(changed.await, onHostClock(Effect.sleep(Duration.millis(jitter * pollMillis)))))
            .pipe(Effect.andThen(Effect.sync(() =>
              changed.closeUnsafe()
            )))
      ),
    wakeups: Stream.fromPubSub(woken)
  }
})

const decodeRunId = Schema.decodeUnknownOption(RunId)
