import { MemoryStore, Program, Runs, Step } from "@durable-agents/core"
import { runProgram } from "@durable-agents/testing"
import { storeContract, StoreControl } from "@durable-agents/testing/storeContract"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Audit from "../src/Audit.ts"

// A store of one's own passes the tests that every store of the product passes.
storeContract("a store that is watched", () => {
  const memory = MemoryStore.memory()
  const control = Layer.succeed(StoreControl, {
    advance: (millis) => TestClock.adjust(millis),
    plant: ({ payload, runId, type }) =>
      Effect.sync(() => {
        memory.runs.get(runId)?.events.push({ type, payload, at: 0, epoch: undefined })
      })
  })
  const watched = Audit.layer(() => Effect.void).pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
  return Layer.merge(watched, control)
})

const Greeting = Program.make("greeting", { input: Schema.String, output: Schema.String })
const GreetingLayer = Greeting.toLayer((name) =>
  Effect.succeed(`Hello ${name}`).pipe(Step.run("greet", { output: Schema.String }))
)

describe("Audit", () => {
  it.effect("has an entry for every append that was stored, and says who made it", () =>
    Effect.gen(function*() {
      const entries: Array<Audit.Entry> = []
      const stores = Effect.sync(() =>
        Audit.layer((entry) => Effect.sync(() => void entries.push(entry)))
          .pipe(Layer.provideMerge(MemoryStore.layerOf(MemoryStore.memory())))
      )
      const { log, runId } = yield* runProgram({ program: Greeting, input: "Mia", layer: GreetingLayer, stores })
      assert.deepStrictEqual(entries.flatMap(({ events }) => events), log.map(({ event }) => event._tag))
      assert.deepStrictEqual(entries[0], { runId, seq: 0, by: "outside", events: ["RunStarted"] })
      assert.isTrue(entries.slice(1).every(({ by }) => by === 1))
    }))

  it.effect("has none for an append that was refused", () => {
    const entries: Array<Audit.Entry> = []
    const App = Runs.layer.pipe(
      Layer.provide(Audit.layer((entry) => Effect.sync(() => void entries.push(entry)))),
      Layer.provide(MemoryStore.layer)
    )
    return Effect.gen(function*() {
      const runs = yield* Runs
      yield* runs.start(Greeting, "Mia", { startKey: "mia" })
      yield* runs.start(Greeting, "Mia", { startKey: "mia" })
      assert.lengthOf(entries, 1)
    }).pipe(Effect.provide(App))
  })
})
