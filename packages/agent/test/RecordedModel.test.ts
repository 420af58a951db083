import { Agent, RecordedModel, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore, type Recorded, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schedule, Schema, Stream } from "effect"
import { AiError, type LanguageModel, type Model, Tool, Toolkit } from "effect/ai"
import { execute, processOf, start } from "./fixtures.ts"

const Look = Tool.make("look", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
  .annotate(Tool.Readonly, true)
const Tools = Toolkit.make(Look)
const handlers = Tools.toLayer({ look: ({ page }) => Effect.succeed(`page ${page}`) })

const readerWith = (instructions: string) =>
  Agent.make("reader", { instructions, toolkit: Tools, retry: Schedule.forever })
const Reader = readerWith("You read.")

type Llm = Layer.Layer<LanguageModel.LanguageModel | Model.ModelName>

const play = (agent: typeof Reader, model: Llm) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runId = yield* start(agent, "Read page 1.")
    const view = yield* execute(runId)
    return { view, log: yield* Stream.runCollect(runs.events(runId)) }
  }).pipe(Effect.provide(processOf(agent.layer, Layer.merge(model, handlers), MemoryStore.memory())))

const script = ScriptedModel.layer([
  [
    ScriptedModel.failure(new AiError.RateLimitError({})),
    ScriptedModel.failure(new AiError.InternalProviderError({ description: "down" })),
    ScriptedModel.toolCalls([{ name: "look", params: { page: "1" } }], {
      text: "I look.",
      usage: { input: 7, output: 3 }
    })
  ],
  ScriptedModel.parts(
    [{ type: "reasoning", text: "Hm.", metadata: { other: { signature: "s" } } }, { type: "text", text: "It says 1." }],
    { usage: null }
  )
])

/** What a log says, without ids and times. */
const told = ({ log }: { readonly log: ReadonlyArray<Recorded> }) =>
  log.map(({ event }) => {
    switch (event._tag) {
      case "LLMCallRequested":
        return [event._tag, event.attempt, event.promptDigest]
      case "LLMCallCompleted":
        return [event._tag, event.parts, event.stopReason, event.usage]
      case "LLMCallFailed":
        return [event._tag, event.attempt, event.reason, Option.map(decodeKind(event.failure), ({ reason }) => reason)]
      default:
        return [event._tag]
    }
  })

const decodeKind = Schema.decodeUnknownOption(Schema.Struct({ reason: Schema.String }))

describe("a recorded model", () => {
  it.effect("says in every run what was said in the recorded one, failures included, also after a file", () =>
    Effect.gen(function*() {
      const before = yield* play(Reader, script)
      assert.strictEqual(before.view.output, "It says 1.")
      const text = RecordedModel.toText(RecordedModel.fromEvents(before.log))
      const recording = yield* RecordedModel.fromText(text)
      assert.lengthOf(recording.calls, 4)
      const after = yield* play(Reader, RecordedModel.layer(recording))
      assert.strictEqual(after.view.status, "Completed")
      assert.deepStrictEqual(told(after), told(before))
    }))

  it.effect("refuses a prompt that is another one, and answers it if it is told to", () =>
    Effect.gen(function*() {
      const recording = RecordedModel.fromEvents((yield* play(Reader, script)).log)
      const Other = readerWith("You read slowly.")
      const refused = yield* play(Other, RecordedModel.layer(recording))
      assert.strictEqual(refused.view.status, "Failed")
      assert.include(refused.view.reason, "the prompt of `turn-1/model` is not the one that was recorded")
      const answered = yield* play(Other, RecordedModel.layer(recording, { otherPrompts: "answer" }))
      assert.strictEqual(answered.view.output, "It says 1.")
    }))

  it.effect("says which call was not recorded, and leaves out what has no outcome", () =>
    Effect.gen(function*() {
      const { log } = yield* play(Reader, script)
      const last = log.findLastIndex(({ event }) => event._tag === "LLMCallRequested")
      const recording = RecordedModel.fromEvents(log.slice(0, last + 1))
      assert.deepStrictEqual(recording.calls.map(({ attempt, key }) => `${key} ${attempt}`), [
        "turn-1/model 1",
        "turn-1/model 2",
        "turn-1/model 3"
      ])
      const { view } = yield* play(Reader, RecordedModel.layer(recording))
      assert.strictEqual(view.status, "Failed")
      assert.include(view.reason, "the recording has no call `turn-2/model`")
    }))

  it.effect("refuses a text that is no recording", () =>
    Effect.gen(function*() {
      for (
        const text of [
          "",
          "{}",
          "{\"format\":\"durable-agents/recording\",\"version\":2,\"program\":\"\",\"calls\":[]}"
        ]
      ) {
        assert.strictEqual((yield* Effect.flip(RecordedModel.fromText(text)))._tag, "SchemaError")
      }
    }))
})
