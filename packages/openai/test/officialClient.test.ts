/** Compares with OpenAI's own client: what it takes, what it sends, and what it makes of the same bytes. */
import { MaxOutputTokens } from "@durable-agents/core"
import { Dialect } from "@durable-agents/openai"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema, Stream } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import OpenAI, { AzureOpenAI } from "openai"
import type {
  ChatCompletion,
  ChatCompletionCreateParams,
  ChatCompletionCreateParamsNonStreaming
} from "openai/resources/chat/completions"
import { chunk, done, generated, sse, streamed } from "./bytes.ts"
import { at, completion, hello, modelOf, say, serve } from "./server.ts"

const clientOf = (baseURL: string) => new OpenAI({ apiKey: "sk-test", baseURL, maxRetries: 0 })

const Weather = Tool.make("weather", {
  description: "The weather in a city.",
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.String
})
const Kit = Toolkit.make(Weather)

const conversation = Prompt.make([
  { role: "system", content: "You are brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "Weather here?" },
      { type: "file", mediaType: "image/png", data: new Uint8Array([1]) }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Ask.", options: { openai: { field: "reasoning" } } },
      { type: "tool-call", id: "call_1", name: "weather", params: { city: "Oslo" } },
      { type: "tool-call", id: "call_2", name: "functions.weather", params: "{" }
    ]
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", id: "call_1", name: "weather", isFailure: false, result: { sky: "clear" } },
      {
        type: "tool-result",
        id: "call_2",
        name: "functions_weather",
        isFailure: true,
        result: "There is no such tool."
      }
    ]
  },
  { role: "assistant", content: [{ type: "text", text: "Clear." }] },
  { role: "user", content: [{ type: "text", text: "Thanks." }] }
])

/** What OpenAI's own types say that the request must be. */
const expected = {
  model: "gpt-test",
  messages: [
    { role: "system", content: "You are brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Weather here?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQ==" } }
      ]
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: "{\"city\":\"Oslo\"}" } },
        { id: "call_2", type: "function", function: { name: "functions_weather", arguments: "{}" } }
      ]
    },
    { role: "tool", tool_call_id: "call_1", content: "{\"sky\":\"clear\"}" },
    { role: "tool", tool_call_id: "call_2", content: "There is no such tool." },
    { role: "assistant", content: "Clear." },
    { role: "user", content: "Thanks." }
  ],
  max_completion_tokens: 300,
  temperature: 0.5,
  reasoning_effort: "low",
  tools: [{
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
  }],
  tool_choice: "required"
} as const satisfies ChatCompletionCreateParams

const streaming = {
  ...expected,
  stream: true,
  stream_options: { include_usage: true }
} as const satisfies ChatCompletionCreateParams

const toOpenAi = { dialect: Dialect.openai, parameters: { temperature: 0.5, reasoning_effort: "low" } }

const request = {
  prompt: conversation,
  toolkit: Kit,
  toolChoice: "required",
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
} as const

const handlers = Kit.toLayer({ weather: () => Effect.succeed("mild") })

describe("requests", () => {
  it.live("are what the types of OpenAI's client allow (H30)", () =>
    Effect.gen(function*() {
      const server = yield* serve([hello, say(200, sse([chunk({ content: "ok" }), done]))])
      yield* LanguageModel.generateText(request).pipe(
        Effect.andThen(Stream.runDrain(LanguageModel.streamText(request))),
        Effect.provideService(MaxOutputTokens, 300),
        Effect.provide([modelOf(server, toOpenAi), handlers])
      )
      assert.deepStrictEqual(server.requests.map(({ body }) => body), [expected, streaming])
    }))

  it.live("ask for an object as that client does", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(200, completion({ content: "{\"total\":3}" })))
      const schema = Schema.Struct({ total: Schema.Finite })
      yield* LanguageModel.generateObject({ prompt: "How many?", schema, objectName: "count" })
        .pipe(Effect.provide(modelOf(server, toOpenAi)))
      const format = {
        type: "json_schema",
        json_schema: {
          name: "count",
          strict: true,
          schema: {
            type: "object",
            properties: { total: { type: "number" } },
            required: ["total"],
            additionalProperties: false
          }
        }
      } as const satisfies ChatCompletionCreateParams["response_format"]
      assert.deepStrictEqual(at(server.requests[0]?.body, "response_format"), format)
    }))

  it.live("go to the same place with the same key as those of that client, at OpenAI and on Azure", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const azureBase = `${server.url}/openai/deployments/gpt-test`
      const apiKey = Redacted.make("sk-test")
      const params: ChatCompletionCreateParamsNonStreaming = {
        model: "gpt-test",
        messages: [{ role: "user", content: "Hi." }]
      }
      const azure = new AzureOpenAI({
        apiKey: "sk-test",
        apiVersion: "2024-10-21",
        baseURL: `${server.url}/openai`,
        deployment: "gpt-test",
        maxRetries: 0
      })
      yield* Effect.promise(() => clientOf(server.url).chat.completions.create(params))
      yield* Effect.promise(() => azure.chat.completions.create(params))
      const ask = LanguageModel.generateText({ prompt: "Hi." })
      yield* Effect.provide(ask, modelOf(server, { apiKey }))
      yield* Effect.provide(
        ask,
        modelOf({ url: `${azureBase}?api-version=2024-10-21` }, { apiKey, dialect: Dialect.azure })
      )
      const [theirs, theirsOnAzure, ours, oursOnAzure] = server.requests.map(({ body, headers, method, path }) => ({
        method,
        path,
        authorization: headers.authorization,
        key: headers["api-key"],
        type: headers["content-type"],
        body
      }))
      assert.deepStrictEqual(ours, theirs)
      assert.deepStrictEqual(oursOnAzure, theirsOnAzure)
      assert.strictEqual(oursOnAzure?.key, "sk-test")
    }))
})

