import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Result, Schema } from "effect"
import type { Claim, Usage } from "../src/Budget.ts"
import {
  addCall,
  addSpend,
  Budget,
  CallUsage,
  check,
  defaultBudget,
  nothing,
  noUsage,
  Spend,
  stated,
  subtractSpend,
  unaccounted,
  Usage as UsageSchema
} from "../src/Budget.ts"
import { sum as sumUsd } from "../src/Usd.ts"

const equal = (left: string, right: string) =>
  BigDecimal.equals(BigDecimal.fromStringUnsafe(left), BigDecimal.fromStringUnsafe(right))

const assertUsd = (actual: string, expected: string) => assert.isTrue(equal(actual, expected), `${actual}, ${expected}`)

const Usd = Spend.fields.costUsd
const Spends = Schema.Struct({ tokens: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })), costUsd: Usd })

const claim = (more: Partial<Claim> = {}): Claim => ({
  turns: 0,
  toolCalls: 0,
  spends: false,
  reserve: nothing,
  elapsedMillis: 0,
  activeMillis: 0,
  ...more
})

const used = (more: Partial<Usage>): Usage => ({ ...noUsage, ...more })

const limitOf = (budget: Budget, usage: Usage, claimed: Claim): string | undefined => {
  const result = check(budget, usage, claimed)
  return Result.isFailure(result) ? result.failure.limit : undefined
}

describe("Budget.addSpend", () => {
  it.prop("is undone by subtractSpend", { left: Spends, right: Spends }, ({ left, right }) => {
    const back = subtractSpend(addSpend(left, right), right)
    assert.strictEqual(back.tokens, left.tokens)
    assertUsd(back.costUsd, left.costUsd)
  })

  it.prop("adds nothing with nothing", { spend: Spends }, ({ spend }) => {
    assert.deepStrictEqual(addSpend(spend, nothing), spend)
    assert.deepStrictEqual(addSpend(nothing, spend), spend)
    assert.deepStrictEqual(subtractSpend(spend, nothing), spend)
  })

  it("stays a safe integer, whatever a provider reports", () => {
    const huge = { tokens: Number.MAX_SAFE_INTEGER, costUsd: "0" }
    assert.strictEqual(addSpend(huge, huge).tokens, Number.MAX_SAFE_INTEGER)
  })
})

describe("Budget.subtractSpend", () => {
  it.prop("is never below zero", { left: Spends, right: Spends }, ({ left, right }) => {
    const rest = subtractSpend(left, right)
    assert.isAtLeast(rest.tokens, 0)
    assert.isFalse(rest.costUsd.startsWith("-"))
    assertUsd(subtractSpend(left, left).costUsd, "0")
  })
})

describe("Budget.addCall", () => {
  it.prop("adds what was reported, and counts the calls that did not report tokens (MR-11)", {
    calls: Schema.Array(CallUsage)
  }, ({ calls }) => {
    const usage = calls.reduce(addCall, noUsage)
    const total = (field: "inputTokens" | "cachedInputTokens" | "outputTokens") =>
      Math.min(Number.MAX_SAFE_INTEGER, calls.reduce((sum, call) => sum + (call[field] ?? 0), 0))
    assert.deepInclude(usage, {
      turns: 0,
      toolCalls: 0,
      inputTokens: total("inputTokens"),
      cachedInputTokens: total("cachedInputTokens"),
      outputTokens: total("outputTokens"),
      possible: nothing
    })
    assertUsd(usage.costUsd, calls.map(({ costUsd = "0" }) => costUsd).reduce(sumUsd, "0"))
    const silent = calls.filter(({ inputTokens, outputTokens }) =>
      inputTokens === undefined || outputTokens === undefined
    )
    assert.strictEqual(usage.unreportedCalls, silent.length)
    assert.isTrue(Schema.is(UsageSchema)(usage))
  })

  it("takes zero for a report, and more cached than prompt tokens as they come (ME-6)", () => {
    assert.deepInclude(addCall(noUsage, { inputTokens: 0, outputTokens: 0 }), { unreportedCalls: 0 })
    assert.deepInclude(addCall(noUsage, { inputTokens: 1, cachedInputTokens: 5, outputTokens: 0 }), {
      inputTokens: 1,
      cachedInputTokens: 5
    })
    assert.deepInclude(addCall(noUsage, { costUsd: "0.5" }), { unreportedCalls: 1, costUsd: "0.5" })
  })
})

