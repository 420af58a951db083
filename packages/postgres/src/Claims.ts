/**
 * How leases are asked for in PostgreSQL: by claims and by name.
 */
import type { Claim, Owner, Recorded, RunQueue } from "@durable-agents/core"
import { RunEvent, RunId, type StoreError } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { expectOne, integers, millisOf, texts, uuids } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"
import type { Leases } from "./Leases.ts"
import type { Listener } from "./Listener.ts"
import type { Notice } from "./Notice.ts"
import type { Owners } from "./Owners.ts"
import { endTypes } from "./PgEventStore.ts"

type ClaimOptions = Parameters<RunQueue["Service"]["claim"]>[0]
type AcquireOptions = Parameters<RunQueue["Service"]["acquire"]>[0]

const ClaimRow = Schema.Struct({
  run_id: RunId,
  program: Schema.String,
  length: Schema.Int,
  lease_epoch: Schema.Int,
  expired: Schema.Boolean,
  now: Schema.Finite,
  log: Schema.NullOr(Schema.String)
})

/** A log that a claim brings: bounded in events and in bytes, since a claim may be of many runs. */
const mostEvents = 32
const mostBytes = 16 * 1024

const logEvents = Schema
  .decodeUnknownSync(Schema
    .fromJsonString(Schema
      .Array(Schema.Tuple([Schema.Int, Schema.Finite, Schema.NullOr(Schema.Int), Schema.String, Schema.Unknown]))))

const DueRow = Schema.Struct({ run_id: RunId, since: Schema.Finite })

const CountRow = Schema.Struct({ count: Schema.Finite })

const atMost = (limit: number): number => Math.max(0, Math.floor(limit))

const mostOf = ({ limit, limits }: ClaimOptions, program: string): number => atMost(limits?.get(program) ?? limit)

const logOf = (runId: RunId, log: string): ReadonlyArray<Recorded> =>
  logEvents(log).map(([seq, at, epoch, type, payload]) => ({
    runId,
    seq,
    at,
    ...(epoch === null ? {} : { epoch }),
    event: RunEvent.decode(type, payload)
  }))

/** Whose leases are those that an owner was not told of. Nobody else is ever called so. */
const lostBy = (owner: Owner): Owner => `${owner}/lost`

/**
 * @category models
 * @since 0.1.0
 */
