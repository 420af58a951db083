/**
 * The index in PostgreSQL: summaries and waiting approvals, a page at a time.
 */
import type { ApprovalEntry, ListOptions } from "@durable-agents/core"
import { approvalEntries, Paging, RunEvent, RunId, RunIndex, RunSummary, whileLeased } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { latestMillis, millis, millisOf, timeOf, uuids } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"
import { labelId } from "./Summaries.ts"

const SummaryRow = Schema.Struct({
  run_id: RunId,
  started_at: Schema.Finite,
  leased: Schema.Boolean,
  summary: Schema.String
})

type SummaryRow = typeof SummaryRow.Type

const ApprovalRow = Schema.Struct({ run_id: RunId, key: Schema.String, since: Schema.Finite, summary: Schema.String })

const summaryRows = rowsOf(SummaryRow)

const approvalRows = rowsOf(ApprovalRow)

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ read, sql, tables }: Database): RunIndex["Service"] => {
  const rowsIn = (summaries: Fragment) =>
    summaryRows(sql`
      select p.run_id::text as run_id, ${
      millisOf(sql, sql.literal("p.started_at"))
    } as started_at, p.summary::text as summary,
        coalesce((select r.lease_owner is not null from ${tables.runs} r where r.run_id = p.run_id), false) as leased
      from (${summaries}) p order by p.started_at desc, p.run_id desc`)

  const get = (runId: RunId) =>
    read(
      "get",
      Effect.map(
        rowsIn(sql`select s.run_id, s.started_at, s.summary from ${tables.run_summaries} s where s.run_id = ${runId}::uuid`),
        ([row]) => Option.map(Option.fromNullishOr(row), shown)
      )
    )

  /** A time that the server can compare: it has none before the first year or after the last. */
  const bound = (at: number) => timeOf(sql, millis(Math.max(0, Math.min(Math.ceil(at), latestMillis))))

  /** Of several labels the one that the fewest runs have, as far as a short look tells. */
  const rarest = (labels: ReadonlyArray<string>) =>
    labels.length === 1 ? sql`${labels[0]}::uuid` : sql`(
      select w.label from unnest(${uuids(sql, labels)}) as w (label)
      order by (select count(*) from (select from ${tables.run_labels} c where c.label = w.label limit 1000) c) limit 1
    )`

  /**
   * The newest of those that fit. Walks one index in the order of the list, that of a label if some are asked for, until there are
   * enough: tables are looked into row by row (`lateral`, `offset 0`), since to join whole ones takes as long as they are.
   */
  const newest = (options: ListOptions, cursor: RunPosition | undefined, status: Fragment, limit: number) => {
    const { labels = {}, namespace, program, startedBefore, startedFrom } = options
    const requestedBy = options.requestedBy === undefined ? undefined : RunEvent.cleanString(options.requestedBy)
    const wanted = Object.entries(labels).map(([name, value]) => labelId(name, value))
    const isLabelled = wanted.length > 0
    const order = sql.literal(isLabelled ? "l" : "s")
    const conditions = [
      status,
      ...(cursor === undefined ? [] : [sql`
        (${order}.started_at, ${order}.run_id) < (${timeOf(sql, millis(cursor[0]))}::timestamptz(3), ${
        cursor[1]
      }::uuid)`]),
      ...(isLabelled ? [sql`l.label = ${rarest(wanted)}`] : []),
      ...(wanted.length < 2 ?
        [] :
        wanted.map((label) =>
          sql`(select true from ${tables.run_labels} o where o.run_id = s.run_id and o.label = ${label}::uuid)`
        )),
      ...(namespace === undefined ? [] : [sql`s.namespace = ${namespace}::text`]),
      ...(program === undefined ? [] : [sql`s.program = ${program}::text`]),
      ...(requestedBy === undefined ? [] : [
        sql`hashtextextended(s.summary -> 'requestedBy' ->> 'id', 0) = hashtextextended(${requestedBy}::text, 0)`,
        sql`s.summary -> 'requestedBy' ->> 'id' = ${requestedBy}::text`
      ]),
      ...(startedFrom === undefined ? [] : [sql`${order}.started_at >= ${bound(startedFrom)}`]),
      ...(startedBefore === undefined ? [] : [sql`${order}.started_at < ${bound(startedBefore)}`])
    ]
    const source = !isLabelled ? sql`${tables.run_summaries} s` : sql`
      ${tables.run_labels} l cross join lateral (
        select * from ${tables.run_summaries} s where s.run_id = l.run_id offset 0
      ) s`
    return sql`
      select s.run_id, s.started_at, s.summary from ${source}
      where ${sql.and(conditions)}
      order by ${order}.started_at desc, ${order}.run_id desc limit ${limit}::int`
  }

  /** A run that has just been claimed has written nothing yet: it is found among those that were pending. */
  const listing = (options: ListOptions, cursor: RunPosition | undefined, limit: number) => {
    const of = (status: Fragment) => newest(options, cursor, status, limit)
    switch (options.status) {
      case undefined:
        return of(sql.literal("true"))
      case "Pending":
        return of(sql`s.status = 'Pending' and
          (select r.lease_owner from ${tables.runs} r where r.run_id = s.run_id) is null`)
      case "Running":
        return sql`
          with leased as materialized (select r.run_id from ${tables.runs} r where r.lease_owner is not null)
          select * from (
            select * from (${of(sql.literal("s.status = 'Running'"))}) a
            union all
            select * from (${of(sql.literal("s.status = 'Pending' and s.run_id in (select run_id from leased)"))}) b
          ) c order by c.started_at desc, c.run_id desc limit ${limit}::int`
      default:
        return of(sql`s.status = ${options.status}::text`)
    }
  }

  const list = Effect.fnUntraced(function*(options: ListOptions = {}) {
    const limit = Paging.size(options.limit)
    const cursor = yield* runPosition(options.cursor)
    const rows = yield* read("list", rowsIn(listing(options, cursor, limit + 1)))
    return Paging.page(rows, limit, shown, (row) => [row.started_at, row.run_id])
  })

  const pendingApprovals = Effect.fnUntraced(function*(options: ApprovalOptions = {}) {
    const limit = Paging.size(options.limit)
    const cursor = yield* approvalPosition(options.cursor)
    const conditions = [
      ...(options.namespace === undefined ? [] : [sql`a.namespace = ${options.namespace}::text`]),
      ...(cursor === undefined ? [] : [
        sql`(a.since, a.run_id, a.key) > (${timeOf(sql, millis(cursor[0]))}::timestamptz(3), ${cursor[1]}::uuid, ${
          cursor[2]
        }::text)`
      ])
    ]
    const rows = yield* read(
      "pendingApprovals",
      approvalRows(sql`
        select p.run_id::text as run_id, p.key, ${millisOf(sql, sql.literal("p.since"))} as since,
          (select s.summary::text from ${tables.run_summaries} s where s.run_id = p.run_id) as summary
        from (
          select a.run_id, a.key, a.since from ${tables.pending_approvals} a
          where ${sql.and(conditions)} order by a.since, a.run_id, a.key limit ${limit + 1}::int
        ) p order by p.since, p.run_id, p.key`)
    )
    const page = Paging.page(rows, limit, entry, (row) => [row.since, row.run_id, row.key])
    return { ...page, items: page.items.flat() }
  })

  return RunIndex.of({
    get: Effect.fn("RunIndex.get")(get),
    list: Effect.fn("RunIndex.list")(list),
    pendingApprovals: Effect.fn("RunIndex.pendingApprovals")(pendingApprovals)
  })
}

type ApprovalOptions = NonNullable<Parameters<RunIndex["Service"]["pendingApprovals"]>[0]>

type RunPosition = typeof Paging.RunPosition.Type

const runPosition = Paging.positionOf("list", Paging.RunPosition)

const approvalPosition = Paging.positionOf("pendingApprovals", Paging.ApprovalPosition)

const decodeSummary = Schema.decodeUnknownSync(Schema.fromJsonString(RunSummary))

const shown = ({ leased, summary }: SummaryRow): RunSummary => {
  const kept = decodeSummary(summary)
  return leased ? whileLeased(kept) : kept
}

const entry = ({ key, summary }: typeof ApprovalRow.Type): ReadonlyArray<ApprovalEntry> =>
  approvalEntries(decodeSummary(summary)).filter(({ approval }) => approval.key === key)
