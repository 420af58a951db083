/**
 * The log in SQLite: one row an event, and the queue told in the same transaction.
 */
import type { Append, Recorded, RunId, Seq } from "@durable-agents/core"
import { EventStore, follow, Json, RunEvent, SequenceConflict, StoreError } from "@durable-agents/core"
import { Effect, Option, Result, Schema, Stream } from "effect"
import { type Database, millis } from "./Database.ts"
import { query } from "./Query.ts"

/** Events are read in pages, so that neither memory nor the event loop has to hold a long log. */
const pageSize = 512

const EventRow = Schema.Struct({
  seq: Schema.Int,
  type: Schema.String,
  epoch: Schema.NullOr(Schema.Int),
  payload: Schema.String,
  created_at: Schema.Finite
})

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (database: Database): EventStore["Service"] => {
  const { connection, hasEnded, keepSummary, lengthOf, nextWoken, notice, now, read, write } = database

  const insertEvent = connection
    .prepare(`insert into events (run_id, seq, type, epoch, payload, created_at) values (?, ?, ?, ?, ?, ?)`)
  const insertRun = connection.prepare(`
    insert into runs (run_id, namespace, program, wake_at, lease_owner, lease_epoch, outside_seq, woken)
    values (?, ?, ?, ?, null, 0, 0, ?)`)
  const decideOutside = connection.prepare(`update runs set wake_at = ?, outside_seq = ?, woken = ? where run_id = ?`)
  const wake = connection.prepare(`update runs set wake_at = ? where run_id = ?`)
  const endLease = connection.prepare(`update runs set lease_owner = null where run_id = ? and lease_owner = ?`)
  const eventsFrom = query(
    connection,
    `select seq, type, epoch, payload, created_at from events where run_id = ? and seq >= ? order by seq limit ?`,
    EventRow
  )
  /** Who was the last to find a position of a run taken: it goes first, and at once, so that no writer keeps others out. */
  const outpaced = new Map<RunId, "outside" | "worker">()

  const append = (runId: RunId, { epoch, events, expected, next }: Append) => {
    const rows = events.map(RunEvent.encode)
    const [first] = events
    const fromOutside = epoch === undefined || expected === 0
    const side = fromOutside ? "outside" : "worker"
    const loser = outpaced.get(runId)
    return write<{ readonly seq: Seq; readonly at: number }, SequenceConflict | StoreError>({
      operation: "append",
      first: loser === undefined ? fromOutside : loser === side,
      hurried: loser === side,
      weight: rows.reduce((total, { payload }) => total + payload.length, 0),
      body: (at) => {
        const length = lengthOf(runId)
        if (expected < length) {
          outpaced.set(runId, side)
          return Result.fail(new SequenceConflict({ runId, expected }))
        }
        if (expected > length || (length === 0 && first?._tag !== "RunStarted")) {
          return Result.fail(gap(runId, expected, length))
        }
        rows.forEach(({ payload, type }, index) =>
          insertEvent.run(runId, expected + index, type, epoch ?? null, payload, at)
        )
        if (length === 0 && first?._tag === "RunStarted") {
          insertRun.run(runId, first.namespace, first.program, at, nextWoken())
        } else if (fromOutside) {
          decideOutside.run(at, expected + rows.length - 1, nextWoken(), runId)
        }
        if (next?.wakeAt !== undefined) wake.run(millis(next.wakeAt), runId)
        if (next?.summary !== undefined) keepSummary(next.summary)
        if (next?.release !== undefined) endLease.run(runId, next.release)
        return Result.succeed({ seq: expected + rows.length, at })
      },
      committed: () => {
        if (outpaced.get(runId) === side) outpaced.delete(runId)
        notice.committed(runId)
        if (fromOutside) notice.woke()
      }
    })
  }

  const page = (runId: RunId, from: Seq) =>
    Effect.map(
      read("read", () => eventsFrom.all(runId, from, pageSize)),
      (rows) => rows.map((row) => recorded(runId, row))
    )

  const pages = (runId: RunId, from: Seq) =>
    Stream.paginate(from, (position) =>
      Effect.map(page(runId, position), (events) =>
        [
          events,
          events.length < pageSize ? Option.none() : Option.some(position + events.length)
        ] as const))

  const isOver = (runId: RunId, from: Seq) => read("changes", () => lengthOf(runId) <= from && hasEnded(runId))

  const changed = (runId: RunId) => (from: Seq) => notice.changed(runId, read("changes", () => lengthOf(runId) > from))

  return EventStore.of({
    // The hot path: a span without the stack of its caller, which would cost more than the statements.
    append: (runId, options) =>
      Effect.withSpan(Effect.suspend(() => append(runId, options)), "EventStore.append", {
        attributes: { runId },
        captureStackTrace: false
      }),
    read: (runId, from = 0) => pages(runId, from),
    changes: (runId, from = 0) =>
      Stream.unwrap(Effect.map(isOver(runId, from), (over) =>
        over ? Stream.empty : follow((position) =>
          page(runId, position), changed(runId))(from))),
    now: Effect.sync(now)
  })
}

const gap = (runId: RunId, expected: Seq, length: number): StoreError =>
  new StoreError({
    operation: "append",
    detail: `run \`${runId}\` has ${length} events, so nothing can be stored at position ${expected}`
  })

const recorded = (runId: RunId, { created_at, epoch, payload, seq, type }: typeof EventRow.Type): Recorded => ({
  runId,
  seq,
  at: created_at,
  ...(epoch === null ? {} : { epoch }),
  event: Result.match(Result.try((): unknown => Json.parse(payload)), {
    onSuccess: (fields) => RunEvent.decode(type, fields),
    onFailure: () => ({ _tag: "UnknownEvent", type, payload, problem: `the fields of this \`${type}\` are not JSON` })
  })
})
