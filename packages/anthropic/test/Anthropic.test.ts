import { Agent } from "@durable-agents/agent"
import { Anthropic } from "@durable-agents/anthropic"
import type { RunEvent } from "@durable-agents/core"
import { MemoryStore, Runs, Runtime } from "@durable-agents/core"
import type { FailureTable } from "@durable-agents/provider"
import { everyPrefix } from "@durable-agents/testing"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Duration, Effect, Exit, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import { AiError, LanguageModel, Model, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import {
  adds,
  ask,
  at,
  begins,
  events as eventsOf,
  hello,
  listAt,
  listen,
  message,
  modelOf,
  say,
  serve,
  type Server,
  sse,
  stops,
  streams,
  text,
  toolUse
} from "./server.ts"

const named = Effect.andThen(LanguageModel.generateText({ prompt: "Hi." }), Model.ModelName)

const byConfig = (env: Readonly<Record<string, string>>, options?: Anthropic.ConfigOptions) =>
  named.pipe(Effect.provide(Anthropic.layerConfig(options).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
  )))

describe("Anthropic.layer", () => {
  it.live("names its model", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      assert.strictEqual(yield* Effect.provide(named, modelOf(server)), "claude-test")
    }))

  it.live("dies of a base URL that is none", () =>
    Effect.gen(function*() {
      for (const url of ["localhost:4000", "", "ftp://example.com"]) {
        const exit = yield* Effect.exit(Effect.provide(named, modelOf({ url })))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), url)
      }
    }))
})

describe("Anthropic.layerConfig", () => {
  it.live("reads model, key and base URL from the environment", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const env = { ANTHROPIC_MODEL: "claude-a", ANTHROPIC_BASE_URL: server.url }
      assert.strictEqual(yield* byConfig({ ...env, ANTHROPIC_API_KEY: "sk-1" }), "claude-a")
      yield* byConfig(env)
      yield* byConfig({ ...env, ANTHROPIC_API_KEY: "" })
      yield* byConfig({ ...env, MY_MODEL: "claude-b", MY_KEY: "sk-2" }, {
        model: Config.String("MY_MODEL"),
        apiKey: Config.Redacted("MY_KEY"),
        headers: { "x-team": Redacted.make("blue") },
        maxTokens: 7
      })
      assert.deepStrictEqual(
        server.requests.map(({ body, headers }) => [
          at(body, "model"),
          at(body, "max_tokens"),
          headers["x-api-key"],
          headers["x-team"]
        ]),
        [
          ["claude-a", 16_384, "sk-1", undefined],
          ["claude-a", 16_384, undefined, undefined],
          ["claude-a", 16_384, undefined, undefined],
          ["claude-b", 7, "sk-2", "blue"]
        ]
      )
    }))

  it.live("says which variable is missing or wrong", () =>
    Effect.gen(function*() {
      const failureOf = (env: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(byConfig(env)), (error) => [error._tag, error.message])
      const [tag, message] = yield* failureOf({})
      assert.strictEqual(tag, "ConfigError")
      assert.include(message, "ANTHROPIC_MODEL")
      const [badTag, bad] = yield* failureOf({ ANTHROPIC_MODEL: "m", ANTHROPIC_BASE_URL: "localhost:4000" })
      assert.strictEqual(badTag, "ConfigError")
      assert.include(bad, "the base URL of a model must be")
    }))
})

const errorBody = (type: string, message = "No way.", details: unknown = null) => ({
  type: "error",
  error: { type, message, details },
  request_id: "req_1"
})

/** How an answer is judged, after exactly one request. */
const judged = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(say(status, body, headers))
    const error = yield* Effect.flip(ask(server, { apiKey: Redacted.make("sk-ant-secret") }))
    assert.strictEqual(server.requests.length, 1)
    return error
  }))

/** An error as it would be stored. */
const recorded = (error: AiError.AiError) => JSON.stringify(Schema.encodeSync(AiError.AiError)(error))

