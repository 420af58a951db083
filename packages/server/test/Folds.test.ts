import { EventStore, MemoryStore, type RunEvent, type RunId, Runs, RunState } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Folds } from "../src/Folds.ts"
import { Ship } from "./serving.ts"

/** A store in memory, how many events were read from it, and the folds over it. */
const scene = (capacity: number) => {
  const memory = MemoryStore.memory()
  const seen = { read: 0 }
  const watched = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      read: (runId: RunId, from?: number) =>
        Stream.mapArray(store.read(runId, from), (events) => {
          seen.read += events.length
          return events
        })
    }))
  )
  const layer = Folds.layer(capacity).pipe(
    Layer.provideMerge(Runs.layer),
    Layer.provideMerge(Layer.provideMerge(watched, MemoryStore.layerOf(memory)))
  )
  return { memory, seen, layer }
}

const signals = (count: number, payload: Schema.Json = "x"): ReadonlyArray<RunEvent.RunEvent> =>
  Array.from({ length: count }, () => ({ _tag: "SignalReceived", name: "pickup", payload }))

const append = (runId: RunId, expected: number, events: ReadonlyArray<RunEvent.RunEvent>) =>
  Effect.flatMap(EventStore, (store) => store.append(runId, { expected, events }))

const fold = (runId: RunId) => Effect.flatMap(Folds, (folds) => folds.of(runId))

/** How many events it takes to fold a log. */
const cost = (seen: { read: number }, runId: RunId) =>
  Effect.suspend(() => {
    const before = seen.read
    return Effect.map(fold(runId), ({ state }) => ({ seq: state.seq, read: seen.read - before }))
  })

describe("Folds.of", () => {
  it.prop("is what the whole log comes to, however often and whenever it was asked before", {
    steps: Schema.Array(Schema.Tuple([Schema.Literals(["signal", "pause", "ask"]), Schema.Natural]))
      .check(Schema.isMaxLength(30))
  }, ({ steps }) => {
    const { layer } = scene(100_000)
    return Effect.runPromise(Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      const actor = { kind: "person", id: "olga" } as const
      for (const [step, count] of steps) {
        const { state } = yield* runs.state(runId)
        if (step === "ask") yield* fold(runId)
        else if (step === "signal") yield* append(runId, state.seq, signals(1 + count % 40))
        else yield* append(runId, state.seq, [{ _tag: state.paused ? "RunResumed" : "RunPaused", actor }])
      }
      let since = 0
      let status: unknown = "NotStarted"
      let state = RunState.initial(runId)
      for (const recorded of yield* Stream.runCollect(runs.events(runId))) {
        state = RunState.evolve(state, recorded)
        if (RunState.status(state) !== status) since = recorded.at
        status = RunState.status(state)
      }
      const found = yield* fold(runId)
      assert.deepStrictEqual([found.since, found.status], [since, status])
      assert.deepStrictEqual([found.state.seq, found.state.paused], [state.seq, state.paused])
      assert.deepStrictEqual(found.state.signals, state.signals)
    }).pipe(Effect.provide(layer)))
  }, { arbitrary: { runs: 25 } })

  it.live("reads of a long log what is new, and of a short one all", () => {
    const { layer, seen } = scene(1_000_000)
    return Effect.gen(function*() {
      const runs = yield* Runs
      const [long, short] = [yield* runs.start(Ship, "A-1"), yield* runs.start(Ship, "A-2")]
      yield* append(long, 1, signals(999))
      assert.deepStrictEqual(yield* cost(seen, long), { seq: 1_000, read: 1_000 })
      yield* append(long, 1_000, signals(2))
      assert.deepStrictEqual(yield* cost(seen, long), { seq: 1_002, read: 3 })
      for (let look = 0; look < 2; look++) assert.deepStrictEqual(yield* cost(seen, short), { seq: 1, read: 1 })
      assert.strictEqual((yield* fold("00000000-0000-7000-8000-000000000000" as RunId)).state.started, undefined)
    }).pipe(Effect.provide(layer))
  })

  it.live("keeps what was looked at last, as much as it may hold", () => {
    const { layer, seen } = scene(10_000)
    return Effect.gen(function*() {
      const runs = yield* Runs
      const start = (events: ReadonlyArray<RunEvent.RunEvent>) =>
        Effect.tap(runs.start(Ship, "A-1"), (runId) => append(runId, 1, events))
      const [a, b, large] = [
        yield* start(signals(50)),
        yield* start(signals(60)),
        yield* start(signals(50, "x".repeat(1_000)))
      ]
      for (const runId of [a, b, large]) yield* fold(runId)
      for (const runId of [a, b]) assert.strictEqual((yield* cost(seen, runId)).read, 1)
      assert.strictEqual((yield* cost(seen, large)).read, 51)
      const c = yield* start(signals(60))
      yield* fold(c)
      assert.strictEqual((yield* cost(seen, c)).read, 1)
      assert.strictEqual((yield* cost(seen, b)).read, 1)
      assert.strictEqual((yield* cost(seen, a)).read, 51)
    }).pipe(Effect.provide(layer))
  })

  it.effect("forgets what nobody has looked at for a minute", () => {
    const { layer, seen } = scene(1_000_000)
    return Effect.gen(function*() {
      const runs = yield* Runs
      const start = Effect.tap(runs.start(Ship, "A-1"), (runId) => append(runId, 1, signals(50)))
      const [a, b] = [yield* start, yield* start]
      yield* fold(a)
      yield* fold(b)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* cost(seen, b)).read, 1)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* cost(seen, b)).read, 1)
      assert.strictEqual((yield* cost(seen, a)).read, 51)
    }).pipe(Effect.provide(layer))
  })

  it.live("does not take a log that was deleted and begun anew under its key for the one that it knew", () => {
    const { layer, memory } = scene(1_000_000)
    return Effect.gen(function*() {
      const runs = yield* Runs
      const start = runs.start(Ship, "A-1", { startKey: "k" })
      const runId = yield* start
      yield* append(runId, 1, signals(100))
      assert.strictEqual((yield* fold(runId)).state.seq, 101)
      memory.runs.delete(runId)
      assert.strictEqual((yield* fold(runId)).state.started, undefined)
      yield* start
      assert.strictEqual((yield* fold(runId)).state.seq, 1)
    }).pipe(Effect.provide(layer))
  })
})
