/**
 * One connection to one file: opening, reading, writing, and what log and queue have in common.
 */
import { RunEvent, type RunId, type RunSummary, type Seq, StoreError } from "@durable-agents/core"
import type { Scope } from "effect"
import { Effect, Result, Schema } from "effect"
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as GroupCommit from "./GroupCommit.ts"
import { expect, expectRuns, migrate } from "./Migrations.ts"
import * as Notice from "./Notice.ts"
import { patiently } from "./Patience.ts"
import { query } from "./Query.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Database {
  readonly connection: DatabaseSync
  /** The store's time in milliseconds since 1970. */
  readonly now: () => number
  /** Runs statements that only read. Each sees a state of its own, so what belongs together is asked in one. */
  readonly read: <A>(operation: string, body: () => A) => Effect.Effect<A, StoreError>
  /** Runs statements in the next transaction, which all writes that wait now share. */
  readonly write: <A, E>(write: GroupCommit.Write<A, E>) => Effect.Effect<A, E | StoreError>
  readonly notice: Notice.Notice
  /** How many events a run has; 0 for an unknown one. */
  readonly lengthOf: (runId: RunId) => Seq
  /** Whether the last event of a run is its end. */
  readonly hasEnded: (runId: RunId) => boolean
  /** The next value of `runs.woken`. Only inside a write. */
  readonly nextWoken: () => number
  /** Keeps what lists show of a run. Only inside a write. */
  readonly keepSummary: (summary: RunSummary) => void
}

/**
 * Opens a file, creating it and its tables where they are missing. The scope closes the connection, after what was asked of it
 * has been written.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function*(
  file: string,
  { access, create, now }: { readonly now: () => number; readonly access: "read" | "write"; readonly create: boolean }
): Effect.fn.Return<Database, StoreError, Scope.Scope> {
  if (access === "write" && !create && !existsSync(file)) {
    return yield* new StoreError({ operation: "open", detail: `there is no file \`${file}\`` })
  }
  const read = <A>(operation: string, body: () => A) => patiently(file, operation, body)
  const connection = yield* Effect.acquireRelease(
    read("open", () => new DatabaseSync(file, { timeout: 0, readOnly: access === "read" })),
    (opened) => Effect.sync(() => opened.close())
  )
  if (access === "read") {
    yield* Effect.fromResult(yield* read("open", () => expect(connection, file)))
  } else {
    if (!create) yield* Effect.fromResult(yield* read("open", () => expectRuns(connection, file)))
    yield* prepare(connection, file, now)
  }

  const write = access === "read"
    ? ({ operation }: { readonly operation: string }) =>
      Effect.fail(new StoreError({ operation, detail: `\`${file}\` was opened for reading only` }))
    : yield* GroupCommit.make({ connection, file, now })
  const notice = yield* Notice.make(connection, file)

  const last = query(
    connection,
    `select seq from events where run_id = ? order by seq desc limit 1`,
    Schema.Struct({ seq: Schema.Int })
  )
  const lastType = query(
    connection,
    `select type from events where run_id = ? order by seq desc limit 1`,
    Schema.Struct({ type: Schema.String })
  )
  const newest = query(
    connection,
    `select max(woken) as woken from runs`,
    Schema.Struct({ woken: Schema.NullOr(Schema.Int) })
  )
  const putSummary = connection.prepare(`
    insert into run_summaries (run_id, namespace, program, status, started_at, labels, summary)
    values (?, ?, ?, ?, (select created_at from events where run_id = ? and seq = 0), ?, ?)
    on conflict (run_id) do update set
      status = excluded.status, labels = excluded.labels, summary = excluded.summary`)
  const dropApprovals = connection.prepare(`delete from pending_approvals where run_id = ?`)
  const putApproval = connection
    .prepare(`insert into pending_approvals (run_id, key, namespace, since) values (?, ?, ?, ?)`)

  return {
    connection,
    now,
    read,
    write,
    notice,
    lengthOf: (runId) => (last.first(runId)?.seq ?? -1) + 1,
    hasEnded: (runId) => endTypes.has(lastType.first(runId)?.type ?? ""),
    nextWoken: () => (newest.first()?.woken ?? 0) + 1,
    keepSummary: (summary) => {
      const { labels, namespace, program, runId, status, waits } = summary
      const text = RunEvent.cleanText(JSON.stringify(summary))
      const labelText = RunEvent.cleanText(JSON.stringify(labels))
      putSummary.run(runId, namespace, program, status, runId, labelText, text)
      dropApprovals.run(runId)
      for (const wait of waits) {
        if (wait.kind === "approval") putApproval.run(runId, wait.key, namespace, wait.since)
      }
    }
  }
})

/** Makes the file durable and brings it to this build's tables. */
const prepare = Effect.fnUntraced(function*(connection: DatabaseSync, file: string, now: () => number) {
  const read = <A>(operation: string, body: () => A) => patiently(file, operation, body)
  const mode = yield* read(
    "open",
    () => query(connection, `pragma journal_mode = wal`, Schema.Struct({ journal_mode: Schema.String })).first()
  )
  if (mode?.journal_mode !== "wal") {
    return yield* new StoreError({
      operation: "open",
      detail: `\`${file}\` cannot have a write-ahead log: it must be an ordinary file on a local disk`
    })
  }
  yield* read("open", () => connection.exec(`pragma synchronous = full`))
  yield* read("open", () => connection.exec(`begin immediate`))
  const migrated = yield* read("open", () => {
    const result = migrate(connection, file, now())
    connection.exec(Result.isSuccess(result) ? `commit` : `rollback`)
    return result
  })
  yield* Effect.fromResult(migrated)
})

const endTypes = new Set(["RunCompleted", "RunFailed", "RunCancelled"])

/**
 * A time as the queue keeps it: whole milliseconds, never earlier than asked for.
 *
 * @category columns
 * @since 0.1.0
 */
export const millis = (time: number | null): number | null =>
  time === null ? null : Math.min(Math.ceil(time), Number.MAX_SAFE_INTEGER)
