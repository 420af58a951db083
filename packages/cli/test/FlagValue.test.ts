import { Budget } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, DateTime, Duration, Effect, Result, Schema } from "effect"
import * as FlagValue from "../src/FlagValue.ts"

const write = (budget: Budget.Budget): string =>
  Object.entries(budget).map(([name, amount]) => `${name}=${amount}`).join(",")

describe("FlagValue.budget", () => {
  it.prop("reads every budget that sets a limit", { budget: Arbitrary.schema(Budget.Budget) }, ({ budget }) => {
    if (Object.keys(budget).length === 0) return
    assert.deepStrictEqual(FlagValue.budget(write(budget)), Result.succeed(budget))
  })

  it("takes spaces, and keeps decimals as they are written", () => {
    assert.deepStrictEqual(
      FlagValue.budget("turns=3, costUsd = 0.50"),
      Result.succeed({ turns: 3, costUsd: "0.50" })
    )
  })

  it.prop("never takes what is no budget", { text: Schema.String }, ({ text }) => {
    const read = FlagValue.budget(text)
    if (Result.isSuccess(read)) assert.isTrue(Schema.is(Budget.Budget)(read.success))
    else assert.notStrictEqual(read.failure, "")
  })

  it("says what is wrong", () => {
    for (
      const text of [
        "",
        "turns",
        "turns=",
        "turns=-1",
        "turns=1.5",
        "turns=1,turns=2",
        "costUsd=a",
        "turns=1=2",
        "__proto__=1"
      ]
    ) {
      assert.isTrue(Result.isFailure(FlagValue.budget(text)), text)
    }
  })
})

describe("FlagValue.amounts", () => {
  it.effect("reads a whole number for each name, and nothing else", () =>
    Effect.gen(function*() {
      const read = FlagValue.amounts("limit")
      assert.deepStrictEqual(yield* read({ refund: "2", report: "0" }), { refund: 2, report: 0 })
      for (const amount of ["", "-1", "1.5", "many", "1e3", "9999999999"]) {
        const { message } = yield* Effect.flip(read({ refund: "1", report: amount }))
        assert.include(message, `--limit: \`${amount}\` is no whole number`)
      }
    }))
})

describe("FlagValue.duration", () => {
  it("reads amounts with their units", () => {
    const millis = ["500ms", "30s", "1.5 s", "5min", "2h", "1d"].map((text) =>
      Result.getOrThrow(Result.map(FlagValue.duration(text), Duration.toMillis))
    )
    assert.deepStrictEqual(millis, [500, 30_000, 1_500, 300_000, 7_200_000, 86_400_000])
  })

  it("refuses everything else, and nothing at all", () => {
    for (const text of ["", "30", "0s", "0.0h", "-1s", "1 week", "soon", "1e9s", "∞"]) {
      assert.isTrue(Result.isFailure(FlagValue.duration(text)), text)
    }
  })
})

describe("FlagValue.instant", () => {
  it.prop(
    "reads back every time",
    { millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4e12 })) },
    ({ millis }) => {
      const read = FlagValue.instant(new Date(millis).toISOString())
      assert.deepStrictEqual(Result.map(read, DateTime.toEpochMillis), Result.succeed(millis))
    }
  )

  it("wants an offset, and a time that exists", () => {
    assert.deepStrictEqual(
      Result.map(FlagValue.instant("2030-01-01T09:00+01:00"), DateTime.toEpochMillis),
      Result.succeed(Date.UTC(2030, 0, 1, 8))
    )
    for (
      const text of [
        "",
        "2030-01-01",
        "2030-01-01T09:00",
        "2030-13-01T09:00Z",
        "2030-02-30T09:00Z",
        "2030-01-01T25:00Z",
        "now"
      ]
    ) {
      assert.isTrue(Result.isFailure(FlagValue.instant(text)), text)
    }
  })
})
