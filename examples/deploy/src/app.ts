/**
 * What the image runs: an agent that refunds orders, and asks a person above 50.00. Its model is the one that the environment names.
 */
import { Agent, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { App } from "@durable-agents/cli"
import { Effect, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

const IssueRefund = pipe(
  Tool.make("issue_refund", {
    description: "Refund an order. Amounts are in cents.",
    parameters: Schema.Struct({ orderId: Schema.String, cents: Schema.Natural }),
    success: Schema.Struct({ receipt: Schema.String }),
    dependencies: [ToolCall],
    needsApproval: ({ cents }) => cents > 5000
  }).annotate(Tool.Idempotent, true),
  ToolPolicy.reason("refunds above 50.00 need a second pair of eyes")
)

const Tools = Toolkit.make(IssueRefund)

const ToolsLayer = Tools.toLayer({
  // Here your payments service is asked, with this key: the same for all attempts of this call, so that it pays once.
  issue_refund: Effect.fn("issue_refund")(function*() {
    const { idempotencyKey } = yield* ToolCall
    return { receipt: `RF-${idempotencyKey.slice(0, 8)}` }
  })
})

/** The agent: its definition, for who starts runs and for who executes them. */
export const Support = Agent.make("support", {
  instructions: "You handle refunds. Refund what the customer is owed, once, and say what you did.",
  toolkit: Tools
})

/** What `--app ./src/app.ts` loads. */
export const app = App.make({ programs: [Support], layer: Support.layer.pipe(Layer.provide(ToolsLayer)) })
