/**
 * How a process comes to the store under test: by a module that it loads, and an address.
 */
import type { StoreError } from "@durable-agents/core"
import type { Layer } from "effect"
import { Effect, Predicate } from "effect"
import type { Stores } from "../Scenario.ts"

/**
 * What a module of a store exports.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoreModule {
  /** The store at an address, as one process has it. */
  readonly layer: (address: string) => Layer.Layer<Stores, StoreError>
}

/**
 * Loads it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const load = (url: string): Effect.Effect<StoreModule> =>
  Effect.promise((): Promise<unknown> => import(url)).pipe(Effect.filterOrElse(isStoreModule, () =>
    Effect.die(`${url} has no function \`layer\``)))

/** What the function returns is for the module's own types to say. */
const isStoreModule = (module: unknown): module is StoreModule =>
  Predicate.hasProperty(module, "layer") && typeof module.layer === "function"
