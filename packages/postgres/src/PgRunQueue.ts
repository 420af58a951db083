/**
 * The queue in PostgreSQL. Whoever has nothing to do writes nothing.
 */
import type { Claim, Owner } from "@durable-agents/core"
import { RunId, RunQueue } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { expectOne, integers, millis, millisOf, texts, timeOf, uuids, wakeMillis } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"
import type { Leases } from "./Leases.ts"
import { type Listener, lockKey } from "./Listener.ts"
import type { Notice } from "./Notice.ts"
import { endTypes } from "./PgEventStore.ts"
import { keeping } from "./Summaries.ts"

type ClaimOptions = Parameters<RunQueue["Service"]["claim"]>[0]
type AcquireOptions = Parameters<RunQueue["Service"]["acquire"]>[0]
type HeartbeatOptions = Parameters<RunQueue["Service"]["heartbeat"]>[0]
type ReleaseOptions = Parameters<RunQueue["Service"]["release"]>[0]

const ClaimRow = Schema.Struct({
  run_id: RunId,
  program: Schema.String,
  length: Schema.Int,
  lease_epoch: Schema.Int,
  expired: Schema.Boolean,
  now: Schema.Finite
})

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

const atMost = (limit: number): number => Math.max(0, Math.floor(limit))

const mostOf = ({ limit, limits }: ClaimOptions, program: string): number => atMost(limits?.get(program) ?? limit)

/** There may be more: a limit was reached. */
const isCutOff = (options: ClaimOptions, rows: ReadonlyArray<typeof ClaimRow.Type>): boolean =>
  rows.length >= atMost(options.limit) ||
  options.programs.some((name) => rows.filter(({ program }) => program === name).length >= mostOf(options, name))

