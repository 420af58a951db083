import { ScriptedModel } from "@durable-agents/agent"
import { Runs, Runtime, type RunView } from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Script, Support, toolsOf } from "../src/Desk.ts"
import { PaymentRefused, Payments, type RequestOptions } from "../src/Payments.ts"

const dana = "dana@example.com"
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

const appOf = (payments: Payments) => Support.layer.pipe(Layer.provide(toolsOf(payments)))

const approveAll = ({ pendingApprovals, runId }: RunView) =>
  Effect.flatMap(
    Runs,
    (runs) => Effect.forEach(pendingApprovals, ({ key }) => runs.approve(runId, { approval: key, actor: dana }))
  )

const paysOnce = (world: () => Payments) =>
  everyPrefix({
    program: Support,
    input: "Order A-8891: it arrived damaged.",
    world,
    layer: (payments) => appOf(payments).pipe(Layer.provide(Script)),
    effects: ({ refunds }) => Array.from(refunds.values()),
    outside: approveAll
  })

describe("tools made of plain functions", () => {
  it.effect("pay once, whenever their process dies", () => paysOnce(() => new Payments()))

  it.effect("pay once although the first answer is lost, whenever their process dies", () =>
    paysOnce(() => new FirstAnswerLost()))

  it.effect("tell the model what the service refuses", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runtime = yield* Runtime
      const runId = yield* runs.start(Support, "Order A-8891: it arrived damaged.")
      yield* approveAll(yield* runtime.execute(runId))
      yield* runtime.execute(runId)
      const requests = yield* Effect.flatMap(ScriptedModel.Requests, ({ all }) => all)
      assert.include(JSON.stringify(requests.at(-1)?.prompt.content), "this account is closed")
    }).pipe(Effect.provide(appOf(new Refusing()).pipe(
      Layer.provideMerge(Runtime.layerMemory),
      Layer.provideMerge(Script)
    ))))
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