describe("Budget.check", () => {
  it.prop("lets a run without limits do anything", { tokens: Schema.Natural, costUsd: Usd }, (reserve) => {
    const usage = used({ turns: 1e9, toolCalls: 1e9, inputTokens: 1e9, costUsd: "1e9", possible: reserve })
    assert
      .isUndefined(limitOf(
        {},
        usage,
        claim({ turns: 1, toolCalls: 1, spends: true, reserve, elapsedMillis: 1e12, activeMillis: 1e12 })
      ))
  })

  it.prop("permits exactly N turns and N tool calls (check 101)", {
    cap: Schema.Literals([0, 1, 2, 3, 7, 25]),
    what: Schema.Literals(["turns", "toolCalls"])
  }, ({ cap, what }) => {
    let permitted = 0
    while (limitOf({ [what]: cap }, used({ [what]: permitted }), claim({ [what]: 1, spends: true })) === undefined) {
      permitted += 1
    }
    assert.strictEqual(permitted, cap)
    assert.strictEqual(limitOf({ [what]: cap }, used({ [what]: permitted }), claim({ [what]: 1 })), what)
  })

  it("lets an operation be tried again that was counted", () => {
    assert.isUndefined(limitOf({ turns: 1 }, used({ turns: 1 }), claim({ spends: true })))
    assert.isUndefined(limitOf({ toolCalls: 0 }, noUsage, claim()))
  })

  it.prop("keeps what is spent and what is reserved within the limit, whoever comes", {
    tokens: Schema.Literals([0, 1, 10, 100]),
    costUsd: Schema.Literals(["0", "0.01", "1.00", "2.5"]),
    reserves: Schema.Array(Schema.Struct({
      tokens: Schema.Literals([1, 7, 30]),
      costUsd: Schema.Literals(["0.003", "0.1", "0.9"])
    }))
  }, ({ costUsd, reserves, tokens }) => {
    let possible: Spend = nothing
    for (const reserve of reserves) {
      const result = check({ tokens, costUsd }, used({ possible }), claim({ spends: true, reserve }))
      if (Result.isSuccess(result)) possible = addSpend(possible, reserve)
      assert.isAtMost(possible.tokens, tokens)
      assert.isAtMost(Number(possible.costUsd), Number(costUsd))
    }
  })

  it("stops the request after the limit is used up if nothing was reserved", () => {
    const budget = { tokens: 10, costUsd: "0.30" }
    assert.isUndefined(limitOf(budget, used({ inputTokens: 5, outputTokens: 4 }), claim({ spends: true })))
    assert.strictEqual(limitOf(budget, used({ inputTokens: 5, outputTokens: 5 }), claim({ spends: true })), "tokens")
    assert.isUndefined(limitOf(budget, used({ costUsd: "0.2999" }), claim({ spends: true })))
    assert.strictEqual(limitOf(budget, used({ costUsd: "0.3" }), claim({ spends: true })), "costUsd")
  })

  it("stops the request that could pass the limit, and not the one that just fits", () => {
    const budget = { tokens: 10, costUsd: "0.3" }
    const ask = (tokens: number, costUsd: string) => claim({ spends: true, reserve: { tokens, costUsd } })
    const usage = used({ inputTokens: 4, costUsd: "0.1" })
    assert.isUndefined(limitOf(budget, usage, ask(6, "0.2")))
    assert.strictEqual(limitOf(budget, usage, ask(7, "0.2")), "tokens")
    assert.strictEqual(limitOf(budget, usage, ask(6, "0.2000001")), "costUsd")
  })

  it("counts what calls without a known outcome may have used", () => {
    const possible = { tokens: 10, costUsd: "0.3" }
    assert.strictEqual(limitOf({ tokens: 10 }, used({ possible }), claim({ spends: true })), "tokens")
    assert.strictEqual(limitOf({ costUsd: "0.3" }, used({ possible }), claim({ spends: true })), "costUsd")
  })

  it("asks nothing of steps and tools but turns, calls and time", () => {
    const spent = used({ inputTokens: 100, costUsd: "5" })
    assert.isUndefined(limitOf({ tokens: 1, costUsd: "1" }, spent, claim({ toolCalls: 1 })))
    assert.strictEqual(limitOf({ wallMillis: 1000 }, noUsage, claim({ elapsedMillis: 1000 })), "wallMillis")
    assert.isUndefined(limitOf({ wallMillis: 1000 }, noUsage, claim({ elapsedMillis: 999 })))
    assert.isUndefined(limitOf({ activeMillis: 1000 }, noUsage, claim({ elapsedMillis: 5000, activeMillis: 999 })))
    assert.strictEqual(limitOf({ activeMillis: 1000 }, noUsage, claim({ activeMillis: 1000 })), "activeMillis")
  })

  it("says which limit it was, what is allowed and what is used", () => {
    const result = check({ costUsd: "1.00" }, used({ costUsd: "0.7", possible: { tokens: 0, costUsd: "0.5" } }), {
      ...claim(),
      spends: true
    })
    if (Result.isSuccess(result)) return assert.fail("it fits")
    assert.deepInclude(result.failure, { limit: "costUsd", allowed: "1.00", used: "1.2" })
    assert.strictEqual(result.failure.message, "The run's budget allows 1.00 USD, and 1.2 are used")
  })

  it.prop(
    "never throws",
    { budget: Budget, usage: UsageSchema, reserve: Spend, elapsedMillis: Schema.Finite },
    (input) => {
      const { budget, elapsedMillis, reserve, usage } = input
      const result = check(budget, usage, {
        turns: 1,
        toolCalls: 1,
        spends: true,
        reserve,
        elapsedMillis,
        activeMillis: elapsedMillis
      })
      if (Result.isFailure(result)) assert.isDefined(budget[result.failure.limit])
    }
  )
})

