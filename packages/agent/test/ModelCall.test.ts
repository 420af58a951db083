import { Agent, Prices, ScriptedModel } from "@durable-agents/agent"
import { MemoryStore } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Schedule } from "effect"
import type { Response } from "effect/ai"
import { AiError } from "effect/ai"
import { TestClock } from "effect/testing"
import {
  approve,
  clerk,
  eventsOf,
  execute,
  executeUntil,
  Kit,
  lastPrompt,
  only,
  play,
  processOf,
  requests,
  start,
  world
} from "./fixtures.ts"

const { failure, text, toolCall, toolCalls } = ScriptedModel

const rateLimited = (retryAfter?: Duration.Duration) =>
  failure(new AiError.RateLimitError(retryAfter === undefined ? {} : { retryAfter }))
const overloaded = failure(new AiError.InternalProviderError({ description: "overloaded" }))
const noRoute = failure(new AiError.NetworkError({
  reason: "TransportError",
  method: "POST",
  url: "https://api.example.com/v1?key=verysecret",
  description: "connection reset"
}))

/** An agent that asks again after a second, exactly. */
const Steady = Agent.make("clerk", {
  instructions: "You are a clerk.",
  toolkit: Kit,
  retry: Schedule.spaced("1 second")
})

const steady = (script: Parameters<typeof ScriptedModel.layer>[0], memory?: MemoryStore.Memory) =>
  processOf(Steady.layer, Layer.merge(ScriptedModel.layer(script), world().layer), memory)

