import { Agent, Guardrails, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore, Program, Runs } from "@durable-agents/core"
import { everyPrefix, People } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { approve, deny, execute, processOf, requests, start, tagsOf } from "./fixtures.ts"

const Look = Tool.make("look", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
  .annotate(Tool.Readonly, true)

const Reader = Agent.make("reader", { instructions: "You read.", toolkit: [Look] })

const model = ScriptedModel.layer([ScriptedModel.toolCall("look", { page: "1" }), "Done."])
const tools = Toolkit.make(Look).toLayer({ look: () => Effect.succeed("A page.") })

/** Guardrails that want a person to look at every goal. */
const doubting = Guardrails.layer({
  guardrails: [{
    name: "own",
    goal: () => Effect.succeed([{ rule: "odd", action: "ESCALATE", message: "it looks odd" }])
  }]
})

const layer = Reader.layer.pipe(Layer.provide([doubting, model, tools]))

const process = (memory: MemoryStore.Memory, guardrails: Layer.Layer<never> = doubting) =>
  processOf(Reader.layer.pipe(Layer.provide(guardrails)), Layer.merge(model, tools), memory)

describe("a goal that a person is asked about", () => {
  for (const [how, outside] of [["is allowed", People.approve], ["is denied", People.deny("not today")]] as const) {
    it.effect(`and ${how} leads to the same end from every prefix`, () =>
      everyPrefix({ program: Reader, input: "Read it.", layer, outside }))
  }

  it.effect("leads to the same end from every prefix inside another program, beside another agent", () => {
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.String })
    return everyPrefix({
      program: Outer,
      input: "Read it.",
      layer: Outer.toLayer((goal) =>
        Effect.all([Reader.run("one", goal), Reader.run("two", goal)], { concurrency: "unbounded" }).pipe(
          Effect.map((answers) => answers.join()),
          Effect.orDie
        )
      ).pipe(Layer.provide([doubting, model, tools])),
      outside: People.byKey({
        "one/goal/approval": People.approve,
        "two/goal/approval": People.approve
      })
    })
  })

  it.effect("is decided by the recorded question, also where no guardrail would ask any more (AP-9)", () => {
    const memory = MemoryStore.memory()
    const none = Guardrails.layer({})
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Reader, "Read it."), process(memory))
      yield* Effect.provide(execute(runId), process(memory))
      const parked = yield* Effect.provide(execute(runId), process(memory, none))
      assert.strictEqual(parked.status, "AwaitingApproval")
      yield* Effect.provide(deny(runId, "goal/approval", "no"), process(memory, none))
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* execute(runId)).status, "Failed")
        assert.deepStrictEqual(yield* requests, [])
      }).pipe(Effect.provide(process(memory, none)))
    })
  })

  it.effect("shows the whole goal, and begins with the one that the person puts in its place", () => {
    const goal = `Read it. ${"x".repeat(5_000)}`
    return Effect.gen(function*() {
      const runId = yield* start(Reader, goal)
      const [pending] = (yield* execute(runId)).pendingApprovals
      assert.deepStrictEqual(pending?.arguments, { goal })
      for (const wrong of [{ goal: " " }, {}, { goal: "x".repeat(100_001) }, { goal: "y", more: 1 }, "y"]) {
        assert.strictEqual((yield* Effect.flip(approve(runId, "goal/approval", wrong)))._tag, "InvalidRequest")
      }
      yield* approve(runId, "goal/approval", { goal: "Read the other one." })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      const [first] = yield* requests
      assert.include(JSON.stringify(first), "Read the other one.")
      assert.notInclude(JSON.stringify(first), "xxx")
    }).pipe(Effect.provide(process(MemoryStore.memory())))
  })

  it.effect("leads to the same end from every prefix when the goal is changed", () =>
    everyPrefix({
      program: Reader,
      input: "Read it.",
      layer,
      outside: People.edit({ goal: "Read the other one." })
    }))

  it.effect("is checked again when it was changed, and may be blocked then", () => {
    const strict = Guardrails.layer({
      guardrails: [{
        name: "own",
        goal: ({ goal }) =>
          Effect.succeed([
            goal.includes("other")
              ? { rule: "forbidden", action: "BLOCK", message: "not the other one" }
              : { rule: "odd", action: "ESCALATE", message: "it looks odd" }
          ])
      }]
    })
    return Effect.gen(function*() {
      const runId = yield* start(Reader, "Read it.")
      yield* execute(runId)
      yield* approve(runId, "goal/approval", { goal: "Read the other one." })
      const view = yield* execute(runId)
      assert.strictEqual(view.status, "Failed")
      assert.include(view.reason, "not the other one")
      assert.deepStrictEqual(yield* requests, [])
    }).pipe(Effect.provide(process(MemoryStore.memory(), strict)))
  })

  it.effect("does not hold a run that is cancelled", () =>
    Effect.gen(function*() {
      const runId = yield* start(Reader, "Read it.")
      yield* execute(runId)
      yield* (yield* Runs).cancel(runId, { actor: "op" })
      assert.strictEqual((yield* execute(runId)).status, "Cancelled")
      assert.strictEqual((yield* Effect.flip(approve(runId, "goal/approval")))._tag, "ApprovalNotPending")
      assert.deepStrictEqual((yield* tagsOf(runId)).slice(-2), ["RunCancelRequested", "RunCancelled"])
      assert.deepStrictEqual(yield* requests, [])
    }).pipe(Effect.provide(process(MemoryStore.memory()))))
})
