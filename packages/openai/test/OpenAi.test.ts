import { Agent } from "@durable-agents/agent"
import type { RunEvent } from "@durable-agents/core"
import { MemoryStore, Runs, Runtime } from "@durable-agents/core"
import { OpenAi } from "@durable-agents/openai"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Effect, Exit, Layer, Redacted, Schema, Stream } from "effect"
import { LanguageModel, Model, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { at, completion, hello, listAt, modelOf, say, serve, type Server } from "./server.ts"

const named = Effect.andThen(LanguageModel.generateText({ prompt: "Hi." }), Model.ModelName)

const byConfig = (env: Readonly<Record<string, string>>, options?: OpenAi.ConfigOptions) =>
  named.pipe(Effect.provide(OpenAi.layerConfig(options).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
  )))

describe("OpenAi.layer", () => {
  it.live("names its model", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      assert.strictEqual(yield* Effect.provide(named, modelOf(server)), "gpt-test")
    }))

  it.live("dies of a base URL that is none", () =>
    Effect.gen(function*() {
      for (const url of ["localhost:11434/v1", "", "ftp://example.com"]) {
        const exit = yield* Effect.exit(Effect.provide(named, modelOf({ url })))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), url)
      }
    }))
})

describe("OpenAi.layerConfig", () => {
  it.live("reads model, key and base URL from the environment", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const env = { LLM_MODEL: "llama", LLM_BASE_URL: server.url }
      assert.strictEqual(yield* byConfig({ ...env, LLM_API_KEY: "sk-1" }), "llama")
      yield* byConfig(env)
      yield* byConfig({ ...env, LLM_API_KEY: "" })
      yield* byConfig({ ...env, MY_MODEL: "qwen", MY_KEY: "sk-2" }, {
        model: Config.String("MY_MODEL"),
        apiKey: Config.Redacted("MY_KEY"),
        headers: { "x-team": Redacted.make("blue") }
      })
      assert.deepStrictEqual(
        server.requests.map(({ body, headers }) => [at(body, "model"), headers.authorization, headers["x-team"]]),
        [
          ["llama", "Bearer sk-1", undefined],
          ["llama", undefined, undefined],
          ["llama", undefined, undefined],
          ["qwen", "Bearer sk-2", "blue"]
        ]
      )
    }))

  it.live("says which variable is missing or wrong", () =>
    Effect.gen(function*() {
      const failureOf = (env: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(byConfig(env)), (error) => [error._tag, error.message])
      const [tag, message] = yield* failureOf({})
      assert.strictEqual(tag, "ConfigError")
      assert.include(message, "LLM_MODEL")
      const [badTag, bad] = yield* failureOf({ LLM_MODEL: "m", LLM_BASE_URL: "localhost:11434" })
      assert.strictEqual(badTag, "ConfigError")
      assert.include(bad, "the base URL of a model must be")
    }))
})

const Stock = Tool.make("stock", {
  description: "How many are in stock.",
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int })
}).annotate(Tool.Readonly, true)
const Kit = Toolkit.make(Stock)
const Keeper = Agent.make("keeper", { instructions: "You keep a shop.", toolkit: Kit })

const run = (server: Server) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(Keeper, "How many bolts?")
    const outcome = yield* runtime.execute(runId)
    const events = yield* Stream.runCollect(runs.events(runId))
    return { outcome, events: events.map(({ event }) => event) }
  }).pipe(Effect.provide(Keeper.layer.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provide([modelOf(server), Kit.toLayer({ stock: () => Effect.succeed({ left: 12 }) })])
  )))

const only = <Tag extends RunEvent.RunEvent["_tag"]>(events: ReadonlyArray<RunEvent.RunEvent>, tag: Tag) =>
  events.filter((event): event is Extract<RunEvent.RunEvent, { readonly _tag: Tag }> => event._tag === tag)

describe("an agent on an endpoint", () => {
  it.live("calls tools, is told what went wrong with others, and answers (checks 89, 92, 95, D22)", () =>
    Effect.gen(function*() {
      const call = (id: string | undefined, name: string, args: unknown) => ({
        ...(id === undefined ? {} : { id }),
        type: "function",
        function: { name, arguments: args }
      })
      const server = yield* serve(({ nth }) =>
        say(
          200,
          nth === 1
            ? completion(
              {
                content: null,
                reasoning_content: "Look it up.",
                tool_calls: [
                  call("a", "stock", "{\"item\":\"bolt\"}"),
                  call("a", "stock", "{\"item\":"),
                  call(undefined, "functions.stock", "{}")
                ]
              },
              { usage: null },
              { finish_reason: null }
            )
            : completion({ content: "Twelve." })
        )
      )
      const { events, outcome } = yield* run(server)
      assert.strictEqual(outcome.status, "Completed")
      assert.deepStrictEqual(only(events, "RunCompleted").map(({ output }) => output), ["Twelve."])
      assert.deepStrictEqual(
        only(events, "LLMCallCompleted").map((
          { model, providerRequestId, usage }
        ) => [model, providerRequestId, usage]),
        [
          ["gpt-test-2026", "chatcmpl-1", {}],
          ["gpt-test-2026", "chatcmpl-1", { inputTokens: 9, outputTokens: 4 }]
        ]
      )
      assert.strictEqual(server.requests.length, 2)
      const messages = listAt(server.requests[1]?.body, "messages")
      assert.deepStrictEqual(messages.map((message) => at(message, "role")), [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "tool"
      ])
      assert.strictEqual(at(messages[2], "reasoning_content"), "Look it up.")
      const calls = listAt(messages[2], "tool_calls")
      const ids = calls.map((sent) => at(sent, "id"))
      assert.strictEqual(new Set(ids).size, 3)
      assert.deepStrictEqual(messages.slice(3).map((message) => at(message, "tool_call_id")), ids)
      assert.deepStrictEqual(calls.map((sent) => [at(sent, "function", "name"), at(sent, "function", "arguments")]), [
        ["stock", "{\"item\":\"bolt\"}"],
        ["stock", "{}"],
        ["functions_stock", "{}"]
      ])
      const results = messages.slice(3).map((message) => `${at(message, "content")}`)
      assert.strictEqual(results[0], "{\"left\":12}")
      assert.include(results[1] ?? "", "must be a JSON object")
      assert.include(results[2] ?? "", "there is no tool named `functions.stock`")
    }))

  it.live("fails after one request that cannot succeed, with the provider's code and without its key (ME-1, ME-7)", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(401, { error: { message: "Wrong key.", code: "invalid_api_key" } }))
      const { events, outcome } = yield* run(server)
      assert.strictEqual(outcome.status, "Failed")
      assert.strictEqual(server.requests.length, 1)
      const [failed] = only(events, "LLMCallFailed")
      assert.include(failed?.error, "HTTP 401")
      assert.include(failed?.error, "invalid_api_key: Wrong key.")
      assert.strictEqual(at(failed?.failure, "status"), 401)
    }))
})
