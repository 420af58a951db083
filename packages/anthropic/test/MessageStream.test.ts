import type * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Prompt } from "effect/ai"
import type { Response, Tool } from "effect/ai"
import { TestClock } from "effect/testing"
import { adds, at, begins, events, listen, message, say, serve, sse, stops, streams, text, toolUse } from "./server.ts"

type Parts = ReadonlyArray<Response.StreamPart<Record<string, Tool.Any>>>

/** A part as a short line. */
const line = (part: Parts[number]): ReadonlyArray<unknown> => {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-params-delta":
      return [part.type, part.id, part.delta]
    case "reasoning-end":
      return [part.type, part.id, part.metadata["anthropic"]]
    case "tool-params-start":
      return [part.type, part.id, part.name]
    case "tool-call":
      return [part.type, part.id, part.name, part.params]
    case "response-metadata":
      return [part.type, part.id, part.modelId]
    case "finish":
      return [part.type, part.reason, JSON.parse(JSON.stringify(part.usage))]
    default:
      return "id" in part ? [part.type, part.id] : [part.type]
  }
}

const heard = (answer: FakeProvider.Behaviour) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(answer)
    const { error, parts } = yield* listen(server)
    assert.strictEqual(server.requests.length, 1)
    assert.strictEqual(at(server.requests[0]?.body, "stream"), true)
    return { lines: parts.map(line), parts, error }
  }))

const usage = { inputTokens: { total: 9, uncached: 9, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 4 } }
const begun = ["response-metadata", "msg_1", "claude-test-2026"]

const turn = events([
  begins(0, { type: "thinking", thinking: "", signature: "" }),
  adds(0, { type: "thinking_delta", thinking: "Look" }),
  adds(0, { type: "thinking_delta", thinking: " it up." }),
  adds(0, { type: "signature_delta", signature: "c2ln" }),
  stops(0),
  begins(1, { type: "redacted_thinking", data: "b3BhcXVl" }),
  stops(1),
  begins(2, { type: "text", text: "", citations: null }),
  adds(2, { type: "text_delta", text: "One " }),
  { type: "ping" },
  adds(2, { type: "text_delta", text: "moment." }),
  adds(2, { type: "citations_delta", citation: {} }),
  stops(2),
  begins(3, toolUse("toolu_1", "stock", {})),
  adds(3, { type: "input_json_delta", partial_json: "" }),
  adds(3, { type: "input_json_delta", partial_json: "{\"item\": \"bo" }),
  adds(3, { type: "input_json_delta", partial_json: "lt\"}" }),
  stops(3),
  begins(4, toolUse("toolu_2", "now", {})),
  stops(4)
], { delta: { stop_reason: "tool_use" } })

const turnLines = [
  begun,
  ["reasoning-start", "0"],
  ["reasoning-delta", "0", "Look"],
  ["reasoning-delta", "0", " it up."],
  ["reasoning-end", "0", { type: "thinking", signature: "c2ln" }],
  ["reasoning-start", "1"],
  ["reasoning-end", "1", { type: "redacted_thinking", data: "b3BhcXVl" }],
  ["text-start", "2"],
  ["text-delta", "2", "One "],
  ["text-delta", "2", "moment."],
  ["text-end", "2"],
  ["tool-params-start", "toolu_1", "stock"],
  ["tool-params-delta", "toolu_1", "{\"item\": \"bo"],
  ["tool-params-delta", "toolu_1", "lt\"}"],
  ["tool-params-end", "toolu_1"],
  ["tool-call", "toolu_1", "stock", { item: "bolt" }],
  ["tool-params-start", "toolu_2", "now"],
  ["tool-params-end", "toolu_2"],
  ["tool-call", "toolu_2", "now", {}],
  ["finish", "tool-calls", usage]
]

