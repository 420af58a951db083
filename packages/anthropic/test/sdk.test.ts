/**
 * Against the official client, which nobody here wrote: what we send is what its types allow, what it understands we understand.
 */
import Sdk, { APIError } from "@anthropic-ai/sdk"
import type { Anthropic } from "@durable-agents/anthropic"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema, Stream } from "effect"
import { LanguageModel, Prompt, type Response, Tool, Toolkit } from "effect/ai"
import {
  adds,
  at,
  begins,
  events,
  listAt,
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

const client = (server: Server) =>
  new Sdk({ apiKey: "sk-ant-test", baseURL: server.url, maxRetries: 0, logLevel: "off" })

const Mark = Schema.optionalKey(Schema.Struct({
  type: Schema.Literal("ephemeral"),
  ttl: Schema.optionalKey(Schema.Literals(["5m", "1h"]))
}))

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.NonEmptyString, cache_control: Mark })

const Image = Schema.Struct({
  type: Schema.Literal("image"),
  source: Schema.Union([
    Schema.Struct({ type: Schema.Literal("url"), url: Schema.String }),
    Schema.Struct({
      type: Schema.Literal("base64"),
      media_type: Schema.Literals(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: Schema.String
    })
  ]),
  cache_control: Mark
})

const Document = Schema.Struct({
  type: Schema.Literal("document"),
  source: Schema.Union([
    Schema.Struct({ type: Schema.Literal("url"), url: Schema.String }),
    Schema.Struct({
      type: Schema.Literal("base64"),
      media_type: Schema.Literal("application/pdf"),
      data: Schema.String
    }),
    Schema.Struct({ type: Schema.Literal("text"), media_type: Schema.Literal("text/plain"), data: Schema.String })
  ]),
  title: Schema.optionalKey(Schema.String),
  cache_control: Mark
})

const list = <S extends Schema.Constraint>(item: S) => Schema.mutable(Schema.Array(item))

const Id = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9_-]+$/))
const Name = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9_-]{1,128}$/))

const ToolResult = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_use_id: Id,
  content: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, list(Schema.Union([Text, Image, Document]))])),
  is_error: Schema.optionalKey(Schema.Boolean),
  cache_control: Mark
})

const Said = Schema.Union([
  Text,
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String, signature: Schema.String }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.String }),
  Schema.Struct({ type: Schema.Literal("tool_use"), id: Id, name: Name, input: Schema.JsonObject })
])

const single = { disable_parallel_tool_use: Schema.optionalKey(Schema.Boolean) }

/** All that this layer sends. */
const Sent = Schema.Struct({
  model: Schema.String,
  max_tokens: Schema.Int,
  stream: Schema.optionalKey(Schema.Literal(true)),
  system: Schema.optionalKey(list(Text)),
  messages: list(Schema.Union([
    Schema.Struct({ role: Schema.Literal("user"), content: list(Schema.Union([Text, Image, Document, ToolResult])) }),
    Schema.Struct({ role: Schema.Literal("assistant"), content: list(Said) })
  ])),
  tools: Schema.optionalKey(list(Schema.Struct({
    name: Name,
    description: Schema.optionalKey(Schema.String),
    input_schema: Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("object") }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ]),
    cache_control: Mark
  }))),
  tool_choice: Schema.optionalKey(Schema.Union([
    Schema.Struct({ type: Schema.Literals(["auto"]), ...single }),
    Schema.Struct({ type: Schema.Literals(["any"]), ...single }),
    Schema.Struct({ type: Schema.Literal("tool"), name: Name, ...single }),
    Schema.Struct({ type: Schema.Literal("none") })
  ])),
  output_config: Schema.optionalKey(Schema.Struct({
    format: Schema.Struct({
      type: Schema.Literal("json_schema"),
      schema: Schema.Record(Schema.String, Schema.Unknown)
    })
  }))
})

/** Compiles only if whatever fits the schema fits the types of the official client. */
const asParams = (sent: typeof Sent.Type): Sdk.MessageCreateParams => sent

const decodeSent = Schema.decodeUnknownSync(Sent)

const Stock = Tool.make("stock.count", {
  description: "How many are in stock.",
  parameters: Schema.Struct({ item: Schema.String, at: Schema.optional(Schema.Literals(["shop", "store"])) }),
  success: Schema.Json
})
const Kit = Toolkit.make(Stock)
const Handlers = Kit.toLayer({ "stock.count": () => Effect.succeed(12) })

const thoughts = [
  { type: "reasoning", text: "Hm.", options: { anthropic: { type: "thinking", signature: "c2ln" } } },
  { type: "reasoning", text: "", options: { anthropic: { type: "redacted_thinking", data: "b3BhcXVl" } } },
  { type: "reasoning", text: "Elsewhere.", options: {} }
] as const

