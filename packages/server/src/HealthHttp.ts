/**
 * Whether the server is alive and ready, and what it measures.
 */
import { EventStore, Namespace, RunIndex, RunQueue, StoreMetrics } from "@durable-agents/core"
import { Context, Deferred, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Api } from "./Api.ts"
import { Definitions } from "./Definitions.ts"
import { Draining } from "./FeedHttp.ts"
import { UnavailableProblem } from "./Problem.ts"
import { unavailable } from "./Refusal.ts"

const healthLayer = HttpApiBuilder.group(Api, "health", (handlers) =>
  Effect.gen(function*() {
    const store = yield* EventStore
    const draining = yield* Draining
    return handlers
      .handle("health", () => Effect.succeed({ status: "ok" as const }))
      .handle("ready", () =>
        Deferred.isDoneUnsafe(draining)
          ? Effect.fail(new UnavailableProblem({ detail: "The server is about to end" }))
          : Effect.as(unavailable(store.now), { status: "ok" as const }))
  }))

const metricsLayer = HttpApiBuilder.group(Api, "metrics", (handlers) =>
  Effect.gen(function*() {
    const { all } = yield* Definitions
    const namespace = yield* Namespace
    const stores = Context.pick(
      EventStore,
      RunIndex,
      RunQueue
    )(yield* Effect.context<EventStore | RunIndex | RunQueue>())
    const look = StoreMetrics.look(all.map(({ name }) => name))
      .pipe(Effect.provideContext(Context.add(stores, Namespace, namespace)))
    return handlers.handle("metrics", () => Effect.andThen(unavailable(look), PrometheusMetrics.format()))
  }))

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.merge(healthLayer, metricsLayer)
