import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import { Runs, Runtime } from "@durable-agents/core"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

const IssueRefund = Tool.make("issue_refund", {
  description: "Refund an order. Amounts are in cents.",
  parameters: Schema.Struct({ orderId: Schema.String, cents: Schema.Natural }),
  success: Schema.Struct({ receipt: Schema.String }),
  dependencies: [ToolCall],
  needsApproval: ({ cents }) => cents > 5000
}).annotate(Tool.Idempotent, true) // safe to repeat with the same key

const SupportTools = Toolkit.make(IssueRefund)

// Stands for a payments service that honours idempotency keys: one refund for each.
const refunds = new Map<string, number>()

const SupportToolsLayer = SupportTools.toLayer({
  issue_refund: Effect.fn("issue_refund")(function*({ cents }) {
    const { idempotencyKey } = yield* ToolCall // the same for all attempts of this call
    refunds.set(idempotencyKey, cents)
    return { receipt: `RF-${refunds.size}` }
  })
})

const Support = Agent.make("support", { instructions: "You handle refunds.", toolkit: SupportTools })

// Stands for a real model, so that this runs offline.
const Script = ScriptedModel.layer([
  ScriptedModel.toolCall("issue_refund", { orderId: "A-8891", cents: 6400 }),
  "Refund RF-1 processed."
])

const main = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Support, "Refund order A-8891, it arrived damaged.")

  const parked = yield* runtime.execute(runId)
  yield* Console.log(parked.status) // AwaitingApproval: the amount is above 5000

  for (const { arguments: shown, key } of parked.pendingApprovals) {
    yield* Console.log(key, shown)
    yield* runs.approve(runId, { approval: key, actor: "dana@example.com" })
  }

  const done = yield* runtime.execute(runId)
  yield* Console.log(done.status, done.output, refunds.size)
})

const App = Support.layer.pipe(
  Layer.provideMerge(Runtime.layerMemory),
  Layer.provide([Script, SupportToolsLayer])
)

NodeRuntime.runMain(Effect.provide(main, App))
