import type { Anthropic } from "@durable-agents/anthropic"
import { MaxOutputTokens } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { ask, at, hello, listAt, message, modelOf, say, serve, text, toolUse } from "./server.ts"

const Weather = Tool.make("weather", {
  description: "The weather in a city.",
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.String
})
const Now = Tool.make("now", { success: Schema.String })
const None = Tool.make("none", { parameters: Schema.Struct({}), success: Schema.String })
const Kit = Toolkit.make(Weather, Now, None)
const Handlers = Kit.toLayer({
  weather: () => Effect.succeed("mild"),
  now: () => Effect.succeed("noon"),
  none: () => Effect.succeed("nothing")
})

const thinking = { type: "thinking", signature: "c2ln" }
const redacted = { type: "redacted_thinking", data: "b3BhcXVl" }

const conversation = Prompt.make([
  { role: "system", content: "You are brief." },
  { role: "user", content: [{ type: "text", text: "Weather in Oslo?" }] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Ask the tool.", options: { anthropic: thinking } },
      { type: "reasoning", text: "", options: { anthropic: redacted } },
      { type: "reasoning", text: "Of another model.", options: { openai: { field: "reasoning" } } },
      { type: "text", text: "One moment." },
      { type: "tool-call", id: "toolu_1", name: "weather", params: { city: "Oslo" } },
      { type: "tool-call", id: "toolu_2", name: "now", params: "none" }
    ]
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", id: "toolu_1", name: "weather", isFailure: false, result: { sky: "clear" } },
      { type: "tool-result", id: "toolu_2", name: "now", isFailure: true, result: "This call failed: no clock" }
    ]
  },
  { role: "assistant", content: [{ type: "text", text: "Clear." }] },
  { role: "user", content: [{ type: "text", text: "Thanks." }] }
])

/** What is sent for a prompt. */
const sent = (prompt: Prompt.RawInput, options: Partial<Anthropic.Options> = {}) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(hello)
    yield* LanguageModel.generateText({ prompt }).pipe(Effect.provide(modelOf(server, options)))
    return server.requests[0]?.body
  }))

const sentWithTools = (
  prompt: Prompt.RawInput,
  toolChoice: LanguageModel.ToolChoice<"weather" | "now" | "none"> = "auto",
  options: Partial<Anthropic.Options> = {}
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(hello)
    yield* LanguageModel.generateText({
      prompt,
      toolkit: Kit,
      toolChoice,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }).pipe(Effect.provide([modelOf(server, options), Handlers]))
    return server.requests[0]?.body
  }))

const marks = (json: unknown): number => Array.from(JSON.stringify(json).matchAll(/"cache_control":/g)).length

