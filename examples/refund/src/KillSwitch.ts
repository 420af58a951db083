/**
 * Where the demonstration kills its worker. The worker only says "now" and then does nothing more; the kill comes from outside,
 * with SIGKILL, so that nothing of the process can react to it.
 */
import { EventStore } from "@durable-agents/core"
import { Effect, Layer } from "effect"

/** What the process that watches is told. */
export const now = "now"

/** Tells the process that watches that the moment has come, and never goes on. */
export const pullTrigger: Effect.Effect<never> = Effect.andThen(
  Effect.sync(() => process.send?.(now)),
  Effect.never
)

/** Pulls the trigger when an event of this type has been stored. */
export const layer = (type: string | undefined): Layer.Layer<EventStore, never, EventStore> =>
  Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      append: (runId, append) =>
        append.events.some((event) => event._tag === type)
          ? Effect.flatMap(store.append(runId, append), () => pullTrigger)
          : store.append(runId, append)
    }))
  )
