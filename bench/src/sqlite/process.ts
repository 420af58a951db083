/**
 * The work on SQLite, ours and the least that must be done, in one process: both keep its event loop while they commit.
 */
import { Runs, Runtime } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { Effect, Layer, ManagedRuntime } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { serve } from "../Child.ts"
import type { Append } from "../limit/Log.ts"
import { many, run } from "../limit/run.ts"
import { type Round, timed } from "../Round.ts"
import { steps, Work } from "../work.ts"

const application = (folder: string) =>
  Work.toLayer((count) => steps(count)).pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(Sqlite.layer({ file: join(folder, "ours.db") }))
  )

const bare = (folder: string): Append => {
  const database = new DatabaseSync(join(folder, "limit.db"))
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table events (
      run_id text not null, seq integer not null, type text not null, epoch integer, payload text not null,
      created_at integer not null, primary key (run_id, seq)
    ) strict`)
  const insert = database.prepare("insert into events values (?, ?, ?, 1, ?, ?), (?, ?, ?, 1, ?, ?)")
  return (rows) => {
    const at = Math.floor(performance.timeOrigin + performance.now())
    insert.run(...rows.flatMap(({ payload, runId, seq, type }) => [runId, seq, type, payload, at]))
    return Promise.resolve()
  }
}

let ours: ManagedRuntime.ManagedRuntime<Runs | Runtime, unknown> | undefined
let append: Append | undefined

const commands = {
  open: async ({ folder }: { readonly folder: string }): Promise<void> => {
    ours = ManagedRuntime.make(application(folder))
    await ours.runPromise(Effect.void)
    append = bare(folder)
  },
  limit: ({ runs, steps }: { readonly runs: number; readonly steps: number }): Promise<Round> => {
    const to = append ?? (() => Promise.reject(new Error("not open")))
    return timed(() => many(runs, 1, () => run(to, steps)))
  },
  /** Runs are started before. */
  ours: async ({ runs, steps }: { readonly runs: number; readonly steps: number }): Promise<Round> => {
    const opened = ours
    if (opened === undefined) throw new Error("not open")
    const started = await opened
      .runPromise(Effect.flatMap(Runs, ({ start }) => Effect.replicateEffect(start(Work, steps), runs)))
    const all = Effect.flatMap(Runtime, ({ execute }) => Effect.forEach(started, execute, { discard: true }))
    return timed(() => opened.runPromise(all))
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export type OnSqlite = typeof commands

serve(commands)
