/**
 * Where what a run says leaves the house: the port by which everything that a model is sent, and everything that it answers, can
 * be changed on its way. The log keeps what was said inside.
 */
import type { RunId } from "@durable-agents/core"
import { Context } from "effect"
import type { Prompt, Response } from "effect/ai"
import type { Said } from "./ModelDeltas.ts"

/**
 * One call, on its way out and back.
 *
 * @category models
 * @since 0.1.0
 */
export interface Crossing {
  /** What is sent in the place of these messages: system prompt, goal, answers, calls, results and summaries. */
  readonly messages: ReadonlyArray<Prompt.Message>
  /** What is recorded in the place of a part of the answer. */
  readonly incoming: (part: Response.AnyPart) => Response.AnyPart
  /** What is told to listeners in the place of what the model says while an answer is streamed. Default: the same. */
  readonly streamed?: () => Streamed
}

/**
 * Changes what is told of one answer while it comes. What it holds back it must tell in the end.
 *
 * @category models
 * @since 0.1.0
 */
export interface Streamed {
  readonly pass: (said: Said) => ReadonlyArray<Said>
  readonly end: () => ReadonlyArray<Said>
}

/**
 * Changes what crosses the boundary. It is asked for each attempt of each model call of agents, those that summarise included.
 *
 * **Details**
 *
 * The same messages of a run must become the same, in every process: otherwise a provider's cache, and the model's memory of
 * names, are lost. The digest of a prompt that is recorded is that of the messages inside.
 *
 * **Gotchas**
 *
 * What is told to listeners while an answer is streamed is what the model says, unless `streamed` changes it.
 *
 * @category models
 * @since 0.1.0
 */
export type Boundary = (call: {
  readonly runId: RunId
  readonly agent: string
  readonly messages: ReadonlyArray<Prompt.Message>
}) => Crossing

/**
 * The boundary of agents whose layers are built over it. By default everything is sent as it is.
 *
 * @category references
 * @since 0.1.0
 */
export const ModelBoundary = Context.Reference<Boundary | undefined>("@durable-agents/agent/ModelBoundary", {
  defaultValue: () => undefined
})
