import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Occurrences from "../src/Occurrences.ts"

const Short = Schema.Array(Schema.Literals(["a", "b", "ab", "ba-", "aab", "é", "abcab"]))
  .pipe(Schema.check(Schema.isMaxLength(6)))

const escape = (text: string) => text.replace(/[$()*+.?[\\\]^{|}/-]/g, "\\$&")

describe("Occurrences", () => {
  it.prop("are what a pattern of all values finds that tries the longest first, from each place on", {
    values: Schema.Array(Short).pipe(Schema.check(Schema.isMaxLength(6))),
    texts: Schema.Array(Short)
  }, ({ texts, values }) => {
    const occurrences = Occurrences.make()
    const all = values.map((parts) => parts.join("")).filter((value) => value !== "")
    for (const value of all) occurrences.add(value)
    const text = texts.flat().join("")
    const pattern = new RegExp(all.toSorted((a, b) => b.length - a.length).map(escape).join("|") || "(?!)", "y")
    const expected = Array.from(text).flatMap((_, start) => {
      pattern.lastIndex = start
      return pattern.test(text) ? [{ start, end: pattern.lastIndex }] : []
    })
    assert.deepStrictEqual(occurrences.find(text), expected)
  })
})
