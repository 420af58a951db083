/** Whole runs of an agent against a server that says odd things, and that refuses every request that is not exactly right. */
import { Agent } from "@durable-agents/agent"
import type { RunEvent } from "@durable-agents/core"
import { MemoryStore, Runs, Runtime } from "@durable-agents/core"
import { Dialect, OpenAi } from "@durable-agents/openai"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Ref, Result, Schedule, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { chunk, done, sse } from "./bytes.ts"
import { at, completion, listAt } from "./server.ts"

const Stock = Tool.make("stock", {
  description: "How many are in stock.",
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int })
}).annotate(Tool.Readonly, true)
const Now = Tool.make("now", { success: Schema.String }).annotate(Tool.Readonly, true)
const Order = Tool.make("order", {
  parameters: Schema.Struct({ item: Schema.String, number: Schema.Int }),
  success: Schema.String
}).annotate(Tool.Readonly, true)
const Fails = Tool.make("fails", { success: Schema.String, failure: Schema.String }).annotate(Tool.Readonly, true)
const Pay = Tool.make("pay", { success: Schema.String, needsApproval: true })
const Kit = Toolkit.make(Stock, Now, Order, Fails, Pay)

const keeper = (stream: boolean) =>
  Agent.make("keeper", {
    instructions: "You keep a shop.",
    toolkit: Kit,
    attempts: 3,
    retry: Schedule.forever,
    stream
  })

const Calls = Schema.Array(Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^\S{1,40}$/)),
  type: Schema.Literal("function"),
  function: Schema.Struct({
    name: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/)),
    arguments: Schema.fromJsonString(Schema.JsonObject)
  })
}))

/** What a strict endpoint takes, no field more. */
const Message = Schema.Union([
  Schema.Struct({ role: Schema.Literals(["system", "user"]), content: Schema.NonEmptyString }),
  Schema.Struct({ role: Schema.Literal("assistant"), content: Schema.String }),
  Schema.Struct({
    role: Schema.Literal("assistant"),
    content: Schema.NullOr(Schema.NonEmptyString),
    tool_calls: Calls.check(Schema.isMinLength(1)),
    reasoning_content: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ role: Schema.Literal("tool"), tool_call_id: Schema.NonEmptyString, content: Schema.String })
])

const decodeMessages = Schema.decodeUnknownSync(Schema.Array(Message), { onExcessProperty: "error" })

/** Throws for a request that a strict endpoint would refuse: every call has its own id, and right behind it one result of it. */
const refuse = (body: unknown): void => {
  const messages = decodeMessages(at(body, "messages"))
  const used = new Set<string>()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined || !("tool_calls" in message)) continue
    const ids = message.tool_calls.map(({ id }) => id)
    for (const id of ids) assert.isFalse(used.has(id), `the id \`${id}\` comes twice`)
    ids.forEach((id) => used.add(id))
    const results = messages.slice(index + 1, index + 1 + ids.length)
    assert.sameMembers(results.map((one) => one.role === "tool" ? one.tool_call_id : one.role), ids)
    index += ids.length
  }
  const answered = messages.filter(({ role }) => role === "tool")
  assert.strictEqual(answered.length, used.size)
}

type Event = RunEvent.RunEvent
const only = <Tag extends Event["_tag"]>(events: ReadonlyArray<Event>, tag: Tag) =>
  events.filter((event): event is Extract<Event, { readonly _tag: Tag }> => event._tag === tag)

/** A message as this endpoint says it, in one piece or streamed. */
type Say = (stream: boolean) => FakeProvider.Behaviour

const says = (message: object, choice: object = {}, more: object = {}): Say => (stream) => {
  if (!stream) {
    return { body: completion({ role: "assistant", ...message }, more, { finish_reason: "stop", ...choice }) }
  }
  const calls = listAt(message, "tool_calls")
  const { tool_calls: _, ...rest } = { tool_calls: null, ...message }
  return {
    headers: { "content-type": "text/event-stream" },
    cut: "bytes",
    body: sse([
      chunk({ role: "assistant", ...rest }),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...(call as object) }] })),
      chunk({}, more, { finish_reason: "stop", ...choice }),
      done
    ])
  }
}

const call = (id: string | undefined, name: string, args: unknown) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, ...(args === undefined ? {} : { arguments: args }) }
})

const calls = (...tool_calls: ReadonlyArray<ReturnType<typeof call>>) =>
  says({ content: null, tool_calls }, { finish_reason: "tool_calls" })

