import { EventStore } from "@durable-agents/core"
import { Effect, Layer } from "effect"

/** Ends this process as a power cut would: no handler, no flush, no goodbye. */
export const killSelf = (): void => {
  process.kill(process.pid, "SIGKILL")
}

/** The store of a process that dies right after, or right before, it has written the event at this position. */
export const layer = (
  seq: number | undefined,
  when: "before" | "after"
): Layer.Layer<EventStore, never, EventStore> =>
  Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      append: (runId, append) => {
        const isHere = seq !== undefined && append.epoch !== undefined && append.expected <= seq &&
          seq < append.expected + append.events.length
        if (isHere && when === "before") killSelf()
        return isHere ? Effect.tap(store.append(runId, append), Effect.sync(killSelf)) : store.append(runId, append)
      }
    }))
  )
