import { MemoryStore, Runs, Runtime, Step, Timer } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { execute, handled, processOf, programOf, quick, start } from "./fixtures.ts"

describe("operations that are due again", () => {
  it.effect("all go on when a replay finds several due at the same time", () => {
    const failed = new Set<string>()
    const flaky = (key: string) =>
      Effect.suspend(() => {
        if (failed.has(key)) return Effect.succeed(key)
        failed.add(key)
        return Effect.fail("not yet")
      }).pipe(Step.run(key, { output: Schema.String, error: Schema.String, retry: Schedule.spaced("2 seconds") }))
    return Effect.gen(function*() {
      const runId = yield* start()
      assert.strictEqual((yield* execute(runId)).status, "Sleeping")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual((yield* execute(runId)).output, ["a", "b", "c"])
    }).pipe(Effect.provide(processOf(() => Effect.all(["a", "b", "c"].map(flaky), { concurrency: 3 }))))
  })
})

describe("the store's clock", () => {
  /** A process whose store has a clock that is set by hand, and in which one run is busy while another one naps. */
  const process = () => {
    const real = Clock.Clock.defaultValue()
    const set = { byMillis: 0 }
    const millis = () => real.currentTimeMillisUnsafe() + set.byMillis
    const clock = { ...real, currentTimeMillisUnsafe: millis, currentTimeMillis: Effect.sync(millis) }
    const begun = Deferred.makeUnsafe<void>()
    const end = Deferred.makeUnsafe<void>()
    const busy = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)).pipe(
      Step.run("busy", { output: Schema.Void }),
      Effect.as("busy")
    )
    const naps = Effect.as(Timer.sleep("nap", "30 minutes"), "slept")
    const app = Layer.merge(handled(() => busy), handled(() => naps, programOf("naps"))).pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provideMerge(MemoryStore.layer.pipe(Layer.provide(Layer.succeed(Clock.Clock, clock)))),
      Layer.provide(quick)
    )
    const beginBusy = Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.flatMap(start(), execute))
      yield* Deferred.await(begun)
      return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber))
    })
    return { app, beginBusy, set }
  }
  const nap = Effect.flatMap(Runs, (runs) => runs.start(programOf("naps"), "input"))

  it.live("may be set forward while runs are executed: what is due by it is done at once", () => {
    const { app, beginBusy, set } = process()
    return Effect.gen(function*() {
      const endBusy = yield* beginBusy
      const runId = yield* nap
      assert.strictEqual((yield* execute(runId)).status, "Sleeping")
      set.byMillis = 3_600_000
      assert.strictEqual((yield* execute(runId)).output, "slept")
      assert.strictEqual((yield* endBusy).output, "busy")
    }).pipe(Effect.provide(app))
  })

  it.live("may be set back while runs are executed: waits that begin then are as long as they are to be", () => {
    const { app, beginBusy, set } = process()
    return Effect.gen(function*() {
      set.byMillis = 3_600_000
      const endBusy = yield* beginBusy
      set.byMillis = 0
      const { status, wakeAt = 0 } = yield* execute(yield* nap)
      assert.strictEqual(status, "Sleeping")
      assert.isAtMost(wakeAt - (yield* Clock.currentTimeMillis), 1_800_000)
      yield* endBusy
    }).pipe(Effect.provide(app))
  })
})
