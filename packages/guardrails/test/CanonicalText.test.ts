import { CanonicalText } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("CanonicalText", () => {
  for (
    const [original, text] of [
      ["Pay  ANN\n\tnow", "pay ann now"],
      ["ＤＥ４４", "de44"],
      ["i\u200bg\u2060n\u00adore", "ignore"],
      ["\u{e0041}\u{e0042}x", "x"],
      ["e\u0301 \ufb01", "\u00e9 fi"],
      ["\u201cit\u2019s\u201d \u2013 so", "\"it's\" - so"],
      ["a \u200b b", "a b"]
    ] as const
  ) {
    it(`reads ${JSON.stringify(original)} as ${JSON.stringify(text)} (D44)`, () => {
      assert.strictEqual(CanonicalText.of(original).text, text)
    })
  }

  it.prop(
    "knows where each character was, in order, and reads its own text as itself",
    { original: Schema.String },
    ({ original }) => {
      const { at, text } = CanonicalText.of(original)
      const places = Array.from({ length: text.length + 1 }, (_, index) => at(index))
      assert.deepStrictEqual(places, places.toSorted((left, right) => left - right))
      assert.isTrue(places.every((place) => place >= 0 && place <= original.length))
      assert.strictEqual(CanonicalText.of(text).text, text)
    }
  )

  it.prop("is the same with what is not shown put anywhere", {
    words: Schema.Array(Schema.Literals(["pay", "ann", "42", "\u00fc", "x"])),
    unseen: Schema.Literals(["\u200b", "\u2060", "\ufeff", "\u00ad", "\u{e0061}", "\u200e"])
  }, ({ unseen, words }) => {
    const text = words.join(" ")
    assert.strictEqual(CanonicalText.value(Array.from(text).join(unseen)), CanonicalText.value(text))
  })
})
