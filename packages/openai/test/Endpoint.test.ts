import { OpenAi } from "@durable-agents/openai"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Redacted, Tracer } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { ask, completion, hello, modelOf, say, serve } from "./server.ts"

/** Sends the headers and the beginning of an answer, and no more. */
const stall: FakeProvider.Behaviour = { body: "{\"choices\":", end: "silence" }

const clients = { fetch: FetchHttpClient.layer, undici: NodeHttpClient.layerUndici, node: NodeHttpClient.layerNodeHttp }

for (const [name, client] of Object.entries(clients)) {
  const generate = (url: string, options: Partial<OpenAi.Options> = {}) =>
    LanguageModel.generateText({ prompt: "Hi." })
      .pipe(Effect.provide(OpenAi.layer({ model: "m", baseUrl: url, ...options }).pipe(Layer.provide(client))))

  describe(`an endpoint over ${name}`, () => {
    it.live("is asked once, and answers", () =>
      Effect.gen(function*() {
        const server = yield* serve(hello)
        assert.strictEqual((yield* generate(server.url)).text, "Hello.")
        assert.strictEqual(server.requests.length, 1)
      }))

    it.effect("that stays silent, or stops in the middle, is left after the time-out (ME-8)", () =>
      Effect.gen(function*() {
        for (const answer of [FakeProvider.silence, stall]) {
          const server = yield* serve(answer)
          const fiber = yield* Effect.forkChild(Effect.flip(generate(server.url, { idleTimeout: "1 hour" })))
          yield* server.asked
          yield* TestClock.adjust("10 minutes")
          const error = yield* Fiber.join(fiber)
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.include(error.message, "no answer within 10m")
          assert.isTrue(error.isRetryable)
          yield* server.dropped
          assert.strictEqual(server.requests.length, 1)
        }
      }))

    it.live("is left when the caller is interrupted", () =>
      Effect.gen(function*() {
        for (const answer of [FakeProvider.silence, stall]) {
          const server = yield* serve(answer)
          const fiber = yield* Effect.forkChild(generate(server.url))
          yield* server.asked
          yield* Fiber.interrupt(fiber)
          yield* server.dropped
          assert.strictEqual(server.requests.length, 1)
        }
      }))

    it.live("that resets the connection, or ends its answer too early, has failed for now (ME-2)", () =>
      Effect.gen(function*() {
        const tears: FakeProvider.Behaviour = { body: "{\"choices\":", contentLength: 1000, end: "close" }
        for (const answer of [FakeProvider.reset, tears]) {
          const server = yield* serve(answer)
          const error = yield* Effect.flip(generate(server.url))
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.isTrue(error.isRetryable)
          assert.strictEqual(server.requests.length, 1)
        }
        const gone = yield* Effect.scoped(serve(hello))
        const error = yield* Effect.flip(generate(gone.url))
        assert.include(error.message, "ECONNREFUSED")
        assert.include(error.message, gone.url)
      }))

    it.live("whose answer is larger than the bound is cut off", () =>
      Effect.gen(function*() {
        const server = yield* serve({ body: "x".repeat(10_000), end: "endless" })
        const error = yield* Effect.flip(generate(server.url, { maxResponseBytes: 50_000 }))
        assert.strictEqual(error.reason._tag, "InvalidOutputError")
        assert.include(error.message, "larger than the bound")
        assert.isBelow(error.message.length, 1000)
        yield* server.dropped
      }))

    it.live("that fails without an end is judged by its status and what was read", () =>
      Effect.gen(function*() {
        const server = yield* serve({ status: 429, body: "{\"error\":{", contentLength: 1000, end: "close" })
        const error = yield* Effect.flip(generate(server.url))
        assert.strictEqual(error.reason._tag, "RateLimitError")
      }))

    it.live("is not followed elsewhere", () =>
      Effect.gen(function*() {
        const server = yield* serve(say(307, "", { location: "/elsewhere" }))
        const error = yield* Effect.flip(generate(server.url, { apiKey: Redacted.make("sk-secret") }))
        assert.include(error.message, "HTTP 307")
        assert.strictEqual(server.requests.length, 1)
      }))
  })
}

describe("an endpoint", () => {
  it.live("is asked by several callers at once, and one that gives up does not disturb the others", () =>
    Effect.gen(function*() {
      const answer = Latch.makeUnsafe()
      const provider = yield* FakeProvider.make({ ...hello, before: answer.await })
      const callers = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.forkChild(LanguageModel.generateText({ prompt: "Hi." }))
      ).pipe(Effect.provide(modelOf({ url: provider.baseUrl })))
      yield* provider.until(({ requests }) => requests.length === 10)
      const [first, ...others] = callers
      yield* Fiber.interrupt(first ?? (yield* Effect.die("no caller")))
      yield* provider.until(({ requests }) => requests.some(({ outcome }) => outcome === "left"))
      answer.openUnsafe()
      assert.strictEqual((yield* Fiber.joinAll(others)).length, 9)
      assert.strictEqual(provider.requests.length, 10)
    }))

  it.live("is read up to the bound, exactly", () =>
    Effect.gen(function*() {
      const body = JSON.stringify(completion({ content: "ok" }))
      const server = yield* serve(say(200, body))
      assert.strictEqual((yield* ask(server, { maxResponseBytes: body.length }))[0]?.type, "text")
      const error = yield* Effect.flip(ask(server, { maxResponseBytes: body.length - 1 }))
      assert.strictEqual(error.reason._tag, "InvalidOutputError")
    }))

  it.live("leaves no secret in traces", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(500, "no"))
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span(options) {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* ask(server, {
        apiKey: Redacted.make("sk-secret"),
        headers: { "Api-Key": Redacted.make("azure-secret") }
      }).pipe(
        Effect.ignore,
        Effect.withTracer(tracer),
        Effect.provideService(HttpClient.TracerHeaderFilter, () => true)
      )
      const attributes = JSON.stringify(spans.map((span) => [...span.attributes]))
      assert.include(attributes, "http.request.header")
      assert.notInclude(attributes, "sk-secret")
      assert.notInclude(attributes, "azure-secret")
    }))
})