describe("a model call that fails", () => {
  it.effect("is recorded with its attempt and tried again; the run completes (check 9, H4, ME-2)", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.strictEqual(view.status, "Sleeping")
      yield* TestClock.adjust("1 second")
      yield* execute(runId)
      yield* TestClock.adjust("1 second")
      yield* execute(runId)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      const failures = only(yield* eventsOf(runId), "LLMCallFailed")
      assert.deepStrictEqual(failures.map(({ attempt, final }) => [attempt, final]), [[1, false], [2, false], [
        3,
        false
      ]])
      assert.deepInclude(failures[0]?.failure as object, { reason: "RateLimitError", retryable: true })
      assert.include(failures[2]?.error, "connection reset")
      assert.strictEqual((yield* requests).length, 4)
    }).pipe(Effect.provide(steady([[rateLimited(), overloaded, noRoute, text("Done.")]]))))

  it.effect("never leaves a credential in the log (ME-7)", () =>
    Effect.gen(function*() {
      const { events } = yield* play()
      assert.notInclude(JSON.stringify(events), "secret")
    }).pipe(Effect.provide(steady([[
      noRoute,
      failure(new AiError.AuthenticationError({
        kind: "InvalidKey",
        http: { response: { status: 401, headers: {} }, body: "Incorrect key: sk-verysecretkey, Bearer verysecret12" }
      }))
    ]]))))

  it.effect("that cannot succeed by repeating is one request, and ends the run with the provider's words (H22, ME-1, H29)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.status, "Failed")
      assert.strictEqual((yield* requests).length, 1)
      assert.include(view.reason, "The model failed in turn 1 after 1 attempt (InvalidRequestError)")
      assert.include(view.reason, "HTTP 400")
      assert.include(view.reason, "context_length_exceeded")
      assert.deepInclude(view.failure as object, {
        _tag: "ModelFailed",
        turn: 1,
        attempts: 1,
        reason: "InvalidRequestError"
      })
      assert.deepInclude(only(events, "LLMCallFailed")[0], { final: true, reason: "Error" })
    }).pipe(Effect.provide(clerk([
      failure(new AiError.InvalidRequestError({
        description: "too long",
        http: { response: { status: 400, headers: {} }, body: "{\"code\":\"context_length_exceeded\"}" }
      }))
    ]))))

  it.effect("is asked again when the provider says so, not sooner (ME-3)", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.strictEqual(view.wakeAt, 90_000)
      yield* TestClock.adjust("89 seconds")
      assert.strictEqual((yield* execute(runId)).status, "Sleeping")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
    }).pipe(Effect.provide(steady([[rateLimited(Duration.seconds(90)), text("Done.")]]))))

  it.effect("outlasts an outage of an hour: is tried up to 100 times, from 1 s to at most a minute (D24, ME-4)", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      const delays: Array<number> = []
      let now = 0
      let current = view
      while (current.status === "Sleeping") {
        const wait = (current.wakeAt ?? 0) - now
        delays.push(wait)
        now += wait
        yield* TestClock.adjust(wait)
        current = yield* execute(runId)
      }
      assert.strictEqual(current.status, "Failed")
      assert.strictEqual((yield* requests).length, 100)
      assert.strictEqual(delays.length, 99)
      assert.isAbove(now, Duration.toMillis("70 minutes"))
      delays.forEach((delay, index) => {
        const plain = Math.min(60_000, 1000 * 2 ** index)
        assert.isTrue(delay >= plain * 0.8 - 1 && delay <= plain * 1.2 + 1, `${delay} after ${index + 1} attempts`)
      })
    }).pipe(Effect.provide(clerk(() => overloaded))))

  it.effect("keeps its attempts when another process goes on (H6)", () => {
    const memory = MemoryStore.memory()
    const Twice = Agent.make("clerk", { instructions: "", retry: Schedule.spaced("1 second"), attempts: 2 })
    const process = () => processOf(Twice.layer, ScriptedModel.layer(() => overloaded), memory)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Twice, "Go."), process())
      yield* Effect.provide(execute(runId), process())
      yield* TestClock.adjust("1 second")
      const view = yield* Effect.provide(execute(runId), process())
      assert.deepInclude(view.failure as object, { _tag: "ModelFailed", attempts: 2, reason: "InternalProviderError" })
    })
  })

  it.effect("for the last time is not asked again by a process that finds the run not ended yet (D25)", () => {
    const Twice = Agent.make("clerk", { instructions: "", retry: Schedule.forever, attempts: 2 })
    const process = (memory: MemoryStore.Memory) =>
      processOf(Twice.layer, ScriptedModel.layer(() => overloaded), memory)
    return Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const runId = yield* Effect.provide(
        Effect.tap(start(Twice, "Go."), execute),
        process(memory)
      )
      const row = memory.runs.get(runId)
      assert.strictEqual(row?.events.at(-1)?.type, "RunFailed")
      if (row === undefined) return
      const cut = { ...row, events: row.events.slice(0, -1), owner: null, wakeAt: 0, outsideSeq: 0 }
      const copy = MemoryStore.memory()
      copy.runs.set(runId, cut)
      copy.timed.add(cut)
      const { asked, view } = yield* Effect.provide(
        Effect.all({ view: execute(runId), asked: requests }),
        process(copy)
      )
      assert.deepInclude(view.failure, { _tag: "ModelFailed", attempts: 2 })
      assert.deepStrictEqual(asked, [])
    })
  })

  it.effect("and was paid for, since its answer cannot be read, is tried three times only (D22)", () =>
    Effect.gen(function*() {
      const { runId } = yield* play()
      yield* TestClock.adjust("1 second")
      yield* execute(runId)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* execute(runId)).status, "Failed")
      assert.strictEqual((yield* requests).length, 3)
    }).pipe(Effect.provide(steady(() => failure(new AiError.InvalidOutputError({ description: "not JSON" }))))))

  it.effect("and was paid for, since its answer is too large to be recorded, counts with what it cost (D49)", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      const [failed] = only(yield* eventsOf(runId), "LLMCallFailed")
      const usage = { inputTokens: 300_000, outputTokens: 90_000, costUsd: "1.2" }
      assert.deepInclude(failed, { reason: "TooLarge", final: true, usage, priceVersion: "own" })
      assert.deepInclude(view.failure, { _tag: "ModelFailed", attempts: 1, reason: "TooLarge" })
      assert.match(
        view.reason ?? "",
        /the answer cannot be recorded: the result has 2000\d+ bytes of JSON, more than the 1048576 that are recorded/
      )
      assert.deepInclude(view.usage, { ...usage, unpricedCalls: 0, possible: { tokens: 0, costUsd: "0" } })
      assert.strictEqual((yield* requests).length, 1)
    }).pipe(Effect.provide(steady(() =>
      text("x".repeat(2_000_000), { usage: { input: 300_000, output: 90_000 } })
    ).pipe(Layer.provide(Prices.layer({ version: "own", models: { "*": { input: "1", output: "10" } } }))))))

  it.effect("by a bug, or by ending with an error, is tried again too", () =>
    Effect.gen(function*() {
      const { runId } = yield* play()
      yield* TestClock.adjust("1 second")
      yield* execute(runId)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      const failures = only(yield* eventsOf(runId), "LLMCallFailed")
      assert.deepStrictEqual(failures.map(({ reason }) => reason), ["Defect", "Error"])
    }).pipe(Effect.provide(steady([[
      Effect.die(new TypeError("undefined is not a function")),
      text("half", { finishReason: "error" }),
      text("Done.")
    ]]))))

  it.effect("is over when it takes too long, and asked again (ME-8, H4)", () => {
    const begun = Deferred.makeUnsafe<void>()
    const Short = Agent.make("clerk", { instructions: "", timeout: "5 seconds" })
    return Effect.gen(function*() {
      const runId = yield* start(Short, "Go.")
      const fiber = yield* Effect.forkChild(execute(runId))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "Sleeping")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(only(yield* eventsOf(runId), "LLMCallFailed")[0]?.reason, "Timeout")
    }).pipe(Effect.provide(processOf(
      Short.layer,
      ScriptedModel.layer([[Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), text("Done.")]])
    )))
  })

  it.effect("since its process died is asked again, and recorded as recovered (H7)", () => {
    const memory = MemoryStore.memory()
    const begun = Deferred.makeUnsafe<void>()
    const script = [[Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), text("Done.")]]
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Steady, "Go."), steady(script, memory))
      yield* Effect.provide(executeUntil(runId, begun), steady(script, memory))
      const view = yield* Effect.provide(execute(runId), steady(script, memory))
      assert.strictEqual(view.output, "Done.")
      const events = yield* Effect.provide(eventsOf(runId), steady(script, memory))
      assert.deepStrictEqual(only(events, "LLMCallCompleted").map(({ attempt, recovered }) => [attempt, recovered]), [
        [2, true]
      ])
    })
  })
})

