import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, message, say, serve, text, toolUse } from "./server.ts"

const partsOf = (body: unknown) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(say(200, body))
    const parts = yield* ask(server)
    assert.strictEqual(server.requests.length, 1)
    return parts
  }))

const finishOf = (body: unknown) =>
  Effect.map(partsOf(body), (parts) => {
    const finish = parts.find((part) => part.type === "finish")
    assert.isDefined(finish)
    const texts = parts.flatMap((part) => part.type === "text" ? [part.text] : [])
    return {
      texts,
      reason: finish?.reason,
      usage: JSON.parse(JSON.stringify(finish?.usage)),
      metadata: finish?.metadata
    }
  })

const callsOf = (content: unknown, more: object = {}) =>
  Effect.map(
    partsOf(message(content, more)),
    (parts) => parts.flatMap((part) => part.type === "tool-call" ? [[part.id, part.name, part.params]] : [])
  )

const inputOf = (input: unknown) => Effect.map(callsOf([toolUse("a", "f", input)]), ([call]) => call?.[2])

describe("MessageResponse", () => {
  it.live("reads texts, thinking and calls in their order, with model and id (MR-12)", () =>
    Effect.gen(function*() {
      const parts = yield* partsOf(message([
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "redacted_thinking", data: "b3BhcXVl" },
        text("One moment."),
        toolUse("toolu_1", "f", { a: 1 }),
        { type: "thinking", thinking: "", signature: "b21pdHRlZA==" },
        text("")
      ], { stop_reason: "tool_use" }))
      const plain = JSON.parse(JSON.stringify(parts.map((part) => {
        switch (part.type) {
          case "text":
            return ["text", part.text]
          case "reasoning":
            return ["reasoning", part.text, part.metadata]
          case "tool-call":
            return ["tool-call", part.id, part.name, part.params]
          case "response-metadata":
            return ["response-metadata", part.id, part.modelId]
          case "finish":
            return ["finish", part.reason]
          default:
            return [part.type]
        }
      })))
      assert.deepStrictEqual(plain, [
        ["reasoning", "Hm.", { anthropic: { type: "thinking", signature: "c2ln" } }],
        ["reasoning", "", { anthropic: { type: "redacted_thinking", data: "b3BhcXVl" } }],
        ["text", "One moment."],
        ["tool-call", "toolu_1", "f", { a: 1 }],
        ["reasoning", "", { anthropic: { type: "thinking", signature: "b21pdHRlZA==" } }],
        ["response-metadata", "msg_1", "claude-test-2026"],
        ["finish", "tool-calls"]
      ])
    }))

  it.live("adds up the input with what was read from the cache and written to it, each counted once (ME-6)", () =>
    Effect.gen(function*() {
      const usage = {
        input_tokens: 10,
        cache_creation_input_tokens: 200,
        cache_read_input_tokens: 3000,
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 30 },
        service_tier: "standard",
        novelty: 1
      }
      assert.deepStrictEqual((yield* finishOf(message([text("ok")], { usage }))).usage, {
        inputTokens: { total: 3210, uncached: 10, cacheRead: 3000, cacheWrite: 200 },
        outputTokens: { total: 40, reasoning: 30, text: 10 }
      })
    }))

  it.live("takes usage that is missing, null or odd for unknown, not for zero (MR-11)", () =>
    Effect.gen(function*() {
      const usageOf = (usage: unknown) =>
        Effect.map(finishOf(message([text("ok")], { usage })), (finish) => finish.usage)
      const unknown = { inputTokens: {}, outputTokens: {} }
      for (const usage of [undefined, null, {}, [], "many", { input_tokens: -1, output_tokens: 1.5 }]) {
        assert.deepStrictEqual(yield* usageOf(usage), unknown)
      }
      assert.deepStrictEqual(
        yield* usageOf({ input_tokens: 7, output_tokens: null, cache_read_input_tokens: null }),
        { inputTokens: { total: 7, uncached: 7 }, outputTokens: {} }
      )
      assert.deepStrictEqual(
        yield* usageOf({ input_tokens: 7, cache_read_input_tokens: 9, cache_creation_input_tokens: "many" }),
        { inputTokens: { cacheRead: 9 }, outputTokens: {} }
      )
      assert.deepStrictEqual(
        yield* usageOf({ cache_read_input_tokens: 9, output_tokens: 3, output_tokens_details: { thinking_tokens: 4 } }),
        { inputTokens: { cacheRead: 9 }, outputTokens: { total: 3, reasoning: 4 } }
      )
    }))

  it.live("reads content that is empty, null or a text, and passes over what it does not know (MR-9)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* finishOf(message([]))).texts, [])
      assert.deepStrictEqual((yield* finishOf(message(null))).texts, [])
      assert.deepStrictEqual((yield* finishOf(message("ok"))).texts, ["ok"])
      const blocks = [null, 7, { type: "novelty", text: "no" }, { text: "no" }, { type: "text" }, text("ok")]
      assert.deepStrictEqual((yield* finishOf(message(blocks))).texts, ["ok"])
    }))

  it.live("reads inputs in every form they come in", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* inputOf({ a: 1 }), { a: 1 })
      for (const none of ["", " \n", null, undefined]) assert.deepStrictEqual(yield* inputOf(none), {})
      assert.deepStrictEqual(yield* inputOf("{\"a\":1}"), { a: 1 })
      assert.deepStrictEqual(yield* inputOf([1]), [1])
      for (const odd of ["{\"a\":1,}", "{\"a\":", "{\"__proto__\":{}}"]) {
        assert.strictEqual(yield* inputOf(odd), odd)
      }
    }))

  it.live("never rounds a number in inputs (MR-14)", () =>
    Effect.gen(function*() {
      const body = JSON.stringify(message([toolUse("a", "f", "INPUT")])).replace(
        "\"INPUT\"",
        "{\"a\":12345678901234567890,\"b\":1e999,\"c\":0.1,\"d\":9007199254740991}"
      )
      assert.deepStrictEqual(
        yield* Effect.map(partsOf(body), (parts) => parts.find(({ type }) => type === "tool-call"))
          .pipe(Effect.map((part) => part?.type === "tool-call" ? part.params : undefined)),
        { a: "12345678901234567890", b: "1e999", c: 0.1, d: 9007199254740991 }
      )
    }))

  it.live("passes on calls with ids and names that are missing, repeated or odd, whatever ended the answer", () =>
    Effect.gen(function*() {
      const calls = [
        { type: "tool_use", name: "f", input: {} },
        { type: "tool_use", id: "x", name: "functions.f", input: {} },
        { type: "tool_use", id: "x", input: {} },
        { type: "tool_use", id: 7, name: null }
      ]
      for (const stop_reason of ["end_turn", null, "novelty", "max_tokens"]) {
        assert.deepStrictEqual(yield* callsOf(calls, { stop_reason }), [
          ["", "f", {}],
          ["x", "functions.f", {}],
          ["x", "", {}],
          ["7", "", {}]
        ])
      }
    }))

  it.live("names why the answer ended, and takes words that it does not know", () =>
    Effect.gen(function*() {
      const reasonOf = (stop_reason: unknown) =>
        Effect.map(finishOf(message([text("ok")], { stop_reason })), ({ reason }) => reason)
      assert.strictEqual(yield* reasonOf("end_turn"), "stop")
      assert.strictEqual(yield* reasonOf("stop_sequence"), "stop")
      assert.strictEqual(yield* reasonOf("max_tokens"), "length")
      assert.strictEqual(yield* reasonOf("model_context_window_exceeded"), "length")
      assert.strictEqual(yield* reasonOf("tool_use"), "tool-calls")
      assert.strictEqual(yield* reasonOf("pause_turn"), "pause")
      assert.strictEqual(yield* reasonOf("refusal"), "content-filter")
      assert.strictEqual(yield* reasonOf("novelty"), "other")
      assert.strictEqual(yield* reasonOf(null), "unknown")
      assert.strictEqual(yield* reasonOf(3), "unknown")
      const { metadata } = yield* finishOf(message([], { stop_reason: "stop_sequence", stop_sequence: "END" }))
      assert.deepStrictEqual(metadata, { anthropic: { stopReason: "stop_sequence", stopSequence: "END" } })
    }))

  it.live("reports a refusal as content that was filtered, with the provider's words if there are no others (MR-10)", () =>
    Effect.gen(function*() {
      const stop_details = { type: "refusal", category: "bio", explanation: "This looks dangerous." }
      const refusal = (content: unknown) => finishOf(message(content, { stop_reason: "refusal", stop_details }))
      const silent = yield* refusal([])
      assert.strictEqual(silent.reason, "content-filter")
      assert.deepStrictEqual(silent.texts, ["This looks dangerous."])
      assert.deepStrictEqual(silent.metadata, { anthropic: { stopReason: "refusal", refusalCategory: "bio" } })
      assert.deepStrictEqual((yield* refusal([text("I will not.")])).texts, ["I will not."])
      const bare = yield* finishOf(message([], { stop_reason: "refusal", stop_details: null }))
      assert.deepStrictEqual([bare.reason, bare.texts], ["content-filter", []])
    }))

  it.live("reads text whose characters are torn between pieces, and replaces bytes that are none (MR-15)", () =>
    Effect.gen(function*() {
      const torn = Buffer.from(JSON.stringify(message([text("Grüße 🌍")])))
      const server = yield* serve({ body: torn, cut: "bytes" })
      const parts = yield* ask(server)
      assert.deepStrictEqual(parts.flatMap((part) => part.type === "text" ? [part.text] : []), ["Grüße 🌍"])
      const odd = Buffer.concat([
        Buffer.from("{\"content\":[{\"type\":\"text\",\"text\":\"a"),
        Buffer.from([0xff]),
        Buffer.from("b\"}]}")
      ])
      assert.deepStrictEqual((yield* finishOf(odd)).texts, ["a\uFFFDb"])
    }))
})
