import { Budget, EventStore, PayloadCodec, type RunId, Runs, StoreError } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { type Item, Tails } from "../src/Tails.ts"
import { memory, Ship } from "./serving.ts"

interface Watched {
  follows: number
  reads: number
  broken: boolean
}

/** The memory store, and how often it is read and followed. */
const watching = (watched: Watched) =>
  Layer.provideMerge(
    Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({
        ...store,
        read: (runId: RunId, from?: number) => {
          watched.reads++
          return store.read(runId, from)
        },
        changes: (runId: RunId, from?: number) => {
          watched.follows++
          return watched.broken
            ? Stream.fail(new StoreError({ operation: "changes", detail: "is gone" }))
            : store.changes(runId, from)
        }
      }))
    ),
    memory()
  )

const App = (watched: Watched = { follows: 0, reads: 0, broken: false }) =>
  Tails.layer(({ event, seq }): Item => ({ seq, text: `${seq}`, isLast: event._tag === "RunCompleted" })).pipe(
    Layer.provideMerge(Runs.layer),
    Layer.provideMerge(watching(watched))
  )

const append = (runId: RunId, from: number, count: number, isEnd = false) =>
  Effect.flatMap(EventStore, (store) =>
    store.append(runId, {
      expected: from,
      events: Array.from({ length: count }, (_, index) =>
        isEnd && index === count - 1
          ? { _tag: "RunCompleted" as const, output: "", usage: Budget.noUsage }
          : { _tag: "SignalReceived" as const, name: "x", payload: index })
    }))

const follow = (runId: RunId, from: number) =>
  Effect.gen(function*() {
    const tails = yield* Tails
    const seqs: Array<number> = []
    yield* Stream.runForEach(tails.follow(runId, from), (items) =>
      // Others get their turns in between.
      Effect.andThen(Effect.yieldNow, Effect.sync(() => void seqs.push(...items.map(({ seq }) => seq)))))
    return seqs
  })

const between = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe("Tails.follow", () => {
  it.prop("gives everybody every event from where they begin, once and in order", {
    batches: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 })))
      .check(Schema.isMaxLength(6)),
    begins: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 800 }))).check(Schema.isMaxLength(6)),
    turns: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
  }, ({ batches, begins, turns }) =>
    Effect.runPromise(Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      const followers: Array<{ from: number; fiber: Fiber.Fiber<ReadonlyArray<number>, StoreError> }> = []
      const join = (next: number) =>
        Effect.gen(function*() {
          for (const begin of begins) {
            const from = Math.min(begin, next)
            followers.push({ from, fiber: yield* Effect.forkChild(follow(runId, from), { startImmediately: true }) })
          }
        })
      let next = 1
      for (const count of batches) {
        yield* join(next)
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        yield* append(runId, next, count)
        next += count
      }
      yield* join(next)
      yield* append(runId, next, 1, true)
      for (const { fiber, from } of followers) {
        assert.deepStrictEqual(yield* Fiber.join(fiber), between(from, next + 1))
      }
    }).pipe(Effect.provide(App()))), { arbitrary: { runs: 30 } })

  it.live("reads what comes once for all of them, and again for who comes after the last has left", () => {
    const watched = { follows: 0, reads: 0, broken: false }
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      /** Fifty who follow from here, all of whom have come to the end of the log. */
      const crowd = (from: number, round: number) =>
        Effect.gen(function*() {
          const all = watched.reads + 50
          const fibers = yield* Effect.forEach(between(0, 50), () => Effect.forkChild(follow(runId, from)))
          yield* Effect.repeat(Effect.yieldNow, { until: () => watched.reads === all && watched.follows === round })
          return fibers
        })
      yield* Fiber.interruptAll(yield* crowd(1, 1))
      const fibers = yield* crowd(1, 2)
      const { reads } = watched
      for (const from of between(1, 101)) yield* append(runId, from, 1, from === 100)
      for (const fiber of fibers) assert.deepStrictEqual(yield* Fiber.join(fiber), between(1, 101))
      assert.deepStrictEqual([watched.follows, watched.reads], [2, reads])
    }).pipe(Effect.provide(App(watched)))
  })

  it.live("reads whole pages also of a log whose payloads are decoded one by one", () => {
    const watched = { follows: 0, reads: 0, broken: false }
    const codec = Layer.succeed(PayloadCodec, { encode: Effect.succeed, decode: Effect.succeed })
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      yield* append(runId, 1, 1_200, true)
      const { reads } = watched
      assert.deepStrictEqual(yield* follow(runId, 0), between(0, 1_201))
      assert.strictEqual(watched.reads - reads, 3)
    }).pipe(Effect.provide(Layer.provide(App(watched), codec)))
  })

  it.live("fails for everybody when the store does, and goes on with the next one who follows", () => {
    const watched = { follows: 0, reads: 0, broken: true }
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      const fibers = yield* Effect.forEach([1, 2], () => Effect.forkChild(follow(runId, 1)))
      for (const fiber of fibers) assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "StoreError")
      watched.broken = false
      const again = yield* Effect.forkChild(follow(runId, 0), { startImmediately: true })
      yield* append(runId, 1, 1, true)
      assert.deepStrictEqual(yield* Fiber.join(again), [0, 1])
    }).pipe(Effect.provide(App(watched)))
  })
})
