/**
 * The index in SQLite: summaries and waiting approvals, a page at a time.
 */
import type { ApprovalEntry, ListOptions } from "@durable-agents/core"
import { approvalEntries, Paging, RunEvent, RunId, RunIndex, RunSummary, whileLeased } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import type { Database } from "./Database.ts"
import { query } from "./Query.ts"

const SummaryRow = Schema.Struct({
  run_id: RunId,
  started_at: Schema.Finite,
  status: Schema.String,
  leased: Schema.Int,
  labels: Schema.String,
  summary: Schema.String
})

type SummaryRow = typeof SummaryRow.Type

const ApprovalRow = Schema.Struct({ run_id: RunId, key: Schema.String, since: Schema.Finite, summary: Schema.String })

const columns = `s.run_id, s.started_at, s.status, r.lease_owner is not null as leased, s.labels, s.summary`

const requester = `json_extract(s.summary, '$.requestedBy.id')`

/** A bound on whole milliseconds, as the database can compare it. */
const whole = (millis: number): number =>
  Math.ceil(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, millis)))

/** How many rows are looked at at a time when not every one of them may fit. */
const step = 500

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ connection, read }: Database): RunIndex["Service"] => {
  const one = query(
    connection,
    `select ${columns} from run_summaries s join runs r on r.run_id = s.run_id where s.run_id = ?`,
    SummaryRow
  )
  /** Each listing walks the index of its first condition only, in the order of the list. */
  const listing = (index: string, condition: string) =>
    query(
      connection,
      `select ${columns} from run_summaries s indexed by ${index} join runs r on r.run_id = s.run_id
      where ${condition} and (s.started_at, s.run_id) < (?, ?)
        and s.namespace = coalesce(?, s.namespace) and s.program = coalesce(?, s.program)
        and ${requester} = coalesce(?, ${requester}) and s.started_at >= ?
      order by s.started_at desc, s.run_id desc limit ?`,
      SummaryRow
    )
  const newest = listing("run_summaries_newest", "true")
  const ofNamespace = listing("run_summaries_by_namespace", "s.namespace = ?")
  const ofRequester = listing("run_summaries_by_requester", `${requester} = ?`)
  const ofProgram = listing("run_summaries_by_program", "s.program = ?")
  const ofStatus = listing("run_summaries_by_status", "s.status = ?")
  const begun = listing("run_summaries_by_status", "s.status = 'Pending' and r.lease_owner is not null")
  const notBegun = listing("run_summaries_by_status", "s.status = 'Pending' and r.lease_owner is null")
  const approvals = query(
    connection,
    `select a.run_id, a.key, a.since, s.summary
    from pending_approvals a indexed by pending_approvals_oldest join run_summaries s on s.run_id = a.run_id
    where (a.since, a.run_id, a.key) > (?, ?, ?)
    order by a.since, a.run_id, a.key limit ?`,
    ApprovalRow
  )
  const approvalsOfNamespace = query(
    connection,
    `select a.run_id, a.key, a.since, s.summary
    from pending_approvals a indexed by pending_approvals_by_namespace join run_summaries s on s.run_id = a.run_id
    where a.namespace = ? and (a.since, a.run_id, a.key) > (?, ?, ?)
    order by a.since, a.run_id, a.key limit ?`,
    ApprovalRow
  )

  const rowsAfter = (
    options: ListOptions,
    [startedAt, runId]: Position,
    limit: number
  ): ReadonlyArray<SummaryRow> => {
    const { namespace = null, program = null, startedFrom = 0, status } = options
    const requestedBy = options.requestedBy === undefined ? null : RunEvent.cleanString(options.requestedBy)
    const rest = [startedAt, runId, namespace, program, requestedBy, whole(startedFrom), limit]
    switch (status) {
      case "Pending":
        return notBegun.all(...rest)
      case "Running":
        return [...ofStatus.all(status, ...rest), ...begun.all(...rest)].sort(byNewest).slice(0, limit)
      case undefined:
        return requestedBy !== null
          ? ofRequester.all(requestedBy, ...rest)
          : program !== null
          ? ofProgram.all(program, ...rest)
          : namespace !== null
          ? ofNamespace.all(namespace, ...rest)
          : newest.all(...rest)
      default:
        return ofStatus.all(status, ...rest)
    }
  }

  const list = Effect.fnUntraced(function*(options: ListOptions = {}) {
    const limit = Paging.size(options.limit)
    const wanted = Object.entries(options.labels ?? {})
      .map(([name, value]) => [RunEvent.cleanString(name), RunEvent.cleanString(value)] as const)
    const size = wanted.length === 0 ? limit + 1 : step
    const rows: Array<SummaryRow> = []
    const { startedBefore = Infinity } = options
    const given = (yield* runPosition(options.cursor)) ?? beforeAllRuns
    // No id is before the empty one, so this is right before everything that was started then.
    let cursor: Position = startedBefore <= given[0] ? [whole(startedBefore), ""] : given
    while (true) {
      const found = yield* read("list", () => rowsAfter(options, cursor, size))
      const last = found.at(-1)
      rows.push(...found.filter(hasLabels(wanted)))
      if (last === undefined || found.length < size || rows.length > limit) break
      cursor = [last.started_at, last.run_id]
      yield* Effect.yieldNow
    }
    return yield* read("list", () => Paging.page(rows, limit, shown, (row) => [row.started_at, row.run_id]))
  })

  const pendingApprovals = Effect.fnUntraced(function*(options: ApprovalOptions = {}) {
    const limit = Paging.size(options.limit)
    const cursor = (yield* approvalPosition(options.cursor)) ?? beforeAllApprovals
    return yield* read("pendingApprovals", () => {
      const rows = options.namespace === undefined
        ? approvals.all(...cursor, limit + 1)
        : approvalsOfNamespace.all(options.namespace, ...cursor, limit + 1)
      const page = Paging.page(rows, limit, entry, (row) => [row.since, row.run_id, row.key])
      return { ...page, items: page.items.flat() }
    })
  })

  return RunIndex.of({
    get: Effect.fn("RunIndex.get")((runId) =>
      read("get", () => Option.map(Option.fromNullishOr(one.first(runId)), shown))
    ),
    list: Effect.fn("RunIndex.list")(list),
    pendingApprovals: Effect.fn("RunIndex.pendingApprovals")(pendingApprovals)
  })
}