describe("MessageStream", () => {
  it.live("passes on texts, thinking and inputs in pieces, and calls and signatures as a whole (MR-12)", () =>
    Effect.gen(function*() {
      const { error, lines, parts } = yield* heard(streams(sse(turn)))
      assert.isUndefined(error)
      assert.deepStrictEqual(lines, turnLines)
      const [assistant] = Prompt.fromResponseParts(parts).content
      assert.deepStrictEqual(at(assistant, "content", 0, "options", "anthropic"), {
        type: "thinking",
        signature: "c2ln"
      })
      assert.strictEqual(at(assistant, "content", 0, "text"), "Look it up.")
      assert.deepStrictEqual(at(assistant, "content", 1, "options", "anthropic", "data"), "b3BhcXVl")
    }))

  it.live("reads it the same one byte at a time, and whatever else is in the stream (MR-9, MR-15)", () =>
    Effect.gen(function*() {
      const strange = [
        ": a comment\n\n",
        "event: novelty\ndata: {\"type\":\"novelty\",\"deep\":[1]}\n\n",
        "event: ping\ndata: \n\n"
      ].join("")
      const said = sse(events([begins(0, text("")), adds(0, { type: "text_delta", text: "Grüße 🌍" }), stops(0)]))
      const bytes = Buffer.from(strange + said.replace(/\n/g, "\r\n"))
      const { error, lines } = yield* heard(streams(bytes, { cut: "bytes" }))
      assert.isUndefined(error)
      assert.deepStrictEqual(lines, [
        begun,
        ["text-start", "0"],
        ["text-delta", "0", "Grüße 🌍"],
        ["text-end", "0"],
        ["finish", "stop", usage]
      ])
    }))

  it.live("reads streams that leave out what can be missed", () =>
    Effect.gen(function*() {
      const finish = ["finish", "stop", usage]
      const hi = [["text-start", "0"], ["text-delta", "0", "Hi."], ["text-end", "0"]]
      const whole = events([begins(0, text("Hi."))])
      assert.deepStrictEqual((yield* heard(streams(sse(whole)))).lines, [begun, ...hi, finish])
      const unbegun = events([adds(0, { type: "text_delta", text: "Hi." }), adds(1, { type: "novelty" }), stops(7)])
      assert.deepStrictEqual((yield* heard(streams(sse(unbegun)))).lines, [begun, ...hi, finish])
      assert.deepStrictEqual((yield* heard(streams(sse(unbegun.slice(0, -1))))).lines, [begun, ...hi, finish])
      const nameless = sse(unbegun).replaceAll(/event: .*\n/g, "")
      assert.deepStrictEqual((yield* heard(streams(nameless))).lines, [begun, ...hi, finish])
      const filled = events([begins(0, toolUse("t", "f", { a: 1 })), stops(0)], { delta: { stop_reason: null } })
      assert.deepStrictEqual((yield* heard(streams(sse(filled)))).lines.slice(1), [
        ["tool-params-start", "t", "f"],
        ["tool-params-end", "t"],
        ["tool-call", "t", "f", { a: 1 }],
        ["finish", "unknown", usage]
      ])
    }))

  it.live("reads a whole message from an endpoint that does not stream", () =>
    Effect.gen(function*() {
      const body = message([
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        text("Hi."),
        toolUse("t", "f", { a: 1 })
      ])
      assert.deepStrictEqual((yield* heard(say(200, body))).lines, [
        ["reasoning-start", "0"],
        ["reasoning-delta", "0", "Hm."],
        ["reasoning-end", "0", { type: "thinking", signature: "c2ln" }],
        ["text-start", "1"],
        ["text-delta", "1", "Hi."],
        ["text-end", "1"],
        ["tool-call", "t", "f", { a: 1 }],
        begun,
        ["finish", "stop", usage]
      ])
    }))

  it.live("keeps inputs that are no JSON as texts, and rounds no number (MR-5, MR-14)", () =>
    Effect.gen(function*() {
      const calls = (json: string, stop_reason: string) =>
        Effect.map(
          heard(streams(sse(events([
            begins(0, toolUse("t", "f", {})),
            adds(0, { type: "input_json_delta", partial_json: json }),
            stops(0)
          ], { delta: { stop_reason } })))),
          ({ lines }) => lines.slice(-2).map((one) => one[0] === "finish" ? one[1] : one[3])
        )
      assert.deepStrictEqual(yield* calls("{\"item\": \"bo", "max_tokens"), ["{\"item\": \"bo", "length"])
      assert.deepStrictEqual(yield* calls("{\"a\":12345678901234567890}", "tool_use"), [
        { a: "12345678901234567890" },
        "tool-calls"
      ])
    }))

  it.live("takes the last counts, which are of the whole message, and knows none that was not made (MR-11, ME-6)", () =>
    Effect.gen(function*() {
      const usageOf = (first: object, last: object) =>
        Effect.map(
          heard(streams(sse([
            { type: "message_start", message: message([], { usage: first }) },
            { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: last },
            { type: "message_stop" }
          ]))),
          ({ lines }) => lines.at(-1)?.[2]
        )
      const cached = { cache_creation_input_tokens: 200, cache_read_input_tokens: 3000 }
      assert.deepStrictEqual(
        yield* usageOf({ input_tokens: 10, output_tokens: 1, ...cached }, {
          input_tokens: 12,
          cache_read_input_tokens: null,
          output_tokens: 40,
          output_tokens_details: { thinking_tokens: 30 }
        }),
        {
          inputTokens: { total: 3212, uncached: 12, cacheRead: 3000, cacheWrite: 200 },
          outputTokens: { total: 40, reasoning: 30, text: 10 }
        }
      )
      assert.deepStrictEqual(yield* usageOf({ input_tokens: 10, output_tokens: 1 }, {}), {
        inputTokens: { total: 10, uncached: 10 },
        outputTokens: {}
      })
    }))

  it.live("ends with a refusal in the middle, whose words come if there are no others (MR-10)", () =>
    Effect.gen(function*() {
      const delta = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: "Dangerous." } }
      const silent = yield* heard(streams(sse(events([], { delta }))))
      assert.deepStrictEqual(silent.lines.slice(1, -1), [
        ["text-start", "0"],
        ["text-delta", "0", "Dangerous."],
        ["text-end", "0"]
      ])
      assert.strictEqual(silent.lines.at(-1)?.[1], "content-filter")
      const spoken = yield* heard(streams(sse(events([begins(0, text("Well")), stops(0)], { delta }))))
      assert.deepStrictEqual(spoken.lines.map(([, , said]) => said).filter((said) => typeof said === "string"), [
        "claude-test-2026",
        "Well"
      ])
    }))
})

