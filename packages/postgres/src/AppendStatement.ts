/**
 * What is appended, and the statements that store it.
 */
import type { Next, RunEvent, RunId, RunSummary, Seq } from "@durable-agents/core"
import { RunId as RunIdSchema } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { booleans, expectOne, floats, integers, millisOf, texts, timeOf, uuids, wakeMillis } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"
import { keeping, labelsOf, textOf } from "./Summaries.ts"

/**
 * One append, as its statement needs it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  readonly runId: RunId
  readonly expected: Seq
  /** The lease of the worker; null for decisions from outside. */
  readonly epoch: number | null
  /** Tells a decision from outside from all others. */
  readonly appendId: string | null
  readonly rows: ReadonlyArray<RunEvent.StoredEvent>
  /** What the queue must know of a run that begins. */
  readonly started: { readonly namespace: string; readonly program: string } | undefined
  /** Whether it makes the run due. */
  readonly fromOutside: boolean
  readonly next: Next
}

const storedRows = rowsOf(Schema.Struct({ run_id: RunIdSchema, at: Schema.Finite }))

const timeRows = rowsOf(Schema.Struct({ at: Schema.Finite }))

const lengthRows = rowsOf(Schema.Struct({ run_id: RunIdSchema, length: Schema.Int }))

const firsts = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap(({ appendId, epoch, expected, rows: [first], runId }) =>
    first === undefined ? [] : [{ runId, seq: expected, epoch, appendId, ...first }]
  )

const others = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap(({ expected, rows, runId }) =>
    rows.slice(1).map((row, index) => ({ runId, seq: expected + index + 1, ...row }))
  )

/**
 * Stores a group of appends, each of another run and in the order of their ids: every one of them as a whole or not at all,
 * whatever becomes of its neighbours. Tells at what time it has stored which.
 *
 * **Details**
 *
 * The first event of each goes in unless its position is taken or the one before it is not there; the others follow those that
 * went in. Then the rows of `runs` are locked, in the order of their ids. So any two groups lock in the same order.
 *
 * @category statements
 * @since 0.1.0
 */
export const storeGroup = (
  database: Database,
  entries: ReadonlyArray<Entry>
): Effect.Effect<ReadonlyMap<RunId, number>, SqlError> => {
  const { sql, tables } = database
  const first = firsts(entries)
  const other = others(entries)
  const now = database.now()
  const statement = sql`
    with firsts as (
      insert into ${tables.events} (run_id, seq, epoch, created_at, append_id, type, payload)
      select a.run_id, a.seq, a.epoch, ${now}, a.append_id, a.type, a.payload::json
      from unnest(
        ${uuids(sql, first.map(({ runId }) => runId))},
        ${integers(sql, first.map(({ seq }) => seq))},
        ${integers(sql, first.map(({ epoch }) => epoch))},
        ${uuids(sql, first.map(({ appendId }) => appendId))},
        ${texts(sql, first.map(({ type }) => type))},
        ${texts(sql, first.map(({ payload }) => payload))}
      ) as a (run_id, seq, epoch, append_id, type, payload)
      where a.seq = 0 or
        (select e.seq from ${tables.events} e where e.run_id = a.run_id and e.seq = a.seq - 1) is not null
      on conflict do nothing
      returning run_id, epoch, append_id, created_at
    ),
    others as (
      insert into ${tables.events} (run_id, seq, epoch, created_at, append_id, type, payload)
      select f.run_id, a.seq, f.epoch, f.created_at, f.append_id, a.type, a.payload::json
      from unnest(
        ${uuids(sql, other.map(({ runId }) => runId))},
        ${integers(sql, other.map(({ seq }) => seq))},
        ${texts(sql, other.map(({ type }) => type))},
        ${texts(sql, other.map(({ payload }) => payload))}
      ) as a (run_id, seq, type, payload)
      join firsts f on f.run_id = a.run_id
    )
    ${partsFor(database, entries, now)}
    select f.run_id::text as run_id, ${millisOf(sql, sql.literal("f.created_at"))} as at from firsts f`
  return Effect.map(storedRows(statement), (rows) => new Map(rows.map(({ at, run_id }) => [run_id, at])))
}

/** Everything but what a worker records along the way. */
const concernsQueue = ({ fromOutside, next }: Entry): boolean => fromOutside || Object.keys(next).length > 0

const partsFor = (database: Database, entries: ReadonlyArray<Entry>, now: Fragment): Fragment => {
  const concerned = entries.filter(concernsQueue)
  if (concerned.length === 0) return database.sql.literal("")
  const beginnings = concerned.flatMap(beginning)
  return beginnings.length === concerned.length
    ? beginningParts(database, beginnings, now)
    : queueParts(database, concerned, now)
}

