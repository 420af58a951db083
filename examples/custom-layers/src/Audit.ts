/**
 * A store that tells somebody about every append. It wraps whatever store is below it.
 */
import { EventStore, type RunEvent } from "@durable-agents/core"
import { Effect, Layer } from "effect"

/** One append that was stored. */
export interface Entry {
  readonly runId: string
  /** The position of its first event. */
  readonly seq: number
  /** The lease of the worker; `outside` for people and programs that start and decide. */
  readonly by: "outside" | number
  readonly events: ReadonlyArray<RunEvent.RunEvent["_tag"]>
}

/**
 * Writes an entry for each append, once it is stored. A process that dies in between leaves none, so this is for watching: what
 * happened is in the log.
 */
export const layer = (write: (entry: Entry) => Effect.Effect<void>): Layer.Layer<EventStore, never, EventStore> =>
  Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      append: (runId, append) =>
        Effect.tap(store.append(runId, append), () =>
          write({
            runId,
            seq: append.expected,
            by: append.epoch ?? "outside",
            events: append.events.map(({ _tag }) => _tag)
          }))
    }))
  )
