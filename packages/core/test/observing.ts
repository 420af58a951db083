import { type EventStore, type RunIndex, type RunQueue, Runtime, Worker } from "@durable-agents/core"
import { Layer } from "effect"
import { handled, type Handler, quick } from "./fixtures.ts"

/** A worker with a handler over stores, that says what it does to what is around it. */
export const worker = (
  handler: Handler,
  stores: Layer.Layer<EventStore | RunQueue | RunIndex>,
  around: { readonly layer: Layer.Layer<never> }
) =>
  Layer.fresh(Worker.layer({ poll: "5 millis", lease: "60 millis", progress: "Info", failures: "Warn" }).pipe(
    Layer.provide(handled(handler)),
    Layer.provide(Runtime.layer),
    Layer.provide(stores),
    Layer.provide(quick),
    Layer.provide(around.layer)
  ))
