import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "../src/main.ts")

describe("the incident example", () => {
  it("is told no once, finds the cause, undoes it when it may, and reports", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, LLM_MODEL: "" }
    })
    assert.deepStrictEqual([status, stderr], [0, ""])
    const lines = stdout.trimEnd().split("\n")
    assert.deepStrictEqual(lines.filter((line) => line.startsWith("  ->")), [
      "  -> no: The first errors are from 14:24, before that deploy. Look at what checkout waits for.",
      "  -> allowed",
      "  -> allowed"
    ])
    assert.match(lines.at(-2) ?? "", /^Completed: checkout is healthy again\./)
    assert.match(lines.at(-1) ?? "", /^The 4 reads of turn 1 took 200 ms each and \d+ ms together\.$/)
  })
})