const piece = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] })

const streams: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "a text": [
    chunk({ role: "assistant", content: "", refusal: null }),
    chunk({ content: "Grü" }),
    chunk({ content: "ße 🙂" }),
    chunk({}, {}, { finish_reason: "stop" }),
    {
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 4,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 1 }
      }
    },
    done
  ],
  "calls": [
    chunk({ role: "assistant", content: null }),
    piece(0, { id: "call_a", type: "function", function: { name: "weather", arguments: "" } }),
    piece(0, { function: { arguments: "{\"city\":" } }),
    piece(0, { function: { arguments: "\"Oslo\"}" } }),
    piece(1, { id: "call_b", type: "function", function: { name: "now", arguments: "{}" } }),
    chunk({}, {}, { finish_reason: "tool_calls" }),
    done
  ],
  "a refusal": [
    chunk({ role: "assistant", content: null, refusal: "" }),
    chunk({ refusal: "I cannot " }),
    chunk({ refusal: "help." }),
    chunk({}, {}, { finish_reason: "stop" }),
    done
  ],
  "a text before a call": [
    chunk({ role: "assistant", content: "Let me see." }),
    piece(0, { id: "call_a", type: "function", function: { name: "weather", arguments: "{\"city\":\"Oslo\"}" } }),
    chunk({}, {}, { finish_reason: "tool_calls" }),
    done
  ],
  "an end at the token limit": [
    chunk({ role: "assistant", content: "To be or n" }),
    chunk({}, {}, { finish_reason: "length" }),
    done
  ]
}

type Parts = Effect.Success<ReturnType<typeof generated>>

/** An answer of ours as a message of that client. */
const messageOf = (parts: Parts) => {
  const texts = Prompt.fromResponseParts(parts).content.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => part.type === "text" ? [part.text] : [])
  )
  const calls = parts.flatMap((part) => part.type === "tool-call" ? [[part.id, part.name, part.params]] : [])
  const finish = parts.find((part) => part.type === "finish")
  const head = parts.find((part) => part.type === "response-metadata")
  return {
    id: head?.id,
    model: head?.modelId,
    text: texts.join(""),
    calls,
    input: finish?.usage.inputTokens.total,
    cached: finish?.usage.inputTokens.cacheRead,
    output: finish?.usage.outputTokens.total,
    reasoning: finish?.usage.outputTokens.reasoning
  }
}

const theirMessageOf = ({ choices, id, model, usage }: ChatCompletion): ReturnType<typeof messageOf> => {
  const [choice] = choices
  return {
    id,
    model,
    text: `${choice?.message.content ?? ""}${choice?.message.refusal ?? ""}`,
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [[call.id, call.function.name, JSON.parse(call.function.arguments)]] : []
    ),
    input: usage?.prompt_tokens,
    cached: usage?.prompt_tokens_details?.cached_tokens,
    output: usage?.completion_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens
  }
}

describe("the same bytes", () => {
  for (const [name, events] of Object.entries(streams)) {
    it.live(`are the same message to OpenAI's client: ${name}`, () =>
      Effect.gen(function*() {
        const server = yield* serve(say(200, sse(events), { "content-type": "text/event-stream" }))
        const theirs = yield* Effect.promise(() =>
          clientOf(server.url).chat.completions.stream({
            model: "gpt-test",
            messages: [{ role: "user", content: "Hi." }]
          }).finalChatCompletion()
        )
        const { error, parts } = yield* streamed([new TextEncoder().encode(sse(events))])
        assert.isUndefined(error)
        assert.deepStrictEqual(messageOf(parts), theirMessageOf(theirs))
        assert.deepStrictEqual(messageOf(yield* generated(theirs)), theirMessageOf(theirs))
      }))
  }
})
