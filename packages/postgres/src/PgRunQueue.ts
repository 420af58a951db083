/**
 * The queue in PostgreSQL. Whoever has nothing to do writes nothing.
 */
import type { Owner } from "@durable-agents/core"
import { RunId, RunQueue } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import * as Claims from "./Claims.ts"
import { millis, millisOf, timeOf, wakeMillis } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"
import type { Leases } from "./Leases.ts"
import { type Listener, lockKey } from "./Listener.ts"
import type { Notice } from "./Notice.ts"
import * as Owners from "./Owners.ts"
import { keeping } from "./Summaries.ts"

type HeartbeatOptions = Parameters<RunQueue["Service"]["heartbeat"]>[0]
type ReleaseOptions = Parameters<RunQueue["Service"]["release"]>[0]

const HeldRow = Schema.Struct({
  now: Schema.Finite,
  run_id: Schema.NullOr(RunId),
  lease_epoch: Schema.NullOr(Schema.Int),
  outside_seq: Schema.NullOr(Schema.Int)
})

const HolderRow = Schema.Struct({
  owner: Schema.String,
  epoch: Schema.Int,
  until: Schema.Finite,
  alive: Schema.Boolean
})

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  database: Database,
  notice: Notice,
  leases: Leases,
  { letGo, lockedSince }: Pick<Listener, "letGo" | "lockedSince">
): RunQueue["Service"] => {
  const { read, sql, tables, write } = database
  const owners = Owners.make(database, { lockedSince })
  const { holdsAny, keepAlive } = owners
  const claims = Claims.make(database, notice, leases, owners, { lockedSince })

  const heartbeat = Effect.fnUntraced(function*({ leaseMillis, owner }: HeartbeatOptions) {
    const unknownOf = leases.compare(owner)
    const rows = yield* write("heartbeat", () =>
      Effect.suspend(() => {
        const now = database.now()
        return rowsOf(HeldRow)(sql`
          with ${keepAlive(owner, leaseMillis, now, holdsAny(owner))}
          select ${millisOf(sql, now)} as now, r.run_id::text as run_id, r.lease_epoch, r.outside_seq
          from (select) one left join ${tables.runs} r on r.lease_owner = ${owner}::text`)
      }))
    const held = rows.flatMap(({ lease_epoch, outside_seq, run_id }) =>
      run_id === null || lease_epoch === null || outside_seq === null
        ? []
        : [{ runId: run_id, epoch: lease_epoch, outsideSeq: outside_seq }]
    )
    // A claim that was given up as lost may have been stored all the same, later.
    if (unknownOf(held).length > 0) {
      yield* Effect.ignore(claims.giveUpLost(owner))
    }
    return { now: rows[0]?.now ?? 0, held }
  })

  const releaseRun = ({ epoch, owner, runId, seq, summary, wakeAt }: ReleaseOptions) => {
    const now = database.now()
    // The row as it is when its lock is had decides: anything read apart from it may be older than the decision that it waits for.
    return rowsOf(Schema.Struct({ decided: Schema.Boolean }))(sql`
      with released as (
        update ${tables.runs} r set lease_owner = null,
          wake_at = case when r.outside_seq >= ${seq}::int then ${now} else ${
      timeOf(sql, millis(wakeMillis(wakeAt)))
    } end
        where r.run_id = ${runId}::uuid and r.lease_owner = ${owner}::text and r.lease_epoch = ${epoch}::int
        returning r.run_id, r.outside_seq >= ${seq}::int as decided
      )
      ${
      summary === undefined ? sql.literal("") : sql`,
        resting as (select run_id from released where not decided),
        ${keeping(database, "resting", [summary], now)}`
    }
      select decided from released`)
  }

  const release = Effect.fnUntraced(function*(options: ReleaseOptions) {
    const { owner, runId } = options
    const rows = yield* write("release", () => Effect.suspend(() => releaseRun(options)))
    leases.takeBack(owner, options)
    if (rows.some(({ decided }) => decided)) notice.due([runId])
  })

  const retireOwner = (owner: Owner) =>
    rowsOf(Schema.Struct({ run_id: RunId }))(sql`
      with held as materialized (
        select run_id from ${tables.runs} where lease_owner = ${owner}::text order by run_id for update
      ),
      freed as (
        update ${tables.runs} r set lease_owner = null from held h where r.run_id = h.run_id and r.lease_owner = ${owner}::text
        returning r.run_id
      ),
      forgotten as (delete from ${tables.workers} where owner = ${owner}::text)
      select run_id::text as run_id from freed`)

  const retire = Effect.fnUntraced(function*(owner: Owner) {
    const rows = yield* write("retire", () => retireOwner(owner))
    claims.forget(owner)
    notice.due(rows.map(({ run_id }) => run_id))
    yield* letGo(owner)
  })

  /** Alive is whose time is not over, and whose process is not known to be gone: its lock was taken, and is free. */
  const holder = (runId: RunId) =>
    Effect.suspend(() => {
      const now = database.now()
      const rows = read(
        "holder",
        rowsOf(HolderRow)(sql`
          select r.lease_owner as owner, r.lease_epoch as epoch, coalesce(${
          millisOf(sql, sql.literal("w.alive_until"))
        }, 0) as until,
            case when w.alive_until is null or w.alive_until <= ${now} then false
              when w.locked_since = pg_postmaster_start_time()
                then not pg_try_advisory_xact_lock_shared(${sql.literal(lockKey("w.owner"))})
              else true end as alive
          from ${tables.runs} r left join ${tables.workers} w on w.owner = r.lease_owner
          where r.run_id = ${runId}::uuid and r.lease_owner is not null`)
      )
      return Effect.map(rows, ([row]) =>
        Option.map(Option.fromNullishOr(row), ({ alive, epoch, owner, until }) => ({
          owner,
          epoch,
          isAlive: alive,
          aliveUntil: until
        })))
    })

  return RunQueue.of({
    claim: Effect.fn("RunQueue.claim")(claims.claim),
    acquire: Effect.fn("RunQueue.acquire")(claims.acquire),
    heartbeat: Effect.fn("RunQueue.heartbeat")(heartbeat),
    release: Effect.fn("RunQueue.release")(release),
    retire: Effect.fn("RunQueue.retire")(retire),
    longestDue: Effect.fn("RunQueue.longestDue")(claims.longestDue),
    countDue: Effect.fn("RunQueue.countDue")(claims.countDue),
    holder: Effect.fn("RunQueue.holder")(holder),
    wakeups: notice.wakeups
  })
}
