import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import { Program, RunEvent, type RunId, Runs } from "@durable-agents/core"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import type { Response } from "effect/ai"
import { Tool, Toolkit } from "effect/ai"
import { approve, deny, execute, Pay, processOf, Read, requests, Send, start, world } from "./fixtures.ts"
import { assertGolden } from "./golden.ts"

/** A tool that takes and gives anything. */
const Echo = Tool.make("echo", {
  description: "Says it again.",
  parameters: Schema.Struct({ what: Schema.Json, times: Schema.optionalKey(Schema.Finite) }),
  success: Schema.Json,
  dependencies: [ToolCall]
}).annotate(Tool.Readonly, true)

/** Whatever is odd about texts, keys and numbers on their way through a log and into a prompt. */
const odd = {
  "~effect/ai/Prompt/Part": "a key of somebody else",
  z: { "~effect/x": 1, b: [1, 1.5, -0, 1e21, null, true], a: "\u0000 \ud800 \u2028 é 🦊 \"\\" },
  "10": "ten",
  "9": "nine",
  __proto__x: [],
  empty: {}
}

const call = (id: string, name: string, params: unknown): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})

const script: ReadonlyArray<ScriptedModel.Reply | string> = [
  ScriptedModel.parts([
    { type: "response-metadata", id: "resp-1", modelId: "odd-1" },
    { type: "reasoning", text: "Hm.", metadata: { provider: { signature: "c2ln", b: 1, a: [2] } } },
    { type: "text", text: "Let me see: é 🦊 \ud800" },
    call("c1", "read", { page: "1" }),
    call("c1", "echo", { what: odd, times: 2 }),
    call("", "pay", { order: "7", cents: 9000 })
  ], { finishReason: "tool-calls", usage: { input: 120, output: 30 } }),
  ScriptedModel.toolCalls([
    { name: "pay", params: { cents: 6000, order: "8" } },
    { name: "pay", params: { cents: -1, order: "9" } },
    { name: "send", params: { to: "nobody" } },
    { name: "fly me", params: { to: "the moon" } },
    { name: "read", params: "no object" },
    { name: "read", params: { page: "404", more: true } }
  ], { text: "All at once.", usage: null }),
  ScriptedModel.parts([
    { ...call("search-1", "web", { q: "weather" }), providerExecuted: true } as Response.PartEncoded,
    { type: "source", sourceType: "url", id: "s1", url: "https://example.com/", title: "Example" } as never,
    { type: "file", mediaType: "text/plain", data: "aGk=" } as never,
    { type: "text", text: "Found it." },
    call("c1", "echo", { what: null })
  ], { finishReason: "tool-calls" }),
  ScriptedModel.toolCall("echo", { what: "x".repeat(300) }),
  ScriptedModel.toolCall("send", { to: "Ada" }),
  "Done: é 🦊"
]

const Odd = Agent.make("odd", {
  instructions: "You are odd: é 🦊 \u2028",
  toolkit: Toolkit.make(Read, Send, Pay, Echo),
  budget: { turns: 50, toolCalls: 50 }
})

const tools = world({ send: (to) => to === "nobody" ? Effect.fail({ bounced: to }) : Effect.succeed({ sent: true }) })

const echo = Toolkit.make(Echo).toLayer({
  echo: ({ times = 1, what }) => Effect.succeed(times > 1 ? [what, what] : what)
})

const process = <R>(program: Layer.Layer<never, never, R>) =>
  processOf(program, Layer.mergeAll(ScriptedModel.layer(script), tools.layer, echo))

/** The log, and the last prompt, which begins with all others, in the form in which a model's layer gets it. */
const written = Effect.fnUntraced(function*(runId: RunId) {
  const runs = yield* Runs
  const log = yield* Stream.runCollect(runs.events(runId))
  return [...log.map(RunEvent.toLine), JSON.stringify((yield* requests).at(-1)?.prompt)]
})

describe("what a run records and shows stays the same to the last byte", () => {
  it.effect("for odd texts, keys, numbers, calls and decisions", () =>
    Effect.gen(function*() {
      const runId = yield* start(Odd, "Be odd: é 🦊", { startKey: "odd" })
      yield* execute(runId)
      yield* deny(runId, "turn-1/call-3/approval", "too much: é")
      yield* execute(runId)
      yield* approve(runId, "turn-2/call-1/approval", { cents: 5, order: "8" })
      yield* execute(runId)
      assertGolden("odd.txt", yield* written(runId))
    }).pipe(Effect.provide(process(Odd.layer))))

  it.effect("for an agent inside another program", () => {
    const Around = Program.make("around", { input: Schema.String, output: Schema.String })
    return Effect.gen(function*() {
      const runId = yield* start(Around, "Go: 🦊", { startKey: "around" })
      yield* execute(runId)
      assertGolden("around.txt", yield* written(runId))
    }).pipe(Effect.provide(process(Around.toLayer((goal) => Effect.orDie(Odd.run("inner", goal))))))
  })
})
