import { MemoryStore } from "@durable-agents/core"
import { storeContract, StoreControl } from "@durable-agents/testing/storeContract"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

storeContract("MemoryStore", () => {
  const memory = MemoryStore.memory()
  const control = Layer.succeed(StoreControl, {
    advance: (millis) => TestClock.adjust(Duration.millis(millis)),
    plant: ({ payload, runId, type }) =>
      Effect.sync(() => {
        memory.runs.get(runId)?.events.push({ type, payload, at: 0, epoch: undefined })
      })
  })
  return Layer.merge(MemoryStore.layerOf(memory), control)
})