export interface Claims extends Pick<RunQueue["Service"], "claim" | "acquire" | "longestDue" | "countDue"> {
  /** Gives up every lease that the database has and nobody here was told of. */
  readonly giveUpLost: (owner: Owner) => Effect.Effect<void, StoreError>
  /** The owner ends. */
  readonly forget: (owner: Owner) => void
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  database: Database,
  notice: Notice,
  leases: Leases,
  owners: Owners,
  { lockedSince }: Pick<Listener, "lockedSince">
): Claims => {
  const { read, sql, tables, write } = database
  const { holdsAny, keepAlive } = owners
  const introduced = new Set<Owner>()

  const claimsOf = (owner: Owner, rows: ReadonlyArray<typeof ClaimRow.Type>): ReadonlyArray<Claim> => {
    const claims = rows.map(({ expired, lease_epoch, length, log, now, program, run_id }): Claim => ({
      runId: run_id,
      program,
      seq: length,
      epoch: lease_epoch,
      expired,
      now,
      ...(log === null ? {} : { log: logOf(run_id, log) })
    }))
    leases.give(owner, claims)
    if (claims.length > 0 && lockedSince(owner) !== undefined && !introduced.has(owner)) {
      introduced.add(owner)
      notice.newOwner()
    }
    return claims
  }

  /** Everyone whose time is over. */
  const dead = (now: Fragment) =>
    sql`dead as materialized (select w.owner from ${tables.workers} w where w.alive_until <= ${now})`

  const lengthOf = (runId: string) =>
    sql`
    coalesce((
      select e.seq + 1 from ${tables.events} e where e.run_id = ${sql.literal(runId)} order by e.seq desc limit 1
    ), 0)`

  /** The log of `f`, if it is short. A decision that came in between is in the row of the run already, and not seen yet here. */
  const shortLog = sql`
    select json_agg(
      json_build_array(e.seq, ${millisOf(sql, sql.literal("e.created_at"))}, e.epoch, e.type, e.payload) order by e.seq
    )::text as log
    from ${tables.events} e where e.run_id = f.run_id
    having count(*) = f.length and f.outside_seq < f.length and sum(pg_column_size(e.payload)) <= ${mostBytes}`

  const forgetDead = Effect.suspend(() =>
    write("claim", () =>
      sql`
      delete from ${tables.workers} w where w.alive_until <= ${database.now()} and
        not exists (select from ${tables.runs} r where r.lease_owner = w.owner)`)
  )

  /**
   * Leaves what nobody here was told of to whoever comes first, under the name of one who is dead: it may have been taken over
   * from somebody who died, so its next lease must count as taken over as well.
   */
  const giveUpLost = (owner: Owner) =>
    Effect.suspend(() => {
      const now = database.now()
      const known = leases.of(owner)
      return rowsOf(Schema.Struct({ run_id: RunId }))(sql`
        with held as materialized (
          select r.run_id, r.lease_epoch from ${tables.runs} r where r.lease_owner = ${owner}::text order by r.run_id for update
        ),
        lost as (
          update ${tables.runs} r set lease_owner = ${lostBy(owner)}::text from held h
          where r.run_id = h.run_id and not exists (
            select from unnest(
              ${uuids(sql, known.map(({ runId }) => runId))}, ${integers(sql, known.map(({ epoch }) => epoch))}
            ) as k (run_id, lease_epoch)
            where k.run_id = h.run_id and k.lease_epoch = h.lease_epoch
          )
          returning r.run_id
        ),
        buried as (
          insert into ${tables.workers} (owner, alive_until) select ${
        lostBy(owner)
      }::text, ${now} where exists (select from lost)
          on conflict (owner) do update set alive_until = excluded.alive_until
        )
        select run_id::text as run_id from lost`)
    }).pipe(Effect.map((rows) => {
      leases.trust(owner)
      notice.due(rows.map(({ run_id }) => run_id))
    }))

  /** Asks for leases. What earlier attempts may have taken without anybody being told is given up first. */
  const take = (
    operation: string,
    owner: Owner,
    statement: Effect.Effect<ReadonlyArray<typeof ClaimRow.Type>, SqlError>
  ) =>
    write(operation, (attempt) => {
      if (attempt > 1) leases.doubt(owner)
      const taken = Effect.map(statement, (rows) => claimsOf(owner, rows))
      return leases.isDoubted(owner)
        ? leases.alone(owner, Effect.andThen(giveUpLost(owner), taken))
        : leases.together(owner, taken)
    }).pipe(Effect.onError(() => Effect.sync(() => leases.doubt(owner))))

  const claimDue = (options: ClaimOptions) => {
    const { leaseMillis, limit, namespace, owner } = options
    const now = database.now()
    const most = atMost(limit)
    const programs = Array.from(new Set(options.programs))
    const limits = integers(sql, programs.map((program) => Math.min(most, mostOf(options, program))))
    // Whoever executes something lives on, and keeps what it has. Whoever does not cannot have been told of what it has.
    const isBusy = leases.of(owner).length > 0
    const notKept = isBusy ? sql`dead.owner <> ${owner}::text` : sql.literal("true")
    const isKept = isBusy ? sql`exists (select from claimed) or ${holdsAny(owner)}` : sql`exists (select from claimed)`
    return rowsOf(ClaimRow)(sql`
      with wanted as materialized (select p.program, p.most from unnest(${
      texts(sql, programs)
    }, ${limits}) as p (program, most)),
      ${dead(now)},
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
        where ${notKept}
      ),
      ranked as (
        select c.*, row_number() over (partition by c.program order by c.wake_at) as nth from (
          select run_id, program, wake_at, false as expired from free
          union all select run_id, program, wake_at, true from left_behind
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
        returning r.run_id, r.program, r.wake_at, r.outside_seq, r.lease_epoch, d.expired
      ),
      ${keepAlive(owner, leaseMillis, now, isKept)},
      found as (select c.*, ${lengthOf("c.run_id")} as length from claimed c)
      select f.run_id::text as run_id, f.program, f.length, f.lease_epoch, f.expired, ${
      millisOf(sql, now)
    } as now, l.log
      from found f left join lateral (${shortLog}) l on f.length <= ${mostEvents}
      order by f.wake_at`)
  }

  const claim = Effect.fnUntraced(function*(options: ClaimOptions) {
    const claims = yield* take("claim", options.owner, Effect.suspend(() => claimDue(options)))
    if (claims.some(({ expired }) => expired)) yield* Effect.forkDetach(Effect.ignore(forgetDead))
    return claims
  })

  const acquireRun = ({ leaseMillis, owner, runId }: AcquireOptions) => {
    const now = database.now()
    // The lease is compared once more when the row is locked: somebody else may have taken it in between, and whether that one
    // is alive cannot be seen from here.
    return rowsOf(ClaimRow)(sql`
      with ${dead(now)},
      found as materialized (
        select r.run_id, r.lease_owner, r.lease_epoch from ${tables.runs} r
        where r.run_id = ${runId}::uuid and (
          r.lease_owner is null or r.lease_owner in (select d.owner from dead d)
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
        ${millisOf(sql, now)} as now, null::text as log
      from claimed c`)
  }

  const acquire = (options: AcquireOptions) =>
    Effect.map(
      take("acquire", options.owner, Effect.suspend(() => acquireRun(options))),
      ([claim]) => Option.fromNullishOr(claim)
    )

  const longestDue: RunQueue["Service"]["longestDue"] = ({ namespace, programs }) =>
    Effect.suspend(() => {
      const now = database.now()
      const rows = read(
        "longestDue",
        rowsOf(DueRow)(sql`
          with wanted as materialized (select distinct p.program from unnest(${texts(sql, programs)}) as p (program)),
          ${dead(now)},
          oldest as (
            select d.* from wanted cross join lateral (
              select r.run_id, r.wake_at from ${tables.runs} r
              where r.namespace = ${namespace}::text and r.program = wanted.program and r.lease_owner is null
                and r.wake_at <= ${now}
              order by r.wake_at limit 1
            ) d
            union all
            select d.* from dead cross join wanted cross join lateral (
              select r.run_id, r.wake_at from ${tables.runs} r
              where r.lease_owner = dead.owner and r.namespace = ${namespace}::text and r.program = wanted.program
                and r.wake_at <= ${now}
              order by r.wake_at limit 1
            ) d
          )
          select o.run_id::text as run_id, ${millisOf(sql, sql.literal("o.wake_at"))} as since
          from oldest o order by o.wake_at limit 1`)
      )
      return Effect.map(rows, ([row]) =>
        Option.map(Option.fromNullishOr(row), ({ run_id, since }) => ({ runId: run_id, since })))
    })

  const countDue: RunQueue["Service"]["countDue"] = ({ limit, namespace, programs }) =>
    Effect.suspend(() => {
      const now = database.now()
      const rows = read(
        "countDue",
        rowsOf(CountRow)(sql`
          with wanted as materialized (select distinct p.program from unnest(${texts(sql, programs)}) as p (program)),
          ${dead(now)},
          due as (
            select d.* from wanted cross join lateral (
              select r.run_id from ${tables.runs} r
              where r.namespace = ${namespace}::text and r.program = wanted.program and r.lease_owner is null
                and r.wake_at <= ${now}
              limit ${atMost(limit)}::int
            ) d
            union all
            select d.* from dead cross join wanted cross join lateral (
              select r.run_id from ${tables.runs} r
              where r.lease_owner = dead.owner and r.namespace = ${namespace}::text and r.program = wanted.program
                and r.wake_at <= ${now}
              limit ${atMost(limit)}::int
            ) d
          )
          select count(*)::int as count from (select from due limit ${atMost(limit)}::int) as counted`)
      )
      return Effect.map(rows, ([row]) => row?.count ?? 0)
    })

  return {
    claim,
    acquire,
    longestDue,
    countDue,
    giveUpLost: (owner) => write("heartbeat", () => leases.alone(owner, giveUpLost(owner))),
    forget: (owner) => {
      leases.forget(owner)
      introduced.delete(owner)
    }
  }
}