describe("a failure", () => {
  it.live("is judged by status, type and message, after one request (ME-1, ME-2)", () =>
    Effect.gen(function*() {
      const tooLong = "prompt is too long: 210000 tokens > 200000 maximum"
      const balance = "Your credit balance is too low to access the Anthropic API."
      const limits = "You have reached your specified API usage limits."
      const table: ReadonlyArray<
        readonly [number, unknown, AiError.AiErrorReason["_tag"], boolean, FailureTable.Kind]
      > = [
        [400, errorBody("invalid_request_error"), "InvalidRequestError", false, "permanent"],
        [400, errorBody("invalid_request_error", tooLong), "InvalidRequestError", false, "context-too-long"],
        [400, errorBody("invalid_request_error", balance), "QuotaExhaustedError", false, "quota"],
        [400, errorBody("invalid_request_error", limits), "QuotaExhaustedError", false, "quota"],
        [
          400,
          errorBody("invalid_request_error", "Output blocked by content filtering policy"),
          "ContentPolicyError",
          false,
          "content-filtered"
        ],
        [401, errorBody("authentication_error"), "AuthenticationError", false, "permanent"],
        [402, errorBody("billing_error"), "QuotaExhaustedError", false, "quota"],
        [403, errorBody("permission_error"), "AuthenticationError", false, "permanent"],
        [404, errorBody("not_found_error", "model: claude-none"), "InvalidRequestError", false, "permanent"],
        [413, errorBody("request_too_large"), "InvalidRequestError", false, "context-too-long"],
        [429, errorBody("rate_limit_error"), "RateLimitError", true, "rate-limited"],
        [
          429,
          errorBody("rate_limit_error", "No more.", { error_code: "enforced_spend_limit_reached" }),
          "QuotaExhaustedError",
          false,
          "quota"
        ],
        [500, errorBody("api_error"), "InternalProviderError", true, "transient"],
        [504, errorBody("timeout_error"), "InternalProviderError", true, "transient"],
        [529, errorBody("overloaded_error", "Overloaded"), "InternalProviderError", true, "transient"],
        [529, "upstream", "InternalProviderError", true, "transient"]
      ]
      for (const [status, body, tag, retryable, kind] of table) {
        const error = yield* judged(status, body)
        const said = "http" in error.reason ? error.reason.http?.response?.status : undefined
        assert.deepStrictEqual(
          [error.reason._tag, error.isRetryable, said, at(error.reason, "metadata", "failure", "kind")],
          [tag, retryable, status, kind],
          JSON.stringify(body)
        )
      }
    }))

  it.live("that says when to ask again is believed, in all forms (ME-3)", () =>
    Effect.gen(function*() {
      const retryAfter = (status: number, headers: Readonly<Record<string, string>>) =>
        Effect.map(
          judged(status, errorBody(status === 429 ? "rate_limit_error" : "overloaded_error"), headers),
          (error) => error.retryAfter === undefined ? undefined : Duration.toMillis(error.retryAfter)
        )
      assert.strictEqual(yield* retryAfter(429, { "retry-after": "7" }), 7000)
      assert.strictEqual(yield* retryAfter(529, { "retry-after": "3" }), 3000)
      for (const value of ["soon", "-5", "0"]) assert.isUndefined(yield* retryAfter(429, { "retry-after": value }))
      const date = "Thu, 01 Jan 2026 00:00:00 GMT"
      assert.strictEqual(
        yield* retryAfter(429, {
          date,
          "anthropic-ratelimit-requests-remaining": "12",
          "anthropic-ratelimit-requests-reset": "2026-01-01T00:05:00Z",
          "anthropic-ratelimit-input-tokens-remaining": "0",
          "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:20Z"
        }),
        20_000
      )
    }))

  it.live("names the request, and repeats neither key nor long bodies (ME-7)", () =>
    Effect.gen(function*() {
      const error = yield* judged(
        400,
        errorBody("invalid_request_error", `You sent sk-ant-secret ${"x".repeat(5000)}`),
        {
          "request-id": "req_011"
        }
      )
      assert.include(error.message, "invalid_request_error: You sent … xxx")
      for (const said of [recorded(error), error.message, `${error.stack}`]) assert.notInclude(said, "sk-ant-secret")
      assert.include(recorded(error), "req_011")
      assert.isBelow(recorded(error).length, 2000)
    }))

  it.live("under a success is judged like any other (MR-8)", () =>
    Effect.gen(function*() {
      const judgedTag = (body: unknown) => Effect.map(judged(200, body), ({ reason }) => reason._tag)
      assert.strictEqual(yield* judgedTag(errorBody("overloaded_error")), "InternalProviderError")
      assert.strictEqual(yield* judgedTag(errorBody("rate_limit_error")), "RateLimitError")
      assert.strictEqual(yield* judgedTag(errorBody("invalid_request_error")), "InvalidRequestError")
      const table: ReadonlyArray<readonly [unknown, string]> = [
        ["<html>gateway</html>", "HTTP 200: not JSON: <html>gateway</html>"],
        ["{\"id\":\"a\",\"con", "HTTP 200: not JSON: {\"id\":\"a\",\"con"],
        ["", "HTTP 200: an empty body"],
        ["7", "HTTP 200: not a message: 7"],
        [{ choices: [] }, "HTTP 200: no content: {\"choices\":[]}"],
        [{ content: null }, "HTTP 200: no content: {\"content\":null}"]
      ]
      for (const [body, said] of table) {
        const error = yield* judged(200, body)
        assert.strictEqual(error.reason._tag, "InvalidOutputError")
        assert.strictEqual(error.reason.message, `Invalid output: ${said}`)
      }
    }))

  it.live("is not followed elsewhere", () =>
    Effect.gen(function*() {
      const error = yield* judged(307, "", { location: "/elsewhere" })
      assert.include(error.message, "HTTP 307")
    }))

  it.live("of one that would have streamed is judged the same", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(429, errorBody("rate_limit_error"), { "retry-after": "7" }))
      const { error, parts } = yield* listen(server)
      assert.deepStrictEqual([error?.reason._tag, parts.length, server.requests.length], ["RateLimitError", 0, 1])
    }))
})

