/**
 * What a turn of an agent with one tool call costs, on the memory store with a scripted model: processor time of the runtime, the
 * agent and the model's own layer together, and what the same calls cost without agent and log.
 */
import { Agent, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore, Program, Runs, Runtime, Step } from "@durable-agents/core"
import { Effect, Layer, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { median } from "../Samples.ts"

const turns = 10

const Refund = Tool.make("issue_refund", {
  description: "Refund an order. Amounts are in cents.",
  parameters: Schema.Struct({ orderId: Schema.String, cents: Schema.Natural }),
  success: Schema.Struct({ receipt: Schema.String })
}).annotate(Tool.Idempotent, true)

const Tools = Toolkit.make(Refund)
const tools = Tools.toLayer({ issue_refund: ({ orderId }) => Effect.succeed({ receipt: `RF-${orderId}` }) })

const Support = Agent.make("support", { instructions: "You handle refunds.", toolkit: Tools, budget: { turns: 100 } })

const Script = ScriptedModel.layer(({ turn }) =>
  turn > turns
    ? "All refunds are issued."
    : ScriptedModel.toolCall("issue_refund", { orderId: `A-${turn}`, cents: 100 })
)

const App = Support.layer.pipe(
  Layer.provideMerge(Runtime.layer),
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide([Script, tools])
)

const cpu = (): number => {
  const { system, user } = process.threadCpuUsage()
  return user + system
}

const conversation = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const { status } = yield* runtime.execute(yield* runs.start(Support, "Refund all of them."))
  if (status !== "Completed") return yield* Effect.die(`the run is ${status}`)
})

/** The same two operations a turn as steps, without an agent. */
const Bare = Program.make("bare", { input: Schema.Finite, output: Schema.Finite, budget: { turns: 100 } })
const bare = Bare.toLayer(Effect.fnUntraced(function*(count) {
  for (let i = 0; i < count; i++) {
    yield* Effect.succeed({ text: "x".repeat(100) }).pipe(Step.run(`model-${i}`, { output: Text }))
    yield* Effect.succeed({ text: "y".repeat(30) }).pipe(Step.run(`tool-${i}`, { output: Text }))
  }
  return count
}))
const Text = Schema.Struct({ text: Schema.String })

const steps = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  yield* runtime.execute(yield* runs.start(Bare, turns))
})

/** The model and the tool's handler by `effect/ai` alone. */
const calls = Effect.gen(function*() {
  const toolkit = yield* Tools
  for (let i = 0; i < turns; i++) {
    yield* LanguageModel.generateText({
      prompt: Prompt.make("Refund all of them."),
      toolkit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })
  }
})

const microsPerTurn = <E, R>(effect: Effect.Effect<void, E, R>, times: number) =>
  Effect.gen(function*() {
    const begun = cpu()
    for (let i = 0; i < times; i++) yield* effect
    return (cpu() - begun) / (times * turns)
  })

/**
 * @category measures
 * @since 0.1.0
 */
export const measure = Effect.gen(function*() {
  const rounds: Array<{ readonly agent: number; readonly steps: number; readonly generateText: number }> = []
  const times = 100
  for (let i = 0; i < 12; i++) {
    rounds.push({
      agent: yield* Effect.provide(microsPerTurn(conversation, times), App, { local: true }),
      steps: yield* Effect.provide(
        microsPerTurn(steps, times),
        bare.pipe(Layer.provideMerge(Runtime.layerMemory)),
        { local: true }
      ),
      generateText: yield* Effect.provide(microsPerTurn(calls, times), Layer.merge(Script, tools), { local: true })
    })
  }
  // The first rounds are compiled while they run.
  const warm = rounds.slice(2)
  return {
    microsPerTurn: median(warm.map(({ agent }) => agent)),
    ofTheseTwoSteps: median(warm.map(({ steps }) => steps)),
    ofTheseGenerateText: median(warm.map(({ generateText }) => generateText))
  }
})
