import { everyPrefix, People, runProgram } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Script, Support, toolsOf } from "../src/Desk.ts"
import { PaymentRefused, Payments, type RequestOptions } from "../src/Payments.ts"

/** Pays, and then loses the answer to the first request. */
class FirstAnswerLost extends Payments {
  override async refund(orderId: string, cents: number, options: RequestOptions): Promise<string> {
    const receipt = await super.refund(orderId, cents, options)
    if (this.attempts === 1) throw new Error("ECONNRESET")
    return receipt
  }
}

/** Refuses everything. */
class Refusing extends Payments {
  override async refund(): Promise<string> {
    throw new PaymentRefused("this account is closed")
  }
}

const scenario = (world: () => Payments) => ({
  program: Support,
  input: "Order A-8891: it arrived damaged.",
  world,
  layer: (payments: Payments) => Support.layer.pipe(Layer.provide([Script, toolsOf(payments)])),
  effects: ({ refunds }: Payments) => Array.from(refunds.values()),
  outside: People.approve
})

describe("tools made of plain functions", () => {
  it.effect("pay once, whenever their process dies", () => everyPrefix(scenario(() => new Payments())))

  it.effect("pay once although the first answer is lost, whenever their process dies", () =>
    everyPrefix(scenario(() => new FirstAnswerLost())))

  it.effect("ask again, with the same key, when an answer is lost", () =>
    Effect.gen(function*() {
      const { effects, world } = yield* runProgram(scenario(() => new FirstAnswerLost()))
      assert.strictEqual(world.attempts, 2)
      assert.deepStrictEqual(effects, [{ orderId: "A-8891", cents: 6400, receipt: "RF-1" }])
    }))

  it.effect("tell the model what the service refuses", () =>
    Effect.gen(function*() {
      const { log } = yield* runProgram(scenario(() => new Refusing()))
      const result = log.find(({ event }) => event._tag === "ToolCallCompleted")?.event
      assert.deepInclude(result, { isFailure: true, result: { _tag: "Refused", reason: "this account is closed" } })
    }))
})

describe("the rest of the example", () => {
  it("does not know of Effect", () => {
    for (const file of ["main.ts", "Payments.ts"]) {
      assert.notMatch(
        readFileSync(join(import.meta.dirname, "../src", file), "utf8"),
        /from "(effect|@effect|@durable)/
      )
    }
  })
})
