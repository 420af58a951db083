import { Prices } from "@durable-agents/agent"
import { Budget, Usd } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Schema } from "effect"

const own = (models: Prices.Table["models"]): Prices.Table => ({ version: "own", models })
const flat = (input: string, output: string) => ({ input, output })
const inputOf = (models: Prices.Table["models"], ...names: ReadonlyArray<string>) =>
  Prices.find([own(models)], names)?.price.input

describe("Prices.find", () => {
  it("knows a model by its name and its dated versions, and by no other name", () => {
    const models = { "gpt-5.4": flat("2.50", "15"), "gpt-5.4-mini": flat("0.75", "4.50") }
    assert.strictEqual(inputOf(models, "gpt-5.4"), "2.50")
    assert.strictEqual(inputOf(models, "gpt-5.4-2026-03-05"), "2.50")
    assert.strictEqual(inputOf(models, "gpt-5.4-mini-latest"), "0.75")
    assert.strictEqual(inputOf(models, "gpt-5.4-mini@20260305"), "0.75")
    for (const name of ["gpt-5", "gpt-5.4-pro", "gpt-5.40", "openai/gpt-5.4", "GPT-5.4", ""]) {
      assert.isUndefined(inputOf(models, name), name)
    }
  })

  it("takes the longest pattern that fits, and a whole name before any", () => {
    const models = {
      "*": flat("9", "9"),
      "qwen3:*": flat("1", "1"),
      "qwen3:8b*": flat("2", "2"),
      "qwen3:8b": flat("3", "3")
    }
    assert.strictEqual(inputOf(models, "other"), "9")
    assert.strictEqual(inputOf(models, "qwen3:4b"), "1")
    assert.strictEqual(inputOf(models, "qwen3:8b-q4"), "2")
    assert.strictEqual(inputOf(models, "qwen3:8b"), "3")
  })

  it("asks the first table for all names before the next", () => {
    const tables = [own({ deployment: flat("7", "7") }), { version: "published", models: { answered: flat("1", "1") } }]
    assert.deepStrictEqual(Prices.find(tables, ["answered", "deployment"])?.version, "own")
    assert.deepStrictEqual(Prices.find(tables, ["answered", "unknown"])?.version, "published")
    assert.isUndefined(Prices.find(tables, ["unknown"]))
  })
})

describe("Prices.costOf", () => {
  const price = { input: "2.50", cachedInput: "0.25", cacheWrite: "3.125", output: "15" }

  it("is exact (check 94)", () => {
    const cost = (inputTokens: number, outputTokens: number) => Prices.costOf(price, { inputTokens, outputTokens })
    assert.strictEqual(cost(1, 1), "0.0000175")
    assert.strictEqual(cost(1_000_000, 0), "2.5")
    assert.strictEqual(cost(0, 0), "0")
    assert.strictEqual(
      Prices.costOf(flat("0.1", "0.2"), { inputTokens: 3, outputTokens: 3 }),
      "0.0000009"
    )
  })

  it("charges cached tokens once, at their own price if there is one (ME-6)", () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 0 }
    assert.strictEqual(Prices.costOf(price, usage), "0.000475")
    assert.strictEqual(Prices.costOf(flat("2.50", "15"), usage), "0.0025")
    assert.strictEqual(Prices.costOf(price, { ...usage, cacheWriteTokens: 100 }), "0.0005375")
  })

  it("takes more cached tokens than prompt for tokens beside it (ME-6)", () => {
    assert.strictEqual(
      Prices.costOf(price, { inputTokens: 100, cachedInputTokens: 900, outputTokens: 0 }),
      "0.000475"
    )
  })

  it("is not known if tokens were not reported (MR-11)", () => {
    assert.isUndefined(Prices.costOf(price, {}))
    assert.isUndefined(Prices.costOf(price, { inputTokens: 5 }))
    assert.isUndefined(Prices.costOf(price, { outputTokens: 5 }))
  })

  it("takes the prices of long prompts for the whole call", () => {
    const tiered = { ...flat("1", "10"), above: { tokens: 100, ...flat("2", "15") } }
    assert.strictEqual(Prices.costOf(tiered, { inputTokens: 100, outputTokens: 1 }), "0.00011")
    assert.strictEqual(Prices.costOf(tiered, { inputTokens: 101, outputTokens: 1 }), "0.000217")
  })

  const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))

  it.prop("is never negative, an amount that can be recorded, and never above what was set aside", {
    inputTokens: Count,
    cachedInputTokens: Count,
    cacheWriteTokens: Count,
    outputTokens: Count,
    name: Schema.Literals(Object.keys(Prices.published.models))
  }, ({ name, ...usage }) => {
    const found = Prices.find([Prices.published], [name])
    const cost = found === undefined ? undefined : Prices.costOf(found.price, usage)
    if (found === undefined || cost === undefined) return assert.fail(`${name} has no price`)
    assert.isTrue(Schema.is(Budget.CallUsage.fields.costUsd)(cost), cost)
    const beside = usage.cachedInputTokens + usage.cacheWriteTokens
    const prompt = beside <= usage.inputTokens ? usage.inputTokens : usage.inputTokens + beside
    const most = Prices.atMost(found.price, { input: prompt, output: usage.outputTokens })
    assert.isTrue(BigDecimal.isLessThanOrEqualTo(Usd.decimal(cost), Usd.decimal(most)), `${cost}, ${most}`)
  })
})

describe("Prices.readReported", () => {
  it("reads what a provider says, in plain digits", () => {
    assert.strictEqual(Prices.readReported(Prices.reported(0.00014)), "0.00014")
    assert.strictEqual(Prices.readReported(Prices.reported(1e-7)), "0.0000001")
    assert.strictEqual(Prices.readReported(Prices.reported("0")), "0")
    for (const odd of [-1, NaN, Infinity, "", "1e99", "free"]) {
      assert.isUndefined(Prices.readReported(Prices.reported(odd)), String(odd))
    }
    for (const odd of [undefined, null, {}, { durableAgents: { costUsd: 1 } }]) {
      assert.isUndefined(Prices.readReported(odd))
    }
  })
})

describe("Prices.layer", () => {
  it("refuses what is no price", () => {
    for (const input of ["-1", "1e3", "free", "", "1.0000000000001"]) {
      assert.throws(() => Prices.layer(own({ model: flat(input, "1") })))
    }
  })
})
