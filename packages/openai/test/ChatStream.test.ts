import { Dialect } from "@durable-agents/openai"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { assembled, chunk, cut, done, generated, sse, streamed, streamedEvents } from "./bytes.ts"
import { completion } from "./server.ts"

type Parts = Effect.Success<ReturnType<typeof streamed>>["parts"]

const callsIn = (parts: Parts) =>
  parts.flatMap((part) => part.type === "tool-call" ? [[part.id, part.name, part.params]] : [])

const textIn = (parts: Parts) => parts.flatMap((part) => part.type === "text-delta" ? [part.delta] : []).join("")

const finishIn = (parts: Parts) => parts.find((part) => part.type === "finish")

/** The parts of a stream that goes well. */
const partsOf = (events: ReadonlyArray<unknown>, options?: Parameters<typeof streamedEvents>[1]) =>
  Effect.flatMap(
    streamedEvents(events, options),
    ({ error, parts }) => error === undefined ? Effect.succeed(parts) : Effect.die(error)
  )

const callsOf = (pieces: ReadonlyArray<unknown>) =>
  Effect.map(
    partsOf([...pieces.map((piece) => chunk({ tool_calls: [piece] })), chunk({}, {}, { finish_reason: "stop" })]),
    callsIn
  )

const piece = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
})

const Text = Schema.String
const Call = Schema.Struct({ id: Schema.String, name: Schema.NonEmptyString, args: Schema.JsonObject })
const Answer = Schema.Struct({
  field: Schema.Literals(["reasoning", "reasoning_content"]),
  reasoning: Text,
  content: Text,
  refusal: Schema.Literals(["", "No, ünd nöt ever 🙂."]),
  calls: Schema.Array(Call),
  finish: Schema.Literals(["stop", "tool_calls", "length", "content_filter", "eos"]),
  cached: Schema.Natural,
  at: Schema.Array(Schema.Natural)
})

/** A text in pieces of at most three characters, as models write. */
const pieces = (text: string): ReadonlyArray<string> => {
  const letters = Array.from(text.toWellFormed())
  return Array.from(
    { length: Math.ceil(letters.length / 3) },
    (_, nth) => letters.slice(nth * 3, nth * 3 + 3).join("")
  )
}

const usageOf = (cached: number) => ({
  usage: {
    prompt_tokens: 40,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 4 }
  }
})

const chunksOf = ({ cached, calls, content, field, finish, reasoning, refusal }: typeof Answer.Type) => [
  chunk({ role: "assistant", content: "", [field]: "" }),
  ...pieces(reasoning).map((text) => chunk({ [field]: text })),
  ...pieces(content).map((text) => chunk({ content: text })),
  ...pieces(refusal).map((text) => chunk({ refusal: text })),
  ...calls.flatMap(({ args, id, name }, index) => [
    chunk({ tool_calls: [piece(index, id, name, "")] }),
    ...pieces(JSON.stringify(args)).map((text) => chunk({ tool_calls: [piece(index, undefined, undefined, text)] }))
  ]),
  chunk({}, {}, { finish_reason: finish }),
  { ...chunk({}), choices: [], ...usageOf(cached) }
]

const completionOf = ({ cached, calls, content, field, finish, reasoning, refusal }: typeof Answer.Type) =>
  completion(
    {
      content: content === "" ? null : content.toWellFormed(),
      [field]: reasoning.toWellFormed(),
      refusal: refusal === "" ? null : refusal,
      tool_calls: calls.map(({ args, id, name }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args).toWellFormed() }
      }))
    },
    usageOf(cached),
    { finish_reason: finish }
  )

