import { Agent, ScriptedModel } from "@durable-agents/agent"
import { Telemetry } from "@durable-agents/core"
import { Observer } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { approve, execute, Kit, processOf, start, world } from "./fixtures.ts"

const canary = "canary-4711"

const Payer = Agent.make("payer", { instructions: `Pay. ${canary}`, toolkit: Kit })

/** A run with content everywhere: in what is asked, in the arguments and results of tools, in an edit, and in the answer. */
const observed = (content: boolean) =>
  Effect.gen(function*() {
    const eyes = Observer.make()
    const script = [
      ScriptedModel.toolCall("read", { page: canary }),
      ScriptedModel.toolCall("pay", { order: canary, cents: 6400 }),
      `Paid ${canary}`
    ]
    const { layer } = world({ read: (page) => Effect.fail({ missing: page }) })
    const runId = yield* Effect.gen(function*() {
      const runId = yield* start(Payer, `Pay back ${canary}`)
      yield* execute(runId)
      yield* approve(runId, "turn-2/call-1/approval", { order: `${canary}-2`, cents: 6000 })
      yield* execute(runId)
      return runId
    }).pipe(Effect.provide(processOf(Payer.layer, Layer.merge(layer, ScriptedModel.layer(script))).pipe(
      Layer.provideMerge(Telemetry.layer(eyes.layer)),
      Layer.provideMerge(Layer.succeed(Telemetry.Content, content))
    )))
    return { eyes, runId }
  })

const attributesOf = (eyes: Observer.Observer, name: string) =>
  eyes.named(name).map(({ attributes }) => Object.fromEntries(attributes))

describe("spans of an agent", () => {
  it.live("name it, its model and its tools by OpenTelemetry's conventions, and hold nothing of what is said", () =>
    Effect.gen(function*() {
      const { eyes, runId } = yield* observed(false)
      const whose = { "gen_ai.agent.name": "payer", "gen_ai.conversation.id": runId }
      assert.notInclude(eyes.text(), canary)
      const invoked = { "gen_ai.operation.name": "invoke_agent", ...whose }
      assert.deepStrictEqual(attributesOf(eyes, "invoke_agent payer"), [invoked, invoked])
      assert.deepStrictEqual(attributesOf(eyes, "execute_tool pay"), [{
        turn: 2,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "pay",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_2_1",
        ...whose,
        key: "turn-2/call-1",
        attempt: 1
      }])
      assert.deepInclude(attributesOf(eyes, "execute_tool read")[0], { "error.type": "Error" })
      const models = eyes.named("LanguageModel.generateText")
      assert.lengthOf(models, 3)
      assert.deepInclude(Object.fromEntries(models[0]?.attributes ?? []), {
        ...whose,
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted",
        "gen_ai.response.finish_reasons": ["tool-calls"]
      })
      const parents = models.map(({ parent }) => Option.getOrUndefined(parent)?.spanId)
      assert.deepStrictEqual(parents, eyes.named("ModelCall").map(({ spanId }) => spanId))
    }))

  it.live("hold it where that is wanted", () =>
    Effect.gen(function*() {
      const { eyes } = yield* observed(true)
      const [first] = attributesOf(eyes, "LanguageModel.generateText")
      assert.deepStrictEqual(JSON.parse(String(first?.["gen_ai.system_instructions"])), [
        { type: "text", content: `Pay. ${canary}` }
      ])
      assert.deepStrictEqual(JSON.parse(String(first?.["gen_ai.input.messages"])), [
        { role: "user", parts: [{ type: "text", content: `Pay back ${canary}` }] }
      ])
      assert.deepStrictEqual(JSON.parse(String(first?.["gen_ai.output.messages"])), [{
        role: "assistant",
        parts: [{ type: "tool_call", id: "call_1_1", name: "read", arguments: { page: canary } }],
        finish_reason: "tool-calls"
      }])
      const [pay] = attributesOf(eyes, "execute_tool pay")
      assert.strictEqual(pay?.["gen_ai.tool.call.arguments"], JSON.stringify({ order: `${canary}-2`, cents: 6000 }))
      assert.strictEqual(pay?.["gen_ai.tool.call.result"], JSON.stringify({ receipt: `R-${canary}-2` }))
    }))
})
