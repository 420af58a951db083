/**
 * Finds out at once when the process of another worker dies: waits for its lock, which the server frees with its connection.
 *
 * Each process watches the owner that follows its own in the order of their names, so that together they watch all.
 */

import { RunId } from "@durable-agents/core"
import type { PgConnection } from "@effect/sql-pg"
import type { Duration, Scope } from "effect"
import { Effect, Latch, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

import { type Database, rowsOf } from "./Database.ts"
import { type Listener, lockKey } from "./Listener.ts"
import type { Notice } from "./Notice.ts"
import * as OwnConnection from "./OwnConnection.ts"

/** How long one wait lasts at most, in seconds: while it does, the server keeps old row versions for it. */
const waitSeconds = 10

const Neighbour = Schema.Struct({ owner: Schema.String, key: Schema.String, locked_since: Schema.String })
type Neighbour = typeof Neighbour.Type

const decodeNeighbours = Schema.decodeUnknownSync(Schema.Array(Neighbour))
const decodeFree = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ free: Schema.Boolean })]))

/**
 * @category models
 * @since 0.1.0
 */
export interface DeathWatch {
  /** Begins to watch: this process has an owner now. */
  readonly start: Effect.Effect<void>
  /** Somebody new holds leases: who is watched by whom may be another one. */
  readonly again: () => void
}

/**
 * Starts the fiber that watches. An owner is dead when its lock is free, and still free `deadAfter` later: one that lives and has
 * only lost its connection has another one, and its lock, by then.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  database: Database,
  config: PgConnection.Config,
  notice: Notice,
  listener: Listener,
  deadAfter: Duration.Input
): Effect.fn.Return<DeathWatch, never, Scope.Scope> {
  const { once, schema, sql, tables } = database
  const needed = Latch.makeUnsafe()
  const changed = Latch.makeUnsafe()
  const workers = `"${schema.replaceAll("\"", "\"\"")}".workers`

  /** The next one that holds a lock of this start of the server, in the circle of names. */
  const neighbour = ({ ask }: OwnConnection.OwnConnection) => {
    const own = listener.owners()
    return Effect.map(
      ask(
        `select w.owner, ${lockKey("w.owner")}::text as key, to_json(w.locked_since) #>> '{}' as locked_since
        from ${workers} w
        where w.locked_since = pg_postmaster_start_time() and w.owner <> all ($1::text[])
        order by w.owner > $2::text desc, w.owner limit 1`,
        [own, own[0] ?? ""]
      ),
      (rows) => decodeNeighbours(rows)[0]
    )
  }

  /** In a block, where a wait that was in vain or cancelled ends without an error: that would be in the server's log. */
  const untilFree = ({ ask }: OwnConnection.OwnConnection, { key }: Neighbour) =>
    ask(
      `do $wait$ begin
        perform set_config('lock_timeout', '${waitSeconds}s', true);
        perform pg_advisory_xact_lock_shared(${BigInt(key)});
      exception when lock_not_available or query_canceled then null;
      end $wait$`,
      [],
      `${waitSeconds + 5} seconds`
    )

  const isFree = ({ ask }: OwnConnection.OwnConnection, { key }: Neighbour) =>
    Effect.map(
      ask(`select pg_try_advisory_xact_lock_shared(${BigInt(key)}) as free`),
      (rows) => decodeFree(rows)[0].free
    )

  /** Its time is over. Whatever it holds can be taken, which everyone is told. */
  const bury = ({ locked_since, owner }: Neighbour) =>
    once(rowsOf(Schema.Struct({ run_id: RunId }))(sql`
      with buried as (
        update ${tables.workers} w set alive_until = least(w.alive_until, ${database.now()}), locked_since = null
        where w.owner = ${owner}::text and w.locked_since = ${locked_since}::timestamptz
        returning w.owner
      )
      select r.run_id::text as run_id from ${tables.runs} r join buried b on b.owner = r.lease_owner limit 1000`))
      .pipe(Effect.map((rows) => notice.due(rows.map(({ run_id }) => run_id))))

  const watch = (own: OwnConnection.OwnConnection): Effect.Effect<never, SqlError> =>
    Effect.forever(Effect.gen(function*() {
      changed.closeUnsafe()
      const next = yield* neighbour(own)
      const wait = next === undefined ? Effect.sleep(`${waitSeconds} seconds`) : untilFree(own, next)
      yield* Effect.raceFirst(Effect.asVoid(wait), changed.await)
      if (next === undefined || !(yield* isFree(own, next))) return
      yield* Effect.sleep(deadAfter)
      if (yield* isFree(own, next)) yield* bury(next)
    }))

  yield* needed.await.pipe(
    Effect.andThen(OwnConnection.keep(config, watch, () => {})),
    Effect.forkScoped
  )

  return { start: needed.open, again: () => changed.openUnsafe() }
})