describe("Budget.unaccounted", () => {
  it.prop("and what was reported are never less than a reservation that was not passed (MR-11)", {
    reserve: Spends,
    call: CallUsage
  }, ({ call, reserve }) => {
    const left = unaccounted(reserve, call)
    const reported = (call.inputTokens ?? 0) + (call.outputTokens ?? 0)
    if (call.inputTokens === undefined || call.outputTokens === undefined) {
      assert.isAtLeast(left.tokens + reported, reserve.tokens)
    } else assert.strictEqual(left.tokens, 0)
    assertUsd(left.costUsd, call.costUsd === undefined ? reserve.costUsd : "0")
    assert.isAtLeast(left.tokens, 0)
  })
})

describe("Budget.stated", () => {
  it("means the limit on money that it names, unless it says otherwise", () => {
    assert.deepStrictEqual(stated({ costUsd: "2" }), { costUsd: "2", unpriced: "refuse" })
    assert.deepStrictEqual(stated({ costUsd: "2", unpriced: "allow" }), { costUsd: "2", unpriced: "allow" })
    assert.deepStrictEqual(stated({ turns: 2 }), { turns: 2 })
  })
})

describe("Budget.defaultBudget", () => {
  it("is a budget", () => {
    assert.isTrue(Schema.is(Budget)(defaultBudget))
    assert.isTrue(Schema.is(UsageSchema)(noUsage))
    assert.isTrue(Schema.is(Spend)(nothing))
  })
})
