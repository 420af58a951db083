import { Agent, Prices, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import { Telemetry } from "@durable-agents/core"
import { Observer } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { approve, eventsOf, execute, Kit, only, processOf, start, world } from "./fixtures.ts"

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

describe("metrics of an agent", () => {
  it.live("say tokens, spend and verdicts as its log does", () =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      const script = [
        ScriptedModel.toolCall("pay", { order: "A-1", cents: 6400 }),
        ScriptedModel.toolCall("pay", { order: "A-1", cents: "many" }),
        "Done."
      ]
      const { events, usage } = yield* Effect.gen(function*() {
        const runId = yield* start(Payer, "Pay back A-1")
        yield* execute(runId)
        yield* approve(runId, "turn-1/call-1/approval")
        const { usage } = yield* execute(runId)
        return { events: yield* eventsOf(runId), usage }
      }).pipe(Effect
        .provide(processOf(Payer.layer, Layer.merge(world().layer, ScriptedModel.layer(script)))
          .pipe(Layer.provideMerge(Layer.merge(
            eyes.layer,
            Prices.layer({ version: "own", models: { scripted: { input: "1", output: "10" } } })
          )))))
      const measured = eyes.measured()
      const ofModel = (name: string, more = "") => Number(measured[`${name}{program=payer,model=scripted${more}}`])
      assert.strictEqual(ofModel("model_tokens_total", ",type=input"), usage.inputTokens)
      assert.strictEqual(ofModel("model_tokens_total", ",type=output"), usage.outputTokens)
      assert.closeTo(ofModel("model_cost_usd_total"), Number(usage.costUsd), 1e-12)
      assert.isAbove(Number(usage.costUsd), 0)
      assert.notProperty(measured, "model_unpriced_calls_total{program=payer,model=scripted}")
      for (const action of ["ALLOW", "MARK", "REDACT", "ESCALATE", "BLOCK"]) {
        const found = only(events, "GuardrailTriggered").filter((event) => event.action === action).length
        assert.strictEqual(measured[`guardrail_verdicts_total{program=payer,action=${action}}`] ?? 0, found, action)
      }
      assert.strictEqual(
        measured["operation_duration_seconds{program=payer,kind=tool,outcome=completed}"],
        only(events, "ToolCallCompleted").length
      )
      assert.strictEqual(
        Object.entries(measured).filter(([name]) => name.startsWith("failures_total{program=payer,kind=tool"))
          .reduce((total, [, count]) => total + Number(count), 0),
        only(events, "ToolCallFailed").length
      )
    }))

  it.live("count an unknown outcome that waits for an operator", () =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      const Wire = pipe(Tool.make("wire", { success: Schema.String }), ToolPolicy.onUnknown("ask"))
      const Sender = Agent.make("sender", { instructions: "Send.", toolkit: Toolkit.make(Wire) })
      const tools = Toolkit.make(Wire).toLayer({ wire: () => Effect.die("the line went dead") })
      const model = ScriptedModel.layer([ScriptedModel.toolCall("wire", {})])
      yield* Effect.flatMap(start(Sender, "Send it"), execute)
        .pipe(Effect.provide(processOf(Sender.layer, Layer.mergeAll(tools, model, eyes.layer))))
      assert.deepInclude(eyes.measured(), {
        "unknown_outcomes_total{program=sender,kind=tool,policy=ask}": 1,
        "stuck_total{program=sender,reason=unknownOutcome}": 1
      })
    }))
})
