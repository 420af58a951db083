/**
 * Hears what other processes tell, and holds the locks that say which owners of this one are alive.
 */
import type { Owner } from "@durable-agents/core"
import type { PgConnection } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Deferred, Duration, Effect, Latch, Queue, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as OwnConnection from "./OwnConnection.ts"
import { onHostClock } from "./Patience.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Listener {
  /** Begins to listen, and goes on until the store is closed. */
  readonly start: Effect.Effect<void>
  /** Locks the name of an owner for as long as this process lives. Waits until that is done, but not for long. */
  readonly hold: (owner: Owner) => Effect.Effect<void>
  readonly letGo: (owner: Owner) => Effect.Effect<void>
  /** The start of the server under which the name is locked, if it is. */
  readonly lockedSince: (owner: Owner) => string | undefined
  /** The owners of this process. */
  readonly owners: () => ReadonlyArray<Owner>
}

/**
 * The key of an owner's advisory lock, as an expression of its name.
 *
 * @category statements
 * @since 0.1.0
 */
export const lockKey = (owner: string): string => `hashtextextended('durable-agents worker ' || ${owner}, 0)`

const locks = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ locked: Schema.Boolean })]))

/** An idle connection is asked for a sign of life, so that one that leads nowhere is found out. */
const pingEvery = "15 seconds"

const holdAtMost = "2 seconds"

/**
 * `heard` gets what others tell; `reconnected` runs when something may have been missed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly config: PgConnection.Config
  readonly channel: string
  readonly heard: (payload: string) => void
  readonly reconnected: (owners: ReadonlyArray<Owner>) => Effect.Effect<void>
}): Effect.fn.Return<Listener, never, Scope.Scope> {
  const needed = Latch.makeUnsafe()
  const changed = Latch.makeUnsafe()
  const wanted = new Map<Owner, Deferred.Deferred<void>>()
  const locked = new Map<Owner, string>()
  let connections = 0
  let isHopeless = false

  /** Somebody who looks whether the lock is free has it for a moment, and a connection that broke may have it for a while. */
  const lock = ({ ask, serverStart }: OwnConnection.OwnConnection, owner: Owner) => {
    const attempt = (pause: number): Effect.Effect<void, SqlError> =>
      Effect.flatMap(ask(`select pg_try_advisory_lock(${lockKey("$1::text")}) as locked`, [owner]), (rows) => {
        if (locks(rows)[0].locked) {
          locked.set(owner, serverStart)
          return Deferred.succeed(wanted.get(owner) ?? Deferred.makeUnsafe<void>(), undefined)
        }
        return Effect.andThen(Effect.sleep(Duration.millis(pause)), attempt(Math.min(1_000, 2 * pause)))
      })
    return attempt(5)
  }

  const lockAll = (own: OwnConnection.OwnConnection) =>
    Effect.gen(function*() {
      changed.closeUnsafe()
      for (const owner of Array.from(locked.keys())) {
        if (wanted.has(owner)) continue
        locked.delete(owner)
        yield* own.ask(`select pg_advisory_unlock(${lockKey("$1::text")})`, [owner])
      }
      for (const owner of Array.from(wanted.keys())) if (!locked.has(owner)) yield* lock(own, owner)
    })

  const listen = (own: OwnConnection.OwnConnection) =>
    Effect.gen(function*() {
      const notifications = yield* own.connection.listen(options.channel)
      yield* lockAll(own)
      connections += 1
      if (connections > 1) yield* options.reconnected(Array.from(wanted.keys()))
      const hear = Effect.map(Queue.take(notifications), ({ payload }) => options.heard(payload))
      const ping = Effect.andThen(Effect.sleep(pingEvery), own.ask("select 1"))
      return yield* Effect.raceAllFirst([
        Effect.forever(hear),
        Effect.forever(ping),
        Effect.forever(Effect.andThen(changed.await, lockAll(own)))
      ])
    })

  const unlocked = () => locked.clear()

  /** Behind a pooler nothing is ever locked. */
  const giveUp = Effect.sync(() => {
    isHopeless = true
    for (const held of wanted.values()) Deferred.doneUnsafe(held, Effect.void)
  })

  yield* needed.await.pipe(
    Effect.andThen(OwnConnection.keep(options.config, listen, unlocked)),
    Effect.andThen(giveUp),
    Effect.forkScoped
  )

  return {
    start: needed.open,
    hold: (owner) =>
      Effect.suspend(() => {
        if (isHopeless) return Effect.void
        const held = Deferred.makeUnsafe<void>()
        wanted.set(owner, held)
        needed.openUnsafe()
        changed.openUnsafe()
        return Deferred.await(held).pipe(Effect.timeoutOption(holdAtMost), Effect.asVoid, onHostClock)
      }),
    letGo: (owner) =>
      Effect.sync(() => {
        wanted.delete(owner)
        changed.openUnsafe()
      }),
    lockedSince: (owner) => locked.get(owner),
    owners: () => Array.from(wanted.keys())
  }
})