describe("how a model ends an answer", () => {
  it.effect("does not matter when it calls tools: the calls decide (MR-6)", () =>
    Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(view.usage.toolCalls, 3)
    }).pipe(Effect.provide(clerk([
      toolCall("read", { page: "1" }, { finishReason: "stop" }),
      toolCall("read", { page: "1" }, { finishReason: "unknown" }),
      toolCall("read", { page: "1" }, { finishReason: "other" }),
      "Done."
    ]))))

  it.effect("at the token limit runs no call of it; each gets a result that says so (MR-5)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 0)
      assert.strictEqual(only(events, "ToolCallRequested").length, 0)
      const answers = (yield* lastPrompt).slice(-2)
      assert.strictEqual(answers.length, 2)
      for (const answer of answers) assert.include(answer, "failure This call was not executed: the output was cut off")
    }).pipe(Effect.provide(clerk([
      toolCalls([{ name: "send", params: { to: "Ada" } }, { name: "read", params: { page: "1" } }], {
        finishReason: "length"
      }),
      "Done."
    ], tools)))
  })

  const silences: ReadonlyArray<readonly [string, ScriptedModel.Reply, string, string]> = [
    ["cut off", text("Half an ans", { finishReason: "length" }), "length", "it was cut off at the token limit"],
    ["withheld", text("", { finishReason: "content-filter" }), "content-filter", "content filter or refusal"],
    ["empty", text(" \n"), "stop", "it ended with an empty text"],
    [
      "withheld together with calls",
      toolCall("send", { to: "Ada" }, { finishReason: "content-filter" }),
      "content-filter",
      "content filter or refusal"
    ]
  ]
  for (const [name, reply, stopReason, words] of silences) {
    it.effect(`is no success when the answer is ${name} (D21, MR-10)`, () => {
      const tools = world()
      return Effect.gen(function*() {
        const { view } = yield* play()
        assert.strictEqual(view.status, "Failed")
        assert.include(view.reason, words)
        assert.deepInclude(view.failure as object, { _tag: "NoAnswer", turn: 1, stopReason })
        assert.strictEqual(tools.attempts.length, 0)
        assert.strictEqual((yield* requests).length, 1)
      }).pipe(Effect.provide(clerk([reply], tools)))
    })
  }

  it.effect("may be a pause, after which it goes on", () =>
    Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual((yield* lastPrompt).slice(-1), ["assistant: Searching …"])
    }).pipe(Effect.provide(clerk([text("Searching …", { finishReason: "pause" }), "Done."]))))
})