const clients = { fetch: FetchHttpClient.layer, undici: NodeHttpClient.layerUndici, node: NodeHttpClient.layerNodeHttp }

/** Sends the headers and the beginning of an answer, and no more. */
const stall: FakeProvider.Behaviour = { body: "{\"content\":", end: "silence" }

for (const [name, client] of Object.entries(clients)) {
  const generate = (url: string) =>
    LanguageModel.generateText({ prompt: "Hi." })
      .pipe(Effect.provide(Anthropic.layer({ model: "m", baseUrl: url }).pipe(Layer.provide(client))))

  describe(`the API over ${name}`, () => {
    it.effect("that stays silent, or stops in the middle, is left after the time-out (ME-8)", () =>
      Effect.gen(function*() {
        for (const answer of [FakeProvider.silence, stall]) {
          const server = yield* serve(answer)
          const fiber = yield* Effect.forkChild(Effect.flip(generate(server.url)))
          yield* server.asked
          yield* TestClock.adjust("10 minutes")
          const error = yield* Fiber.join(fiber)
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.isTrue(error.isRetryable)
          yield* server.dropped
          assert.strictEqual(server.requests.length, 1)
        }
      }))

    it.live("that tears its answer has failed for now; one whose caller goes away is left (ME-2)", () =>
      Effect.gen(function*() {
        const server = yield* serve({ body: "{\"content\":", contentLength: 1000, end: "close" })
        const error = yield* Effect.flip(generate(server.url))
        assert.isTrue(error.isRetryable)
        assert.strictEqual(server.requests.length, 1)
        const silent = yield* serve(stall)
        const fiber = yield* Effect.forkChild(generate(silent.url))
        yield* silent.asked
        yield* Fiber.interrupt(fiber)
        yield* silent.dropped
      }))
  })
}

const Stock = Tool.make("stock", {
  description: "How many are in stock.",
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int })
}).annotate(Tool.Readonly, true)
const Kit = Toolkit.make(Stock)
const Handlers = Kit.toLayer({ stock: () => Effect.succeed({ left: 12 }) })
const Keeper = Agent.make("keeper", { instructions: "You keep a shop.", toolkit: Kit })
const Speaker = Agent.make("keeper", { instructions: "You keep a shop.", toolkit: Kit, stream: true })

const run = (server: Server, options: Partial<Anthropic.Options> = {}, agent = Keeper) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(agent, "How many bolts?")
    const outcome = yield* runtime.execute(runId)
    const events = yield* Stream.runCollect(runs.events(runId))
    return { outcome, events: events.map(({ event }) => event) }
  }).pipe(Effect.provide(agent.layer.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provide([modelOf(server, options), Handlers])
  )))

