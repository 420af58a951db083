/**
 * The app on this machine before it goes anywhere: one run in memory, on a model that is a script, with a person who agrees.
 */
import { ScriptedModel } from "@durable-agents/agent"
import { Runs, Runtime } from "@durable-agents/core"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { app, Support } from "./app.ts"

const Script = ScriptedModel.layer([
  ScriptedModel.toolCall("issue_refund", { orderId: "A-8891", cents: 6400 }),
  "Order A-8891 is refunded."
])

const main = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Support, "Refund order A-8891, it arrived damaged.")
  const { pendingApprovals } = yield* runtime.execute(runId)
  for (const { arguments: shown, key, reason } of pendingApprovals) {
    yield* Console.log(`asks: ${reason}`, shown)
    yield* runs.approve(runId, { approval: key, actor: "dana@example.com" })
  }
  const { output, status } = yield* runtime.execute(runId)
  yield* Console.log(status, output)
})

NodeRuntime
  .runMain(Effect.provide(main, app.layer.pipe(Layer.provideMerge(Runtime.layerMemory), Layer.provide(Script))))
