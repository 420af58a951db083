/**
 * Whether the server is alive and ready, and what it measures.
 */
import { EventStore, Namespace, RunIndex, RunQueue } from "@durable-agents/core"
import { Deferred, Effect, Layer, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Api } from "./Api.ts"
import { Definitions } from "./Definitions.ts"
import { Draining } from "./FeedHttp.ts"
import * as Measure from "./Measure.ts"
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
    const index = yield* RunIndex
    const queue = yield* RunQueue
    const store = yield* EventStore
    const namespace = yield* Namespace
    const { all } = yield* Definitions
    const programs = all.map(({ name }) => name)

    const look = Effect.gen(function*() {
      const now = yield* store.now
      const oldest = yield* index.pendingApprovals({ namespace, limit: 1000 })
      const since = oldest.items[0]?.approval.since
      const due = programs.length === 0 ? Option.none() : yield* queue.longestDue({ namespace, programs })
      yield* Measure.store({
        approvals: oldest.items.length,
        approvalAgeMillis: since === undefined ? 0 : now - since,
        dueMillis: Option.match(due, { onNone: () => 0, onSome: ({ since }) => now - since })
      })
    })
    return handlers.handle("metrics", () => Effect.andThen(unavailable(look), PrometheusMetrics.format()))
  }))

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.merge(healthLayer, metricsLayer)