const ends = says({ content: "Done." })

/** One run, from its start until it rests; what waits for an approval is approved, and goes on in another process. */
const play = (script: ReadonlyArray<Say>, stream: boolean) =>
  Effect.gen(function*() {
    const refused: Array<unknown> = []
    const provider = yield* FakeProvider.make(({ body, nth }) =>
      Result.match(Result.try(() => refuse(body)), {
        onFailure: (problem) => {
          refused.push(problem)
          return FakeProvider.respond(400, "")
        },
        onSuccess: () => (script[nth - 1] ?? ends)(stream)
      })
    )
    const executed = yield* Ref.make<ReadonlyArray<unknown>>([])
    const note = <A>(name: string, params: unknown, result: A) =>
      Effect.as(Ref.update(executed, (all) => [...all, [name, params]]), result)
    const Keeper = keeper(stream)
    const handlers = Kit.toLayer({
      stock: (params) => note("stock", params, { left: 12 }),
      now: () => note("now", {}, "noon"),
      order: (params) => note("order", params, "ordered"),
      fails: () => Effect.andThen(note("fails", {}, ""), Effect.fail("closed")),
      pay: () => note("pay", {}, "paid")
    })
    const model = OpenAi.layer({ model: "m", baseUrl: provider.baseUrl, apiKey: Redacted.make("sk-very-secret") })
      .pipe(Layer.provide(FetchHttpClient.layer))
    /** A process: what it knows is gone with it, but for the store. */
    const Process = Keeper.layer.pipe(Layer.provideMerge(Runtime.layer), Layer.provide([model, handlers]))
    return yield* Effect.gen(function*() {
      const first = yield* Effect.provide(
        Effect.gen(function*() {
          const runId = yield* (yield* Runs).start(Keeper, "How many bolts?")
          return yield* (yield* Runtime).execute(runId)
        }),
        Process
      )
      const { runId } = first
      const { events, outcome } = yield* Effect.provide(
        Effect.gen(function*() {
          const runs = yield* Runs
          const [pending] = first.pendingApprovals
          if (pending !== undefined) {
            yield* runs.approve(runId, { approval: pending.key, actor: { kind: "person", id: "dana" } })
          }
          const outcome = pending === undefined ? first : yield* (yield* Runtime).execute(runId)
          return { outcome, events: (yield* Stream.runCollect(runs.events(runId))).map(({ event }) => event) }
        }),
        Process
      )
      assert.deepStrictEqual(refused, [])
      assert.notInclude(JSON.stringify([events, outcome]), "sk-very-secret")
      assert.strictEqual(only(events, "LLMCallRequested").length, provider.requests.length)
      const last = listAt(provider.requests.at(-1)?.body, "messages")
      return {
        status: outcome.status,
        events,
        executed: yield* Ref.get(executed),
        requests: provider.requests.map(({ body }) => body),
        results: last.flatMap((one) => at(one, "role") === "tool" ? [`${at(one, "content")}`] : [])
      }
    }).pipe(Effect.provide(MemoryStore.layer))
  })

describe("a budget", () => {
  it.live("is asked of the endpoint as the most tokens of an answer, and is told what that cost", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make({
        body: completion({ content: "Done." }, { usage: { prompt_tokens: 9, completion_tokens: 4, cost: 1.25e-7 } })
      })
      const Brief = Agent.make("brief", { instructions: "", maxOutputTokens: 300 })
      const model = OpenAi.layer({ model: "m", baseUrl: provider.baseUrl, dialect: Dialect.openRouter })
        .pipe(Layer.provide(FetchHttpClient.layer))
      const { usage } = yield* Effect.gen(function*() {
        const runId = yield* (yield* Runs).start(Brief, "Hi.")
        return yield* (yield* Runtime).execute(runId)
      }).pipe(Effect.provide(Brief.layer.pipe(
        Layer.provideMerge(Runtime.layerMemory),
        Layer.provide(model)
      )))
      assert.strictEqual(at(provider.requests[0]?.body, "max_tokens"), 300)
      assert.strictEqual(usage.costUsd, "0.000000125")
    }))
})

