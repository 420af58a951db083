/**
 * An agent whose first provider is down, then up again, then refuses for good. Both providers are servers on this machine.
 */
import { Agent } from "@durable-agents/agent"
import { type RunEvent, Runs, Runtime } from "@durable-agents/core"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Stream } from "effect"
import * as Models from "./Models.ts"

const Writer = Agent.make("writer", { instructions: "You write short notes." })

const overloaded = FakeProvider.respond(529, {
  type: "error",
  error: { type: "overloaded_error", message: "Overloaded" }
})
const noMoney = FakeProvider.respond(400, {
  type: "error",
  error: { type: "invalid_request_error", message: "Your credit balance is too low to access the API." }
})

const said = (event: RunEvent.RunEvent): ReadonlyArray<string> => {
  switch (event._tag) {
    case "LLMCallRequested":
      return [`attempt ${event.attempt} asks ${event.model}`]
    case "LLMCallFailed":
      return [`  ${event.error.slice(0, 60)} ...`]
    case "LLMCallCompleted":
      return [`  ${event.model ?? "?"} answers`]
    default:
      return []
  }
}

const main = Effect.gen(function*() {
  const anthropic = yield* FakeProvider.make([overloaded, FakeProvider.reply("First note."), overloaded, noMoney])
  const openai = yield* FakeProvider.make(FakeProvider.reply({ text: "Second note.", model: "gpt-5.4-mini" }))

  const write = Effect.fn(function*(topic: string) {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(Writer, topic)
    let run = yield* runtime.execute(runId)
    while (run.status === "Sleeping") run = yield* runtime.execute(runId)
    const events = yield* Stream.runCollect(runs.events(runId))
    for (const { event } of events) yield* Effect.forEach(said(event), (line) => Console.log(line))
    yield* Console.log(run.output)
    return events.filter(({ event }) => event._tag === "LLMCallRequested").length
  })

  const App = Writer.layer.pipe(
    Layer.provideMerge(Runtime.layerMemory),
    Layer.provide(Models.layer({ anthropic: anthropic.baseUrl, openai: openai.baseUrl }))
  )

  const attempts = yield* Effect.zipWith(write("A note on rain."), write("A note on snow."), (a, b) => a + b)
    .pipe(Effect.provide(App))
  const requests = anthropic.requests.length + openai.requests.length
  yield* Console.log(`${attempts} attempts in the logs, ${requests} requests over the wire`)
}).pipe(Effect.scoped)

NodeRuntime.runMain(main)
