import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const main = join(import.meta.dirname, "../src/main.ts")
const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8")

describe("the quick start", () => {
  it("is in the README as it runs", () => {
    assert.include(readme, `\`\`\`ts\n${readFileSync(main, "utf8")}\`\`\``)
  })

  it("waits for a person, refunds once and answers, as the README says", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main], { encoding: "utf8" })
    assert.strictEqual(stderr, "")
    assert.strictEqual(status, 0)
    assert.strictEqual(
      stdout,
      [
        "AwaitingApproval",
        "turn-1/call-1/approval { orderId: 'A-8891', cents: 6400 }",
        "Completed Refund RF-1 processed. 1",
        ""
      ].join("\n")
    )
    assert.include(readme, `\`\`\`\n${stdout}\`\`\``)
  })
})
