import { replayLogs } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerOf, storedLogs } from "./storedLogs.ts"

describe("logs that older builds have written", () => {
  it.effect("still replay, and end as they did", () =>
    Effect.gen(function*() {
      const replayed = yield* replayLogs({ logs: storedLogs(), layer: layerOf(() => "not asked") })
      assert.deepStrictEqual(
        replayed.map(({ name, verdict }) => `${name} ${verdict}`),
        storedLogs().map(({ name }) => `${name} ${name === "parked.jsonl" ? "rests" : "ends"}`)
      )
      assert.isAtLeast(replayed.length, 10)
    }))
})