interface Beginning {
  readonly entry: Entry
  readonly summary: RunSummary
}

/** An ordinary start: there can be nothing of the run yet but what its own append brings. */
const beginning = (entry: Entry): ReadonlyArray<Beginning> => {
  const { started, next: { release, summary } } = entry
  const isOrdinary = started !== undefined && release === undefined && summary?.waits.length === 0
  return isOrdinary ? [{ entry, summary }] : []
}

/** What the general parts come to for starts: a quarter less work for the server. */
const beginningParts = ({ sql, tables }: Database, beginnings: ReadonlyArray<Beginning>, now: Fragment): Fragment => {
  const labels = beginnings.flatMap(({ summary }) => labelsOf(summary))
  return sql`,
    told as materialized (
      select t.* from unnest(
        ${uuids(sql, beginnings.map(({ entry: { runId } }) => runId))},
        ${texts(sql, beginnings.map(({ entry: { started } }) => started?.namespace ?? null))},
        ${texts(sql, beginnings.map(({ entry: { started } }) => started?.program ?? null))},
        ${integers(sql, beginnings.map(({ entry: { expected, rows } }) => expected + rows.length - 1))},
        ${booleans(sql, beginnings.map(({ entry: { next } }) => next.wakeAt !== undefined))},
        ${floats(sql, beginnings.map(({ entry: { next } }) => wakeMillis(next.wakeAt ?? null)))},
        ${texts(sql, beginnings.map(({ summary }) => summary.namespace))},
        ${texts(sql, beginnings.map(({ summary }) => summary.program))},
        ${texts(sql, beginnings.map(({ summary }) => summary.status))},
        ${texts(sql, beginnings.map(({ summary }) => textOf(summary)))}
      ) with ordinality as t (
        run_id, namespace, program, outside_seq, has_wake, wake_at, listed_namespace, listed_program, status, summary, place
      )
      join firsts f on f.run_id = t.run_id
      where ${expectOne(sql, "t.place")}
    ),
    begun as (
      insert into ${tables.runs} (run_id, outside_seq, lease_epoch, wake_at, namespace, program)
      select t.run_id, t.outside_seq, 0,
        case when t.has_wake then ${timeOf(sql, sql.literal("t.wake_at"))} else ${now} end, t.namespace, t.program
      from told t
    ),
    summarized as (
      insert into ${tables.run_summaries} (run_id, started_at, namespace, program, status, summary)
      select t.run_id, ${now}, t.listed_namespace, t.listed_program, t.status, t.summary::json from told t
      on conflict (run_id) do update set status = excluded.status, summary = excluded.summary
    )
    ${
    labels.length === 0 ? sql.literal("") : sql`, labels_kept as (
      insert into ${tables.run_labels} (run_id, label, started_at)
      select l.run_id, l.label, ${now} from unnest(
        ${uuids(sql, labels.map(({ runId }) => runId))}, ${uuids(sql, labels.map(({ label }) => label))}
      ) as l (run_id, label)
      join told t on t.run_id = l.run_id
      on conflict do nothing
    )`
  }`
}

const queueParts = (database: Database, entries: ReadonlyArray<Entry>, now: Fragment): Fragment => {
  const { sql, tables } = database
  const summaries = entries.flatMap(({ next: { summary } }) => summary === undefined ? [] : [summary])
  return sql`,
    told as materialized (
      select t.* from unnest(
        ${uuids(sql, entries.map(({ runId }) => runId))},
        ${texts(sql, entries.map(({ started }) => started?.namespace ?? null))},
        ${texts(sql, entries.map(({ started }) => started?.program ?? null))},
        ${
    integers(sql, entries.map(({ expected, fromOutside, rows }) => fromOutside ? expected + rows.length - 1 : null))
  },
        ${booleans(sql, entries.map(({ next }) => next.wakeAt !== undefined))},
        ${floats(sql, entries.map(({ next }) => wakeMillis(next.wakeAt ?? null)))},
        ${texts(sql, entries.map(({ next }) => next.release ?? null))}
      ) with ordinality as t (run_id, namespace, program, outside_seq, has_wake, wake_at, release, place)
      join firsts f on f.run_id = t.run_id
      where ${expectOne(sql, "t.place")}
    ),
    begun as (
      insert into ${tables.runs} (run_id, outside_seq, lease_epoch, wake_at, namespace, program)
      select t.run_id, t.outside_seq, 0,
        case when t.has_wake then ${timeOf(sql, sql.literal("t.wake_at"))} else ${now} end, t.namespace, t.program
      from told t where t.program is not null
      returning run_id
    ),
    locked as materialized (
      select r.run_id from ${tables.runs} r join told t on t.run_id = r.run_id order by r.run_id for update of r
    ),
    changed as (
      update ${tables.runs} r set
        outside_seq = coalesce(t.outside_seq, r.outside_seq),
        wake_at = case when t.has_wake then ${timeOf(sql, sql.literal("t.wake_at"))}
          when t.outside_seq is not null then ${now} else r.wake_at end,
        lease_owner = case when r.lease_owner = t.release then null else r.lease_owner end
      from told t join locked l on l.run_id = t.run_id
      where r.run_id = t.run_id and (t.has_wake or t.outside_seq is not null or t.release is not null)
    ),
    held as (select run_id from locked union all select run_id from begun),
    ${keeping(database, "held", summaries, now)}`
}

