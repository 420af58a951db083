/**
 * The log in PostgreSQL: one row an event, and the queue told in the same statement.
 */
import type { Append, Recorded, RunId, Seq } from "@durable-agents/core"
import { EventStore, follow, Json, RunEvent, SequenceConflict, type StoreError } from "@durable-agents/core"
import type { Scope } from "effect"
import { Effect, Option, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { type Entry, lengthsOf } from "./AppendStatement.ts"
import { millisOf } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"
import * as GroupCommit from "./GroupCommit.ts"
import type { Leases } from "./Leases.ts"
import type { Notice } from "./Notice.ts"
import { shared } from "./Shared.ts"

/** Events are read in pages, bounded in number and in bytes, so that no connection and no memory has to hold a long log. */
const pageSize = 512
const pageBytes = 2 * 1024 * 1024

const EventRow = Schema.Struct({
  seq: Schema.Int,
  type: Schema.String,
  epoch: Schema.NullOr(Schema.Int),
  payload: Schema.String,
  at: Schema.Finite,
  /** How many events the page would have if none were large. */
  found: Schema.Int
})

const eventRows = rowsOf(EventRow)

const timeRows = rowsOf(Schema.Struct({ now: Schema.Finite }))

const lastRows = rowsOf(Schema.Struct({ seq: Schema.Int, type: Schema.String }))

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  database: Database,
  notice: Notice,
  leases: Leases
): Effect.fn.Return<EventStore["Service"], never, Scope.Scope> {
  const { read, sql, tables } = database

  const store = yield* GroupCommit.make(database, ({ epoch, fromOutside, next, runId }) => {
    if (next.release !== undefined && epoch !== null) leases.takeBack(next.release, { runId, epoch })
    notice.stored(runId, { fromOutside })
  })

  const append = (runId: RunId, options: Append) => {
    const { events, expected } = options
    const entry = entryOf(runId, options)
    return events.length > 0 && (expected > 0 || entry.started !== undefined)
      ? Effect.map(store(entry), (at) => ({ seq: expected + events.length, at }))
      : Effect.andThen(unlessTaken(entry), Effect.map(now, (at) => ({ seq: expected, at })))
  }

  /** What cannot be stored is refused as a conflict first, like everything else. */
  const unlessTaken = (entry: Entry) =>
    Effect.flatMap(read("append", lengthsOf(database, [entry])), (lengths): Effect.Effect<
      void,
      SequenceConflict | StoreError
    > => {
      const { expected, rows, runId } = entry
      const length = lengths.get(runId) ?? 0
      if (expected < length) return Effect.fail(new SequenceConflict({ runId, expected }))
      return expected === length && rows.length === 0 ? Effect.void : Effect.fail(GroupCommit.gap(entry, length))
    })

  const now = shared(Effect.suspend(() =>
    read(
      "now",
      Effect.map(
        timeRows(sql`select ${millisOf(sql, database.now())} as now`),
        ([row]) => row?.now ?? 0
      )
    )
  ))

  const rowsFrom = (runId: RunId, from: Seq) =>
    Effect.suspend(() =>
      read(
        "read",
        eventRows(sql`
          select p.seq, p.type, p.epoch, p.payload::text as payload, ${
          millisOf(sql, sql.literal("p.created_at"))
        } as at, p.found
          from (
            select e.*, count(*) over ()::int as found,
              sum(pg_column_size(e.payload)) over (order by e.seq rows unbounded preceding) as bytes
            from (
              select seq, type, epoch, payload, created_at from ${tables.events}
              where run_id = ${runId}::uuid and seq >= ${from} order by seq limit ${pageSize}
            ) e
          ) p
          where p.seq = ${from} or p.bytes <= ${pageBytes} order by p.seq`)
      )
    )

  const page = (runId: RunId, from: Seq) =>
    Effect.map(rowsFrom(runId, from), (rows) => rows.map((row) => recorded(runId, row)))

  const pages = (runId: RunId, from: Seq) =>
    Stream.paginate(from, (position) =>
      Effect.map(rowsFrom(runId, position), (rows) => {
        const isLast = rows.length < pageSize && rows.length === (rows[0]?.found ?? 0)
        return [
          rows.map((row) => recorded(runId, row)),
          isLast ? Option.none() : Option.some(position + rows.length)
        ] as const
      }))

  const isOver = (runId: RunId, from: Seq) => {
    const statement = sql`
      select e.seq, e.type from ${tables.events} e where e.run_id = ${runId}::uuid order by e.seq desc limit 1`
    return read(
      "changes",
      Effect.map(
        lastRows(statement),
        ([last]) => last !== undefined && last.seq < from && endTypes.includes(last.type)
      )
    )
  }

  const changes = (runId: RunId, from: Seq) =>
    Stream.unwrap(Effect.gen(function*() {
      if (yield* isOver(runId, from)) return Stream.empty
      const changed = yield* notice.changes(runId)
      return follow((position) => page(runId, position), () => changed)(from)
    }))

  return EventStore.of({
    // The hot path: a span without the stack of its caller, which would cost more than the statement.
    append: (runId, options) =>
      Effect.withSpan(Effect.suspend(() => append(runId, options)), "EventStore.append", {
        attributes: { runId },
        captureStackTrace: false
      }),
    read: (runId, from = 0) => pages(runId, from),
    changes: (runId, from = 0) => changes(runId, from),
    now
  })
})

/**
 * The types of events that end a run.
 *
 * @category constants
 * @since 0.1.0
 */
export const endTypes: ReadonlyArray<string> = ["RunCompleted", "RunFailed", "RunCancelled"]

const entryOf = (runId: RunId, { epoch, events, expected, next = {} }: Append): Entry => {
  const [first] = events
  const isStart = expected === 0 && first?._tag === "RunStarted"
  return {
    runId,
    expected,
    epoch: epoch ?? null,
    appendId: epoch === undefined ? randomUUID() : null,
    rows: events.map(RunEvent.encode),
    started: isStart ? { namespace: first.namespace, program: first.program } : undefined,
    fromOutside: epoch === undefined || isStart,
    next
  }
}

const recorded = (runId: RunId, { at, epoch, payload, seq, type }: typeof EventRow.Type): Recorded => ({
  runId,
  seq,
  at,
  ...(epoch === null ? {} : { epoch }),
  event: RunEvent.decode(type, Json.parse(payload))
})
