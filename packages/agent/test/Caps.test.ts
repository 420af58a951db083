import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Caps from "../src/Caps.ts"

const fields = (caps: Caps.Caps, args: Schema.Json) => Caps.exceeded(caps, args).map(({ field }) => field)
const cents = { cents: { max: 1000 } }

describe("Caps.exceeded", () => {
  it.prop("a cap of N permits exactly N", { max: Schema.Natural, beyond: Schema.Natural }, ({ beyond, max }) => {
    const caps = { cents: { max } }
    assert.deepStrictEqual(fields(caps, { cents: max }), [])
    if (Number.isSafeInteger(max + beyond)) {
      assert.deepStrictEqual(fields(caps, { cents: max + beyond }), beyond === 0 ? [] : ["cents"])
    }
  })

  it.prop("reads a number in a text as the number", { value: Schema.Int, max: Schema.Natural }, ({ max, value }) => {
    const caps = { cents: { max } }
    assert.deepStrictEqual(fields(caps, { cents: String(value) }), fields(caps, { cents: value }))
    assert.deepStrictEqual(fields(caps, { cents: ` ${value}.0 ` }), fields(caps, { cents: value }))
  })

  it.prop("refuses negative numbers unless the cap has a least one", { value: Schema.Natural }, ({ value }) => {
    const negative = -value - 1
    assert.deepStrictEqual(fields(cents, { cents: negative }), ["cents"])
    assert.deepStrictEqual(fields({ cents: { min: negative, max: 1000 } }, { cents: negative }), [])
  })

  it("finds nested fields and every element of a list", () => {
    const caps = { "payment.lines.cents": { max: 10 } }
    const order = (...amounts: ReadonlyArray<Schema.Json>) => ({
      payment: { lines: amounts.map((amount) => ({ cents: amount })) }
    })
    assert.deepStrictEqual(fields(caps, order(1, 2, 10)), [])
    assert.deepStrictEqual(fields(caps, order(1, 11, 2)), ["payment.lines.cents"])
    assert.deepStrictEqual(fields(caps, order(1, "11")), ["payment.lines.cents"])
    assert.deepStrictEqual(fields(caps, { payment: [{ lines: [[{ cents: 11 }]] }] }), ["payment.lines.cents"])
  })

  for (const value of ["1,000", "1e9999", "0x10", "１０", "ten", "", "NaN", "9".repeat(1000), true, {}, ["5,0"]]) {
    it(`lets nothing pass that is no plain number: ${JSON.stringify(value).slice(0, 20)}`, () => {
      assert.deepStrictEqual(fields(cents, { cents: value }), Array.isArray(value) || value !== null ? ["cents"] : [])
    })
  }

  it("compares decimals that no number can hold", () => {
    const caps = { usd: { max: "0.1000000000000000000001" } }
    assert.deepStrictEqual(fields(caps, { usd: "0.1000000000000000000001" }), [])
    assert.deepStrictEqual(fields(caps, { usd: "0.1000000000000000000002" }), ["usd"])
    assert.deepStrictEqual(fields(caps, { usd: "1e-3" }), [])
  })

  it("lets pass what is absent", () => {
    assert.deepStrictEqual(fields(cents, {}), [])
    assert.deepStrictEqual(fields(cents, { cents: null }), [])
    assert.deepStrictEqual(fields({ "a.b": { max: 1 } }, { a: "text" }), [])
  })

  it("does not say the value", () => {
    const [found] = Caps.exceeded(cents, { cents: 123_456 })
    assert.strictEqual(found?.words, "`cents` must be from 0 to 1000")
  })
})

describe("Caps.problem", () => {
  for (
    const caps of [
      { cents: { max: "a lot" } },
      { cents: { max: NaN } },
      { cents: { max: -1 } },
      { cents: { min: 5, max: 4 } },
      { "": { max: 1 } },
      { "a..b": { max: 1 } }
    ]
  ) {
    it(`refuses ${JSON.stringify(caps)}`, () => {
      assert.isDefined(Caps.problem(caps))
    })
  }

  it("takes what can be meant", () => {
    assert.isUndefined(Caps.problem({ cents: { max: 0 }, "a.b": { min: -5, max: "-1.5" }, c: { min: 3 } }))
  })
})
