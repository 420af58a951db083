/**
 * What the store contract asks of a store, beyond its ports.
 */
import type { AccessTokens, EventStore, Quotas, RunId, RunIndex, RunQueue, Seq } from "@durable-agents/core"
import type { Effect, Schema, Scope } from "effect"
import { Context } from "effect"

/**
 * Power over the store under test: its time, and rows that this build would not write.
 *
 * @category services
 * @since 0.1.0
 */
export class StoreControl extends Context.Service<StoreControl, {
  /** Moves the store's time on. */
  readonly advance: (millis: number) => Effect.Effect<void>
  /** Adds one event at the end of a log as another build may have written it; `payload` is JSON text. */
  readonly plant: (row: {
    readonly runId: RunId
    readonly seq: Seq
    readonly type: string
    readonly payload: string
  }) => Effect.Effect<void>
}>()("@durable-agents/testing/StoreControl") {}

/**
 * A store with everything that its contract needs.
 *
 * @category models
 * @since 0.1.0
 */
export type StoreUnderTest = EventStore | RunQueue | RunIndex | AccessTokens | Quotas | StoreControl

/**
 * Registers the tests of the contract.
 *
 * @category models
 * @since 0.1.0
 */
export interface Register {
  /** How many runs that are not due stand beside those that are. */
  readonly waiting: number
  readonly test: <E>(title: string, body: Effect.Effect<void, E, StoreUnderTest | Scope.Scope>) => void
  /** A test for any value of a schema; `size` is how long generated texts and lists may be. */
  readonly law: <A, E>(
    title: string,
    options: { readonly values: Schema.Schema<A>; readonly runs: number; readonly size: number },
    body: (value: A) => Effect.Effect<void, E, StoreUnderTest | Scope.Scope>
  ) => void
}
