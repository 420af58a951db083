/**
 * What a model says while it says it: seen by whoever looks, in the same process, and never recorded. Nothing may depend on it;
 * the answer that counts is `LLMCallCompleted`.
 */
import { OperationKey, RunId } from "@durable-agents/core"
import { Context, Effect, Queue, Schema, Stream } from "effect"

const at = {
  runId: RunId,
  /** The model call, such as `turn-3/model`. */
  key: OperationKey,
  turn: Schema.Natural,
  attempt: Schema.Natural,
  /** Counts the deltas of an attempt from 0. A gap means that the reader was too slow or came late. */
  index: Schema.Natural
}

/**
 * A piece of an answer, with the attempt that it belongs to.
 *
 * **Details**
 *
 * `Began`: an attempt asks the model, so everything said by earlier attempts of this call is void. `Text` and `Reasoning`: what
 * comes next of them. `Arguments`: what comes next of the JSON of a tool call; empty when it begins. `Ended`: the answer is whole
 * and is about to be recorded. `Voided`: the attempt failed, took too long or was given up, so what it said does not count.
 *
 * **Gotchas**
 *
 * An attempt whose process dies says nothing any more. A later attempt voids it, wherever that runs.
 *
 * @category models
 * @since 0.1.0
 */
export const Delta = Schema.TaggedUnion({
  Began: at,
  Text: { ...at, text: Schema.String },
  Reasoning: { ...at, text: Schema.String },
  Arguments: { ...at, callId: Schema.String, tool: Schema.String, text: Schema.String },
  Ended: at,
  Voided: at
})

/**
 * @category models
 * @since 0.1.0
 */
export type Delta = typeof Delta.Type

/**
 * Who listens in this process.
 *
 * @category references
 * @since 0.1.0
 */
export const Listeners = Context.Reference<Set<(delta: Delta) => void>>("@durable-agents/agent/ModelDeltas/Listeners", {
  defaultValue: () => new Set()
})

/** Of a reader that is slower than the model, the oldest are dropped. */
const kept = 1024

/**
 * The deltas of one run, or of all, from now on; of agents with `stream: true` only. Endless: interrupt it, or end it with the run
 * (`Runs.await`).
 *
 * **Gotchas**
 *
 * They reach the process that executes the run and no other. Of a reader that is more than 1,024 deltas behind, the oldest are
 * dropped: neither the run nor memory waits for it.
 *
 * **Example**
 *
 * ```ts
 * import { ModelDeltas } from "@durable-agents/agent"
 * import { type RunId, Runs } from "@durable-agents/core"
 * import { Effect, Stream } from "effect"
 *
 * const type = (runId: RunId) =>
 *   Effect.flatMap(Runs, (runs) =>
 *     ModelDeltas.of(runId).pipe(
 *       Stream.interruptWhen(runs.await(runId)),
 *       Stream.runForEach((delta) => Effect.sync(() => delta._tag === "Text" && process.stdout.write(delta.text)))
 *     ))
 * ```
 *
 * @category reading
 * @since 0.1.0
 */
export const of = (runId?: RunId): Stream.Stream<Delta> =>
  Stream.callback<Delta>(
    (queue) =>
      Effect.flatMap(Listeners, (listeners) => {
        const listener = (delta: Delta): void => {
          if (runId === undefined || delta.runId === runId) Queue.offerUnsafe(queue, delta)
        }
        return Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
      }),
    { bufferSize: kept, strategy: "sliding" }
  )

/**
 * Which attempt speaks.
 *
 * @category models
 * @since 0.1.0
 */
export type Speaker = Pick<Delta, "runId" | "key" | "turn" | "attempt">

/**
 * What is said, without who says it.
 *
 * @category models
 * @since 0.1.0
 */
export type Said =
  | { readonly _tag: "Began" | "Ended" | "Voided" }
  | { readonly _tag: "Text" | "Reasoning"; readonly text: string }
  | { readonly _tag: "Arguments"; readonly callId: string; readonly tool: string; readonly text: string }

/**
 * Lets an attempt speak: `Began` ahead of all it says, and `Ended` or `Voided` after it.
 *
 * @category reporting
 * @since 0.1.0
 */
export const speaking = <A, E, R>(
  speaker: Speaker,
  act: (say: (said: Said) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Listeners, (listeners) => {
    let index = 0
    const say = (said: Said): void => {
      const delta: Delta = { ...speaker, ...said, index: index++ }
      for (const listener of listeners) listener(delta)
    }
    return Effect.suspend(() => {
      say({ _tag: "Began" })
      return Effect.onExit(act(say), ({ _tag }) =>
        Effect.sync(() => say({ _tag: _tag === "Success" ? "Ended" : "Voided" })))
    })
  })