describe("a streamed answer", () => {
  it.effect.prop(
    "is the answer in one piece, however its bytes are cut (MR-15)",
    { answer: Answer },
    ({ answer }) =>
      Effect.gen(function*() {
        const whole = assembled(yield* generated(completionOf(answer)))
        const events = chunksOf(answer)
        for (const end of [[done], []]) {
          const bytes = new TextEncoder().encode(sse([...events, ...end]))
          const { error, parts } = yield* streamed(cut(bytes, answer.at))
          assert.isUndefined(error)
          assert.deepStrictEqual(assembled(parts), whole)
        }
      }),
    { arbitrary: { runs: 15, size: 20 } }
  )

  it.effect("comes as it is written: reasoning, text, refusal, arguments", () =>
    Effect.gen(function*() {
      const parts = yield* partsOf([
        chunk({ reasoning: "Hm" }),
        chunk({ reasoning: "m." }),
        chunk({ content: "On" }),
        chunk({ content: "e." }),
        chunk({ tool_calls: [piece(0, "a", "f", "")] }),
        chunk({ tool_calls: [piece(0, undefined, undefined, "{\"x\":")] }),
        chunk({ tool_calls: [piece(0, undefined, undefined, "1}")] }),
        chunk({}, {}, { finish_reason: "tool_calls" }),
        done
      ])
      assert.deepStrictEqual(
        parts.map((part) => [part.type, "delta" in part ? part.delta : "id" in part ? part.id : undefined]),
        [
          ["reasoning-start", "reasoning"],
          ["reasoning-delta", "Hm"],
          ["reasoning-delta", "m."],
          ["text-start", "content"],
          ["text-delta", "On"],
          ["text-delta", "e."],
          ["tool-params-start", "a"],
          ["tool-params-delta", "{\"x\":"],
          ["tool-params-delta", "1}"],
          ["reasoning-end", "reasoning"],
          ["text-end", "content"],
          ["tool-params-end", "a"],
          ["tool-call", "a"],
          ["response-metadata", "chatcmpl-1"],
          ["finish", undefined]
        ]
      )
      assert.deepStrictEqual(callsIn(parts), [["a", "f", { x: 1 }]])
    }))

  it.effect("has its calls put together by index, by id, or one after the other (MR-7, MR-13)", () =>
    Effect.gen(function*() {
      const first = ["a", "f", { x: 1 }]
      const two = [first, ["b", "g", { y: 2 }]]
      // Interleaved.
      assert.deepStrictEqual(
        yield* callsOf([
          piece(0, "a", "f", "{\"x\""),
          piece(1, "b", "g", "{\"y\":"),
          piece(0, undefined, undefined, ":1}"),
          piece(1, undefined, undefined, "2}")
        ]),
        two
      )
      // Id and name in every piece.
      assert.deepStrictEqual(
        yield* callsOf([
          piece(0, "a", "f", "{\"x\""),
          piece(0, "a", "f", ":1}"),
          piece(1, "b", "g", "{\"y\":2}"),
          piece(1, "b", "g", "")
        ]),
        two
      )
      // A new id in every piece.
      assert.deepStrictEqual(yield* callsOf([piece(0, "a", "f", "{\"x\""), piece(0, "z", undefined, ":1}")]), [first])
      // Without an index: by id, or the last one.
      assert.deepStrictEqual(
        yield* callsOf([
          piece(undefined, "a", "f", "{\"x\""),
          piece(undefined, "a", undefined, ":1}"),
          piece(undefined, "b", "g", "{\"y\":"),
          piece(undefined, undefined, undefined, "2}")
        ]),
        two
      )
      // The same index for all of them.
      assert.deepStrictEqual(
        yield* callsOf([piece(0, "a", "f", "{\"x\":1}"), piece(0, "b", "g", "{\"y\":2}")]),
        two
      )
      // Neither ids nor indices.
      assert.deepStrictEqual(
        yield* callsOf([
          piece(undefined, undefined, "f", "{\"x\":1}"),
          piece(undefined, undefined, "f", "{\"x\":"),
          piece(undefined, undefined, "f", "2}")
        ]),
        [["", "f", { x: 1 }], ["", "f", { x: 2 }]]
      )
      // One id for two.
      assert.deepStrictEqual(
        yield* callsOf([piece(0, "a", "f", "{}"), piece(1, "a", "g", "{}"), null]),
        [["a", "f", {}], ["a", "g", {}]]
      )
    }))

  it.effect("has arguments in every form they come in (MR-1, MR-2, MR-3, MR-4, MR-14)", () =>
    Effect.gen(function*() {
      const argumentsOf = (...args: ReadonlyArray<unknown>) =>
        Effect.map(
          callsOf(args.map((one, nth) => piece(0, nth === 0 ? "a" : undefined, nth === 0 ? "f" : undefined, one))),
          ([call]) => call?.[2]
        )
      for (const none of ["", "  ", null, undefined]) assert.deepStrictEqual(yield* argumentsOf(none), {})
      assert.deepStrictEqual(yield* argumentsOf({ x: 1 }), { x: 1 })
      assert.deepStrictEqual(yield* argumentsOf("", { x: 1 }), { x: 1 })
      assert.deepStrictEqual(yield* argumentsOf("[1", "]"), [1])
      assert.deepStrictEqual(yield* argumentsOf("{\"a\":", "1,}"), "{\"a\":1,}")
      assert.deepStrictEqual(yield* argumentsOf("{\"a\":123456789", "01234567890}"), { a: "12345678901234567890" })
    }))

  it.effect("calls tools whatever the reason says, with ids that are told apart while they are written (MR-6, MR-7)", () =>
    Effect.gen(function*() {
      for (const reason of ["stop", "length", "eos", null]) {
        const parts = yield* partsOf([
          chunk({ tool_calls: [piece(0, undefined, "f", "{}"), piece(1, "a", "f", "{}"), piece(2, "a", "g", "{}")] }),
          chunk({}, {}, { finish_reason: reason }),
          done
        ])
        assert.deepStrictEqual(callsIn(parts).map(([id, name]) => [id, name]), [["", "f"], ["a", "f"], ["a", "g"]])
        const shown = parts.flatMap((part) => part.type === "tool-params-start" ? [part.id] : [])
        assert.strictEqual(new Set(shown).size, 3)
        assert.deepStrictEqual(parts.flatMap((part) => part.type === "tool-params-end" ? [part.id] : []), shown)
      }
    }))

  it.effect("is read from its first choice alone", () =>
    Effect.gen(function*() {
      const of = (index: number, content: string, finish_reason: string | null = null) =>
        chunk({ content }, {}, { index, finish_reason })
      const parts = yield* partsOf([of(0, "a"), of(1, "x"), of(0, "b"), of(1, "y", "length"), of(0, "", "stop"), done])
      assert.strictEqual(textIn(parts), "ab")
      assert.strictEqual(finishIn(parts)?.reason, "stop")
    }))

  it.effect("may have chunks that say nothing, before and after, and a message as a whole (MR-9)", () =>
    Effect.gen(function*() {
      const parts = yield* partsOf([
        { id: "", model: "", object: "", choices: [], prompt_filter_results: [] },
        "",
        chunk({ role: "assistant", content: null, tool_calls: null, refusal: null, reasoning: null }),
        { ...chunk({}), choices: null },
        chunk({ content: "ok" }, { novelty: [1] }, { logprobs: null }),
        chunk(null, {}, { finish_reason: "stop" }),
        { ...chunk({}), choices: [], usage: { prompt_tokens: 7, completion_tokens: null } },
        { object: "ping" }
      ])
      assert.strictEqual(textIn(parts), "ok")
      assert.strictEqual(parts.find((part) => part.type === "response-metadata")?.modelId, "gpt-test-2026")
      assert.strictEqual(finishIn(parts)?.usage.inputTokens.total, 7)
      const whole = yield* partsOf([{
        ...chunk({}),
        choices: [{ index: 0, message: { content: "all" }, finish_reason: "stop" }]
      }])
      assert.strictEqual(textIn(whole), "all")
    }))

  it.effect("has the usage that came last, wherever it stands; none is unknown (MR-11, ME-6)", () =>
    Effect.gen(function*() {
      const usage = (prompt_tokens: number) => ({ usage: { prompt_tokens, completion_tokens: 2 } })
      const totalOf = (...events: ReadonlyArray<unknown>) =>
        Effect.map(partsOf([chunk({ content: "a" }), ...events, done]), (parts) => finishIn(parts)?.usage.inputTokens)
      const end = { finish_reason: "stop" }
      assert.strictEqual((yield* totalOf(chunk({}, usage(5), end)))?.total, 5)
      assert.strictEqual((yield* totalOf(chunk({}, usage(5)), chunk({}, usage(6), end)))?.total, 6)
      assert.strictEqual((yield* totalOf(chunk({}, { x_groq: { id: "r", ...usage(8) } }, end)))?.total, 8)
      assert.strictEqual((yield* totalOf(chunk({}, { usage: null }, end)))?.total, undefined)
      const cached = yield* totalOf(chunk({}, { usage: { prompt_tokens: 9, prompt_cache_hit_tokens: 4 } }, end))
      assert.deepStrictEqual([cached?.cacheRead, cached?.uncached], [4, 5])
    }))

  it.effect("that was refused is content that was filtered, with its words (MR-10)", () =>
    Effect.gen(function*() {
      const parts = yield* partsOf([
        chunk({ refusal: "I can" }),
        chunk({ refusal: "not." }),
        chunk({}, {}, {
          finish_reason: "stop"
        })
      ])
      assert.strictEqual(textIn(parts), "I cannot.")
      assert.strictEqual(finishIn(parts)?.reason, "content-filter")
      const filtered = yield* partsOf([
        chunk({ content: "How to" }),
        chunk({}, {}, { finish_reason: "content_filter" })
      ])
      assert.strictEqual(finishIn(filtered)?.reason, "content-filter")
    }))

  it.effect("has its reasoning kept with where it was, once if it comes under two names (MR-12)", () =>
    Effect.gen(function*() {
      const reasoningOf = (...deltas: ReadonlyArray<unknown>) =>
        Effect.map(
          partsOf([...deltas.map((delta) => chunk(delta)), chunk({ content: "ok" }, {}, { finish_reason: "stop" })]),
          (parts) => [
            parts.flatMap((part) => part.type === "reasoning-delta" ? [part.delta] : []).join(""),
            parts.find((part) => part.type === "reasoning-end")?.metadata
          ]
        )
      assert.deepStrictEqual(yield* reasoningOf({ reasoning_content: "a" }, { reasoning_content: "b" }), [
        "ab",
        { openai: { field: "reasoning_content" } }
      ])
      assert.deepStrictEqual(
        yield* reasoningOf({ reasoning_content: "a", reasoning: "a" }, { reasoning_content: "b", reasoning: "b" }),
        ["ab", { openai: { field: "reasoning_content" } }]
      )
      assert.deepStrictEqual(yield* reasoningOf({ content: [{ type: "thinking", thinking: [{ text: "a" }] }] }), [
        "a",
        { openai: { field: "thinking" } }
      ])
      const text = (text: string, more = {}) => ({ type: "reasoning.text", text, index: 0, format: "f", ...more })
      assert.deepStrictEqual(
        yield* reasoningOf(
          { reasoning: "a", reasoning_details: [text("a")] },
          { reasoning: "b", reasoning_details: [text("b", { signature: null })] },
          { reasoning_details: [text("", { signature: "s" }), { type: "reasoning.encrypted", data: "x", index: 1 }] }
        ),
        ["ab", {
          openai: {
            field: "reasoning",
            details: [
              { type: "reasoning.text", text: "ab", index: 0, format: "f", signature: "s" },
              { type: "reasoning.encrypted", data: "x", index: 1 }
            ]
          }
        }]
      )
    }))

  it.effect("keeps LiteLLM's blocks of thinking, each with its signature, as in one piece (MR-12)", () =>
    Effect.gen(function*() {
      const blocks = [
        { type: "thinking", thinking: "First.", signature: "s1" },
        { type: "redacted_thinking", data: "x" },
        { type: "thinking", thinking: "Then.", signature: "s2" }
      ]
      const call = { id: "call_a", type: "function", function: { name: "stock", arguments: "{}" } }
      const piece = (thinking: string, signature = "") => ({ type: "thinking", thinking, signature })
      const { parts } = yield* streamedEvents([
        chunk({ reasoning_content: "Fir", thinking_blocks: [piece("Fir")] }),
        chunk({ reasoning_content: "st.", thinking_blocks: [piece("st.")] }),
        chunk({ reasoning_content: "", thinking_blocks: [piece("", "s1")] }),
        chunk({ thinking_blocks: [blocks[1]] }),
        chunk({ reasoning_content: "Then.", thinking_blocks: [piece("Then.")] }),
        chunk({ thinking_blocks: [piece("", "s2")] }),
        chunk({ tool_calls: [{ index: 0, ...call }] }, {}, { finish_reason: "tool_calls" }),
        done
      ])
      const answer = yield* generated(completion(
        { content: null, reasoning_content: "First.Then.", thinking_blocks: blocks, tool_calls: [call] },
        { usage: null },
        { finish_reason: "tool_calls" }
      ))
      assert.deepStrictEqual(assembled(parts), assembled(answer))
      assert.deepStrictEqual(answer.find(({ type }) => type === "reasoning")?.metadata, {
        openai: { field: "reasoning_content", blocks }
      })
    }))

  it.effect("says what it cost where the endpoint does", () =>
    Effect.gen(function*() {
      const events = [
        chunk({ content: "a" }, { usage: { prompt_tokens: 1, cost: 0.000125 } }, { finish_reason: "stop" })
      ]
      const told = yield* partsOf(events, { dialect: Dialect.openRouter })
      assert.deepStrictEqual(finishIn(told)?.metadata, { durableAgents: { costUsd: "0.000125" } })
      assert.deepStrictEqual(finishIn(yield* partsOf(events))?.metadata, {})
    }))
})

