import { Agent, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore, Program, type RunId, Timer } from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { eventsOf, execute, lines, only, processOf, requests, start } from "./fixtures.ts"

const Triage = Schema.Struct({
  severity: Schema.Literals(["low", "high"]),
  cause: Schema.String,
  at: Schema.Date
})

const Look = Tool.make("look", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
  .annotate(Tool.Readonly, true)

const looks = Toolkit.make(Look).toLayer({ look: ({ page }) => Effect.succeed(`Page ${page}`) })

const Judge = Agent.make("judge", { instructions: "You judge.", toolkit: [Look], output: Triage })

const answer = (params: unknown) => ScriptedModel.toolCall("final_answer", params)
const good = { severity: "high", cause: "disk", at: "2026-11-30T00:00:00.000Z" }

const judge = (script: ScriptedModel.Script) => processOf(Judge.layer, Layer.merge(ScriptedModel.layer(script), looks))

const play = (options: Parameters<typeof start>[2] = {}) =>
  Effect.gen(function*() {
    const runId = yield* start(Judge, "What is it?", options)
    return { runId, view: yield* execute(runId) }
  })

const refusals = (runId: RunId) =>
  Effect.map(eventsOf(runId), (events) => only(events, "ToolCallFailed").map(({ error, key }) => `${key}: ${error}`))

describe("an agent whose answer has a declared shape", () => {
  it.effect("ends with the answer that the model gives by calling `final_answer`", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.strictEqual(view.status, "Completed")
      assert.deepStrictEqual(view.output, good)
      assert.strictEqual(view.usage.toolCalls, 1)
      assert.deepStrictEqual(yield* refusals(runId), [])
      const offered = (yield* requests)[0]?.tools.map(({ name }) => String(name))
      assert.deepStrictEqual(offered, ["look", "final_answer"])
      const [started] = only(yield* eventsOf(runId), "RunStarted")
      assert.strictEqual(started?.tools[1]?.name, "final_answer")
      assert.deepInclude(started?.tools[1]?.parameters, { type: "object", required: ["severity", "cause", "at"] })
    }).pipe(Effect.provide(judge([ScriptedModel.toolCall("look", { page: "1" }), answer(good)]))))

  it.effect("takes JSON in a text as well, in a code block or not", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* play()).view.output, good)
    }).pipe(Effect.provide(judge([`\`\`\`json\n${JSON.stringify(good)}\n\`\`\``]))))

  it.effect("sends a wrong answer back to the model, with what is wrong, until one fits", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.deepStrictEqual(view.output, good)
      const said = yield* refusals(runId)
      assert.match(said[0] ?? "", /^turn-1\/call-1: the answer does not fit: .*severity/)
      assert.match(said[1] ?? "", /^turn-2\/answer: the answer has to be given by calling `final_answer`/)
      const prompt = lines((yield* requests).at(-1)?.prompt)
      assert.match(
        prompt.find((line) => line.startsWith("result")) ?? "",
        /failure This call was not executed: the answer/
      )
      assert.match(prompt.at(-1) ?? "", /^user: This was not accepted as the answer: the answer has to be given/)
      assert.strictEqual(view.usage.turns, 3)
      assert.strictEqual(view.usage.toolCalls, 0)
    }).pipe(Effect.provide(judge([answer({ ...good, severity: "medium" }), "It is the disk.", answer(good)]))))

  it.effect("takes any number of answers in text that do not fit", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.deepStrictEqual(view.output, good)
      assert.deepStrictEqual((yield* refusals(runId)).map((said) => said.split(":")[0]), [
        "turn-1/answer",
        "turn-2/answer",
        "turn-3/answer"
      ])
    }).pipe(Effect.provide(judge(["It is the disk.", "The disk!", "", answer(good)]))))

  it.effect("does not take an answer beside other calls, whose results it cannot know", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.deepStrictEqual(view.output, good)
      const [said] = yield* refusals(runId)
      assert.include(said, "turn-1/call-2: it must be the only call of its turn")
      assert.strictEqual(view.usage.toolCalls, 1)
    }).pipe(Effect.provide(judge([
      ScriptedModel.toolCalls([{ name: "look", params: { page: "1" } }, { name: "final_answer", params: good }]),
      answer(good)
    ]))))

  it.effect("is ended by its budget when no answer fits", () =>
    Effect.gen(function*() {
      const { view } = yield* play({ budget: { turns: 3 } })
      assert.strictEqual(view.status, "Failed")
      assert.deepInclude(view.state.end, { reason: "BudgetExceeded" })
      assert.strictEqual(view.usage.turns, 3)
    }).pipe(Effect.provide(judge([answer({}), answer({}), answer({}), answer(good)]))))

  it.effect("may be asked for something that is no object", () => {
    const Choose = Agent.make("choose", { instructions: "", output: Schema.Literals(["yes", "no"]) })
    const choices = (script: ScriptedModel.Script) => processOf(Choose.layer, ScriptedModel.layer(script))
    return Effect.forEach(
      [answer({ answer: "yes" }), "yes", " \"yes\" ", "{\"answer\":\"yes\"}"],
      (reply) =>
        Effect.gen(function*() {
          const view = yield* execute(yield* start(Choose, "Well?"))
          assert.strictEqual(view.output, "yes")
        }).pipe(Effect.provide(choices([reply])))
    )
  })

  it("cannot have a tool of that name", () => {
    const Own = Tool.make("final_answer", { parameters: Schema.Struct({}) })
    assert.throws(
      () => Agent.make("x", { instructions: "", toolkit: [Own], output: Triage }),
      "The tool `final_answer` cannot be used"
    )
  })

  it.effect("gives another program its answer, decoded", () => {
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.String })
    const layer = Outer.toLayer((goal) =>
      Judge.run("triage", goal).pipe(
        Effect.map(({ at, severity }) => `${severity} since ${at.getUTCFullYear()}`),
        Effect.orDie
      )
    )
    return Effect.gen(function*() {
      const runId = yield* start(Outer, "What is it?")
      const view = yield* execute(runId)
      assert.strictEqual(view.output, "high since 2026")
      assert.include((yield* eventsOf(runId)).map((event) => "key" in event ? event.key : ""), "triage/answer")
    }).pipe(Effect.provide(processOf(layer, Layer.merge(ScriptedModel.layer([answer(good)]), looks))))
  })

  it.effect("keeps an answer that a program went on with, also when its shape has changed since", () => {
    const memory = MemoryStore.memory()
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.Json })
    const version = (output: Schema.Codec<Schema.Json>) => {
      const Inner = Agent.make("inner", { instructions: "", output })
      const layer = Outer.toLayer((goal) =>
        Effect.gen(function*() {
          const found = yield* Effect.orDie(Inner.run("inner", goal))
          yield* Timer.sleep("later", "1 day")
          return found
        })
      )
      return processOf(layer, ScriptedModel.layer([answer({ level: "high" })]), memory)
    }
    return Effect.gen(function*() {
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start(Outer, "go")
        assert.strictEqual((yield* execute(runId)).status, "Sleeping")
        return runId
      }).pipe(Effect.provide(version(Schema.Struct({ level: Schema.String })), { local: true }))
      yield* TestClock.adjust("1 day")
      const view = yield* Effect.provide(
        execute(runId),
        version(Schema.Struct({ level: Schema.String, why: Schema.optionalKey(Schema.String) })),
        { local: true }
      )
      assert.deepStrictEqual(view.output, { level: "high" })
    })
  })

  it.effect("ends the same from every prefix", () =>
    everyPrefix({
      program: Judge,
      input: "What is it?",
      world: () => undefined,
      layer: () =>
        Judge.layer.pipe(Layer.provide([
          ScriptedModel.layer([
            answer({ ...good, at: "soon" }),
            "It is the disk.",
            ScriptedModel.toolCalls([{ name: "final_answer", params: good }, { name: "look", params: { page: "1" } }]),
            answer(good)
          ]),
          looks
        ]))
    }))
})