const prompts: ReadonlyArray<Prompt.RawInput> = [
  "Hi.",
  [
    { role: "system", content: "You are brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
        { type: "file", mediaType: "image/png", data: new URL("https://example.com/a.png") },
        { type: "file", mediaType: "application/pdf", data: "AQID", fileName: "a.pdf" },
        { type: "file", mediaType: "application/pdf", data: new URL("https://example.com/a.pdf") },
        { type: "file", mediaType: "text/csv", data: "YSxi" }
      ]
    },
    {
      role: "assistant",
      content: [
        ...thoughts,
        { type: "text", text: "" },
        { type: "tool-call", id: "functions.stock:0", name: "stock.count", params: { item: "bolt" } },
        { type: "tool-call", id: "b", name: "none at all", params: null }
      ]
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          id: "functions.stock:0",
          name: "stock.count",
          isFailure: false,
          result: 12,
          modelOutput: [{ type: "text", text: "12" }, { type: "file", mediaType: "image/png", data: "AQID" }]
        },
        { type: "tool-result", id: "b", name: "none at all", isFailure: true, result: "" }
      ]
    },
    { role: "user", content: "Go on." }
  ]
]

describe("a request", () => {
  it.live("is what the types of the official client allow, and what that client sends for it", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(200, message([text("{\"total\":3}")])))
      const choices: ReadonlyArray<LanguageModel.ToolChoice<"stock.count">> = [
        "auto",
        "none",
        "required",
        { tool: "stock.count" },
        { oneOf: ["stock.count"], mode: "required" }
      ]
      const variants: ReadonlyArray<Partial<Anthropic.Options>> = [{}, { cache: "5m" }, {
        cache: "1h",
        parallelToolCalls: false
      }]
      for (const prompt of prompts) {
        for (const options of variants) {
          const model = modelOf(server, { apiKey: Redacted.make("sk-ant-test"), ...options })
          for (const toolChoice of choices) {
            yield* LanguageModel.generateText({
              prompt,
              toolkit: Kit,
              toolChoice,
              disableToolCallResolution: true,
              toolCallValidation: "deferred"
            }).pipe(Effect.provide([model, Handlers]))
          }
          yield* LanguageModel.generateText({ prompt }).pipe(Effect.provide(model))
          yield* LanguageModel.generateObject({
            prompt,
            objectName: "count",
            schema: Schema.Struct({ total: Schema.Finite, note: Schema.optional(Schema.String) })
          }).pipe(Effect.provide(model), Effect.ignore)
          yield* LanguageModel.streamText({ prompt }).pipe(Stream.runDrain, Effect.provide(model))
        }
      }
      const ours = [...server.requests]
      assert.strictEqual(ours.length, prompts.length * variants.length * (choices.length + 3))
      const official = client(server)
      const compared = ["content-type", "anthropic-version"]
      for (const { body, headers, method, path } of ours) {
        const params = asParams(decodeSent(body, { onExcessProperty: "error" }))
        yield* Effect.promise(() => official.messages.create({ ...params, stream: false }))
        const theirs = server.requests.at(-1) ?? (yield* Effect.die("nothing was sent"))
        assert.deepStrictEqual(theirs.body, { ...params, stream: false })
        assert.deepStrictEqual([theirs.method, theirs.path], [method, path])
        assert.deepStrictEqual(compared.map((name) => headers[name]), compared.map((name) => theirs.headers[name]))
      }
    }))
})

const whole = [
  { type: "thinking", thinking: "Look it up.", signature: "c2lnbmF0dXJl/+=" },
  { type: "redacted_thinking", data: "b3BhcXVl" },
  text("Grüße 🌍\nOne moment."),
  toolUse("toolu_1", "stock", { item: "bolt \"M4\"", deep: { list: [1, 2.5, null, "ü"] } }),
  toolUse("toolu_2", "now", {}),
  { type: "thinking", thinking: "", signature: "b21pdHRlZA==" }
]

/** A text in pieces of some characters. */
const pieces = (text: string, length: number): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, nth) => text.slice(nth * length, (nth + 1) * length))

const usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 200,
  cache_read_input_tokens: 3000,
  output_tokens: 40,
  output_tokens_details: { thinking_tokens: 30 }
}

/** The same message as a stream, its texts in pieces. */
const streamed = (length: number, stop_reason: string) =>
  sse(events(
    whole.flatMap((block, index) => {
      if ("thinking" in block) {
        return [
          begins(index, { ...block, thinking: "", signature: "" }),
          ...pieces(`${block.thinking}`, length).map((thinking) => adds(index, { type: "thinking_delta", thinking })),
          adds(index, { type: "signature_delta", signature: "signature" in block ? block.signature : "" }),
          stops(index)
        ]
      }
      if ("text" in block) {
        return [
          begins(index, text("")),
          ...pieces(block.text, length).map((text) => adds(index, { type: "text_delta", text })),
          stops(index)
        ]
      }
      if ("input" in block) {
        return [
          begins(index, { ...block, input: {} }),
          adds(index, { type: "input_json_delta", partial_json: "" }),
          ...pieces(JSON.stringify(block.input), length).map((partial_json) =>
            adds(index, { type: "input_json_delta", partial_json })
          ),
          stops(index)
        ]
      }
      return [begins(index, block), stops(index)]
    }),
    { delta: { stop_reason }, usage }
  ))