const only = <Tag extends RunEvent.RunEvent["_tag"]>(events: ReadonlyArray<RunEvent.RunEvent>, tag: Tag) =>
  events.filter((event): event is Extract<RunEvent.RunEvent, { readonly _tag: Tag }> => event._tag === tag)

const thought = { type: "thinking", thinking: "Look it up.", signature: "c2lnbmF0dXJl/+=" }
const hidden = { type: "redacted_thinking", data: "b3BhcXVl" }
const asked = [thought, hidden, text("One moment."), toolUse("toolu_1", "stock", { item: "bolt" })]

const turns = [
  {
    content: asked,
    stop_reason: "tool_use",
    usage: { input_tokens: 5, cache_creation_input_tokens: 100, cache_read_input_tokens: 0, output_tokens: 20 }
  },
  {
    content: [{ type: "thinking", thinking: "Done.", signature: "c2" }, text("Twelve.")],
    stop_reason: "end_turn",
    usage: { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 100, output_tokens: 3 }
  }
] as const

const twoTurns = turns.map(({ content, ...more }) => say(200, message(content, more)))

const twoTurnsStreamed = turns.map(({ content, stop_reason, usage }) => {
  const pieces = content.flatMap((block, index) => {
    if ("thinking" in block) {
      return [
        begins(index, { type: "thinking", thinking: "", signature: "" }),
        ...Array.from(block.thinking, (thinking) => adds(index, { type: "thinking_delta", thinking })),
        adds(index, { type: "signature_delta", signature: block.signature }),
        stops(index)
      ]
    }
    if ("text" in block) {
      return [
        begins(index, text("")),
        ...Array.from(block.text, (text) => adds(index, { type: "text_delta", text })),
        stops(index)
      ]
    }
    if ("input" in block) {
      const json = Array.from(JSON.stringify(block.input))
      return [
        begins(index, { ...block, input: {} }),
        ...json.map((partial_json) => adds(index, { type: "input_json_delta", partial_json })),
        stops(index)
      ]
    }
    return [begins(index, block), stops(index)]
  })
  return streams(sse(eventsOf(pieces, { delta: { stop_reason }, usage })))
})

