/**
 * What the kit runs: a program, the world it acts on, and the script of those around it.
 */
import type { EventStore, Program, Programs, RunIndex, RunQueue, Runs, RunView, StoreError } from "@durable-agents/core"
import { MemoryStore } from "@durable-agents/core"
import type { Layer, Scope } from "effect"
import { Effect } from "effect"
import type { Script } from "./Outside.ts"

/**
 * What a store provides.
 *
 * @category models
 * @since 0.1.0
 */
export type Stores = EventStore | RunQueue | RunIndex

/**
 * A program, the world it acts on, and the people, systems and clocks around it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scenario<World, Input, Output, Error> {
  readonly program: Program.Program<Input, Output, Error>
  readonly input: Input
  /** How the run is started: labels, a budget, who asked for it. */
  readonly start?: Parameters<Runs["Service"]["start"]>[2]
  /** A fresh world for each trial: what survives the death of a process, such as the ledger of a payments service. */
  readonly world?: () => World
  /** The program's handler, tools and model, as one process builds them. Without `world` the argument is undefined. */
  readonly layer: Layer.Layer<never, never, Programs> | ((world: World) => Layer.Layer<never, never, Programs>)
  /** What happened in the world, in a form that can be compared; order counts. */
  readonly effects?: (world: World) => unknown
  /** What happens outside whenever the run rests: decisions, signals. Due times pass by themselves. */
  readonly outside?: Script<World>
  /** What must be the same however it is disturbed; default: status, output, failure. `effects` must be the same as well. */
  readonly compare?: (view: RunView) => unknown
  /**
   * Makes an empty database for a trial. The layer is built once for each process on it; its time must be the clock that is in
   * place when it is built. Default: memory.
   */
  readonly stores?: Effect.Effect<Layer.Layer<Stores, StoreError>, never, Scope.Scope>
}

/**
 * An empty database in memory.
 *
 * @category constructors
 * @since 0.1.0
 */
export const memory: Effect.Effect<Layer.Layer<Stores>> = Effect.sync(() => MemoryStore.layerOf(MemoryStore.memory()))

/**
 * The layer of one process over a world.
 *
 * @category combinators
 * @since 0.1.0
 */
export const layerOf = <World, Input, Output, Error>(
  { layer }: Pick<Scenario<World, Input, Output, Error>, "layer">,
  world: World
): Layer.Layer<never, never, Programs> => typeof layer === "function" ? layer(world) : layer
