import { Amounts } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Option, Result, Schema } from "effect"

const read = (value: Schema.Json) =>
  Option.getOrUndefined(Option.map(Amounts.read(value), ({ currency, value }) =>
    `${BigDecimal.format(BigDecimal.normalize(value))}${currency === undefined ? "" : ` ${currency}`}`))

describe("Amounts.read", () => {
  for (
    const [given, amount] of [
      [12.5, "12.5"],
      ["12.50", "12.5"],
      ["1e6", "1000000"],
      ["１２００", "1200"],
      ["-5", "-5"],
      [-0.01, "-0.01"],
      ["EUR 12.50", "12.5 EUR"],
      ["12.50 eur", "12.5 EUR"],
      ["€12.50", "12.5 EUR"],
      ["99999999999999999999.01", "99999999999999999999.01"]
    ] as const
  ) it(`takes ${JSON.stringify(given)} for ${amount} (check 68)`, () => assert.strictEqual(read(given), amount))

  for (
    const given of [
      // Separators mean different things in different places, so a guess may be a thousand times wrong.
      "1,200.50",
      "1.200,50",
      "1 200",
      "1_200",
      "1'200",
      "NaN",
      "Infinity",
      "-Infinity",
      "0x10",
      "1e999",
      "12n",
      "12 %",
      "twelve",
      "",
      " ",
      "1.2.3",
      "EUR 1 USD",
      "--5",
      null,
      true,
      [],
      {}
    ]
  ) it(`takes ${JSON.stringify(given)} for no amount (check 68, D8, D47)`, () => assert.isUndefined(read(given)))

  it.prop("takes a number in a text for the number", { value: Schema.Finite }, ({ value }) => {
    const text = String(value)
    if (/e[+-]\d{3}/.test(text)) return
    const amount = Option.getOrUndefined(Amounts.read(text))
    assert.isTrue(amount !== undefined && Number(BigDecimal.format(amount.value)) === value, text)
  })
})

describe("Amounts.sums", () => {
  it.prop("adds what stands at a path, of every element of a list, and nothing else", {
    cents: Schema.Array(Schema.Natural.check(Schema.isLessThan(1e9)))
  }, ({ cents }) => {
    const json = { lines: cents.map((amount) => ({ amount, other: 7 })), amount: 3 }
    const sums = Result.getOrThrow(Amounts.sums(json, "lines.amount"))
    const sum = sums.get("")
    assert.strictEqual(sum === undefined ? 0 : Number(BigDecimal.format(sum)), cents.reduce((all, one) => all + one, 0))
  })

  it("has nothing to say of negative amounts and of what is none, unless it is lenient", () => {
    for (const amount of [-1, "-1", "NaN", null]) {
      const json = { lines: [{ amount: 5 }, { amount }] }
      const sums = Amounts.sums(json, "lines.amount")
      assert.strictEqual(Result.isFailure(sums), amount !== null, String(amount))
      const lenient = Result.getOrThrow(Amounts.sums(json, "lines.amount", undefined, true)).get("")
      assert.strictEqual(lenient === undefined ? "" : BigDecimal.format(lenient), "5")
    }
  })
})
