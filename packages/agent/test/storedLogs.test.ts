import { Verify } from "@durable-agents/agent"
import { RunEvent } from "@durable-agents/core"
import { replayLogs } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { layerOf, storedLogs } from "./storedLogs.ts"

describe("logs that older builds have written", () => {
  it.effect("still replay, and end as they did", () =>
    Effect.gen(function*() {
      const replayed = yield* replayLogs({ logs: storedLogs(), layer: layerOf(() => "not asked") })
      assert.deepStrictEqual(
        replayed.map(({ name, verdict }) => `${name} ${verdict}`),
        storedLogs().map(({ name }) => `${name} ${name === "parked.jsonl" ? "rests" : "ends"}`)
      )
      assert.isAtLeast(replayed.length, 11)
    }))

  it("still lead to the prompts that were sent, summaries included", () => {
    const asked = storedLogs().flatMap(({ name, text }) => {
      const log = text.trimEnd().split("\n").map((line) => Result.getOrThrow(RunEvent.fromLine(line)))
      return Verify.prompts(log).map(({ key, rebuilt, recorded }) => {
        assert.strictEqual(rebuilt, recorded, `${name} ${key}`)
        return key
      })
    })
    assert.isAtLeast(asked.filter((key) => key.endsWith("/compaction")).length, 2)
    assert.isAtLeast(asked.length, 20)
  })
})