describe("an agent on the Messages API", () => {
  it.live("calls tools, sends thinking back as it came, and answers without it (MR-12, ME-6)", () =>
    Effect.gen(function*() {
      const server = yield* serve(twoTurns)
      const { events, outcome } = yield* run(server)
      assert.strictEqual(outcome.status, "Completed")
      assert.deepStrictEqual(only(events, "RunCompleted").map(({ output }) => output), ["Twelve."])
      assert.deepStrictEqual(
        only(events, "LLMCallCompleted").map((
          { model, providerRequestId, stopReason, usage }
        ) => [model, providerRequestId, stopReason, usage]),
        [
          ["claude-test-2026", "msg_1", "tool-calls", {
            inputTokens: 105,
            cachedInputTokens: 0,
            cacheWriteTokens: 100,
            outputTokens: 20
          }],
          ["claude-test-2026", "msg_1", "stop", {
            inputTokens: 107,
            cachedInputTokens: 100,
            cacheWriteTokens: 0,
            outputTokens: 3
          }]
        ]
      )
      assert.strictEqual(server.requests.length, 2)
      const [, assistant, user, ...rest] = listAt(server.requests[1]?.body, "messages")
      assert.strictEqual(rest.length, 0)
      assert.deepStrictEqual(at(assistant, "content"), [
        thought,
        hidden,
        { type: "text", text: "One moment." },
        { type: "tool_use", id: "toolu_1", name: "stock", input: { item: "bolt" } }
      ])
      assert.deepStrictEqual(at(user, "content"), [
        { type: "tool_result", tool_use_id: "toolu_1", content: "{\"left\":12}" }
      ])
    }))

  it.live("records of a stream what it records of a whole answer, and sends it back the same (MR-12)", () =>
    Effect.gen(function*() {
      const [whole, streamed] = [yield* serve(twoTurns), yield* serve(twoTurnsStreamed)]
      const answersOf = (events: ReadonlyArray<RunEvent.RunEvent>) =>
        only(events, "LLMCallCompleted").map(({ model, parts, providerRequestId, stopReason, usage }) => ({
          model,
          parts,
          providerRequestId,
          stopReason,
          usage
        }))
      const once = yield* run(whole)
      const spoken = yield* run(streamed, {}, Speaker)
      assert.strictEqual(spoken.outcome.status, "Completed")
      assert.deepStrictEqual(answersOf(spoken.events), answersOf(once.events))
      assert.deepStrictEqual(
        streamed.requests.map(({ body }) => body),
        whole.requests.map(({ body }) => ({ ...Object(body), stream: true }))
      )
    }))

  it.live("runs no call of an answer that was cut off, and tells the model (MR-5)", () =>
    Effect.gen(function*() {
      const server = yield* serve(({ nth }) =>
        say(
          200,
          nth === 1
            ? message([toolUse("a", "stock", { item: "bolt" }), toolUse("b", "stock", {})], {
              stop_reason: "max_tokens"
            })
            : message([text("Never mind.")])
        )
      )
      const { events, outcome } = yield* run(server)
      assert.strictEqual(outcome.status, "Completed")
      assert.deepStrictEqual(only(events, "ToolCallRequested"), [])
      const results = listAt(server.requests[1]?.body, "messages", 2, "content")
      assert.deepStrictEqual(results.map((result) => [at(result, "tool_use_id"), at(result, "is_error")]), [
        ["a", true],
        ["b", true]
      ])
      for (const result of results) assert.include(at(result, "content"), "cut off at the token limit")
    }))

  it.live("ends without an answer when the model refuses (MR-10)", () =>
    Effect.gen(function*() {
      const stop_details = { type: "refusal", category: null, explanation: "No." }
      const server = yield* serve(say(200, message([], { stop_reason: "refusal", stop_details })))
      const { events, outcome } = yield* run(server)
      assert.strictEqual(outcome.status, "Failed")
      assert.strictEqual(server.requests.length, 1)
      assert.strictEqual(only(events, "LLMCallCompleted")[0]?.stopReason, "content-filter")
      assert.include(JSON.stringify(only(events, "RunFailed")), "NoAnswer")
    }))

  it.live("fails after one request that cannot succeed, with the provider's words and without its key (ME-1, ME-7)", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(401, errorBody("authentication_error", "invalid x-api-key sk-ant-secret")))
      const { events, outcome } = yield* run(server, { apiKey: Redacted.make("sk-ant-secret") })
      assert.strictEqual(outcome.status, "Failed")
      assert.strictEqual(server.requests.length, 1)
      const [failed] = only(events, "LLMCallFailed")
      assert.include(failed?.error, "HTTP 401")
      assert.include(failed?.error, "authentication_error: invalid x-api-key …")
      assert.notInclude(JSON.stringify(events), "sk-ant-secret")
    }))
})

/** The provider, as a process sees it that may die while it is asked. */
class Provider {
  /** What was sent, without what was sent again. */
  readonly bodies = new Set<string>()

  readonly client = HttpClient.make((request) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      this.bodies.add(body)
      const isFirst = !body.includes("tool_result")
      return HttpClientResponse.fromWeb(
        request,
        Response.json(isFirst ? message(asked, { stop_reason: "tool_use" }) : message([text("Twelve.")]))
      )
    })
  )
}

describe("an agent killed at every instant", () => {
  it.effect("sends what it sent before, thinking and signatures to the last character (MR-12)", () =>
    Effect.gen(function*() {
      const trials = yield* everyPrefix({
        program: Keeper,
        input: "How many bolts?",
        world: () => new Provider(),
        layer: (world: Provider) =>
          Keeper.layer.pipe(Layer.provide([
            Anthropic.layer({ model: "claude-test", cache: "5m" })
              .pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, world.client))),
            Handlers
          ])),
        effects: ({ bodies }: Provider) => {
          const [, second = ""] = bodies
          assert.include(second, JSON.stringify(thought.signature))
          assert.include(second, JSON.stringify(hidden.data))
          return Array.from(bodies)
        }
      })
      assert.isAtLeast(trials, 8)
    }))
})
