import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "../src/main.ts")

describe("the example of own layers", () => {
  it("reads what the store cannot, stops a mail, and leaves nothing readable in the file", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main], { encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.match(stdout, /^seq= +4 +ToolCallCompleted .*'mail': 'mia@example\.com'/m)
    assert.match(stdout, /^seq= +7 +GuardrailTriggered .*rule='foreign_address'/m)
    assert.match(stdout, /^"sealed:2026:[A-Za-z0-9+/]+\.\.\.$/m)
    assert.match(stdout, /^\d+ appends, 1 of them from outside$/m)
    assert.deepStrictEqual(stdout.trimEnd().split("\n").slice(-2), [
      "mails to: mia@example.com",
      "the file knows \"find_customer\": true, and \"mia@example.com\": false"
    ])
  })
})
