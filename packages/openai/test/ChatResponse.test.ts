import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, completion, say, serve } from "./server.ts"

/** The parts of an answer with this body, and the same without what is common to all. */
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
    return { texts, reason: finish?.reason, usage: JSON.parse(JSON.stringify(finish?.usage)) }
  })

const callsOf = (tool_calls: unknown, choice: object = {}) =>
  Effect.map(
    partsOf(completion({ role: "assistant", content: null, tool_calls }, {}, choice)),
    (parts) => parts.flatMap((part) => part.type === "tool-call" ? [[part.id, part.name, part.params]] : [])
  )

const callWith = (args: unknown) =>
  Effect.map(
    callsOf([{
      id: "c",
      type: "function",
      function: { name: "f", ...(args === undefined ? {} : { arguments: args }) }
    }]),
    ([call]) => call?.[2]
  )

describe("ChatResponse", () => {
  it.live("reads text, model, id, and usage with cached and reasoning tokens", () =>
    Effect.gen(function*() {
      const body = completion({ role: "assistant", content: "Hello." }, {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 40,
          prompt_tokens_details: { cached_tokens: 60, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 30 }
        },
        system_fingerprint: "fp",
        service_tier: "default",
        novelty: { deep: [1] }
      })
      const parts = yield* partsOf(body)
      assert.deepStrictEqual(parts.map(({ type }) => type), ["text", "response-metadata", "finish"])
      const metadata = parts.find((part) => part.type === "response-metadata")
      assert.strictEqual(metadata?.id, "chatcmpl-1")
      assert.strictEqual(metadata?.modelId, "gpt-test-2026")
      assert.deepStrictEqual(yield* finishOf(body), {
        texts: ["Hello."],
        reason: "stop",
        usage: {
          inputTokens: { total: 100, cacheRead: 60, uncached: 40 },
          outputTokens: { total: 40, reasoning: 30, text: 10 }
        }
      })
    }))

  it.live("takes usage that is missing, null or odd for unknown, not for zero (check 95, D23, MR-11, ME-6)", () =>
    Effect.gen(function*() {
      const usageOf = (usage: unknown) =>
        Effect.map(finishOf(completion({ content: "ok" }, { usage })), (finish) => finish.usage)
      const unknown = { inputTokens: {}, outputTokens: {} }
      for (const usage of [undefined, null, {}, [], "many", { prompt_tokens: -1, completion_tokens: 1.5 }]) {
        assert.deepStrictEqual(yield* usageOf(usage), unknown)
      }
      assert.deepStrictEqual(
        yield* usageOf({ prompt_tokens: 7, completion_tokens: null, prompt_tokens_details: null }),
        { inputTokens: { total: 7 }, outputTokens: {} }
      )
      assert.deepStrictEqual(
        yield* usageOf({ prompt_tokens: 7, prompt_tokens_details: { cached_tokens: 9 } }),
        { inputTokens: { total: 7, cacheRead: 9 }, outputTokens: {} }
      )
    }))

  it.live("reads content that is null, missing, or in pieces, and calls that are null (MR-9)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* finishOf(completion({ content: null }))).texts, [])
      assert.deepStrictEqual((yield* finishOf(completion({}))).texts, [])
      assert.deepStrictEqual((yield* finishOf(completion({ content: "ok", tool_calls: null }))).texts, ["ok"])
      assert.deepStrictEqual((yield* finishOf(completion({ content: "ok", tool_calls: "none" }))).texts, ["ok"])
      const pieces = [{ type: "thinking", thinking: [] }, { type: "text", text: "o" }, null, {
        type: "text",
        text: "k"
      }]
      assert.deepStrictEqual((yield* finishOf(completion({ content: pieces }))).texts, ["ok"])
    }))

  it.live("reads arguments in every form they come in (check 95, MR-1, MR-2, MR-3, MR-4)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* callWith("{\"a\":1}"), { a: 1 })
      for (const none of ["", " \n", null, undefined]) assert.deepStrictEqual(yield* callWith(none), {})
      assert.deepStrictEqual(yield* callWith({ a: 1 }), { a: 1 })
      assert.deepStrictEqual(yield* callWith("[1]"), [1])
      assert.deepStrictEqual(yield* callWith("null"), null)
      for (const text of ["{\"a\":1,}", "{\"a\":\"\n\"}", "```json\n{}\n```", "{\"a\":", "{\"__proto__\":{}}"]) {
        assert.strictEqual(yield* callWith(text), text)
      }
    }))

  it.live("never rounds a number in arguments (MR-14)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* callWith("{\"a\":12345678901234567890,\"b\":1e999,\"c\":0.1,\"d\":9007199254740991}"),
        {
          a: "12345678901234567890",
          b: "1e999",
          c: 0.1,
          d: 9007199254740991
        }
      )
    }))

  it.live("passes on calls with ids and names that are missing, repeated or odd (check 92, MR-6, MR-7, MR-13)", () =>
    Effect.gen(function*() {
      const calls = [
        { function: { name: "f", arguments: "{}" } },
        { id: "x", function: { name: "functions.f", arguments: "{}" } },
        { id: "x", function: { arguments: "{}" } },
        { id: 7 },
        null
      ]
      for (const choice of [{ finish_reason: "stop" }, { finish_reason: null }, { finish_reason: "eos" }]) {
        assert.deepStrictEqual(yield* callsOf(calls, choice), [
          ["", "f", {}],
          ["x", "functions.f", {}],
          ["x", "", {}],
          ["7", "", {}],
          ["", "", {}]
        ])
      }
    }))

  it.live("names why the answer ended, and takes words that it does not know (D21, D23)", () =>
    Effect.gen(function*() {
      const reasonOf = (finish_reason: unknown) =>
        Effect.map(finishOf(completion({ content: "ok" }, {}, { finish_reason })), ({ reason }) => reason)
      assert.strictEqual(yield* reasonOf("stop"), "stop")
      assert.strictEqual(yield* reasonOf("STOP"), "stop")
      assert.strictEqual(yield* reasonOf("length"), "length")
      assert.strictEqual(yield* reasonOf("tool_calls"), "tool-calls")
      assert.strictEqual(yield* reasonOf("content_filter"), "content-filter")
      assert.strictEqual(yield* reasonOf("eos_token"), "other")
      assert.strictEqual(yield* reasonOf(null), "unknown")
      assert.strictEqual(yield* reasonOf(3), "unknown")
    }))

  it.live("reports a refusal as content that was filtered, with its words (MR-10)", () =>
    Effect.gen(function*() {
      const { reason, texts } = yield* finishOf(completion({ content: null, refusal: "I can't help with that." }))
      assert.strictEqual(reason, "content-filter")
      assert.deepStrictEqual(texts, ["I can't help with that."])
      assert.strictEqual((yield* finishOf(completion({ content: "ok", refusal: "" }))).reason, "stop")
      assert.strictEqual((yield* finishOf(completion({ content: "ok", refusal: null }))).reason, "stop")
    }))

  it.live("keeps reasoning apart from the answer, with the name of its field (MR-12)", () =>
    Effect.gen(function*() {
      for (const field of ["reasoning_content", "reasoning"]) {
        const [first] = yield* partsOf(completion({ content: "ok", [field]: "Hm." }))
        assert.strictEqual(first?.type, "reasoning")
        assert.deepStrictEqual(first?.metadata, { openai: { field } })
      }
    }))

  it.live("reads text whose characters are torn between pieces, and replaces bytes that are none (MR-15)", () =>
    Effect.gen(function*() {
      const torn = Buffer.from(JSON.stringify(completion({ content: "Grüße 🌍" })))
      const server = yield* serve({ body: torn, cut: "bytes" })
      const parts = yield* ask(server)
      assert.deepStrictEqual(parts.flatMap((part) => part.type === "text" ? [part.text] : []), ["Grüße 🌍"])
      const odd = Buffer.concat([
        Buffer.from("{\"choices\":[{\"message\":{\"content\":\"a"),
        Buffer.from([0xff]),
        Buffer.from("b\"}}]}")
      ])
      assert.deepStrictEqual((yield* finishOf(odd)).texts, ["a\uFFFDb"])
    }))
})
