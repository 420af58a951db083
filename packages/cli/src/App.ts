/**
 * What a module tells the command line: which programs there are, and the layer that can execute them.
 */
import type { EventStore, Program, Programs, RunIndex, RunQueue, Runs, Runtime } from "@durable-agents/core"
import type { Layer } from "effect"
import type { LanguageModel, Model } from "effect/ai"

/**
 * The definition of a program, whatever it takes and returns.
 *
 * @category models
 * @since 0.1.0
 */
export type Definition = Omit<Program.Program<unknown, unknown, unknown>, "toLayer">

/**
 * What the command line has for an app: a store, the runtime over it, and the model that the environment names.
 *
 * @category models
 * @since 0.1.0
 */
export type Needs =
  | EventStore
  | RunQueue
  | RunIndex
  | Runs
  | Runtime
  | Programs
  | LanguageModel.LanguageModel
  | Model.ModelName

/**
 * @category models
 * @since 0.1.0
 */
export interface App<out E = unknown> {
  /** What can be started by name. Each must be registered by the layer. */
  readonly programs: ReadonlyArray<Definition>
  /** Registers the programs. What it provides is not seen by anything else. */
  readonly layer: Layer.Layer<never, E, Needs>
  /** References that all of it runs with, store and runtime included: `Namespace`, `Limits`, `RuntimeSettings`, `PayloadCodec`. */
  readonly settings?: Layer.Layer<never, E>
}

/**
 * The app of a module, which exports it as `app`. Returns what it is given; a plain object of this shape is an app as well.
 *
 * **Details**
 *
 * Whatever the layer leaves open of `Needs` is provided by the command line. If that is `LanguageModel`, it is the one behind an
 * OpenAI-compatible endpoint that `LLM_MODEL`, `LLM_API_KEY` and `LLM_BASE_URL` name; with `LLM_PROVIDER=anthropic` the one that
 * `ANTHROPIC_MODEL`, `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL` name. The layer is built only where runs are executed (`resume`,
 * `worker`), so starting a run needs no key.
 *
 * **Example**
 *
 * ```ts
 * import { Agent } from "@durable-agents/agent"
 * import { App } from "@durable-agents/cli"
 *
 * const Support = Agent.make("support", { instructions: "You handle refunds." })
 *
 * export const app = App.make({ programs: [Support], layer: Support.layer })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <E>(app: App<E>): App<E> => app
