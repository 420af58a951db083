/**
 * A support agent that may refund an order. Above 50.00 a person has to agree.
 */
import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { Duration, Effect, pipe, Schema } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"
import { PaymentError, Payments } from "./Payments.ts"

const IssueRefund = pipe(
  Tool.make("issue_refund", {
    description: "Refund an order. Amounts are in cents.",
    parameters: Schema.Struct({ orderId: Schema.String, cents: Schema.Natural }),
    success: Schema.Struct({ receipt: Schema.String }),
    failure: PaymentError,
    dependencies: [ToolCall],
    needsApproval: ({ cents }) => cents > 5000
  }).annotate(Tool.Idempotent, true),
  ToolPolicy.reason("refunds above 50.00 need a second pair of eyes")
)

const SupportTools = Toolkit.make(IssueRefund)

/** The tools, on the payments service. */
export const SupportToolsLayer = SupportTools.toLayer(Effect.gen(function*() {
  const payments = yield* Payments
  return SupportTools.of({
    issue_refund: Effect.fn("issue_refund")(function*({ cents, orderId }) {
      const { idempotencyKey } = yield* ToolCall
      return { receipt: yield* payments.refund(orderId, cents, idempotencyKey) }
    })
  })
}))

/** How often the model is asked before the run fails. Fewer than the default of agents, since somebody is watching. */
export const attempts = 4

/** The agent: its definition, for who starts runs and for who executes them. */
export const Support = Agent.make("support", {
  instructions: "You handle refunds. Refund what the customer is owed, once, and say what you did.",
  toolkit: SupportTools,
  attempts,
  timeout: "1 minute"
})

/** A model that needs no network: it is refused once, asks for the refund, and reports the receipt. */
export const Script = (order: string, cents: number) =>
  ScriptedModel.layer(({ attempt, prompt, turn }) => {
    if (turn === 1 && attempt === 1) {
      return ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.millis(200) }))
    }
    if (turn === 1) return ScriptedModel.toolCall("issue_refund", { orderId: order, cents })
    const receipt = /RF-\d+/.exec(JSON.stringify(prompt.content))?.[0]
    return receipt === undefined
      ? "I could not refund this order; a colleague will get back to you."
      : `Refund ${receipt} processed.`
  })
