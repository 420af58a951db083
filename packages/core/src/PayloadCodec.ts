/**
 * Encodes payloads on their way to the store and back: encryption fits here.
 */
import { Context, Effect, Stream } from "effect"
import type { StoreError } from "./EventStore.ts"
import { EventStore } from "./EventStore.ts"
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
 * A store behind a codec. `Runs`, `Runtime` and `Worker` put the codec that is in place when they are built in front of theirs.
 *
 * **Gotchas**
 *
 * Covers the log. What lists show of a run (`RunSummary`: labels, waits with their arguments) is stored as it is, unless a layer
 * over the store changes it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const wrap = (store: EventStore["Service"], codec: PayloadCodec | undefined): EventStore["Service"] => {
  if (codec === undefined) return store
  const decode = decoding(codec)
  return {
    append: (runId, append) =>
      Effect.flatMap(
        Effect.forEach(append.events, codec.encode),
        (events) => store.append(runId, { ...append, events })
      ),
    read: (runId, from) => Stream.mapEffect(store.read(runId, from), decode),
    changes: (runId, from) => Stream.mapEffect(store.changes(runId, from), decode),
    now: store.now
  }
}

const decoding = (codec: PayloadCodec) => (recorded: Recorded): Effect.Effect<Recorded, StoreError> =>
  Effect.map(codec.decode(recorded.event), (event) => ({ ...recorded, event }))

/**
 * Events as a store has them, behind a codec.
 *
 * @category combinators
 * @since 0.1.0
 */
export const decodeAll = (
  log: ReadonlyArray<Recorded>,
  codec: PayloadCodec | undefined
): Effect.Effect<ReadonlyArray<Recorded>, StoreError> =>
  codec === undefined ? Effect.succeed(log) : Effect.forEach(log, decoding(codec))

/**
 * The store of this context, behind the codec that is in place.
 *
 * @category constructors
 * @since 0.1.0
 */
export const store: Effect.Effect<EventStore["Service"], never, EventStore> = Effect.gen(function*() {
  return wrap(yield* EventStore, yield* PayloadCodec)
})
