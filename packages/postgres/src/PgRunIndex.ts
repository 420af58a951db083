/**
 * The index in PostgreSQL: summaries and waiting approvals, a page at a time.
 */
import type { ApprovalEntry, ListOptions, Page, RunStatus } from "@durable-agents/core"
import { RunId, RunIndex, RunSummary, StoreError } from "@durable-agents/core"
import { Effect, Option, Schema, Struct } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { millis, millisOf, timeOf } from "./Columns.ts"
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

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ read, sql, tables }: Database): RunIndex["Service"] => {
  const columns = sql
    .literal(`s.run_id::text as run_id, (extract(epoch from s.started_at) * 1000)::float8 as started_at,
    r.lease_owner is not null as leased, s.summary::text as summary`)

  const get = (runId: RunId) =>
    read(
      "get",
      Effect.map(
        rowsOf(SummaryRow)(sql`
          select ${columns} from ${tables.run_summaries} s join ${tables.runs} r on r.run_id = s.run_id
          where s.run_id = ${runId}::uuid`),
        ([row]) => Option.map(Option.fromNullishOr(row), shown)
      )
    )

  /** The newest of those that fit, in the order of some index: of `run_labels` if a label is asked for. */
  const newest = (options: ListOptions, cursor: NewestCursor | undefined, status: Fragment, limit: number) => {
    const { labels = {}, namespace, program } = options
    const [label, ...others] = Object.entries(labels).map(([name, value]) => labelId(name, value))
    const order = sql.literal(label === undefined ? "s" : "l")
    const after = cursor === undefined
      ? []
      : [
        sql`(${order}.started_at, ${order}.run_id) < (${timeOf(sql, millis(cursor[0]))}::timestamptz(3), ${
          cursor[1]
        }::uuid)`
      ]
    const conditions = [
      status,
      ...after,
      ...(label === undefined ? [] : [sql`l.label = ${label}::uuid`]),
      ...others.map((other) =>
        sql`exists (
        select from ${tables.run_labels} o where o.run_id = s.run_id and o.label = ${other}::uuid
      )`
      ),
      ...(namespace === undefined ? [] : [sql`s.namespace = ${namespace}::text`]),
      ...(program === undefined ? [] : [sql`s.program = ${program}::text`])
    ]
    return sql`
      select ${columns} from ${tables.run_summaries} s
      ${label === undefined ? sql.literal("") : sql`join ${tables.run_labels} l on l.run_id = s.run_id`}
      join ${tables.runs} r on r.run_id = s.run_id
      where ${sql.and(conditions)}
      order by ${order}.started_at desc, ${order}.run_id desc limit ${limit}`
  }

  /** A run that has just been claimed has written nothing yet: it is found among those that were pending. */
  const listing = (options: ListOptions, cursor: NewestCursor | undefined, limit: number) => {
    const of = (status: Fragment) => newest(options, cursor, status, limit)
    switch (options.status) {
      case undefined:
        return of(sql.literal("true"))
      case "Pending":
        return of(sql.literal("s.status = 'Pending' and r.lease_owner is null"))
      case "Running":
        return sql`
          select * from (${of(sql.literal("s.status = 'Running'"))}) a
          union all
          select * from (${of(sql.literal("s.status = 'Pending' and r.lease_owner is not null"))}) b
          order by started_at desc, run_id desc limit ${limit}`
      default:
        return of(sql`s.status = ${options.status}::text`)
    }
  }

  const list = Effect.fnUntraced(function*(options: ListOptions = {}) {
    const limit = pageLimit(options.limit)
    const cursor = yield* cursorOf("list", decodeNewest, options.cursor)
    const rows = yield* read("list", rowsOf(SummaryRow)(listing(options, cursor, limit + 1)))
    return pageOf(rows, limit, shown, (row) => [row.started_at, row.run_id])
  })

  const pendingApprovals = Effect.fnUntraced(function*(options: ApprovalOptions = {}) {
    const limit = pageLimit(options.limit)
    const cursor = yield* cursorOf("pendingApprovals", decodeOldest, options.cursor)
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
      rowsOf(ApprovalRow)(sql`
        select a.run_id::text as run_id, a.key, ${
        millisOf(sql, sql.literal("a.since"))
      } as since, s.summary::text as summary
        from ${tables.pending_approvals} a join ${tables.run_summaries} s on s.run_id = a.run_id
        where ${sql.and(conditions)}
        order by a.since, a.run_id, a.key limit ${limit + 1}`)
    )
    const page = pageOf(rows, limit, entry, (row) => [row.since, row.run_id, row.key])
    return { ...page, items: page.items.flat() }
  })

  return RunIndex.of({
    get: Effect.fn("RunIndex.get")(get),
    list: Effect.fn("RunIndex.list")(list),
    pendingApprovals: Effect.fn("RunIndex.pendingApprovals")(pendingApprovals)
  })
}

type ApprovalOptions = NonNullable<Parameters<RunIndex["Service"]["pendingApprovals"]>[0]>

const statuses: Record<RunStatus, null> = {
  NotStarted: null,
  Pending: null,
  Running: null,
  AwaitingApproval: null,
  AwaitingSignal: null,
  Sleeping: null,
  Cancelling: null,
  Paused: null,
  Stuck: null,
  Completed: null,
  Failed: null,
  Cancelled: null
}

const decodeSummary = Schema
  .decodeUnknownSync(Schema
    .fromJsonString(Schema.Struct({ ...RunSummary.fields, status: Schema.Literals(Struct.keys(statuses)) })))

const shown = ({ leased, summary }: SummaryRow): RunSummary => {
  const kept = decodeSummary(summary)
  return leased && kept.status === "Pending" ? { ...kept, status: "Running" } : kept
}

const entry = ({ key, run_id, summary }: typeof ApprovalRow.Type): ReadonlyArray<ApprovalEntry> => {
  const { program, requestedBy, waits } = decodeSummary(summary)
  return waits
    .filter((wait) => wait.kind === "approval" && wait.key === key)
    .map((approval) => ({ runId: run_id, program, requestedBy, approval }))
}

const Newest = Schema.Tuple([Schema.Finite, RunId])
type NewestCursor = typeof Newest.Type
const decodeNewest = Schema.decodeUnknownOption(Schema.fromJsonString(Newest))
const decodeOldest = Schema
  .decodeUnknownOption(Schema.fromJsonString(Schema.Tuple([Schema.Finite, RunId, Schema.String])))

const cursorOf = <Cursor>(
  operation: string,
  decode: (text: unknown) => Option.Option<Cursor>,
  cursor: string | undefined
): Effect.Effect<Cursor | undefined, StoreError> =>
  cursor === undefined
    ? Effect.succeed(undefined)
    : Effect.mapError(
      Effect.fromOption(decode(cursor)),
      () => new StoreError({ operation, detail: `\`${cursor}\` is not a cursor of this list` })
    )

const pageLimit = (limit = 100): number => Math.min(1000, Math.max(1, Math.floor(limit)))

/** One row more than the page holds says that there is another page. */
const pageOf = <Row, A>(
  rows: ReadonlyArray<Row>,
  limit: number,
  item: (row: Row) => A,
  position: (row: Row) => ReadonlyArray<string | number>
): Page<A> => {
  const items = rows.slice(0, limit).map(item)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return last === undefined ? { items } : { items, next: JSON.stringify(position(last)) }
}