/**
 * Stores one append of a worker that concerns its log only: a plain insert, which fails where the first position is taken. Tells
 * when, or nothing if the event before it is not there.
 *
 * @category statements
 * @since 0.1.0
 */
export const storeAlone = (
  database: Database,
  { epoch, expected, rows, runId }: Entry
): Effect.Effect<number | undefined, SqlError> => {
  const { sql, tables } = database
  const values = rows.map(({ payload, type }, index) =>
    sql`(${expected + index}::int, ${type}::text, ${payload}::json)`
  )
  const statement = sql`
    insert into ${tables.events} (run_id, seq, epoch, created_at, type, payload)
    select ${runId}::uuid, a.seq, ${epoch}::int, ${database.now()}, a.type, a.payload
    from (values ${sql.csv(values)}) as a (seq, type, payload)
    where exists (select from ${tables.events} e where e.run_id = ${runId}::uuid and e.seq = ${expected - 1})
    returning ${millisOf(sql, sql.literal("created_at"))} as at`
  return Effect.map(timeRows(statement), ([first]) => first?.at)
}

/**
 * Whether an append goes into its log alone, and is small enough that a plan for just this number of events is worth having.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isPlain = (entry: Entry): boolean =>
  entry.epoch !== null && entry.expected > 0 && entry.rows.length <= 4 && !concernsQueue(entry)

/**
 * How many events the logs of these appends have.
 *
 * @category statements
 * @since 0.1.0
 */
export const lengthsOf = (
  { sql, tables }: Database,
  entries: ReadonlyArray<Entry>
): Effect.Effect<ReadonlyMap<RunId, number>, SqlError> => {
  const statement = sql`
    select a.run_id::text as run_id, coalesce(
      (select e.seq + 1 from ${tables.events} e where e.run_id = a.run_id order by e.seq desc limit 1), 0
    ) as length
    from unnest(${uuids(sql, entries.map(({ runId }) => runId))}) as a (run_id)`
  return Effect.map(
    lengthRows(statement),
    (rows) => new Map(rows.map(({ length, run_id }) => [run_id, length]))
  )
}

const foundRows = rowsOf(Schema.Struct({
  run_id: RunIdSchema,
  seq: Schema.Int,
  epoch: Schema.NullOr(Schema.Int),
  append_id: Schema.NullOr(Schema.String),
  type: Schema.String,
  payload: Schema.String,
  at: Schema.Finite
}))

/**
 * What became of appends whose answer was lost: those that are in their logs, with the time that they carry.
 *
 * @category statements
 * @since 0.1.0
 */
export const storedOf = (
  { sql, tables }: Database,
  entries: ReadonlyArray<Entry>
): Effect.Effect<ReadonlyMap<RunId, number>, SqlError> => {
  const statement = sql`
    select e.run_id::text as run_id, e.seq, e.epoch, e.append_id::text as append_id, e.type, e.payload::text as payload,
      ${millisOf(sql, sql.literal("e.created_at"))} as at
    from unnest(
      ${uuids(sql, entries.map(({ runId }) => runId))},
      ${integers(sql, entries.map(({ expected }) => expected))},
      ${integers(sql, entries.map(({ expected, rows }) => expected + rows.length))}
    ) with ordinality as a (run_id, first, after, place)
    join ${tables.events} e on e.run_id = a.run_id and e.seq >= a.first and e.seq < a.after
    where ${expectOne(sql, "a.place")}`
  return Effect.map(foundRows(statement), (found) => {
    const rows = new Map(found.map((row) => [`${row.run_id} ${row.seq}`, row]))
    return new Map(entries.flatMap(({ appendId, epoch, expected, rows: wanted, runId }) => {
      const isOurs = wanted.every(({ payload, type }, index) => {
        const row = rows.get(`${runId} ${expected + index}`)
        return row?.type === type && row.payload === payload && row.epoch === epoch && row.append_id === appendId
      })
      const at = rows.get(`${runId} ${expected}`)?.at
      return isOurs && at !== undefined ? [[runId, at] as const] : []
    }))
  })
}
