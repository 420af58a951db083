import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { adds, ask, begins, events, hello, listen, serve, sse, stops, streams, text } from "./server.ts"

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
    yield* Effect.withTracer(call, tracer)
    const span = spans.find(({ name }) => name.startsWith("LanguageModel."))
    return Object.fromEntries(Array.from(span?.attributes ?? []).filter(([name]) => name.startsWith("gen_ai.")))
  })

describe("the span of a model call", () => {
  it.live("says what was asked and answered by OpenTelemetry's conventions, streamed or not", () =>
    Effect.gen(function*() {
      const expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.output.type": "text",
        "gen_ai.request.model": "claude-test",
        "gen_ai.request.max_tokens": 16_384,
        "gen_ai.response.id": "msg_1",
        "gen_ai.response.model": "claude-test-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 4
      }
      assert.deepStrictEqual(yield* attributesOf(ask(yield* serve(hello))), expected)
      const said = events([begins(0, text("")), adds(0, { type: "text_delta", text: "ok" }), stops(0)])
      assert.deepStrictEqual(yield* attributesOf(listen(yield* serve(streams(sse(said))))), expected)
    }))
})
