import { Step } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { execute, processOf, start } from "./fixtures.ts"

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
