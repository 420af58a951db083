/**
 * Reports of operations about what they are doing: seen by whoever looks while it happens, in the same process, and never
 * recorded. Nothing may depend on them.
 */
import { Context, Effect, Queue, Stream } from "effect"
import type { Schema } from "effect"
import type { OperationKey, RunId } from "./Ids.ts"

/**
 * What one attempt of an operation says about itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly runId: RunId
  readonly key: OperationKey
  readonly attempt: number
  readonly value: Schema.Json
}

/**
 * Who listens in this process.
 *
 * @category references
 * @since 0.1.0
 */
export const Listeners = Context.Reference<Set<(report: Report) => void>>("@durable-agents/core/Progress/Listeners", {
  defaultValue: () => new Set()
})

/**
 * Tells everybody who listens. Never waits for them, and costs nothing if nobody does.
 *
 * @category reporting
 * @since 0.1.0
 */
export const report = (report: Report): Effect.Effect<void> =>
  Effect.map(Listeners, (listeners) => {
    for (const listener of listeners) listener(report)
  })

/** Of a reader that is slower than the reports, the oldest are dropped. */
const kept = 256

/**
 * The reports of one run, or of all, from now on. Endless: interrupt it, or end it with the run (`Runs.await`).
 *
 * **Example**
 *
 * ```ts
 * import { Progress, type RunId, Runs } from "@durable-agents/core"
 * import { Console, Effect, Stream } from "effect"
 *
 * const watch = (runId: RunId) =>
 *   Effect.flatMap(Runs, (runs) =>
 *     Progress.reports(runId).pipe(
 *       Stream.interruptWhen(runs.await(runId)),
 *       Stream.runForEach(({ key, value }) => Console.log(key, value))
 *     ))
 * ```
 *
 * @category reporting
 * @since 0.1.0
 */
export const reports = (runId?: RunId): Stream.Stream<Report> =>
  Stream.callback<Report>(
    (queue) =>
      Effect.flatMap(Listeners, (listeners) => {
        const listener = (report: Report): void => {
          if (runId === undefined || report.runId === runId) Queue.offerUnsafe(queue, report)
        }
        return Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
      }),
    { bufferSize: kept, strategy: "sliding" }
  )
