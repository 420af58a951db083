/**
 * Where Prometheus finds the metrics of a worker, and a probe its health.
 */
import { Programs, StoreMetrics, Worker } from "@durable-agents/core"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"
import type { Address } from "./ListenAddress.ts"

const health = HttpRouter.add(
  "GET",
  "/health",
  Effect.map(Worker.Worker, (worker) => {
    const { reasons, since, status } = worker.health()
    const body = { status, since: new Date(since).toISOString(), reasons }
    return HttpServerResponse.jsonUnsafe(body, { status: status === "Healthy" ? 200 : 503 })
  })
)

/** With what waits in the store at that moment, if it says so in time; a store that is away keeps nobody from seeing the rest. */
const metrics = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.flatMap(Programs, (programs) => StoreMetrics.look(programs.names())).pipe(
    Effect.timeout("5 seconds"),
    Effect.withTracerEnabled(false),
    Effect.catch((error) => Effect.logWarning("What waits in the store is not in the metrics", error.message)),
    Effect.andThen(PrometheusMetrics.format()),
    Effect.map(HttpServerResponse.text),
    Effect.map(HttpServerResponse.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8"))
  )
)

/**
 * Answers `/metrics` and `/health` on an address, and nothing else.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({ host, port }: Address) =>
  Layer.effectDiscard(Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.logInfo(`Metrics are on ${HttpServer.formatAddress(address)}/metrics`))).pipe(
      Layer.provide(HttpRouter.serve(Layer.merge(metrics, health), {
        disableLogger: true,
        disableListenLog: true
      })),
      Layer.provide(NodeHttpServer.layer(
        () =>
          createServer({ maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 10_000 }),
        { host, port, gracefulShutdownTimeout: "1 second" }
      ))
    )
