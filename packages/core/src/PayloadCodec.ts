/**
 * Encodes payloads on their way to the store and back: encryption fits here.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { EventStore, type StoreError } from "./EventStore.ts"
import type { Recorded, RunEvent } from "./RunEvent.ts"

/**
 * A pair of effects that change an event before it is stored and after it is read. `decode` must undo `encode`, also for
 * events that were stored before this codec was in place.
 *
 * @category models
 * @since 0.1.0
 */
export interface PayloadCodec {
  readonly encode: (event: RunEvent) => Effect.Effect<RunEvent, StoreError>
  readonly decode: (event: RunEvent) => Effect.Effect<RunEvent, StoreError>
}

/**
 * The codec between events and stores. The default changes nothing.
 *
 * @category references
 * @since 0.1.0
 */
export const PayloadCodec = Context.Reference<PayloadCodec | undefined>("@durable-agents/core/PayloadCodec", {
  defaultValue: () => undefined
})

/**
 * Puts the codec that is in place in front of a store.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<EventStore, never, EventStore> = Layer.effect(
  EventStore,
  Effect.gen(function*() {
    const store = yield* EventStore
    const codec = yield* PayloadCodec
    if (codec === undefined) return store
    const decode = (recorded: Recorded) =>
      Effect.map(codec.decode(recorded.event), (event): Recorded => ({ ...recorded, event }))
    return EventStore.of({
      append: (runId, append) =>
        Effect.flatMap(
          Effect.forEach(append.events, codec.encode),
          (events) => store.append(runId, { ...append, events })
        ),
      read: (runId, from) => Stream.mapEffect(store.read(runId, from), decode),
      changes: (runId, from) => Stream.mapEffect(store.changes(runId, from), decode),
      now: store.now
    })
  })
)