describe("a stream that fails", () => {
  const half = turn.slice(0, 5)

  it.live("in the middle, by an error among its events, is judged by that (MR-8, ME-2)", () =>
    Effect.gen(function*() {
      const failing = (type: string, messageText = "No.") =>
        Effect.map(
          heard(streams(sse([...half, { type: "error", error: { type, message: messageText, details: null } }]))),
          ({ error, lines }) => {
            assert.deepStrictEqual(lines, turnLines.slice(0, 4))
            return [error?.reason._tag, error?.isRetryable, error?.message.includes(`${type}: ${messageText}`)]
          }
        )
      assert.deepStrictEqual(yield* failing("overloaded_error", "Overloaded"), ["InternalProviderError", true, true])
      assert.deepStrictEqual(yield* failing("api_error"), ["InternalProviderError", true, true])
      assert.deepStrictEqual((yield* failing("rate_limit_error")).slice(0, 2), ["RateLimitError", true])
      assert.deepStrictEqual(yield* failing("invalid_request_error"), ["InvalidRequestError", false, true])
      const odd = yield* heard(streams(sse([...half, { type: "error" }])))
      assert.strictEqual(odd.error?.reason._tag, "InvalidOutputError")
    }))

  it.live("by an end before that of its message, or a torn connection, has failed for now (ME-2)", () =>
    Effect.gen(function*() {
      const short = yield* heard(streams(sse(half)))
      assert.isTrue(short.error?.isRetryable)
      assert.include(short.error?.message, "ended before its message did")
      const torn = yield* heard(streams(sse(half), { end: "close" }))
      assert.strictEqual(torn.error?.reason._tag, "NetworkError")
      assert.deepStrictEqual(torn.lines, turnLines.slice(0, 4))
    }))

  it.live("by an event that is no JSON, says so without repeating all of it", () =>
    Effect.gen(function*() {
      const { error } =
        yield* heard(streams(`${sse(half)}event: content_block_delta\ndata: {"no${"x".repeat(5000)}\n\n`))
      assert.strictEqual(error?.reason._tag, "InvalidOutputError")
      assert.include(error?.message, "an event that is not JSON")
      assert.isBelow(error?.message.length ?? 0, 1000)
    }))

  it.live("before it began is judged as any other answer (MR-8, ME-1)", () =>
    Effect.gen(function*() {
      const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" }
      const overloaded = yield* heard(say(529, error, { "retry-after": "3" }))
      assert.strictEqual(overloaded.error?.reason._tag, "RateLimitError")
      assert.strictEqual((yield* heard(say(200, error))).error?.reason._tag, "InternalProviderError")
      const first = yield* heard(streams(sse([error])))
      assert.strictEqual(first.error?.reason._tag, "InternalProviderError")
      assert.strictEqual((yield* heard(say(401, {}))).error?.isRetryable, false)
      assert.include((yield* heard(say(200, ""))).error?.message, "an empty body")
    }))
})

describe("a stream", () => {
  it.live("is closed when its message has ended, however long the endpoint goes on", () =>
    Effect.gen(function*() {
      const server = yield* serve(streams(sse(turn), { end: "silence" }))
      const { error } = yield* listen(server)
      assert.isUndefined(error)
      yield* server.dropped
    }))

  it.live("is closed when its reader is interrupted", () =>
    Effect.gen(function*() {
      const server = yield* serve(streams(sse(turn.slice(0, 5)), { end: "silence" }))
      const fiber = yield* Effect.forkChild(listen(server))
      yield* server.asked
      yield* Fiber.interrupt(fiber)
      yield* server.dropped
    }))

  it.effect("that falls silent is left after the time for that (ME-8)", () =>
    Effect.gen(function*() {
      const server = yield* serve(streams(sse(turn.slice(0, 5)), { end: "silence" }))
      const fiber = yield* Effect.forkChild(listen(server))
      yield* server.asked
      yield* TestClock.adjust("10 minutes")
      const { error } = yield* Fiber.join(fiber)
      assert.strictEqual(error?.reason._tag, "NetworkError")
      assert.isTrue(error?.isRetryable)
      yield* server.dropped
      assert.strictEqual(server.requests.length, 1)
    }))

  it.live("larger than the bound is cut off", () =>
    Effect.gen(function*() {
      const server =
        yield* serve(streams(sse([adds(2, { type: "text_delta", text: "x".repeat(1000) })]), { end: "endless" }))
      const { error } = yield* listen(server, { maxResponseBytes: 50_000 })
      assert.strictEqual(error?.reason._tag, "InvalidOutputError")
      assert.include(error?.message, "larger than the bound")
      yield* server.dropped
    }))
})
