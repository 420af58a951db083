import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { Runs, Runtime, Worker } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { appendFileSync } from "node:fs"

const DisableAccount = pipe(
  Tool.make("disable_account", {
    description: "Disable the account of somebody who has left.",
    parameters: Schema.Struct({ employee: Schema.String }),
    success: Schema.String,
    dependencies: [ToolCall],
    needsApproval: true
  }).annotate(Tool.Idempotent, true),
  ToolPolicy.reason("an account is going to be disabled")
)

const Tools = Toolkit.make(DisableAccount)

const Offboarding = Agent.make("offboarding", { instructions: "You take care of people who leave.", toolkit: Tools })

const ToolsLayer = Tools.toLayer({
  disable_account: Effect.fn("disable_account")(function*({ employee }) {
    const { attempt, idempotencyKey } = yield* ToolCall
    appendFileSync("directory.log", `attempt ${attempt}: disable ${employee} (${idempotencyKey.slice(0, 8)})\n`)
    yield* Effect.sleep("5 seconds") // time to kill the process
    return "disabled"
  })
})

const Model = ScriptedModel.layer([
  ScriptedModel.toolCall("disable_account", { employee: "sam" }),
  "The account of sam is disabled."
])

const Store = Sqlite.layer({ file: "runs.db" })

const App = Offboarding.layer.pipe(
  Layer.provideMerge(Runtime.layer),
  Layer.provideMerge(Store),
  Layer.provide([Model, ToolsLayer])
)

const work = Layer.launch(Worker.layer().pipe(Layer.provide(App)))

// Starting twice with one start key gives one run.
const start = Effect.flatMap(Runs, (runs) => runs.start(Offboarding, "Sam has left.", { startKey: "sam" }))

const approve = Effect.gen(function*() {
  const runs = yield* Runs
  const runId = yield* start
  const { pendingApprovals } = yield* runs.state(runId)
  for (const { key, reason, subject } of pendingApprovals) {
    yield* Console.log(`${subject} (${reason})`)
    yield* runs.approve(runId, { approval: key, actor: "dana@example.com" })
  }
})

const Outside = Runs.layer.pipe(Layer.provide(Store))

switch (process.argv[2]) {
  case "start":
    NodeRuntime.runMain(Effect.flatMap(start, Console.log).pipe(Effect.provide(Outside)))
    break
  case "approve":
    NodeRuntime.runMain(approve.pipe(Effect.provide(Outside)))
    break
  default:
    NodeRuntime.runMain(work)
}