describe("a conversation that the endpoint finds too long", () => {
  const refusals = {
    "OpenAI": [400, { error: { message: "no", type: "invalid_request_error", code: "context_length_exceeded" } }],
    "llama.cpp": [400, { error: { code: 400, message: "too many", type: "exceed_context_size_error" } }],
    "vLLM": [400, { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 }],
    "a gateway": [413, "Payload Too Large"],
    "OpenRouter, under a success": [200, { error: { code: 400, message: "maximum context length is 4096 tokens" } }]
  } as const

  for (const [name, [status, body]] of Object.entries(refusals)) {
    it.live(`is summarised, as ${name} says it (ME-1)`, () =>
      Effect.gen(function*() {
        const page = "x".repeat(3000)
        const turnOf = (nth: number) =>
          FakeProvider.reply({ toolCalls: [{ name: "stock", arguments: { item: `${nth}` } }] })
        const provider = yield* FakeProvider.make([
          turnOf(1),
          turnOf(2),
          FakeProvider.respond(status, body),
          FakeProvider.reply("Twelve of one, none of two."),
          FakeProvider.reply("Done.")
        ])
        const Look = Tool.make("stock", { parameters: Schema.Struct({ item: Schema.String }), success: Schema.String })
          .annotate(Tool.Readonly, true)
        const Reader = Agent.make("reader", {
          instructions: "You keep a shop.",
          toolkit: [Look],
          compaction: { above: 100_000 }
        })
        const model = OpenAi.layer({ model: "m", baseUrl: provider.baseUrl }).pipe(Layer.provide(FetchHttpClient.layer))
        const { output, reason } = yield* Effect.gen(function*() {
          const runId = yield* (yield* Runs).start(Reader, "How many?")
          return yield* (yield* Runtime).execute(runId)
        }).pipe(Effect.provide(Reader.layer.pipe(
          Layer.provideMerge(Runtime.layerMemory),
          Layer.provide([model, Toolkit.make(Look).toLayer({ stock: () => Effect.succeed(page) })])
        )))
        assert.strictEqual(output, "Done.", reason)
        assert.strictEqual(provider.requests.length, 5)
        const [, , refused, summary, last] = provider.requests.map(({ body }) => JSON.stringify(body).length)
        assert.isBelow(summary ?? Infinity, (refused ?? 0) / 1.5)
        assert.isBelow(last ?? Infinity, (refused ?? 0) / 1.5)
        assert.include(JSON.stringify(provider.requests.at(-1)?.body), "Twelve of one, none of two.")
      }))
  }
})