describe("what is recorded of a model call", () => {
  it.effect("is what was asked: model, prompt digest, messages, an estimate of its tokens (D20)", () =>
    Effect.gen(function*() {
      const first = only((yield* play("Go.")).events, "LLMCallRequested")
      const second = only((yield* play("Go.")).events, "LLMCallRequested")
      const other = only((yield* play("Go!")).events, "LLMCallRequested")
      assert.deepStrictEqual(
        first.map(({ promptDigest }) => promptDigest),
        second.map(({ promptDigest }) => promptDigest)
      )
      assert.notStrictEqual(first[0]?.promptDigest, first[1]?.promptDigest)
      assert.notStrictEqual(first[0]?.promptDigest, other[0]?.promptDigest)
      assert.deepStrictEqual(first.map(({ messageCount }) => messageCount), [2, 4])
      assert.isTrue((first[0]?.estimatedTokens ?? 0) > 0)
      assert.strictEqual(first[0]?.model, "scripted")
    }).pipe(Effect.provide(clerk([toolCall("read", { page: "1" }), "Done."]))))

  it.effect("is the usage as it was reported; what is unknown is absent, not zero (MR-11)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.deepStrictEqual(only(events, "LLMCallCompleted").map(({ usage }) => usage), [
        { inputTokens: 100, cachedInputTokens: 60, outputTokens: 7, reasoningTokens: 2 },
        { outputTokens: 7 },
        {}
      ])
      assert.strictEqual(view.usage.unreportedCalls, 2)
    }).pipe(Effect.provide(clerk([
      reported({ uncached: 40, cacheRead: 60 }, { text: 5, reasoning: 2 }),
      reported({ total: -3 }, { total: 7 }),
      text("Done.", { usage: null })
    ]))))

  it.effect("is the answer's parts, its reasoning too, which goes back to the model and is never the answer (MR-12)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(only(events, "LLMCallCompleted")[0]?.parts, [
        { type: "reasoning", text: "Hm.", metadata: { some: { signature: "s" } } },
        { type: "text", text: "Let me look." },
        { type: "tool-call", id: "c", name: "read", params: { page: "1" } }
      ])
      const assistant = (yield* requests)[1]?.prompt.content[2]
      assert.deepInclude(JSON.parse(JSON.stringify(assistant?.content)) as Array<object>, {
        type: "reasoning",
        text: "Hm.",
        options: { some: { signature: "s" } },
        "~effect/ai/Prompt/Part": "~effect/ai/Prompt/Part"
      })
    }).pipe(Effect.provide(clerk([
      ScriptedModel.parts([
        { type: "reasoning", text: "Hm.", metadata: { some: { signature: "s" } } },
        { type: "text", text: "Let me look." },
        { type: "tool-call", id: "c", name: "read", params: { page: "1" } }
      ]),
      ScriptedModel.parts([{ type: "reasoning", text: "So." }, { type: "text", text: "Done." }])
    ]))))

  it.effect("names the model and the request as the provider did", () =>
    Effect.gen(function*() {
      const [completed] = only((yield* play()).events, "LLMCallCompleted")
      assert.strictEqual(completed?.model, "m-2026")
      assert.strictEqual(completed?.providerRequestId, "req-1")
    }).pipe(Effect.provide(clerk([
      ScriptedModel.parts([
        { type: "response-metadata", id: "req-1", modelId: "m-2026" },
        { type: "text", text: "Done." }
      ])
    ]))))
})

const reported = (
  inputTokens: Response.FinishPartEncoded["usage"]["inputTokens"],
  outputTokens: Response.FinishPartEncoded["usage"]["outputTokens"]
): ScriptedModel.Reply =>
  Effect.succeed([
    { type: "tool-call", id: "c", name: "read", params: { page: "1" } },
    { type: "finish", reason: "tool-calls", usage: { inputTokens, outputTokens } }
  ])

describe("the ids of tool calls", () => {
  it.effect("are unique in the conversation and stable, whatever the provider gives (MR-7, H27, D54, EV-8)", () => {
    const memory = MemoryStore.memory()
    const tools = world()
    const script = [
      toolCalls([
        { id: "", name: "read", params: { page: "1" } },
        { id: "same", name: "read", params: { page: "2" } },
        { id: "same", name: "read", params: { page: "3" } }
      ]),
      toolCalls([
        { id: "same", name: "read", params: { page: "4" } },
        { id: "x".repeat(1000), name: "read", params: { page: "5" } },
        { id: "fine", name: "pay", params: { order: "7", cents: 9000 } }
      ]),
      "Done."
    ]
    return Effect.gen(function*() {
      const { runId } = yield* Effect.provide(play(), clerk(script, tools, memory))
      const seen = yield* Effect.gen(function*() {
        yield* approve(runId, "turn-2/call-3/approval")
        yield* execute(runId)
        return yield* lastPrompt
      }).pipe(Effect.provide(clerk(script, tools, memory)))
      const ids = ["call_1_1", "same", "call_1_3", "call_2_1", "call_2_2", "fine"]
      assert.deepStrictEqual(seen.flatMap((line) => line.startsWith("call ") ? [line.split(" ")[1]] : []), ids)
      assert.deepStrictEqual(seen.flatMap((line) => line.startsWith("result ") ? [line.split(" ")[1]] : []), ids)
      assert.deepStrictEqual(
        tools.of("read").map(({ args }) => args),
        ["1", "2", "3", "4", "5"].map((page) => ({ page }))
      )
    })
  })
})
