import { Progress, Step } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema, Stream } from "effect"
import { runOnce } from "./fixtures.ts"

describe("Step.progress", () => {
  it.effect("reaches who listens while it happens, and leaves nothing in the log", () =>
    Effect.gen(function*() {
      const listening = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(Progress.reports().pipe(
        Stream.tap(() => Deferred.succeed(listening, undefined)),
        Stream.take(3),
        Stream.runCollect
      ))
      const { events } = yield* runOnce(() =>
        Effect.gen(function*() {
          // Listening begins in another fiber: tell it until somebody hears.
          yield* Effect.raceFirst(
            Deferred.await(listening),
            Effect.forever(Effect.andThen(Step.progress("begun"), Effect.yieldNow))
          )
          yield* Step.progress({ done: 1, of: 2 })
          yield* Step.progress({ done: 2, of: 2 })
          return "charged"
        }).pipe(Step.run("charge", { output: Schema.String }))
      )
      const reports = yield* Fiber.join(first)
      assert.strictEqual(reports[0]?.value, "begun")
      for (const { attempt, key } of reports) assert.deepStrictEqual([key, attempt], ["charge", 1])
      assert.deepStrictEqual(events.map(({ event }) => event._tag), [
        "RunStarted",
        "StepRequested",
        "StepCompleted",
        "RunCompleted"
      ])
    }))

  it.effect("never waits for a slow listener, which gets the newest", () =>
    Effect.gen(function*() {
      const listening = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const slow = yield* Effect.forkChild(Progress.reports().pipe(
        Stream.tap(() => Effect.andThen(Deferred.succeed(listening, undefined), Deferred.await(go))),
        Stream.takeUntil(({ value }) => value === 999),
        Stream.runCollect
      ))
      yield* runOnce(() =>
        Effect.gen(function*() {
          yield* Effect.raceFirst(
            Deferred.await(listening),
            Effect.forever(Effect.andThen(Step.progress(-1), Effect.yieldNow))
          )
          for (let count = 0; count < 1000; count++) yield* Step.progress(count)
          return null
        }).pipe(Step.run("count", { output: Schema.Null }))
      )
      yield* Deferred.succeed(go, undefined)
      const reports = yield* Fiber.join(slow)
      assert.strictEqual(reports.at(-1)?.value, 999)
      assert.isBelow(reports.length, 300)
    }))
})
