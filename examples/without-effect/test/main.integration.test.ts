import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "../src/main.ts")

describe("the example without Effect", () => {
  it("asks, says what is refused, closes while a payment is under way, and goes on", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main], { encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.deepStrictEqual(stdout.trimEnd().split("\n").map((line) => line.replace(/(?<=^[A-Z][A-Za-z]+): .*/, "")), [
      "the same again: true",
      "AwaitingApproval",
      "turn-1/call-1/approval: refunds above 50.00 need a second pair of eyes { orderId: 'A-8891', cents: 6400 }",
      "InvalidRequest",
      "RunNotFound",
      "StartConflict",
      "ApprovalNotPending",
      "closed: attempts 1, refunds 1",
      "Your 64.00 are on their way.",
      "done: attempts 1, refunds 1"
    ])
  })
})
