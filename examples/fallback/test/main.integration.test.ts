import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "../src/main.ts")

describe("the example of a fallback", () => {
  it("asks again what may pass, goes to the next provider after what cannot, one request an attempt (ME-4)", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main], { encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.deepStrictEqual(stdout.trimEnd().split("\n").filter((line) => !line.endsWith(" ...")), [
      "attempt 1 asks claude-opus-5-5",
      "attempt 2 asks claude-opus-5-5",
      "  fake-model answers",
      "First note.",
      "attempt 1 asks claude-opus-5-5",
      "attempt 2 asks claude-opus-5-5",
      "attempt 3 asks gpt-5.4-mini",
      "  gpt-5.4-mini answers",
      "Second note.",
      "5 attempts in the logs, 5 requests over the wire"
    ])
  })
})
