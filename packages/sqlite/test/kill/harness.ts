import type { RunId } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { Effect, Layer, Stream } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Orders } from "./scenarios.ts"

const child = join(import.meta.dirname, "child.ts")

/** Starts one worker process. */
export const spawnChild = (orders: Orders): ChildProcess =>
  spawn(process.execPath, [child, JSON.stringify(orders)], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "durable-agents-compile-cache") }
  })

/** One process; ends with its exit code, or with the signal that killed it. */
export const run = (orders: Orders): Effect.Effect<number | string> =>
  Effect.callback((resume) => {
    const started = spawnChild(orders)
    started.once("exit", (code, signal) => resume(Effect.succeed(code ?? signal ?? "gone")))
    return Effect.sync(() => {
      started.kill("SIGKILL")
    })
  })

/** The files of one test. */
export interface Place {
  readonly folder: string
  readonly file: string
  readonly ledger: string
}

/** A folder of its own, gone after the test. */
export const place = Effect.acquireRelease(
  Effect.sync((): Place => {
    const folder = mkdtempSync(join(tmpdir(), "durable-agents-kill-"))
    return { folder, file: join(folder, "runs.db"), ledger: join(folder, "ledger.db") }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The people outside, who share nothing with the workers but the file. */
export const outside = ({ file }: Place) => Layer.provideMerge(Runs.layer, Sqlite.layer({ file }))

export const eventsOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))
