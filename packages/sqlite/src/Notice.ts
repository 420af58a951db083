/**
 * Who has to look again: followers of logs, and workers without work, when this connection or another one has committed.
 */
import { RunId, type StoreError } from "@durable-agents/core"
import type { Scope } from "effect"
import { Clock, Deferred, Effect, Latch, PubSub, Result, Schema, Stream } from "effect"
import type { DatabaseSync } from "node:sqlite"
import { hostClock, patiently } from "./Patience.ts"
import { query } from "./Query.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Notice {
  /** This connection has committed events of this run. */
  readonly committed: (runId: RunId) => void
  /** This connection has raised `woken` of some run. */
  readonly woke: () => void
  /** Ends when the log of this run may hold more, at once if it does already. */
  readonly changed: (runId: RunId, hasMore: Effect.Effect<boolean, StoreError>) => Effect.Effect<void, StoreError>
  /** Runs whose `woken` was raised, by this connection or another one. */
  readonly wakeups: Stream.Stream<RunId, StoreError>
}

/** To ask whether another connection has committed takes about two microseconds, and is only done for somebody who waits. */
const interval = "25 millis"

/**
 * Starts the fiber that looks for commits of other connections.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect
  .fnUntraced(function*(connection: DatabaseSync, file: string): Effect.fn.Return<Notice, never, Scope.Scope> {
    const dataVersion = query(connection, `pragma data_version`, Schema.Struct({ data_version: Schema.Int }))
    const lastWoken = query(
      connection,
      `select coalesce(max(woken), 0) as woken from runs`,
      Schema.Struct({ woken: Schema.Int })
    )
    const wokenSince = query(
      connection,
      `select run_id, woken from runs where woken > ? order by woken desc limit 1024`,
      Schema.Struct({ run_id: RunId, woken: Schema.Int })
    )
    const woken = yield* PubSub.sliding<RunId>(1024)
    const followers = new Map<RunId, Set<() => void>>()
    const listening = Latch.makeUnsafe()
    let listeners = 0
    let seenVersion: number | undefined
    let seenWoken = 0

    const publish = (): void => {
      const rows = wokenSince.all(seenWoken)
      seenWoken = rows[0]?.woken ?? seenWoken
      for (const row of rows) PubSub.publishUnsafe(woken, row.run_id)
    }

    /** Whoever is woken may follow again at once, so this goes over a copy. */
    const wakeFollowers = (runId: RunId): void => Array.from(followers.get(runId) ?? []).forEach((wake) => wake())

    const look = (): void => {
      const version = dataVersion.first()?.data_version
      if (version === seenVersion) return
      publish()
      seenVersion = version
      for (const runId of Array.from(followers.keys())) wakeFollowers(runId)
    }

    const listen = patiently(file, "changes", () => {
      if (listeners === 0) {
        seenVersion = dataVersion.first()?.data_version
        seenWoken = lastWoken.first()?.woken ?? 0
        listening.openUnsafe()
      }
      listeners += 1
    })

    const unlisten = Effect.sync(() => {
      listeners -= 1
      if (listeners === 0) listening.closeUnsafe()
    })

    const register = (runId: RunId, wake: () => void): Effect.Effect<void> => {
      const wakes = followers.get(runId) ?? new Set()
      followers.set(runId, wakes.add(wake))
      return Effect.sync(() => {
        wakes.delete(wake)
        if (wakes.size === 0) followers.delete(runId)
      })
    }

    yield* listening.await.pipe(
      Effect.andThen(Effect.sleep(interval)),
      Effect.andThen(patiently(file, "changes", look)),
      Effect.catchTag(
        "StoreError",
        (error) => Effect.andThen(Effect.logWarning(error.message), Effect.sleep("1 second"))
      ),
      Effect.forever,
      Effect.provideService(Clock.Clock, hostClock),
      Effect.forkScoped
    )

    return {
      committed: wakeFollowers,
      woke: () => {
        // What cannot be read now is looked for again at the next turn.
        if (listeners > 0 && Result.isFailure(Result.try(publish))) seenVersion = undefined
      },
      changed: (runId, hasMore) =>
        Effect.acquireUseRelease(
          listen,
          () =>
            Effect.suspend(() => {
              const woken = Deferred.makeUnsafe<void>()
              const unregister = register(runId, () => Deferred.doneUnsafe(woken, Effect.void))
              return hasMore.pipe(
                Effect.flatMap((more) => more ? Effect.void : Deferred.await(woken)),
                Effect.ensuring(unregister)
              )
            }),
          () => unlisten
        ),
      wakeups: Stream.unwrap(Effect.gen(function*() {
        const subscription = yield* PubSub.subscribe(woken)
        yield* Effect.acquireRelease(listen, () => unlisten)
        return Stream.fromSubscription(subscription)
      }))
    }
  })