type ApprovalOptions = NonNullable<Parameters<RunIndex["Service"]["pendingApprovals"]>[0]>

const decodeSummary = Schema.decodeUnknownSync(Schema.fromJsonString(RunSummary))

const shown = ({ leased, summary }: SummaryRow): RunSummary => {
  const kept = decodeSummary(summary)
  return leased === 1 ? whileLeased(kept) : kept
}

const entry = ({ key, summary }: typeof ApprovalRow.Type): ReadonlyArray<ApprovalEntry> =>
  approvalEntries(decodeSummary(summary)).filter(({ approval }) => approval.key === key)

const decodeLabels = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const hasLabels = (wanted: ReadonlyArray<readonly [string, string]>) => ({ labels }: SummaryRow): boolean => {
  if (wanted.length === 0) return true
  const own = new Map(Object.entries(decodeLabels(labels)))
  return wanted.every(([name, value]) => own.get(name) === value)
}

const byNewest = (left: SummaryRow, right: SummaryRow): number =>
  right.started_at - left.started_at || (left.run_id < right.run_id ? 1 : -1)

type Position = readonly [startedAt: number, runId: string]

const runPosition = Paging.positionOf("list", Paging.RunPosition)

const beforeAllRuns: Position = [Number.MAX_SAFE_INTEGER, ""]

const approvalPosition = Paging.positionOf("pendingApprovals", Paging.ApprovalPosition)

const beforeAllApprovals = [Number.MIN_SAFE_INTEGER, "", ""] as const
