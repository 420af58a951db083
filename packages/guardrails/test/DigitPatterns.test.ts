import { assert, describe, it } from "@effect/vitest"
import * as DigitPatterns from "../src/DigitPatterns.ts"

const matches = (term: DigitPatterns.Term, digits: string) => DigitPatterns.afterAll(term, digits).ends

/** All rows of up to five of these digits. */
const rows = (alphabet: string): ReadonlyArray<string> => {
  const all = [""]
  for (let at = 0; at < all.length; at++) {
    const row = all[at] ?? ""
    if (row.length < 5) { for (const digit of alphabet) all.push(`${row}${digit}`) }
  }
  return all
}

const patterns = [
  "\\d{3}",
  "[1-3]\\d?",
  "(?:1|12)3",
  "0?(1[23])?\\d{0,2}",
  "1(?:2|3(?:1{2,3}|2))|[23]{1,4}",
  "(?:0|10)(?:(1[23])(\\d{1,2}))?"
]

describe("DigitPatterns", () => {
  it("matches what the regular expression matches, and what both, one or one length of them match", () => {
    const all = rows("0123")
    const read = patterns.map((pattern) => ({
      regex: new RegExp(`^(?:${pattern})$`),
      term: DigitPatterns.read(pattern) ?? DigitPatterns.never
    }))
    for (const [at, { regex, term }] of read.entries()) {
      const other = read[(at + 1) % read.length] ?? { regex, term }
      const both = DigitPatterns.and(term, other.term)
      const either = DigitPatterns.alt([term, other.term])
      const three = DigitPatterns.ofLength(either, 3)
      const wrong = all.filter((row) => {
        const [a, b] = [regex.test(row), other.regex.test(row)]
        return matches(term, row) !== a || matches(both, row) !== (a && b) || matches(either, row) !== (a || b) ||
          matches(three, row) !== ((a || b) && row.length === 3)
      })
      assert.deepStrictEqual(wrong, [], patterns[at])
    }
  })

  it("knows whether something begins with a row in one way only", () => {
    const isPrefixFree = (pattern: string) =>
      DigitPatterns.isPrefixFree(DigitPatterns.read(pattern) ?? DigitPatterns.never)
    assert.deepStrictEqual(["0", "0|1[23]", "8|80", "0?", "(?:1|12)3"].map(isPrefixFree), [
      true,
      true,
      false,
      false,
      true
    ])
  })

  it("reads no pattern that holds more than digits, classes, groups, alternatives and counts", () => {
    for (const pattern of ["1*", "1+", "^1", "(?=1)", "\\w", "(1", "1)", "[^1]"]) {
      assert.isUndefined(DigitPatterns.read(pattern), pattern)
    }
  })
})
