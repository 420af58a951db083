import { MemoryStore } from "@durable-agents/core"
import { runtimeContract } from "@durable-agents/testing/runtimeContract"
import { Effect } from "effect"

runtimeContract("Memory", Effect.sync(() => MemoryStore.layerOf(MemoryStore.memory())))
