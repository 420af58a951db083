import { assert, describe, it } from "@effect/vitest"
import { parsePhoneNumberFromString } from "libphonenumber-js/min"
import metadata from "libphonenumber-js/min/metadata"
import * as NumberingPlans from "../src/NumberingPlans.ts"

/** Numbers that chance draws, the same every time. */
const digits = (seed: number) => {
  let state = seed
  const below = (most: number) => {
    state = (state + 0x6d2b79f5) | 0
    const once = Math.imul(state ^ (state >>> 15), 1 | state)
    const twice = (once + Math.imul(once ^ (once >>> 7), 61 | once)) ^ once
    return ((twice ^ (twice >>> 14)) >>> 0) % most
  }
  return { below, row: (length: number) => Array.from({ length }, () => below(10)).join("") }
}

/** How often both say the same, and what we take for a number that the library does not. */
const compared = (
  count: number,
  one: (at: number) => { readonly ours: boolean; readonly theirs: boolean; readonly what: string }
) => {
  const all = Array.from({ length: count }, (_, at) => one(at))
  return {
    same: all.filter(({ ours, theirs }) => ours === theirs).length / count,
    invented: all.flatMap(({ ours, theirs, what }) => ours && !theirs ? [what] : [])
  }
}

describe("NumberingPlans", () => {
  it("takes for a number from abroad what the library takes for one", () => {
    const { below, row } = digits(11)
    const codes = Object.keys(metadata.country_calling_codes)
    const { invented, same } = compared(1500, () => {
      const what = `${codes[below(codes.length)]}${row(5 + below(8))}`
      const theirs = parsePhoneNumberFromString(`+${what}`)?.isValid() === true
      return { what, theirs, ours: NumberingPlans.international(what) === "valid" }
    })
    assert.isAtMost(invented.length, 5, invented.join())
    assert.isAbove(same, 0.98)
  })

  it("takes for a number of a country what the library takes for one", () => {
    const { below, row } = digits(7)
    const countries = Object.keys(metadata.countries).filter(NumberingPlans.isCountry)
    const { invented, same } = compared(1500, () => {
      const country = countries[below(countries.length)] ?? "DE"
      const number = `${below(2) === 0 ? "0" : ""}${row(6 + below(6))}`
      const theirs = parsePhoneNumberFromString(number, country)?.isValid() === true
      return { what: `${country} ${number}`, theirs, ours: NumberingPlans.isNational(number, country) }
    })
    assert.isAtMost(invented.length, 5, invented.join())
    assert.isAbove(same, 0.98)
  })
})
