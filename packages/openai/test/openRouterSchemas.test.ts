/** Compares with the schemas that OpenRouter publishes: what it takes, what it sends, and what is kept between. */
import { MaxOutputTokens } from "@durable-agents/core"
import { Dialect } from "@durable-agents/openai"
import { assert, describe, it } from "@effect/vitest"
import type { ChatRequest$Outbound } from "@openrouter/sdk/models"
import {
  ChatAssistantMessage$inboundSchema,
  ChatResult$inboundSchema,
  ChatStreamChunk$inboundSchema
} from "@openrouter/sdk/models"
import { Effect } from "effect"
import { LanguageModel, Prompt } from "effect/ai"
import { assembled, chunk, done, generated, streamedEvents } from "./bytes.ts"
import { at, completion, hello, modelOf, serve } from "./server.ts"

const details = [
  { type: "reasoning.text", text: "Look it up.", signature: "s", format: "anthropic-claude-v1", index: 0 },
  { type: "reasoning.encrypted", data: "eA==", id: "r1", format: "google-gemini-v1", index: 1 }
] as const

const call = { id: "call_a", type: "function", function: { name: "stock", arguments: "{\"item\":\"bolt\"}" } } as const

const usage = {
  prompt_tokens: 20,
  completion_tokens: 8,
  total_tokens: 28,
  cost: 0.00021,
  prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 6 }
}

const [first, second] = details

const events = [
  chunk({
    role: "assistant",
    content: "",
    reasoning: "Look ",
    reasoning_details: [{ ...first, text: "Look ", signature: null }]
  }),
  chunk({ content: "", reasoning: "it up.", reasoning_details: [{ ...first, text: "it up." }] }),
  chunk({ content: "", reasoning_details: [second] }),
  chunk({ tool_calls: [{ index: 0, ...call, function: { name: "stock", arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: call.function.arguments } }] }),
  chunk({ content: "" }, {}, { finish_reason: "tool_calls" }),
  chunk({ role: "assistant", content: "" }, { usage })
]

const whole = {
  ...completion(
    { role: "assistant", content: null, reasoning: "Look it up.", reasoning_details: details, tool_calls: [call] },
    { usage, system_fingerprint: null },
    { finish_reason: "tool_calls" }
  )
}

const options = { dialect: Dialect.openRouter }

describe("OpenRouter's schemas", () => {
  it.effect("know what is read here, whole and streamed, with cost and cache", () =>
    Effect.gen(function*() {
      for (const event of events) assert.isTrue(ChatStreamChunk$inboundSchema.safeParse(event).success)
      assert.isTrue(ChatResult$inboundSchema.safeParse(whole).success)
      const { error, parts } = yield* streamedEvents([...events, done], options)
      assert.isUndefined(error)
      const answer = yield* generated(whole, options)
      assert.deepStrictEqual(assembled(parts), assembled(answer))
      const finish = answer.find((part) => part.type === "finish")
      assert.deepStrictEqual(finish?.metadata, { durableAgents: { costUsd: "0.00021" } })
      assert.deepInclude(finish?.usage.inputTokens, { total: 20, cacheRead: 5, cacheWrite: 3, uncached: 12 })
    }))

  it.live("allow what is sent back: the details of reasoning as they came (MR-12)", () =>
    Effect.gen(function*() {
      const server = yield* serve(hello)
      const { parts } = yield* streamedEvents([...events, done], options)
      const result = {
        type: "tool-result",
        id: "call_a",
        name: "stock",
        isFailure: false,
        result: { left: 12 }
      } as const
      yield* LanguageModel.generateText({
        prompt: Prompt.concat(
          Prompt.concat(Prompt.make("Bolts?"), Prompt.fromResponseParts(parts)),
          Prompt.make([{ role: "tool", content: [result] }])
        )
      }).pipe(Effect.provideService(MaxOutputTokens, 300), Effect.provide(modelOf(server, options)))
      const expected = {
        model: "gpt-test",
        max_tokens: 300,
        messages: [
          { role: "user", content: "Bolts?" },
          { role: "assistant", content: null, reasoning_details: [...details], tool_calls: [call] },
          { role: "tool", tool_call_id: "call_a", content: "{\"left\":12}" }
        ]
      } satisfies Omit<ChatRequest$Outbound, "stream">
      assert.deepStrictEqual(server.requests[0]?.body, expected)
      const sent = at(server.requests[0]?.body, "messages", 1)
      assert.isTrue(ChatAssistantMessage$inboundSchema.safeParse(sent).success)
    }))
})
