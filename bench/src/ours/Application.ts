/**
 * Our system in this process: the programs on the Postgres store, with a worker or without.
 */
import type { Runs } from "@durable-agents/core"
import { EventStore, Runtime, Worker } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, Scope } from "effect"
import { wallMillis } from "../Round.ts"
import { programs } from "./programs.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly url: string
  readonly schema: string
}

/** When the latest append was asked for. */
let appendedAt = 0

/**
 * When this process last asked the store to append.
 *
 * @category accessors
 * @since 0.1.0
 */
export const lastAppendAt = (): number => appendedAt

const observed = Layer.effect(
  EventStore,
  Effect.map(EventStore, (store) => ({
    ...store,
    append: (...input: Parameters<typeof store.append>) =>
      Effect.suspend(() => {
        appendedAt = wallMillis()
        return store.append(...input)
      })
  }))
)

const layer = ({ schema, url }: Place) => {
  const stores = Postgres.layer({ url: Redacted.make(url), schema })
  return programs.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(observed.pipe(Layer.provideMerge(stores)))
  )
}

type Services = Layer.Success<ReturnType<typeof layer>>

let opened: ManagedRuntime.ManagedRuntime<Services, unknown> | undefined
let working: Scope.Closeable | undefined

/**
 * Connects, and creates the tables where they are not.
 *
 * @category commands
 * @since 0.1.0
 */
export const open = async (place: Place): Promise<void> => {
  opened = ManagedRuntime.make(layer(place))
  await opened.runPromise(Effect.void)
}

/**
 * Gives everything back, and closes all connections.
 *
 * @category commands
 * @since 0.1.0
 */
export const close = async (): Promise<void> => {
  if (working !== undefined) await Effect.runPromise(Scope.close(working, Exit.void))
  await opened?.dispose()
  working = undefined
  opened = undefined
}

/**
 * Starts a worker, which works until `close`.
 *
 * @category commands
 * @since 0.1.0
 */
export const startWorker = async ({ concurrency }: { readonly concurrency: number }): Promise<void> => {
  const scope = Scope.makeUnsafe()
  working = scope
  await run(Layer.buildWithScope(Worker.layer({ concurrency }), scope))
}

/**
 * Runs an effect on what is open.
 *
 * @category runners
 * @since 0.1.0
 */
export const run = <A, E>(effect: Effect.Effect<A, E, Services | Runs>): Promise<A> =>
  opened === undefined ? Promise.reject(new Error("not open")) : opened.runPromise(effect)