type Parts = ReadonlyArray<Response.AnyPart>

/** The blocks that are sent back for an answer. */
const sentBack = (parts: Parts) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(say(200, message([text("ok")])))
    const prompt = Prompt.concat(Prompt.make("Hi."), Prompt.fromResponseParts(parts))
    yield* LanguageModel.generateText({ prompt }).pipe(Effect.provide(modelOf(server)))
    return listAt(server.requests[0]?.body, "messages", 1, "content")
  }))

/** What a caller sees of an official message's end. */
const endOf = (official: Sdk.Message): Record<string, unknown> => {
  const { cache_creation_input_tokens, cache_read_input_tokens, input_tokens, output_tokens } = official.usage
  return {
    id: official.id,
    model: official.model,
    stopReason: official.stop_reason,
    input: input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
    output: output_tokens,
    thinking: official.usage.output_tokens_details?.thinking_tokens
  }
}

const ourEnd = (parts: Parts): Record<string, unknown> => {
  const metadata = parts.find((part) => part.type === "response-metadata")
  const finish = parts.find((part) => part.type === "finish")
  return {
    id: metadata?.id,
    model: metadata?.modelId,
    stopReason: at(finish?.metadata, "anthropic", "stopReason"),
    input: finish?.usage.inputTokens.total,
    output: finish?.usage.outputTokens.total,
    thinking: finish?.usage.outputTokens.reasoning
  }
}

/** Blocks as they can be sent: the official client's own types say what of an answer is a part of a request. */
const asSent = (official: Sdk.Message): ReadonlyArray<Sdk.ContentBlockParam> =>
  official.content.flatMap((block): ReadonlyArray<Sdk.ContentBlockParam> => {
    switch (block.type) {
      case "text":
        return [{ type: "text", text: block.text }]
      case "thinking":
      case "redacted_thinking":
        return [block]
      case "tool_use":
        return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }]
      default:
        return []
    }
  })

const likeAnAgent = { prompt: "Hi.", disableToolCallResolution: true, toolCallValidation: "deferred" } as const

describe("an answer", () => {
  it.live("is read like the official client reads it", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(200, message(whole, { stop_reason: "tool_use", usage })))
      const params = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "Hi." } as const] }
      const official = yield* Effect.promise(() => client(server).messages.create(params))
      const { content } = yield* LanguageModel.generateText(likeAnAgent).pipe(Effect.provide(modelOf(server)))
      assert.deepStrictEqual(ourEnd(content), endOf(official))
      assert.deepStrictEqual(yield* sentBack(content), asSent(official))
      assert.deepStrictEqual(
        yield* sentBack(content),
        whole.map(({ ...block }) => {
          Reflect.deleteProperty(block, "citations")
          return block
        })
      )
    }))

  it.live("that is streamed is put together like the official client does it", () =>
    Effect.gen(function*() {
      for (const [length, stopReason] of [[1, "tool_use"], [7, "max_tokens"], [1000, "end_turn"]] as const) {
        const server = yield* serve(streams(streamed(length, stopReason)))
        const params = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "Hi." } as const] }
        const official = yield* Effect.promise(() => client(server).messages.stream(params).finalMessage())
        const parts = yield* LanguageModel.streamText(likeAnAgent).pipe(
          Stream.runCollect,
          Effect.provide(modelOf(server))
        )
        assert.deepStrictEqual(ourEnd(parts), endOf(official))
        assert.deepStrictEqual(yield* sentBack(parts), asSent(official))
        assert.strictEqual(official.content.length, whole.length)
      }
    }))

  it.live("that fails in the middle of its stream fails there as well", () =>
    Effect.gen(function*() {
      const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      const half = streamed(7, "end_turn").split("\n\n").slice(0, 6).join("\n\n")
      const server = yield* serve(streams(`${half}\n\n${sse([error])}`))
      const params = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "Hi." } as const] }
      const official = yield* Effect.flip(Effect.tryPromise({
        try: () => client(server).messages.stream(params).finalMessage(),
        catch: (error) => error
      }))
      assert.instanceOf(official, APIError)
      assert.strictEqual(official.type, "overloaded_error")
      const ours = yield* LanguageModel.streamText(likeAnAgent).pipe(
        Stream.runDrain,
        Effect.provide(modelOf(server)),
        Effect.flip
      )
      assert.include(ours.message, "overloaded_error: Overloaded")
    }))
})