/** A lease of a thousand years is as long as any. */
const longestLease = 1_000 * 365.25 * 86_400_000

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

  const introduced = new Set<Owner>()

  const give = (owner: Owner, rows: ReadonlyArray<typeof ClaimRow.Type>): ReadonlyArray<Claim> => {
    leases.give(owner, rows.map(({ run_id }) => run_id))
    if (rows.length > 0 && lockedSince(owner) !== undefined && !introduced.has(owner)) {
      introduced.add(owner)
      notice.newOwner()
    }
    return rows.map(({ expired, lease_epoch, length, now, program, run_id }) => ({
      runId: run_id,
      program,
      seq: length,
      epoch: lease_epoch,
      expired,
      now
    }))
  }

  /** Keeps an owner alive if it holds anything, or `taking` says that it is about to. */
  const keepAlive = (owner: Owner, leaseMillis: number, now: Fragment, taking: Fragment) => {
    const lease = millis(Math.min(Math.max(0, leaseMillis), longestLease))
    return sql`
      kept_alive as (
        insert into ${tables.workers} (owner, alive_until, locked_since)
        select ${owner}::text, ${now} + make_interval(secs => ${lease}::float8 / 1000), ${
      lockedSince(owner) ?? null
    }::timestamptz
        where ${taking} or exists (select from ${tables.runs} where lease_owner = ${owner}::text)
        on conflict (owner) do update set alive_until = excluded.alive_until, locked_since = excluded.locked_since
      )`
  }

  /** Everyone whose time is over. A claim keeps its own owner alive, so that one is not among them. */
  const dead = (owner: Owner, now: Fragment) =>
    sql`dead as materialized (
      select w.owner from ${tables.workers} w where w.alive_until <= ${now} and w.owner <> ${owner}::text
    )`

  const lengthOf = (runId: string) =>
    sql`
    coalesce((
      select e.seq + 1 from ${tables.events} e where e.run_id = ${sql.literal(runId)} order by e.seq desc limit 1
    ), 0)`

  const forgetDead = Effect.suspend(() =>
    write("claim", () =>
      sql`
      delete from ${tables.workers} w where w.alive_until <= ${database.now()} and
        not exists (select from ${tables.runs} r where r.lease_owner = w.owner)`)
  )

  const claimDue = (options: ClaimOptions) => {
    const { leaseMillis, limit, namespace, owner } = options
    const now = database.now()
    const most = atMost(limit)
    const programs = Array.from(new Set(options.programs))
    const limits = integers(sql, programs.map((program) => Math.min(most, mostOf(options, program))))
    const lost = leases.isDoubted(owner)
      ? sql`r.lease_owner = ${owner}::text and r.run_id <> all (${uuids(sql, leases.of(owner))}::uuid[])`
      : sql.literal("false")
    return rowsOf(ClaimRow)(sql`
      with wanted as materialized (select p.program, p.most from unnest(${
      texts(sql, programs)
    }, ${limits}) as p (program, most)),
      ${dead(owner, now)},
      free as materialized (
        select d.* from wanted cross join lateral (
          select r.run_id, r.program, r.wake_at from ${tables.runs} r
          where r.namespace = ${namespace}::text and r.program = wanted.program and r.lease_owner is null and r.wake_at <= ${now}
          order by r.wake_at limit wanted.most for update skip locked
        ) d
      ),
      left_behind as materialized (
        select d.* from dead cross join wanted cross join lateral (
          select r.run_id, r.program, r.wake_at from ${tables.runs} r
          where r.lease_owner = dead.owner and r.namespace = ${namespace}::text and r.program = wanted.program
            and r.wake_at <= ${now}
          order by r.wake_at limit wanted.most for update skip locked
        ) d
      ),
      lost as materialized (
        select r.run_id, r.program, r.wake_at from ${tables.runs} r
        where ${lost} for update skip locked
      ),
      ranked as (
        select c.*, row_number() over (partition by c.program order by c.wake_at) as nth from (
          select run_id, program, wake_at, false as expired from free
          union all select run_id, program, wake_at, true from left_behind
          union all select run_id, program, wake_at, true from lost
        ) c
      ),
      due as materialized (
        select c.run_id, c.expired, row_number() over (order by c.wake_at) as place
        from ranked c join wanted on wanted.program = c.program and c.nth <= wanted.most
        order by c.wake_at limit ${most}::int
      ),
      claimed as (
        update ${tables.runs} r set lease_owner = ${owner}::text, lease_epoch = r.lease_epoch + 1
        from due d where r.run_id = d.run_id and ${expectOne(sql, "d.place")}
        returning r.run_id, r.program, r.wake_at, r.lease_epoch, d.expired
      ),
      ${keepAlive(owner, leaseMillis, now, sql`exists (select from claimed)`)}
      select c.run_id::text as run_id, c.program, ${lengthOf("c.run_id")} as length, c.lease_epoch, c.expired,
        ${millisOf(sql, now)} as now
      from claimed c order by c.wake_at`)
  }

  const claim = Effect.fnUntraced(function*(options: ClaimOptions) {
    const { owner } = options
    const rows = yield* write("claim", (attempt) => {
      if (attempt > 1) leases.doubt(owner)
      return Effect.suspend(() => claimDue(options))
    }).pipe(Effect.onError(() => Effect.sync(() => leases.doubt(owner))))
    if (!isCutOff(options, rows)) leases.trust(owner)
    if (rows.some(({ expired }) => expired)) yield* Effect.forkDetach(Effect.ignore(forgetDead))
    return give(owner, rows)
  })

  const acquireRun = ({ leaseMillis, owner, runId }: AcquireOptions) => {
    const now = database.now()
    const isLost = !leases.has(owner, runId)
    // The lease is compared once more when the row is locked: somebody else may have taken it in between, and whether that one
    // is alive cannot be seen from here.
    return rowsOf(ClaimRow)(sql`
      with ${dead(owner, now)},
      found as materialized (
        select r.run_id, r.lease_owner, r.lease_epoch from ${tables.runs} r
        where r.run_id = ${runId}::uuid and (
          r.lease_owner is null or r.lease_owner in (select d.owner from dead d) or
          (${isLost}::boolean and r.lease_owner = ${owner}::text)
        ) and coalesce((
          select e.type <> all (${texts(sql, endTypes)}::text[]) from ${tables.events} e
          where e.run_id = r.run_id order by e.seq desc limit 1
        ), true)
      ),
      claimed as (
        update ${tables.runs} r set lease_owner = ${owner}::text, lease_epoch = r.lease_epoch + 1,
          wake_at = least(r.wake_at, ${now})
        from found f
        where r.run_id = f.run_id and r.lease_epoch = f.lease_epoch and r.lease_owner is not distinct from f.lease_owner
        returning r.run_id, r.program, r.lease_epoch, f.lease_owner is not null as expired
      ),
      ${keepAlive(owner, leaseMillis, now, sql`exists (select from claimed)`)}
      select c.run_id::text as run_id, c.program, ${lengthOf("c.run_id")} as length, c.lease_epoch, c.expired,
        ${millisOf(sql, now)} as now
      from claimed c`)
  }

  const acquire = (options: AcquireOptions) =>
    Effect.map(
      write("acquire", () => Effect.suspend(() => acquireRun(options))),
      (rows) => Option.fromNullishOr(give(options.owner, rows)[0])
    )

  const heartbeat = Effect.fnUntraced(function*({ leaseMillis, owner }: HeartbeatOptions) {
    const rows = yield* write("heartbeat", () =>
      Effect.suspend(() => {
        const now = database.now()
        return rowsOf(HeldRow)(sql`
          with ${keepAlive(owner, leaseMillis, now, sql.literal("false"))}
          select ${millisOf(sql, now)} as now, r.run_id::text as run_id, r.lease_epoch, r.outside_seq
          from (select) one left join ${tables.runs} r on r.lease_owner = ${owner}::text`)
      }))
    const held = rows.flatMap(({ lease_epoch, outside_seq, run_id }) =>
      run_id === null || lease_epoch === null || outside_seq === null
        ? []
        : [{ runId: run_id, epoch: lease_epoch, outsideSeq: outside_seq }]
    )
    leases.keep(owner, held.map(({ runId }) => runId))
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
    leases.takeBack(owner, runId)
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
    leases.forget(owner)
    introduced.delete(owner)
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
    claim: Effect.fn("RunQueue.claim")(claim),
    acquire: Effect.fn("RunQueue.acquire")(acquire),
    heartbeat: Effect.fn("RunQueue.heartbeat")(heartbeat),
    release: Effect.fn("RunQueue.release")(release),
    retire: Effect.fn("RunQueue.retire")(retire),
    holder: Effect.fn("RunQueue.holder")(holder),
    wakeups: notice.wakeups
  })
}