for (const stream of [false, true]) {
  describe(`an agent on ${stream ? "a streaming" : "an"} endpoint`, () => {
    it.live("runs a tool without parameters whose arguments are not there (MR-1)", () =>
      Effect.gen(function*() {
        const nothing = ["", "  ", null, undefined].map((args, nth) => call(`c${nth}`, "now", args))
        const { executed, results, status } = yield* play(
          [calls(...nothing, call("s", "stock", ""))],
          stream
        )
        assert.strictEqual(status, "Completed")
        assert.deepStrictEqual(executed, [["now", {}], ["now", {}], ["now", {}], ["now", {}]])
        assert.include(results[4], "item")
      }))

    it.live("takes arguments that are an object, and sends back their text (MR-2)", () =>
      Effect.gen(function*() {
        const { executed, requests } = yield* play([calls(call("a", "stock", { item: "bolt" }))], stream)
        assert.deepStrictEqual(executed, [["stock", { item: "bolt" }]])
        assert.strictEqual(
          at(requests[1], "messages", 2, "tool_calls", 0, "function", "arguments"),
          "{\"item\":\"bolt\"}"
        )
      }))

    it.live("executes nothing for arguments that are no object or no JSON, and goes on (MR-3, MR-4)", () =>
      Effect.gen(function*() {
        const bad = [
          "[1]",
          "7",
          "null",
          "\"x\"",
          "{\"item\":\"a\nb\"}",
          "{\"item\":\"a\",}",
          "```json\n{}\n```",
          "{\"it"
        ]
        const { events, executed, results, status } = yield* play([
          calls(...bad.map((args, nth) => call(`c${nth}`, "stock", args))),
          calls(call("again", "stock", "{\"item\":\"bolt\"}"))
        ], stream)
        assert.strictEqual(status, "Completed")
        assert.deepStrictEqual(executed, [["stock", { item: "bolt" }]])
        for (const result of results.slice(0, bad.length)) assert.include(result, "must be a JSON object")
        // What the model wrote is in the log.
        assert.include(JSON.stringify(only(events, "LLMCallCompleted")[0]), "```json")
      }))

    it.live("executes no call of an answer that was cut off (MR-5)", () =>
      Effect.gen(function*() {
        const { executed, results, status } = yield* play([
          says({ content: null, tool_calls: [call("a", "now", "{}"), call("b", "stock", "{\"item\":")] }, {
            finish_reason: "length"
          }),
          calls(call("c", "stock", "{\"item\":"))
        ], stream)
        assert.strictEqual(status, "Completed")
        assert.deepStrictEqual(executed, [])
        for (const result of results.slice(0, 2)) assert.include(result, "cut off")
        assert.include(results[2], "must be a JSON object")
      }))

    it.live("executes calls whatever the reason says (MR-6)", () =>
      Effect.gen(function*() {
        for (const finish_reason of ["stop", "eos", null, undefined]) {
          const { executed, status } = yield* play(
            [says({ content: null, tool_calls: [call("a", "now", "{}")] }, { finish_reason })],
            stream
          )
          assert.deepStrictEqual([executed, status], [[["now", {}]], "Completed"])
        }
      }))

    it.live("executes every call once and gives each its own id (MR-7)", () =>
      Effect.gen(function*() {
        const { executed, requests } = yield* play([
          calls(
            call(undefined, "stock", "{\"item\":\"a\"}"),
            call("", "stock", "{\"item\":\"b\"}"),
            call("x", "stock", "{\"item\":\"c\"}"),
            call("x", "now", "{}")
          ),
          calls(call("x", "stock", "{\"item\":\"d\"}"))
        ], stream)
        assert.strictEqual(executed.length, 5)
        const first = JSON.stringify(listAt(requests[1], "messages").slice(0, 7))
        assert.strictEqual(JSON.stringify(listAt(requests[2], "messages").slice(0, 7)), first)
      }))

    it.live("takes an error under a success for a failed attempt (MR-8)", () =>
      Effect.gen(function*() {
        const { events, status } = yield* play([
          () => ({ body: { error: { message: "Busy.", code: 503 } } }),
          () => ({ body: "<html>" })
        ], stream)
        assert.strictEqual(status, "Completed")
        assert.strictEqual(only(events, "LLMCallFailed").length, 2)
      }))

    it.live("does not mind what else is there, or is null (MR-9, MR-11)", () =>
      Effect.gen(function*() {
        const { events, executed, status } = yield* play([
          says({ content: null, refusal: null, audio: null, annotations: [], tool_calls: [call("a", "now", "{}")] }, {
            logprobs: null
          }, { usage: null, novelty: { a: [1] } }),
          says({ content: "Done.", tool_calls: null, function_call: null }, {}, { usage: { prompt_tokens: "many" } })
        ], stream)
        assert.deepStrictEqual([executed.length, status], [1, "Completed"])
        assert.deepStrictEqual(only(events, "LLMCallCompleted").map(({ usage }) => usage), [{}, {}])
      }))

    it.live("ends without an answer if the model refuses, after one request (MR-10)", () =>
      Effect.gen(function*() {
        for (
          const refusal of [
            says({ content: null, refusal: "I cannot." }),
            says({ content: "" }, { finish_reason: "content_filter" })
          ]
        ) {
          const { requests, status } = yield* play([refusal], stream)
          assert.deepStrictEqual([requests.length, status], [1, "Failed"])
        }
      }))

    it.live("sends reasoning back with its calls, also from another process (MR-12)", () =>
      Effect.gen(function*() {
        const { events, executed, requests, status } = yield* play(
          [says({ content: null, reasoning_content: "They want to pay.", tool_calls: [call("a", "pay", "{}")] })],
          stream
        )
        assert.deepStrictEqual([executed, status], [[["pay", {}]], "Completed"])
        assert.strictEqual(at(requests[1], "messages", 2, "reasoning_content"), "They want to pay.")
        assert.deepStrictEqual(only(events, "RunCompleted").map(({ output }) => output), ["Done."])
      }))

    it.live("tells the model which tools there are if it calls another (MR-13)", () =>
      Effect.gen(function*() {
        const names = ["functions.stock", "ns:stock", "st ock", "", "käse", "x".repeat(300)]
        const { executed, results, status } = yield* play(
          [calls(...names.map((name, nth) => call(`c${nth}`, name, "{}")))],
          stream
        )
        assert.deepStrictEqual([executed, status], [[], "Completed"])
        for (const result of results) assert.include(result, "stock")
      }))

    it.live("never rounds a number (MR-14)", () =>
      Effect.gen(function*() {
        const { executed, results } = yield* play([
          calls(
            call("a", "order", "{\"item\":\"a\",\"number\":12345678901234567890}"),
            call("b", "order", "{\"item\":\"a\",\"number\":1e999}"),
            call("c", "stock", "{\"item\":12345678901234567890}")
          )
        ], stream)
        assert.deepStrictEqual(executed, [["stock", { item: "12345678901234567890" }]])
        for (const result of results.slice(0, 2)) assert.include(result, "number")
      }))

    it.live("reads every character, in whatever pieces it comes, and survives bytes that are none (MR-15)", () =>
      Effect.gen(function*() {
        const { events } = yield* play([says({ content: "Grüße, 世界 🙂" })], stream)
        assert.deepStrictEqual(only(events, "RunCompleted").map(({ output }) => output), ["Grüße, 世界 🙂"])
        const odd = Buffer.from(stream
          ? sse([chunk({ content: "a?b" }), chunk({}, {}, { finish_reason: "stop" })])
          : JSON.stringify(completion({ content: "a?b" }))).map((byte) => byte === 0x3f ? 0xff : byte)
        const replaced = yield* play([() => ({ body: odd, cut: 7 })], stream)
        assert.deepStrictEqual(only(replaced.events, "RunCompleted").map(({ output }) => output), ["a\uFFFDb"])
      }))

    it.live("makes one request that is refused for good (ME-1, ME-7)", () =>
      Effect.gen(function*() {
        const refusals = [
          [400, "context_length_exceeded", "context-too-long"],
          [400, "content_filter", "content-filtered"],
          [401, "invalid_api_key", "permanent"],
          [404, "model_not_found", "permanent"],
          [429, "insufficient_quota", "quota"]
        ] as const
        for (const [status, code, kind] of refusals) {
          const run = yield* play([
            () => FakeProvider.respond(status, { error: { message: "No: sk-very-secret.", code } })
          ], stream)
          assert.deepStrictEqual([run.status, run.requests.length], ["Failed", 1], code)
          const [failed] = only(run.events, "LLMCallFailed")
          assert.include(failed?.error, `HTTP ${status}`)
          assert.strictEqual(at(failed?.failure, "kind"), kind)
        }
      }))

    it.live("asks again after what passes, as often as is recorded and allowed (ME-2, ME-4)", () =>
      Effect.gen(function*() {
        const passing: ReadonlyArray<FakeProvider.Behaviour> = [
          FakeProvider.respond(503, "busy"),
          FakeProvider.reset,
          FakeProvider.reply("torn in the middle", { after: 200, end: "close" }),
          FakeProvider.respond(500, {})
        ]
        for (const failure of passing) {
          const once = yield* play([() => failure], stream)
          assert.deepStrictEqual([once.status, once.requests.length], ["Completed", 2])
        }
        const always = yield* play([0, 1, 2, 3].map(() => () => FakeProvider.respond(503, "busy")), stream)
        assert.deepStrictEqual([always.status, always.requests.length], ["Failed", 3])
      }))

    it.live("gives the model what a tool says of its failure, and does not repeat it (ME-5)", () =>
      Effect.gen(function*() {
        const { executed, results, status } = yield* play([calls(call("a", "fails", "{}"))], stream)
        assert.deepStrictEqual([executed.length, status], [1, "Completed"])
        assert.include(results[0], "closed")
      }))

    it.live("records tokens as they are reported, cached ones among them (ME-6)", () =>
      Effect.gen(function*() {
        const usageOf = (usage: object) =>
          Effect.map(
            play([says({ content: "Done." }, {}, { usage })], stream),
            ({ events }) => only(events, "LLMCallCompleted")[0]?.usage
          )
        const partly = yield* usageOf({
          prompt_tokens: 9,
          completion_tokens: 4,
          prompt_tokens_details: { cached_tokens: 5 }
        })
        assert.deepInclude(partly, { inputTokens: 9, cachedInputTokens: 5, outputTokens: 4 })
        const odd = yield* usageOf({
          prompt_tokens: 9,
          completion_tokens: 4,
          prompt_tokens_details: { cached_tokens: 50 }
        })
        assert.deepInclude(odd, { inputTokens: 9, cachedInputTokens: 50 })
      }))
  })
}
