import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import type {} from "@durable-agents/testing/postgresSetup"
import { p1 } from "../src/measures/throughput.ts"
import * as Server from "../src/Server.ts"
import { Settings } from "../src/Settings.ts"
import * as Throughput from "../src/Throughput.ts"

describe("bench", () => {
  it.live("lets the limit and a worker do the same work, and compares them", () =>
    Effect.gen(function*() {
      const { at, bytesPerRun } = yield* Throughput.Throughput
      const [figure] = yield* Effect.scoped(p1.figures)
      assert.strictEqual(figure?.ours.samples, 1)
      assert.strictEqual(figure?.ratio?.samples, 1)
      const { limit: [limit], ours: [ours], two } = yield* at(1)
      assert.lengthOf(two, 0)
      // Other tests write at the same time.
      assert.isAtLeast(limit?.commitsPerStep ?? 0, 21 / 20)
      assert.isAbove(ours?.commitsPerStep ?? 0, 1)
      const kept = yield* bytesPerRun
      assert.isBelow(kept.limit, kept.ours * 2)
    }).pipe(
      Effect.provide(Throughput.layer.pipe(Layer.provideMerge(Server.layer(inject("databaseUrl"))))),
      Effect.provideService(Settings, { ...Settings.defaultValue(), rounds: 1, warmUps: 1, roundMillis: 10 })
    ), 120_000)
})
