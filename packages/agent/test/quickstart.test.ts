import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import { Runs, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

class PaymentError extends Schema.TaggedError<PaymentError>()("PaymentError", { reason: Schema.String }) {}

class Payments extends Context.Service<Payments, {
  readonly refund: (orderId: string, cents: number, idempotencyKey: string) => Effect.Effect<string, PaymentError>
}>()("Payments") {}

const refunds: Array<string> = []

const PaymentsLayer = Layer.succeed(Payments, {
  refund: (orderId, cents, idempotencyKey) =>
    Effect.sync(() => {
      refunds.push(`${orderId} ${cents} ${idempotencyKey.length}`)
      return `RF-${refunds.length}`
    })
})

const Script = ScriptedModel.layer([
  ScriptedModel.toolCall("issue_refund", { orderId: "A-8891", cents: 6000 }),
  "Refunded."
])

// dprint-ignore-start
const IssueRefund = Tool.make("issue_refund", {            // effect/ai
  description: "Refund an order. Amounts are in cents.",
  parameters: Schema.Struct({ orderId: Schema.String, cents: Schema.Natural }),
  success: Schema.Struct({ receipt: Schema.String }),
  failure: PaymentError,
  dependencies: [ToolCall],
  needsApproval: ({ cents }) => cents > 5000
}).annotate(Tool.Idempotent, true) // safe to repeat with the same key

const SupportTools = Toolkit.make(IssueRefund)

const SupportToolsLayer = SupportTools.toLayer(Effect.gen(function*() {
  const payments = yield* Payments
  return SupportTools.of({
    issue_refund: Effect.fn("issue_refund")(function*({ cents, orderId }) {
      const { idempotencyKey } = yield* ToolCall
      return { receipt: yield* payments.refund(orderId, cents, idempotencyKey) }
    })
  })
})).pipe(Layer.provide(PaymentsLayer))

const Support = Agent.make("support", { instructions: "You handle refunds.", toolkit: SupportTools })

const main = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Support, "Refund order A-8891, it arrived damaged.")
  const parked = yield* runtime.execute(runId) // AwaitingApproval: the amount is above 5000
  const [pending] = parked.pendingApprovals
  if (pending === undefined) return parked
  yield* runs.approve(runId, { approval: pending.key, actor: "dana@example.com" })
  return yield* runtime.execute(runId) // Completed, with the final answer
})

const App = Support.layer.pipe(
  Layer.provideMerge(Runtime.layerMemory),
  Layer.provide([Script, SupportToolsLayer]) // Script = ScriptedModel.layer([...])
)
// dprint-ignore-end

describe("the quick start", () => {
  it.effect("refunds after an approval and completes with the final answer (check 15)", () =>
    Effect.gen(function*() {
      const view = yield* main
      assert.strictEqual(view.status, "Completed")
      assert.strictEqual(view.output, "Refunded.")
      assert.deepStrictEqual(refunds, ["A-8891 6000 64"])
    }).pipe(Effect.provide(App)))
})
