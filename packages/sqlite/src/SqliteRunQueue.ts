/**
 * The queue in SQLite. Whoever has nothing to do only reads.
 */
import type { Claim, Owner } from "@durable-agents/core"
import { RunId, RunQueue } from "@durable-agents/core"
import { Effect, Option, Result, Schema } from "effect"
import { type Database, millis } from "./Database.ts"
import { isDead } from "./ProcessOwner.ts"
import { query } from "./Query.ts"

type ClaimOptions = Parameters<RunQueue["Service"]["claim"]>[0]
type AcquireOptions = Parameters<RunQueue["Service"]["acquire"]>[0]
type DueOptions = Pick<ClaimOptions, "namespace" | "programs" | "limit" | "limits">
type HeartbeatOptions = Parameters<RunQueue["Service"]["heartbeat"]>[0]
type ReleaseOptions = Parameters<RunQueue["Service"]["release"]>[0]

const RunRow = Schema.Struct({
  run_id: RunId,
  program: Schema.String,
  wake_at: Schema.NullOr(Schema.Finite),
  lease_owner: Schema.NullOr(Schema.String)
})

type RunRow = typeof RunRow.Type

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (database: Database): RunQueue["Service"] => {
  const { connection, hasEnded, keepSummary, lengthOf, nextWoken, notice, now, read, write } = database

  const free = query(
    connection,
    `select run_id, program, wake_at, lease_owner from runs
    where namespace = ? and program = ? and wake_at <= ? and lease_owner is null
    order by wake_at limit ?`,
    RunRow
  )
  const orphaned = query(
    connection,
    `select run_id, program, wake_at, lease_owner from runs
    where lease_owner = ? and namespace = ? and program = ? and wake_at <= ?
    order by wake_at limit ?`,
    RunRow
  )
  const runOf = query(connection, `select run_id, program, wake_at, lease_owner from runs where run_id = ?`, RunRow)
  const takeLease = query(
    connection,
    `update runs set lease_owner = ?, lease_epoch = lease_epoch + 1, wake_at = min(coalesce(wake_at, ?), ?)
    where run_id = ? returning lease_epoch`,
    Schema.Struct({ lease_epoch: Schema.Int })
  )
  const heldBy = query(
    connection,
    `select run_id, lease_epoch, outside_seq from runs where lease_owner = ?`,
    Schema.Struct({ run_id: RunId, lease_epoch: Schema.Int, outside_seq: Schema.Int })
  )
  const lease = query(
    connection,
    `select outside_seq from runs where run_id = ? and lease_owner = ? and lease_epoch = ?`,
    Schema.Struct({ outside_seq: Schema.Int })
  )
  const rest = connection.prepare(`update runs set lease_owner = null, wake_at = ? where run_id = ?`)
  const restDue = connection.prepare(`update runs set lease_owner = null, wake_at = ?, woken = ? where run_id = ?`)
  const freeAll = connection.prepare(`update runs set lease_owner = null, woken = ? where lease_owner = ?`)
  const workers = query(
    connection,
    `select owner, alive_until from workers`,
    Schema.Struct({ owner: Schema.String, alive_until: Schema.Finite })
  )
  const worker = query(
    connection,
    `select alive_until from workers where owner = ?`,
    Schema.Struct({ alive_until: Schema.Finite })
  )
  const leased = query(
    connection,
    `select lease_owner, lease_epoch from runs where run_id = ? and lease_owner is not null`,
    Schema.Struct({ lease_owner: Schema.String, lease_epoch: Schema.Int })
  )
  const keepAlive = connection.prepare(`
    insert into workers (owner, alive_until) values (?, ?)
    on conflict (owner) do update set alive_until = excluded.alive_until`)
  const forget = connection.prepare(`
    delete from workers where owner = ? and not exists (select 1 from runs where lease_owner = workers.owner)`)

  /** Everyone whose time is over, or whose process is gone. */
  const deadOwners = (at: number): ReadonlyArray<Owner> =>
    workers.all()
      .filter(({ alive_until, owner }) => alive_until <= at || isDead(owner))
      .map(({ owner }) => owner)

  const aliveUntil = (owner: Owner): number => worker.first(owner)?.alive_until ?? 0

  const isHeld = (owner: Owner | null, at: number): boolean =>
    owner !== null && aliveUntil(owner) > at && !isDead(owner)

  const due = (options: DueOptions, at: number): ReadonlyArray<RunRow> => {
    const { limit, limits, namespace, programs } = options
    if (limit <= 0 || programs.length === 0) return []
    const dead = deadOwners(at)
    const oldest = (rows: ReadonlyArray<RunRow>, most: number) =>
      rows.toSorted((left, right) => (left.wake_at ?? 0) - (right.wake_at ?? 0)).slice(0, most)
    const dueOf = (program: string): ReadonlyArray<RunRow> => {
      const most = Math.max(0, Math.min(limit, limits?.get(program) ?? limit))
      return oldest([
        ...free.all(namespace, program, at, most),
        ...dead.flatMap((orphan) => orphaned.all(orphan, namespace, program, at, most))
      ], most)
    }
    return oldest(Array.from(new Set(programs)).flatMap(dueOf), limit)
  }

  const isOpen = (row: RunRow | undefined, at: number): row is RunRow =>
    row !== undefined && !isHeld(row.lease_owner, at) && !hasEnded(row.run_id)

  const leaseTo = (owner: Owner, at: number) => ({ lease_owner, program, run_id }: RunRow): Claim => ({
    runId: run_id,
    program,
    seq: lengthOf(run_id),
    epoch: takeLease.first(owner, at, at, run_id)?.lease_epoch ?? 0,
    expired: lease_owner !== null,
    now: at
  })

  const claim = Effect.fnUntraced(function*(options: ClaimOptions) {
    const { leaseMillis, owner } = options
    const idle = yield* read("claim", () => heldBy.first(owner) === undefined && due(options, now()).length === 0)
    if (idle) return []
    return yield* write({
      operation: "claim",
      body: (at) => {
        keepAlive.run(owner, millis(at + leaseMillis))
        const rows = due(options, at)
        const claims = rows.map(leaseTo(owner, at))
        for (const left of new Set(rows.map(({ lease_owner }) => lease_owner))) forget.run(left)
        return Result.succeed(claims)
      }
    })
  })

  const acquire = Effect.fnUntraced(function*({ leaseMillis, owner, runId }: AcquireOptions) {
    const open = yield* read("acquire", () => isOpen(runOf.first(runId), now()))
    if (!open) return Option.none()
    return yield* write({
      operation: "acquire",
      body: (at) => {
        const row = runOf.first(runId)
        if (!isOpen(row, at)) return Result.succeed(Option.none())
        keepAlive.run(owner, millis(at + leaseMillis))
        const claimed = leaseTo(owner, at)(row)
        forget.run(row.lease_owner)
        return Result.succeed(Option.some(claimed))
      }
    })
  })

  const heartbeat = Effect.fnUntraced(function*({ leaseMillis, owner }: HeartbeatOptions) {
    const idle = yield* read("heartbeat", () => heldBy.first(owner) === undefined)
    if (idle) return { now: now(), held: [] }
    return yield* write({
      operation: "heartbeat",
      body: (at) => {
        keepAlive.run(owner, millis(at + leaseMillis))
        const held = heldBy.all(owner).map(({ lease_epoch, outside_seq, run_id }) => ({
          runId: run_id,
          epoch: lease_epoch,
          outsideSeq: outside_seq
        }))
        return Result.succeed({ now: at, held })
      }
    })
  })

  const release = ({ epoch, owner, runId, seq, summary, wakeAt }: ReleaseOptions) =>
    write({
      operation: "release",
      body: (at) => {
        const held = lease.first(runId, owner, epoch)
        if (held === undefined) return Result.void
        if (held.outside_seq >= seq) {
          restDue.run(at, nextWoken(), runId)
          return Result.void
        }
        rest.run(millis(wakeAt), runId)
        if (summary !== undefined) keepSummary(summary)
        return Result.void
      },
      committed: notice.woke
    })

  const retire = (owner: Owner) =>
    write({
      operation: "retire",
      body: () => {
        freeAll.run(nextWoken(), owner)
        forget.run(owner)
        return Result.void
      },
      committed: notice.woke
    })

  const longestDue: RunQueue["Service"]["longestDue"] = (options) =>
    read("longestDue", () => {
      const [row] = due({ ...options, limit: 1 }, now())
      return Option.map(Option.fromNullishOr(row), ({ run_id, wake_at }) => ({ runId: run_id, since: wake_at ?? 0 }))
    })

  const countDue: RunQueue["Service"]["countDue"] = (options) => read("countDue", () => due(options, now()).length)

  const holder = (runId: RunId) =>
    read("holder", () => {
      const row = leased.first(runId)
      if (row === undefined) return Option.none()
      const { lease_epoch: epoch, lease_owner: owner } = row
      return Option.some({ owner, epoch, isAlive: isHeld(owner, now()), aliveUntil: aliveUntil(owner) })
    })

  return RunQueue.of({
    claim: Effect.fn("RunQueue.claim")(claim),
    acquire: Effect.fn("RunQueue.acquire")(acquire),
    heartbeat: Effect.fn("RunQueue.heartbeat")(heartbeat),
    release: Effect.fn("RunQueue.release")(release),
    retire: Effect.fn("RunQueue.retire")(retire),
    longestDue: Effect.fn("RunQueue.longestDue")(longestDue),
    countDue: Effect.fn("RunQueue.countDue")(countDue),
    holder: Effect.fn("RunQueue.holder")(holder),
    wakeups: notice.wakeups
  })
}
