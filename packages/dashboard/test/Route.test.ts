import type { Run } from "@durable-agents/server/Api"
import { assert, describe, it } from "@effect/vitest"
import { href, parse } from "../src/page/Route.ts"
import { duration, shown, visible } from "../src/page/Text.ts"

const runId = "01890000-0000-7000-8000-000000000001" as Run["runId"]

describe("Route", () => {
  it("reads back what it writes, whatever keys and filters hold", () => {
    for (const text of ["turn-1/call-1/approval", "a b+c&d=e%f#g?h", "ü/€/\u{1f600}", "%zz", "100%"]) {
      const hashes = [
        `#/approvals/${runId}/${encodeURIComponent(text)}`,
        href({ _tag: "Runs", filters: { program: text } })
      ]
      assert.deepStrictEqual(hashes.map(parse), [
        { _tag: "Approvals", runId, key: text },
        { _tag: "Runs", filters: { program: text } }
      ])
      assert.deepStrictEqual(hashes.map(parse).map(href), hashes)
    }
  })

  it("leads what it does not understand to the approvals or the runs", () => {
    assert.deepStrictEqual(["", "#", "#/x", "#/approvals/1/k", "#/runs/javascript:1"].map((hash) => parse(hash)._tag), [
      "Approvals",
      "Approvals",
      "Approvals",
      "Approvals",
      "Runs"
    ])
  })
})

describe("Text", () => {
  it("shows characters that hide or rearrange what is read (D57)", () => {
    assert.strictEqual(visible("pay\u202eEUR\u200b\0 ok\n"), "pay⟨U+202E⟩EUR⟨U+200B⟩⟨U+0000⟩ ok\n")
    assert.strictEqual(shown({ a: "\u2066" }), "{\n  \"a\": \"⟨U+2066⟩\"\n}")
  })

  it("says a length of time in its two largest units", () => {
    assert.deepStrictEqual([0, 900, 61_000, 90_061_000].map(duration), ["0 ms", "900 ms", "1 min 1 s", "1 day 1 hour"])
  })
})