describe("MessageRequest", () => {
  it.live("says system prompt, texts, thinking, calls, results and tools as documented (MR-12)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sentWithTools(conversation), {
        model: "claude-test",
        max_tokens: 16_384,
        system: [{ type: "text", text: "You are brief." }],
        messages: [
          { role: "user", content: [{ type: "text", text: "Weather in Oslo?" }] },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "Ask the tool.", signature: "c2ln" },
              { type: "redacted_thinking", data: "b3BhcXVl" },
              { type: "text", text: "One moment." },
              { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
              { type: "tool_use", id: "toolu_2", name: "now", input: {} }
            ]
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "toolu_1", content: "{\"sky\":\"clear\"}" },
              { type: "tool_result", tool_use_id: "toolu_2", content: "This call failed: no clock", is_error: true }
            ]
          },
          { role: "assistant", content: [{ type: "text", text: "Clear." }] },
          { role: "user", content: [{ type: "text", text: "Thanks." }] }
        ],
        tools: [
          {
            name: "weather",
            description: "The weather in a city.",
            input_schema: {
              type: "object",
              properties: { city: { type: "string" } },
              required: ["city"],
              additionalProperties: true
            }
          },
          { name: "now", input_schema: { type: "object", properties: {}, additionalProperties: false } },
          { name: "none", input_schema: { type: "object", properties: {} } }
        ]
      })
    }))

  it.live("puts all results of a turn, and what a person says after them, into one message", () =>
    Effect.gen(function*() {
      const body = yield* sent([
        { role: "user", content: "Hi." },
        {
          role: "assistant",
          content: [
            { type: "tool-call", id: "a", name: "now", params: {} },
            { type: "tool-call", id: "b", name: "now", params: {} }
          ]
        },
        { role: "tool", content: [{ type: "tool-result", id: "a", name: "now", isFailure: false, result: null }] },
        { role: "tool", content: [{ type: "tool-result", id: "b", name: "now", isFailure: false, result: 7 }] },
        { role: "user", content: "Go on." }
      ])
      assert.deepStrictEqual(listAt(body, "messages").slice(1), [
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "now", input: {} },
            { type: "tool_use", id: "b", name: "now", input: {} }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "null" },
            { type: "tool_result", tool_use_id: "b", content: "7" },
            { type: "text", text: "Go on." }
          ]
        }
      ])
    }))

  it.live("leaves out what the API refuses: blank texts, messages without content, errors without a word", () =>
    Effect.gen(function*() {
      const body = yield* sent([
        { role: "system", content: " " },
        { role: "user", content: "Hi." },
        { role: "assistant", content: [{ type: "text", text: "\n" }] },
        { role: "user", content: "Well?" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "" },
            { type: "tool-call", id: "a", name: "now", params: {} },
            { type: "tool-call", id: "b", name: "now", params: {} }
          ]
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", id: "a", name: "now", isFailure: false, result: "" },
            { type: "tool-result", id: "b", name: "now", isFailure: true, result: " " }
          ]
        }
      ])
      assert.isUndefined(at(body, "system"))
      assert.deepStrictEqual(at(body, "messages"), [
        { role: "user", content: [{ type: "text", text: "Hi." }, { type: "text", text: "Well?" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "now", input: {} },
            { type: "tool_use", id: "b", name: "now", input: {} }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a" },
            { type: "tool_result", tool_use_id: "b", content: "failed", is_error: true }
          ]
        }
      ])
    }))

  it.live("takes system messages together, wherever they stand", () =>
    Effect.gen(function*() {
      const body = yield* sent([
        { role: "system", content: "One." },
        { role: "user", content: "Hi." },
        { role: "system", content: "Two." }
      ])
      assert.deepStrictEqual(at(body, "system"), [{ type: "text", text: "One." }, { type: "text", text: "Two." }])
      assert.strictEqual(listAt(body, "messages").length, 1)
    }))

  it.live("says a choice of tools only where there is one", () =>
    Effect.gen(function*() {
      const choice = (toolChoice: LanguageModel.ToolChoice<"weather" | "now" | "none">, parallelToolCalls = true) =>
        Effect.map(sentWithTools("Hi.", toolChoice, { parallelToolCalls }), (body) => [
          at(body, "tool_choice"),
          listAt(body, "tools").map((tool) => at(tool, "name"))
        ])
      const all = ["weather", "now", "none"]
      assert.deepStrictEqual(yield* choice("auto"), [undefined, all])
      assert.deepStrictEqual(yield* choice("none"), [{ type: "none" }, all])
      assert.deepStrictEqual(yield* choice("required"), [{ type: "any" }, all])
      assert.deepStrictEqual(yield* choice({ tool: "now" }), [{ type: "tool", name: "now" }, all])
      assert.deepStrictEqual(yield* choice({ mode: "required", oneOf: ["now", "none"] }), [{ type: "any" }, [
        "now",
        "none"
      ]])
      assert.deepStrictEqual(yield* choice({ oneOf: ["weather"] }), [undefined, ["weather"]])
      const single = { disable_parallel_tool_use: true }
      assert.deepStrictEqual((yield* choice("auto", false))[0], { type: "auto", ...single })
      assert.deepStrictEqual((yield* choice("required", false))[0], { type: "any", ...single })
      assert.deepStrictEqual((yield* choice({ tool: "now" }, false))[0], { type: "tool", name: "now", ...single })
      assert.deepStrictEqual((yield* choice("none", false))[0], { type: "none" })
      const without = yield* sent("Hi.", { parallelToolCalls: false })
      assert.isUndefined(at(without, "tool_choice"))
      assert.isUndefined(at(without, "tools"))
    }))

  it.live("changes names and ids that the API would refuse, and understands the changed names (MR-13)", () =>
    Effect.gen(function*() {
      const tool = <const Name extends string>(name: Name) => Tool.make(name, { success: Schema.String })
      const kit = Toolkit.make(tool("stock_count"), tool("stock.count"), tool("stock count"), tool("a".repeat(200)))
      const server =
        yield* serve(say(200, message([toolUse("t", "stock_count_3", {}), toolUse("u", "stock_count", {})])))
      const { content } = yield* LanguageModel.generateText({
        prompt: [
          { role: "user", content: "Hi." },
          {
            role: "assistant",
            content: [
              { type: "tool-call", id: "functions.stock:0", name: "stock.count", params: {} },
              { type: "tool-call", id: "", name: "ns:unknown", params: {} }
            ]
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", id: "functions.stock:0", name: "stock.count", isFailure: false, result: 1 },
              { type: "tool-result", id: "", name: "ns:unknown", isFailure: true, result: "no such tool" }
            ]
          }
        ],
        toolkit: kit,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      }).pipe(Effect.provide([
        modelOf(server),
        kit.toLayer({
          "stock_count": () => Effect.succeed(""),
          "stock.count": () => Effect.succeed(""),
          "stock count": () => Effect.succeed(""),
          ["a".repeat(200)]: () => Effect.succeed("")
        })
      ]))
      const body = server.requests[0]?.body
      const offered = listAt(body, "tools").map((tool) => `${at(tool, "name")}`)
      assert.deepStrictEqual(offered, ["stock_count", "stock_count_2", "stock_count_3", "a".repeat(60)])
      const blocks = listAt(body, "messages").flatMap((one) => listAt(one, "content"))
      const calls = blocks.filter((block) => at(block, "type") === "tool_use")
      assert.deepStrictEqual(calls.map((call) => at(call, "name")), ["stock_count_2", "ns_unknown"])
      const ids = calls.map((call) => `${at(call, "id")}`)
      const results = blocks.filter((block) => at(block, "type") === "tool_result")
      assert.deepStrictEqual(results.map((result) => at(result, "tool_use_id")), ids)
      for (const id of ids) assert.match(id, /^[a-zA-Z0-9_-]+$/)
      for (const name of offered) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
      assert.deepStrictEqual(content.flatMap((part) => part.type === "tool-call" ? [part.name] : []), [
        "stock count",
        "stock_count"
      ])
    }))

  it.live("sends images and documents, and refuses other files without a request", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const show = (mediaType: string, data: URL | Uint8Array | string, fileName?: string) =>
        LanguageModel.generateText({
          prompt: [{
            role: "user",
            content: [{ type: "text", text: "Look." }, {
              type: "file",
              mediaType,
              data,
              ...(fileName === undefined ? {} : { fileName })
            }]
          }]
        }).pipe(Effect.provide(modelOf(server)))
      yield* show("image/png", new Uint8Array([1, 2, 3]))
      yield* show("image/*", new URL("https://example.com/a.png"))
      yield* show("image/webp", new URL("data:image/webp;base64,AQID"))
      yield* show("application/pdf", "AQID", "a.pdf")
      yield* show("application/pdf", new URL("https://example.com/a.pdf"))
      yield* show("text/markdown", new TextEncoder().encode("# Grüße"))
      const refused = [
        show("image/tiff", new Uint8Array([1])),
        show("application/zip", new Uint8Array([1])),
        show("text/plain", new URL("https://example.com/a.txt")),
        show("text/plain", "not base64!")
      ]
      for (const one of refused) {
        const error = yield* Effect.flip(one)
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.match(error.message, /image\/tiff|application\/zip|text\/plain/)
      }
      assert.deepStrictEqual(server.requests.map(({ body }) => at(body, "messages", 0, "content", 1)), [
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } },
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        { type: "image", source: { type: "base64", media_type: "image/webp", data: "AQID" } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "AQID" },
          title: "a.pdf"
        },
        { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "# Grüße" } }
      ])
    }))

  it.live("shows what a tool has for the model in place of its result", () =>
    Effect.gen(function*() {
      const body = yield* sent([
        { role: "user", content: "Hi." },
        { role: "assistant", content: [{ type: "tool-call", id: "a", name: "now", params: {} }] },
        {
          role: "tool",
          content: [{
            type: "tool-result",
            id: "a",
            name: "now",
            isFailure: false,
            result: { bytes: 3 },
            modelOutput: [{ type: "text", text: "A clock:" }, { type: "file", mediaType: "image/png", data: "AQID" }]
          }]
        }
      ])
      assert.deepStrictEqual(at(body, "messages", 2, "content", 0, "content"), [
        { type: "text", text: "A clock:" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } }
      ])
    }))

  it.live("marks what is likely to be sent again, with at most four marks", () =>
    Effect.gen(function*() {
      const mark = { cache_control: { type: "ephemeral" } }
      const body = yield* sentWithTools(conversation, "auto", { cache: "5m" })
      assert.deepInclude(listAt(body, "tools").at(-1), mark)
      assert.deepInclude(listAt(body, "system").at(-1), mark)
      assert.deepInclude(at(body, "messages", 4, "content", 0), mark)
      assert.deepInclude(at(body, "messages", 2, "content", 1), mark)
      assert.strictEqual(marks(body), 4)
      const hour = yield* sent("Hi.", { cache: "1h" })
      assert.deepStrictEqual(at(hour, "messages", 0, "content", 0), {
        type: "text",
        text: "Hi.",
        cache_control: { type: "ephemeral", ttl: "1h" }
      })
      assert.strictEqual(marks(hour), 1)
      assert.strictEqual(marks(yield* sentWithTools(conversation)), 0)
    }))

  it.live("sends further fields, but for those that it sends itself", () =>
    Effect.gen(function*() {
      const parameters = { thinking: { type: "adaptive" }, service_tier: "auto", output_config: { effort: "low" } }
      const exit = yield* Effect.exit(sent("Hi.", { parameters: { ...parameters, model: "other", tool_choice: null } }))
      assert.include(JSON.stringify(exit), "`model`, `tool_choice`: the layer of the model sends this itself")
      assert.deepStrictEqual(yield* sent("Hi.", { parameters, maxTokens: 100 }), {
        thinking: { type: "adaptive" },
        service_tier: "auto",
        output_config: { effort: "low" },
        model: "claude-test",
        max_tokens: 100,
        messages: [{ role: "user", content: [{ type: "text", text: "Hi." }] }]
      })
    }))

  it.live("asks for no more tokens than whoever pays allows", () =>
    Effect.gen(function*() {
      const most = (allowed: number | undefined) =>
        Effect.map(
          sent("Hi.", { maxTokens: 100 }).pipe(Effect.provideService(MaxOutputTokens, allowed)),
          (body) => at(body, "max_tokens")
        )
      assert.deepStrictEqual([yield* most(undefined), yield* most(7), yield* most(1000)], [100, 7, 100])
    }))

  it.live("asks for an object by its schema, and reads it", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(200, message([text("{\"total\":3}")])))
      const { value } = yield* LanguageModel.generateObject({
        prompt: "How many?",
        schema: Schema.Struct({ total: Schema.Finite }),
        objectName: "count"
      }).pipe(Effect.provide(modelOf(server, { parameters: { output_config: { effort: "low" } } })))
      assert.deepStrictEqual(value, { total: 3 })
      const config = at(server.requests[0]?.body, "output_config")
      assert.strictEqual(at(config, "effort"), "low")
      assert.strictEqual(at(config, "format", "type"), "json_schema")
      assert.strictEqual(at(config, "format", "schema", "type"), "object")
      assert.deepStrictEqual(at(config, "format", "schema", "required"), ["total"])
      assert.strictEqual(at(config, "format", "schema", "additionalProperties"), false)
    }))

  it.live("refuses tools that another executes, without a request", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const Search = Tool.providerDefined({
        id: "anthropic.web_search",
        customName: "Search",
        providerName: "web_search",
        requiresHandler: false,
        success: Schema.Json
      })
      const kit = Toolkit.make(Search())
      const error = yield* LanguageModel.generateText({ prompt: "Hi.", toolkit: kit }).pipe(
        Effect.provide(modelOf(server)),
        Effect.flip
      )
      assert.include(error.message, "not supported")
      assert.strictEqual(server.requests.length, 0)
    }))
})

