import { ScriptedModel } from "@durable-agents/agent"
import { Runs, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { app, Support } from "../src/app.ts"

const refunded = (cents: number) =>
  Effect.gen(function*() {
    const runId = yield* (yield* Runs).start(Support, "Refund order A-8891")
    return yield* (yield* Runtime).execute(runId)
  }).pipe(Effect.provide(app.layer.pipe(
    Layer.provideMerge(Runtime.layerMemory),
    Layer.provide(ScriptedModel.layer([
      ScriptedModel.toolCall("issue_refund", { orderId: "A-8891", cents }),
      ScriptedModel.toolCall("issue_refund", { orderId: "A-8892", cents: 5001 })
    ]))
  )))

describe("the app of the image", () => {
  it("has its definitions for who starts runs, and registers what it lists", () => {
    assert.deepStrictEqual(app.programs.map(({ name }) => name), ["support"])
  })

  it.live("refunds up to 50.00 by itself, and asks above", () =>
    Effect.gen(function*() {
      const asked = yield* refunded(5000)
      assert.deepStrictEqual(asked.pendingApprovals.map(({ key }) => key), ["turn-2/call-1/approval"])
      const [first] = (yield* refunded(6400)).pendingApprovals
      assert.strictEqual(first?.key, "turn-1/call-1/approval")
      assert.strictEqual(first?.reason, "refunds above 50.00 need a second pair of eyes")
    }))
})
