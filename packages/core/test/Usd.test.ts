import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Schema } from "effect"
import { subtract, sum, Total, Usd } from "../src/Usd.ts"

const isUsd = Schema.is(Usd)

const equal = (left: string, right: string) =>
  BigDecimal.equals(BigDecimal.fromStringUnsafe(left), BigDecimal.fromStringUnsafe(right))

const assertUsd = (actual: string, expected: string) => assert.isTrue(equal(actual, expected), `${actual}, ${expected}`)

describe("Usd.sum", () => {
  it("is exact where floating point is not", () => {
    assert.strictEqual(sum("0.1", "0.2"), "0.3")
    assert.strictEqual(sum("9007199254740993", "1"), "9007199254740994")
    assert.strictEqual(sum("0.000000000000000000001", "1"), "1.000000000000000000001")
    assert.strictEqual(sum("0.30000000000000004", "1e-9"), "0.30000000100000004")
    assert.strictEqual(sum("1e21", "0.10"), "1000000000000000000000.1")
    assert.strictEqual(Array.from({ length: 1000 }, () => "0.001").reduce(sum, "0"), "1")
  })

  it.prop("is commutative, associative, and has zero", { a: Usd, b: Usd, c: Usd }, ({ a, b, c }) => {
    assertUsd(sum(a, b), sum(b, a))
    assertUsd(sum(sum(a, b), c), sum(a, sum(b, c)))
    assertUsd(sum(a, "0"), a)
    assertUsd(sum("0", a), a)
  })

  it.prop(
    "gives text that can be read back as a total, however many there are",
    { all: Schema.Array(Usd) },
    ({ all }) => {
      const isTotal = Schema.is(Total)
      assert.isTrue(isTotal(all.reduce(sum, "0")))
      assert.isTrue(isTotal(sum(`${"9".repeat(40)}e99`, "1e-99")))
      assert.isTrue(isTotal(Array.from({ length: 100 }, () => `${"9".repeat(40)}e99`).reduce(sum, "0")))
    }
  )
})

describe("Usd.Usd", () => {
  it("takes decimals that are not negative, and none that would cost time or space", () => {
    for (const text of ["0", "1.00", "0.0001", "1e-20", "2.5e+3", "1e21"]) assert.isTrue(isUsd(text), text)
    for (
      const text of ["-1", "", " 1", "1.", ".5", "NaN", "Infinity", "0x10", "1,5", "1e999999999", "1".repeat(41), "+1"]
    ) assert.isFalse(isUsd(text), text)
  })
})

describe("Usd.subtract", () => {
  it.prop("undoes a sum, and is never negative", { left: Usd, right: Usd }, ({ left, right }) => {
    assertUsd(subtract(sum(left, right), right), left)
    assert.isFalse(subtract(left, right).startsWith("-"))
  })
})