describe("a stream that goes wrong", () => {
  const failureOf = (events: ReadonlyArray<unknown>) =>
    Effect.map(streamedEvents(events), ({ error, parts }) => ({
      text: textIn(parts),
      finish: finishIn(parts),
      tag: error?.reason._tag,
      retryable: error?.isRetryable,
      message: error?.message ?? ""
    }))

  it.effect("is torn if it ends without a reason, and may go well another time (ME-2)", () =>
    Effect.gen(function*() {
      for (const events of [[chunk({ content: "Hel" })], [chunk({ tool_calls: [piece(0, "a", "f", "{")] })]]) {
        const { finish, retryable, tag } = yield* failureOf(events)
        assert.deepStrictEqual([finish, retryable, tag], [undefined, true, "InternalProviderError"])
      }
      assert.strictEqual((yield* failureOf([chunk({ content: "Hel" })])).text, "Hel")
    }))

  it.effect("has an error in the middle, judged as it would be as an answer (MR-8)", () =>
    Effect.gen(function*() {
      const failures = [
        [{ error: { message: "Slow down.", code: "rate_limit_exceeded" } }, "RateLimitError"],
        [{ error: { message: "Too long.", code: "context_length_exceeded", code_: 1 } }, "InvalidRequestError"],
        [
          chunk({ content: "" }, { error: { code: 502, message: "Upstream." } }, { finish_reason: "error" }),
          "InternalProviderError"
        ],
        [chunk({}, {}, { error: { code: 429, message: "Busy." } }), "RateLimitError"],
        [{ object: "error", message: "Gone.", type: "NotFoundError", code: 404 }, "InvalidRequestError"],
        [{ error: "CUDA out of memory" }, "InternalProviderError"],
        ["{\"choices\":[", "InvalidOutputError"],
        ["7", "InvalidOutputError"]
      ] as const
      for (const [event, tag] of failures) {
        const failure = yield* failureOf([
          chunk({ content: "Hel" }),
          event,
          chunk({ content: "lo" }, {}, { finish_reason: "stop" }),
          done
        ])
        assert.deepStrictEqual([failure.text, failure.tag], ["Hel", tag], JSON.stringify(event))
        assert.isUndefined(failure.finish)
      }
    }))

  it.effect("has an error by the name of its event", () =>
    Effect.gen(function*() {
      const text = `${sse([chunk({ content: "Hel" })])}event: error\ndata: `
      const tagOf = (data: string) =>
        Effect.map(streamed([new TextEncoder().encode(`${text}${data}\n\n`)]), ({ error }) => error?.reason._tag)
      assert.strictEqual(yield* tagOf("{\"error\":{\"code\":429,\"message\":\"Busy.\"}}"), "RateLimitError")
      assert.strictEqual(yield* tagOf("{\"message\":\"Out of memory.\"}"), "InvalidOutputError")
    }))

  it.effect("that says nothing is no answer", () =>
    Effect.gen(function*() {
      assert.include((yield* failureOf([done])).message, "a stream without a choice")
    }))

  it.effect("is an answer in one piece where the endpoint does not stream, or an error", () =>
    Effect.gen(function*() {
      const bytes = (body: unknown) => [new TextEncoder().encode(JSON.stringify(body))]
      const body = completion({ content: "Hello.", reasoning: "Hm." })
      const { parts } = yield* streamed(bytes(body))
      assert.deepStrictEqual(assembled(parts), assembled(yield* generated(body)))
      const { error } = yield* streamed(bytes({ error: { message: "No.", code: "invalid_api_key" } }))
      assert.strictEqual(error?.reason._tag, "AuthenticationError")
    }))
})
