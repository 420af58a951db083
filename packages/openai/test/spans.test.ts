import { MaxOutputTokens } from "@durable-agents/core"
import { Dialect } from "@durable-agents/openai"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { chunk, generated, streamedEvents } from "./bytes.ts"
import { completion } from "./server.ts"

/** The attributes of the span of a model call. */
const attributesOf = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span(options) {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    yield* Effect.withTracer(Effect.provideService(call, MaxOutputTokens, 400), tracer)
    const span = spans.find(({ name }) => name.startsWith("LanguageModel."))
    return Object.fromEntries(Array.from(span?.attributes ?? []).filter(([name]) => name.startsWith("gen_ai.")))
  })

describe("the span of a model call", () => {
  it.effect("says what was asked and answered by OpenTelemetry's conventions, streamed or not", () =>
    Effect.gen(function*() {
      const options = { dialect: Dialect.groq, parameters: { temperature: 0.5, top_p: 0.9, seed: 7, stop: ["x"] } }
      const expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "groq",
        "gen_ai.output.type": "text",
        "gen_ai.request.model": "gpt-test",
        "gen_ai.request.max_tokens": 400,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.seed": 7,
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.response.model": "gpt-test-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 4
      }
      assert.deepStrictEqual(yield* attributesOf(generated(completion({ content: "ok" }), options)), expected)
      const events = [
        chunk({ content: "ok" }, { usage: { prompt_tokens: 9, completion_tokens: 4 } }, { finish_reason: "stop" })
      ]
      assert.deepStrictEqual(yield* attributesOf(streamedEvents(events, options)), expected)
    }))
})
