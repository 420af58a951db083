/**
 * What a worker process is told when it starts, and the process as its parent has it.
 */
import type { Scope } from "effect"
import { Deferred, Effect } from "effect"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import process from "node:process"
import type { Instant } from "./Instant.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Orders {
  /** The name under which it calls the world. */
  readonly worker: string
  /** The module of the store, as a URL. */
  readonly module: string
  readonly address: string
  readonly ledger: string
  readonly namespace: string
  readonly concurrency: number
  readonly leaseMillis: number
  /** The most time that a call to the world takes. Default 0. */
  readonly slowMillis?: number
  /** Where the runs with these ids die, and the process with them. */
  readonly deaths?: Readonly<Record<string, Instant>>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface WorkerProcess {
  readonly name: string
  /** Done when it looks for runs, or is gone. */
  readonly ready: Effect.Effect<void>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Done when it is gone and its parent knows: its exit code, or the signal that killed it. */
  readonly gone: Effect.Effect<number | string>
}

const program = join(import.meta.dirname, `worker${extname(import.meta.filename)}`)

/**
 * Starts a worker process; the end of the scope kills it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const start = (orders: Orders): Effect.Effect<WorkerProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const gone = Deferred.makeUnsafe<number | string>()
      const ready = Deferred.makeUnsafe<void>()
      const started = spawn(process.execPath, [program, JSON.stringify(orders)], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "durable-agents-compile-cache") }
      })
      started.stdout.on("data", () => Deferred.doneUnsafe(ready, Effect.void))
      started.on("exit", (code, signal) => {
        Deferred.doneUnsafe(ready, Effect.void)
        Deferred.doneUnsafe(gone, Effect.succeed(signal ?? code ?? "gone"))
      })
      return {
        name: orders.worker,
        ready: Deferred.await(ready),
        gone: Deferred.await(gone),
        signal: (signal: NodeJS.Signals) =>
          Effect.sync(() => {
            started.kill(signal)
          })
      }
    }),
    ({ gone, signal }) => Effect.andThen(signal("SIGKILL"), gone)
  )