describe("the request's address and headers", () => {
  it.live("joins a base URL with and without a slash or a version, and keeps its query", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      for (const end of ["", "/", "/v1", "/v1/", "/proxy", "/proxy/v1/", "?a=1", "/v1?a=1"]) {
        yield* ask({ url: `${server.url}${end}` })
      }
      assert.deepStrictEqual(server.requests.map(({ method, path }) => `${method} ${path}`), [
        "POST /v1/messages",
        "POST /v1/messages",
        "POST /v1/messages",
        "POST /v1/messages",
        "POST /proxy/v1/messages",
        "POST /proxy/v1/messages",
        "POST /v1/messages?a=1",
        "POST /v1/messages?a=1"
      ])
    }))

  it.live("sends the key by itself, the version, and beta features", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      yield* ask(server)
      yield* ask(server, { apiKey: Redacted.make(" ") })
      yield* ask(server, { apiKey: Redacted.make("sk-ant-secret\n"), betas: ["one-2026-01-01", "two-2026-01-01"] })
      yield* ask(server, { version: "2023-06-01" })
      yield* ask(server, {
        version: "2023-06-01",
        headers: { "Authorization": Redacted.make("Bearer oauth"), "Anthropic-Version": "2025-01-01" }
      })
      const header = (name: string) => server.requests.map(({ headers }) => headers[name])
      assert.deepStrictEqual(header("x-api-key"), [undefined, undefined, "sk-ant-secret", undefined, undefined])
      assert.deepStrictEqual(header("authorization"), [undefined, undefined, undefined, undefined, "Bearer oauth"])
      const latest = "2026-10-21"
      assert.deepStrictEqual(header("anthropic-version"), [latest, latest, latest, "2023-06-01", "2025-01-01"])
      assert.deepStrictEqual(header("anthropic-beta")[2], "one-2026-01-01,two-2026-01-01")
      assert.isUndefined(header("anthropic-beta")[0])
      assert.strictEqual(server.requests[0]?.headers["content-type"], "application/json")
      assert.strictEqual(server.requests[0]?.headers.accept, "application/json")
    }))
})
