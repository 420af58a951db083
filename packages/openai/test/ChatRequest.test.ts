import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { ask, at, completion, hello, listAt, modelOf, say, serve } from "./server.ts"

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

const conversation = Prompt.make([
  { role: "system", content: "You are brief." },
  { role: "user", content: [{ type: "text", text: "Weather in Oslo?" }] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Ask the tool.", options: { openai: { field: "reasoning_content" } } },
      { type: "text", text: "One moment." },
      { type: "tool-call", id: "call_1", name: "weather", params: { city: "Oslo" } },
      { type: "tool-call", id: "call_2", name: "now", params: {} }
    ]
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", id: "call_1", name: "weather", isFailure: false, result: { sky: "clear" } },
      { type: "tool-result", id: "call_2", name: "now", isFailure: true, result: "This call failed: no clock" }
    ]
  },
  { role: "assistant", content: [{ type: "text", text: "Clear." }] },
  { role: "user", content: [{ type: "text", text: "Thanks." }] }
])

const bodyOf = (options: { readonly toolChoice?: LanguageModel.ToolChoice<"weather" | "now" | "none"> }) =>
  Effect.gen(function*() {
    const server = yield* serve(hello)
    yield* LanguageModel.generateText({
      prompt: "Hi.",
      toolkit: Kit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred",
      ...options
    }).pipe(Effect.provide([modelOf(server), Handlers]))
    return server.requests[0]?.body
  })

describe("ChatRequest", () => {
  it.live("says system prompt, texts, calls, results, reasoning and tools as documented (check 91, H30)", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      yield* LanguageModel.generateText({
        prompt: conversation,
        toolkit: Kit,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      }).pipe(Effect.provide([modelOf(server), Handlers]))
      assert.deepStrictEqual(server.requests.map(({ body }) => body), [{
        model: "gpt-test",
        messages: [
          { role: "system", content: "You are brief." },
          { role: "user", content: "Weather in Oslo?" },
          {
            role: "assistant",
            content: "One moment.",
            reasoning_content: "Ask the tool.",
            tool_calls: [
              { id: "call_1", type: "function", function: { name: "weather", arguments: "{\"city\":\"Oslo\"}" } },
              { id: "call_2", type: "function", function: { name: "now", arguments: "{}" } }
            ]
          },
          { role: "tool", tool_call_id: "call_1", content: "{\"sky\":\"clear\"}" },
          { role: "tool", tool_call_id: "call_2", content: "This call failed: no clock" },
          { role: "assistant", content: "Clear." },
          { role: "user", content: "Thanks." }
        ],
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather in a city.",
              parameters: {
                type: "object",
                properties: { city: { type: "string" } },
                required: ["city"],
                additionalProperties: true
              }
            }
          },
          {
            type: "function",
            function: { name: "now", parameters: { type: "object", properties: {}, additionalProperties: false } }
          },
          { type: "function", function: { name: "none", parameters: { type: "object", properties: {} } } }
        ]
      }])
    }))

  it.live("leaves out tools where there are none, and content beside calls alone is null", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      yield* LanguageModel.generateText({
        prompt: [
          { role: "user", content: "Hi." },
          { role: "assistant", content: [{ type: "tool-call", id: "a", name: "now", params: {} }] },
          { role: "tool", content: [{ type: "tool-result", id: "a", name: "now", isFailure: false, result: null }] }
        ]
      }).pipe(Effect.provide(modelOf(server)))
      assert.deepStrictEqual(server.requests[0]?.body, {
        model: "gpt-test",
        messages: [
          { role: "user", content: "Hi." },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "a", type: "function", function: { name: "now", arguments: "{}" } }]
          },
          { role: "tool", tool_call_id: "a", content: "null" }
        ]
      })
    }))

  it.live("says a choice of tools only where there is one", () =>
    Effect.gen(function*() {
      const names = (body: unknown) => listAt(body, "tools").map((tool) => at(tool, "function", "name"))
      assert.isUndefined(at(yield* bodyOf({ toolChoice: "auto" }), "tool_choice"))
      assert.strictEqual(at(yield* bodyOf({ toolChoice: "none" }), "tool_choice"), "none")
      assert.strictEqual(at(yield* bodyOf({ toolChoice: "required" }), "tool_choice"), "required")
      assert.deepStrictEqual(at(yield* bodyOf({ toolChoice: { tool: "now" } }), "tool_choice"), {
        type: "function",
        function: { name: "now" }
      })
      const some = yield* bodyOf({ toolChoice: { mode: "required", oneOf: ["now", "none"] } })
      assert.strictEqual(at(some, "tool_choice"), "required")
      assert.deepStrictEqual(names(some), ["now", "none"])
      const any = yield* bodyOf({ toolChoice: { oneOf: ["weather"] } })
      assert.isUndefined(at(any, "tool_choice"))
      assert.deepStrictEqual(names(any), ["weather"])
    }))

  it.live("sends images, and refuses other files without a request", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const show = (mediaType: string, data: URL | Uint8Array) =>
        LanguageModel.generateText({
          prompt: [{ role: "user", content: [{ type: "text", text: "Look." }, { type: "file", mediaType, data }] }]
        }).pipe(Effect.provide(modelOf(server)))
      yield* show("image/png", new Uint8Array([1, 2, 3]))
      yield* show("image/png", new URL("https://example.com/a.png"))
      const error = yield* Effect.flip(show("application/pdf", new Uint8Array([1])))
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.include(error.message, "application/pdf")
      assert.deepStrictEqual(
        server.requests.map(({ body }) => at(body, "messages", 0, "content", 1, "image_url", "url")),
        [
          "data:image/png;base64,AQID",
          "https://example.com/a.png"
        ]
      )
    }))

  it.live("asks for an object by its schema, and reads it", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(200, completion({ content: "{\"total\":3}" })))
      const { value } = yield* LanguageModel.generateObject({
        prompt: "How many?",
        schema: Schema.Struct({ total: Schema.Finite }),
        objectName: "count"
      }).pipe(Effect.provide(modelOf(server)))
      assert.deepStrictEqual(value, { total: 3 })
      const format = at(server.requests[0]?.body, "response_format")
      assert.strictEqual(at(format, "type"), "json_schema")
      assert.strictEqual(at(format, "json_schema", "name"), "count")
      assert.strictEqual(at(format, "json_schema", "strict"), true)
      assert.deepStrictEqual(at(format, "json_schema", "schema", "required"), ["total"])
    }))
})

