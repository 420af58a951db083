import { Agent } from "@durable-agents/agent"
import { runProgram } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as PlainModel from "../src/PlainModel.ts"

const Tools = Toolkit.make(Tool.make("double", {
  description: "Twice a number.",
  parameters: Schema.Struct({ n: Schema.Int }),
  success: Schema.Int
}).annotate(Tool.Readonly, true))

const Calculator = Agent.make("calculator", { instructions: "You calculate.", toolkit: Tools })

const run = (ask: (request: PlainModel.Request) => Promise<PlainModel.Answer>) =>
  runProgram({
    program: Calculator,
    input: "Twice 21?",
    layer: Calculator.layer.pipe(Layer.provide([
      PlainModel.layer("plain", ask),
      Tools.toLayer({ double: ({ n }) => Effect.succeed(2 * n) })
    ]))
  })

/** Asks for the tool, then says what it gave. */
const ask = async ({ messages }: PlainModel.Request): Promise<PlainModel.Answer> => {
  const last = messages.at(-1)
  return last?.from === "tool"
    ? { text: `It is ${last.result}.` }
    : { text: "Let me see.", calls: [{ name: "double", arguments: { n: 21 } }] }
}

describe("PlainModel", () => {
  it.effect("lets a client with one method run an agent (check 89)", () =>
    Effect.gen(function*() {
      const { log, output } = yield* run(ask)
      assert.strictEqual(output, "It is 42.")
      const asked = log.flatMap(({ event }) => event._tag === "LLMCallRequested" ? [event.model] : [])
      assert.deepStrictEqual(asked, ["plain", "plain"])
    }))

  it.effect("shows the function the conversation, and the tools with their JSON schemas", () =>
    Effect.gen(function*() {
      const requests: Array<PlainModel.Request> = []
      yield* run((request) => {
        requests.push(request)
        return ask(request)
      })
      assert.deepStrictEqual(requests[1]?.messages, [
        { from: "system", text: "You calculate." },
        { from: "user", text: "Twice 21?" },
        { from: "assistant", text: "Let me see.", calls: [{ name: "double", arguments: { n: 21 } }] },
        { from: "tool", name: "double", result: 42 }
      ])
      const [tool] = requests[0]?.tools ?? []
      assert.deepInclude(tool, { name: "double", description: "Twice a number." })
      assert.deepInclude(tool?.parameters, { type: "object", required: ["n"] })
    }))

  it.effect("takes several calls in one answer", () =>
    Effect.gen(function*() {
      const { log } = yield* run(async ({ messages }) =>
        messages.at(-1)?.from === "tool"
          ? { text: "Done." }
          : { calls: [1, 2, 3].map((n) => ({ name: "double", arguments: { n } })) }
      )
      const results = log.flatMap(({ event }) => event._tag === "ToolCallCompleted" ? [event.result] : [])
      assert.deepStrictEqual(results, [2, 4, 6])
    }))

  it.effect("is asked again when the function rejects, and every attempt is in the log", () =>
    Effect.gen(function*() {
      let attempts = 0
      const { log, output } = yield* run(async () => {
        attempts += 1
        if (attempts < 3) throw new Error("ECONNRESET")
        return { text: "Sorry for the delay." }
      })
      assert.strictEqual(output, "Sorry for the delay.")
      const failures = log.flatMap(({ event }) => event._tag === "LLMCallFailed" ? [event.error] : [])
      assert.lengthOf(failures, 2)
      assert.include(failures[0], "ECONNRESET")
    }))

  it.effect("does not count what the function does not report", () =>
    Effect.gen(function*() {
      const { view } = yield* run(async () => ({ text: "Hm." }))
      assert.strictEqual(view.usage.inputTokens, 0)
      assert.strictEqual(view.usage.unreportedCalls, 1)
    }))
})
