import { Agent, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { AiError, LanguageModel } from "effect/ai"
import { TestClock } from "effect/testing"
import { clerk, execute, play, processOf, requests, start, stateOf } from "./fixtures.ts"

describe("ScriptedModel.layer", () => {
  it.effect("ends a run that asks for more than the script has, and says so (check 90)", () =>
    Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.status, "Failed")
      assert.include(view.reason, "the script has 1 turns, and turn 2 was asked for")
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCall("read", { page: "1" })]))))

  it.effect("gives each attempt of a turn its own reply, the last to all further ones", () => {
    const Patient = Agent.make("patient", { instructions: "", retry: Schedule.spaced("1 second") })
    const busy = ScriptedModel.failure(new AiError.RateLimitError({}))
    return Effect.gen(function*() {
      const runId = yield* start(Patient, "Go.")
      for (let attempt = 1; attempt < 4; attempt++) {
        assert.strictEqual((yield* execute(runId)).status, "Sleeping")
        yield* TestClock.adjust("1 second")
      }
      yield* execute(runId)
      assert.deepStrictEqual((yield* requests).map(({ attempt }) => attempt), [1, 2, 3, 4])
      assert.strictEqual((yield* stateOf(runId)).status, "Sleeping")
    }).pipe(Effect.provide(processOf(Patient.layer, ScriptedModel.layer([[busy]]))))
  })

  it.effect("plays the same script in every run, and remembers what it was asked, by whom", () => {
    const memory = MemoryStore.memory()
    return Effect.gen(function*() {
      const one = yield* play("One.")
      const two = yield* play("Two.")
      assert.deepStrictEqual([one.view.output, two.view.output], ["Done.", "Done."])
      assert.deepStrictEqual(
        (yield* requests).map(({ agent, path, runId, turn }) => [agent, path, runId, turn]),
        [["clerk", "", one.runId, 1], ["clerk", "", two.runId, 1]]
      )
      assert.deepStrictEqual((yield* requests)[0]?.tools.map(({ name }) => name), ["read", "send", "pay"])
    }).pipe(Effect.provide(clerk(["Done."], undefined, memory)))
  })

  it.effect("says when it has no script for an agent", () =>
    Effect.gen(function*() {
      assert.include((yield* play()).view.reason, "there is no script for the agent `clerk`")
    }).pipe(Effect.provide(clerk({ other: ["Done."] }))))

  it.effect("answers outside agents too, one turn a call", () =>
    Effect.gen(function*() {
      const one = yield* LanguageModel.generateText({ prompt: "Hello?" })
      const two = yield* LanguageModel.generateText({ prompt: "And?" })
      assert.deepStrictEqual([one.text, two.text], ["First.", "Second."])
    }).pipe(Effect.provide(ScriptedModel.layer(["First.", "Second."]))))
})