describe("the request's address and headers", () => {
  it.live("joins a base URL with and without a slash, and keeps its query (check 91, H28)", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      for (const end of ["", "/", "//", "?api-version=1", "/?api-version=1"]) {
        yield* ask({ url: `${server.url}${end}` })
      }
      yield* ask(server, { baseUrl: new URL(server.url).origin })
      assert.deepStrictEqual(server.requests.map(({ method, path }) => `${method} ${path}`), [
        "POST /v1/chat/completions",
        "POST /v1/chat/completions",
        "POST /v1/chat/completions",
        "POST /v1/chat/completions?api-version=1",
        "POST /v1/chat/completions?api-version=1",
        "POST /chat/completions"
      ])
    }))

  it.live("sends a bearer token only when a key is given", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      yield* ask(server)
      yield* ask(server, { apiKey: Redacted.make(" ") })
      yield* ask(server, { apiKey: Redacted.make("sk-secret\n") })
      yield* ask(server, { headers: { "api-key": Redacted.make("azure-secret"), "X-Title": "tests" } })
      assert.deepStrictEqual(server.requests.map(({ headers }) => headers.authorization), [
        undefined,
        undefined,
        "Bearer sk-secret",
        undefined
      ])
      const last = server.requests[3]?.headers
      assert.strictEqual(last?.["api-key"], "azure-secret")
      assert.strictEqual(last?.["x-title"], "tests")
      assert.strictEqual(last?.["content-type"], "application/json")
      assert.strictEqual(last?.accept, "application/json")
    }))
})
