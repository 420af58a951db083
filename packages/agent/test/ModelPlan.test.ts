import { Agent, type ModelError, ModelPlan, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore, type RunEvent } from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Config, Context, Duration, Effect, ExecutionPlan, Fiber, Layer, Schedule } from "effect"
import { AiError, LanguageModel, Model } from "effect/ai"
import { TestClock } from "effect/testing"
import { eventsOf, execute, only, processOf, start } from "./fixtures.ts"

const Plain = Agent.make("plain", { instructions: "Talk.", timeout: "10 seconds" })

/** Which models were asked, in order: one entry an HTTP request, if they made any. */
type Asked = Array<string>

/** A model by its name, with a reply for each of its requests; the last for all further ones. */
const named = (asked: Asked, name: string, ...replies: ReadonlyArray<ScriptedModel.Reply>) => {
  let count = 0
  return Layer.effectContext(LanguageModel.make({
    generateText: () =>
      Effect.suspend(() => {
        asked.push(name)
        return replies[Math.min(count++, replies.length - 1)] ?? ScriptedModel.text("")
      }),
    streamText: () => {
      throw new Error("no stream")
    }
  }).pipe(Effect.map((model) =>
    Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, name))
  )))
}

const down = ScriptedModel.failure(new AiError.InternalProviderError({ description: "down" }))
const refused = ScriptedModel.failure(new AiError.InvalidRequestError({ description: "no such model" }))
const limited = ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.minutes(5) }))
const said = ScriptedModel.text

const at = (events: ReadonlyArray<RunEvent.RunEvent>) =>
  only(events, "LLMCallRequested").map(({ attempt, model }) => `${attempt} ${model}`)

/** Plays to the end, however long it waits; the names that are recorded. */
const playing = (models: Layer.Layer<LanguageModel.LanguageModel>, agent = Plain) =>
  Effect.gen(function*() {
    const runId = yield* start(agent, "Go.")
    let view = yield* execute(runId)
    const waits: Array<number> = []
    while (view.status === "Sleeping") {
      const wait = only(yield* eventsOf(runId), "LLMCallFailed").at(-1)?.wakeAtMillis ?? 0
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      waits.push(wait - now)
      yield* TestClock.adjust(Duration.millis(wait - now))
      view = yield* execute(runId)
    }
    const events = yield* eventsOf(runId)
    return { view, events, waits, models: at(events) }
  }).pipe(Effect.provide(processOf(agent.layer, models)))

