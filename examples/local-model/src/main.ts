import { Runs, Runtime } from "@durable-agents/core"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Fiber, Layer } from "effect"
import { Keeper, listen, ToolsLayer } from "./Keeper.ts"
import { Model } from "./Model.ts"

const main = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Keeper, "Are there any bolts left?")
  const listening = yield* Effect.forkChild(listen(runId, (text) => process.stdout.write(text)))
  const { output, status, usage } = yield* runtime.execute(runId)
  yield* Fiber.join(listening)
  yield* Console.log(`${status}: ${output}`)
  yield* Console.log(`${usage.inputTokens} tokens in, ${usage.outputTokens} out`)
})

const App = Keeper.layer.pipe(
  Layer.provideMerge(Runtime.layerMemory),
  Layer.provide([Model, ToolsLayer])
)

NodeRuntime.runMain(Effect.provide(main, App))
