/**
 * A worker process, as the one sees it that has started it.
 */
import { Deferred, Effect, Schema } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import * as KillSwitch from "./KillSwitch.ts"

/** A worker process ended that nobody had stopped. */
export class WorkerEnded extends Schema.TaggedError<WorkerEnded>()("WorkerEnded", {
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  /** What it said of it. */
  why: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const how = this.signal === null ? `with exit code ${this.exitCode}` : `by ${this.signal}`
    return `The worker process ended ${how}${this.why === undefined ? "" : `: ${this.why}`}`
  }
}

/**
 * One worker process, the moment at which it asks to be killed, and its end if it ends by itself. It is stopped when the scope
 * closes.
 */
export const worker = (orders: Record<string, unknown>) =>
  Effect.gen(function*() {
    const killMe = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<never, WorkerEnded>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(orders)])),
      (child) => stop(child, "SIGTERM")
    )
    let last: { readonly why?: string } = {}
    child.on("message", (message) => {
      if (message === KillSwitch.now) Deferred.doneUnsafe(killMe, Effect.void)
      else last = { why: String(message) }
    })
    child.once("close", (exitCode, signal) => {
      Deferred.doneUnsafe(ended, new WorkerEnded({ exitCode, signal, ...last }))
    })
    return { child, killMe: Deferred.await(killMe), ended: Deferred.await(ended) }
  })

/** Waits until it is gone. */
export const stop = (child: ChildProcess, signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill(signal)
  })