describe("a plan of models", () => {
  it.effect("goes to the next model after one request that can never succeed, and says who answered (ME-4)", () => {
    const asked: Asked = []
    return Effect.gen(function*() {
      const { events, models, view } = yield* playing(ModelPlan.layer(ExecutionPlan.make(
        { provide: named(asked, "first", refused), attempts: 5 },
        { provide: named(asked, "second", said("Here.")) }
      )))
      assert.strictEqual(view.output, "Here.")
      assert.deepStrictEqual(models, ["1 first", "2 second"])
      assert.deepStrictEqual(asked, ["first", "second"])
      assert.deepStrictEqual(only(events, "LLMCallFailed").map(({ attempt, final }) => [attempt, final]), [[1, false]])
      assert.strictEqual(only(events, "LLMCallCompleted")[0]?.attempt, 2)
    })
  })

  it.effect("follows a step's schedule first, then falls back at once, whatever delay the last provider asked for", () => {
    const asked: Asked = []
    return Effect.gen(function*() {
      const { models, view, waits } = yield* playing(ModelPlan.layer(ExecutionPlan.make(
        {
          provide: named(asked, "first", down, down, limited),
          attempts: 3,
          schedule: Schedule.exponential("10 seconds")
        },
        { provide: named(asked, "second", down, said("Here.")), schedule: Schedule.spaced("1 minute") }
      )))
      assert.strictEqual(view.output, "Here.")
      assert.deepStrictEqual(models, ["1 first", "2 first", "3 first", "4 second", "5 second"])
      assert.deepStrictEqual(asked, ["first", "first", "first", "second", "second"])
      assert.deepStrictEqual(waits, [10_000, 20_000, 60_000])
    })
  })

  it.effect("waits as a provider asks while it stays with it, unless its condition says no", () => {
    const asked: Asked = []
    const planOf = (most: number) =>
      ModelPlan.layer(ExecutionPlan.make(
        {
          provide: named(asked, "first", limited, said("First.")),
          attempts: 3,
          schedule: Schedule.spaced("1 second"),
          while: ({ retryAfterMillis = 0 }: ModelError) => retryAfterMillis < most
        },
        { provide: named(asked, "second", said("Second.")) }
      ))
    return Effect.gen(function*() {
      const patient = yield* playing(planOf(600_000))
      assert.deepStrictEqual([patient.view.output, patient.waits], ["First.", [300_000]])
      const hasty = yield* playing(planOf(30_000))
      assert.deepStrictEqual([hasty.view.output, hasty.waits], ["Second.", []])
    })
  })

  it.effect("leaves out a step whose condition says no to the failure that leads to it", () => {
    const asked: Asked = []
    return Effect.gen(function*() {
      const { models } = yield* playing(ModelPlan.layer(ExecutionPlan.make(
        { provide: named(asked, "first", refused) },
        {
          provide: named(asked, "long", said("Long.")),
          while: ({ kind }: ModelError) => Effect.succeed(kind === "context-too-long")
        },
        { provide: named(asked, "second", said("Here.")) }
      )))
      assert.deepStrictEqual(models, ["1 first", "2 second"])
    })
  })

  it.effect("falls back from a model that says nothing, and from one with a bug", () => {
    const asked: Asked = []
    return Effect.gen(function*() {
      const models = ModelPlan.layer(ExecutionPlan.make(
        { provide: named(asked, "silent", Effect.never), attempts: 1 },
        { provide: named(asked, "buggy", Effect.die(new Cause.UnknownError("a bug"))), attempts: 2 },
        { provide: named(asked, "third", said("Here.")) }
      ))
      const played = yield* Effect.forkChild(playing(models))
      while (asked.length === 0) yield* Effect.yieldNow
      yield* TestClock.adjust("10 seconds")
      while (asked.length < 2) yield* Effect.yieldNow
      const { events, models: names, view } = yield* Fiber.join(played)
      assert.strictEqual(view.output, "Here.")
      assert.deepStrictEqual(names, ["1 silent", "2 buggy", "3 buggy", "4 third"])
      assert.deepStrictEqual(only(events, "LLMCallFailed").map(({ reason }) => reason), ["Timeout", "Defect", "Defect"])
    })
  })

  it.effect("ends with the last failure when no model is left, and counts all attempts", () => {
    const asked: Asked = []
    return Effect.gen(function*() {
      const { view } = yield* playing(ModelPlan.layer(ExecutionPlan.make(
        { provide: named(asked, "first", down), attempts: 2 },
        { provide: named(asked, "second", refused) }
      )))
      assert.strictEqual(view.status, "Failed")
      assert.deepInclude(view.failure, { _tag: "ModelFailed", attempts: 3, reason: "InvalidRequestError" })
      assert.deepStrictEqual(asked, ["first", "first", "second"])
    })
  })

  it.effect("goes on after a restart with the model that is next, and asks nobody again who has answered", () => {
    const asked: Asked = []
    const memory = MemoryStore.memory()
    const process = (second: ScriptedModel.Reply) =>
      Effect.provide(processOf(
        Plain.layer,
        ModelPlan.layer(ExecutionPlan.make(
          { provide: named(asked, "first", refused) },
          { provide: named(asked, "second", second), schedule: Schedule.spaced("1 minute") }
        )),
        memory
      ))
    return Effect.gen(function*() {
      const runId = yield* start(Plain, "Go.").pipe(process(down))
      assert.strictEqual((yield* execute(runId).pipe(process(down))).status, "Sleeping")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* execute(runId).pipe(process(down))).status, "Sleeping")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* execute(runId).pipe(process(said("Here.")))).output, "Here.")
      yield* execute(runId).pipe(process(said("Again.")))
      assert.deepStrictEqual(asked, ["first", "second", "second", "second"])
      assert.deepStrictEqual(
        at(yield* eventsOf(runId).pipe(process(down))),
        asked.map((name, index) => `${index + 1} ${name}`)
      )
    })
  })

  it.effect("belongs to its model: an agent that is given another one asks that", () => {
    const asked: Asked = []
    return Effect.gen(function*() {
      const runId = yield* start(Plain, "Go.")
      assert.strictEqual((yield* execute(runId)).output, "Own.")
      assert.deepStrictEqual(at(yield* eventsOf(runId)), ["1 own"])
    }).pipe(Effect.provide(processOf(
      Plain.layer.pipe(Layer.provide(named(asked, "own", said("Own.")))),
      ModelPlan.layer(ExecutionPlan.make({ provide: named(asked, "first", refused) }, {
        provide: named(asked, "second", said("Second."))
      }))
    )))
  })

  it.effect("fails to build as the layers of its steps do", () =>
    Effect.gen(function*() {
      const broken = Layer.effect(
        LanguageModel.LanguageModel,
        Effect.flatMap(Config.String("NO_SUCH_VARIABLE"), () => Effect.never)
      )
      const models = ModelPlan.layer(ExecutionPlan.make({ provide: named([], "first", refused) }, { provide: broken }))
      assert.strictEqual((yield* Effect.flip(Effect.scoped(Layer.build(models))))._tag, "ConfigError")
    }))

  it.effect("ends the same killed at every instant", () =>
    everyPrefix({
      program: Plain,
      input: "Go.",
      world: (): Asked => [],
      layer: () => {
        // Replies by attempt, so that a process that takes over is told what the one before would have been.
        const byAttempt = (name: string, reply: ScriptedModel.Reply) =>
          Layer.merge(ScriptedModel.layer(() => reply), Layer.succeed(Model.ModelName, name))
        return Plain.layer.pipe(Layer.provide(ModelPlan.layer(ExecutionPlan.make(
          { provide: byAttempt("first", down), attempts: 2, schedule: Schedule.spaced("10 seconds") },
          { provide: byAttempt("second", refused) },
          { provide: byAttempt("third", said("Here.")) }
        ))))
      },
      effects: () => []
    }))
})
