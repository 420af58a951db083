import { assert, describe, it } from "@effect/vitest"
import { counted, escaped, instant, localised, time, visible } from "../src/page/Text.ts"

describe("Text.localised", () => {
  it("says the times that are known as the reader does, and leaves what only looks like a time", () => {
    const [known, other] = [1_700_000_000_123, 1_700_000_000_124]
    assert.strictEqual(
      localised(`until ${instant(known)}: “${instant(other)}”`, [undefined, known, 1e300]),
      `until ${time(known)}: “${instant(other)}”`
    )
  })
})

describe("Text.visible", () => {
  it("shows what would hide or rearrange text by its code", () => {
    assert.strictEqual(visible("a\u202eb\u200bc\r\nd\u0000"), "a⟨U+202E⟩b⟨U+200B⟩c\nd⟨U+0000⟩")
  })
})

describe("Text.escaped", () => {
  it("writes the same value in JSON in which all is seen", () => {
    const value = { "a\u202e": ["\u{e0041}b\n\r", "👩‍👧"] }
    const json = escaped(JSON.stringify(value, null, 2))
    assert.strictEqual(visible(json), json)
    assert.deepStrictEqual(JSON.parse(json), value)
  })
})

describe("Text.counted", () => {
  it("knows one from many", () => {
    assert.deepStrictEqual([0, 1, 2].map((count) => counted(count, "turn")), ["0 turns", "1 turn", "2 turns"])
  })
})
