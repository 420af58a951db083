import { Endpoint } from "@durable-agents/provider"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted, Result, Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

const clients = { fetch: FetchHttpClient.layer, undici: NodeHttpClient.layerUndici, node: NodeHttpClient.layerNodeHttp }

type Options = Partial<Endpoint.Options>

const endpointOf = (base: string, options: Options = {}) =>
  Effect.map(HttpClient.HttpClient, (http) =>
    Endpoint.make(http, {
      url: Result.getOrThrow(Endpoint.urlBelow(base, "chat/completions")),
      apiKey: undefined,
      headers: {},
      timeout: Duration.minutes(10),
      maxResponseBytes: 1024 * 1024,
      ...options
    }))

const stream = { stream: true }

/** The data of all events up to the end or the failure, and the failure. */
const events = (endpoint: Endpoint.Endpoint) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const opened = yield* endpoint.open(stream)
    if (opened._tag === "Answer") return { seen, answer: opened.answer }
    const result = yield* opened.events.pipe(
      Stream.runForEach(({ data }) => Effect.sync(() => void seen.push(data))),
      Effect.result
    )
    return { seen, reason: Result.isFailure(result) ? result.failure : undefined }
  }).pipe(Effect.scoped)

const textOf = (seen: ReadonlyArray<string>): string =>
  seen.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data).choices[0].delta.content ?? "").join("")

const text = "Grüße, 世界! 🙂 ".repeat(20)

for (const [name, client] of Object.entries(clients)) {
  describe(`an endpoint over ${name}`, () => {
    it.live("reads answers and streams that come in any pieces (MR-15)", () =>
      Effect.gen(function*() {
        for (const cut of [1, 2, "bytes"] as const) {
          const provider = yield* FakeProvider.make(FakeProvider.reply(text, { cut }))
          const endpoint = yield* endpointOf(provider.baseUrl)
          const { text: body } = yield* endpoint.post({})
          assert.strictEqual(JSON.parse(body).choices[0].message.content, text)
          const { seen } = yield* events(endpoint)
          assert.strictEqual(textOf(seen), text)
          assert.strictEqual(seen.at(-1), "[DONE]")
        }
      }).pipe(Effect.provide(client)))

    it.live("survives invalid bytes (MR-15)", () =>
      Effect.gen(function*() {
        const body = Buffer.concat([Buffer.from("data: a"), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from("\n\n")])
        const provider = yield* FakeProvider.make({ body, cut: "bytes" })
        const endpoint = yield* endpointOf(provider.baseUrl)
        assert.deepStrictEqual((yield* events(endpoint)).seen, ["a\uFFFD\uFFFD"])
        assert.include((yield* endpoint.post({})).text, "data: a\uFFFD")
      }).pipe(Effect.provide(client)))

    it.live("has failed for now if a stream is torn, after one request (ME-2, ME-4)", () =>
      Effect.gen(function*() {
        for (const end of ["close", "reset"] as const) {
          const provider = yield* FakeProvider.make(FakeProvider.reply(text, { cut: 3, after: 900, end }))
          const { reason, seen } = yield* events(yield* endpointOf(provider.baseUrl))
          if (end === "close") assert.isAbove(seen.length, 0)
          assert.strictEqual(reason?._tag, "NetworkError")
          assert.isTrue(reason?.isRetryable)
          assert.strictEqual(provider.requests.length, 1)
        }
        const provider = yield* FakeProvider.make(FakeProvider.reply(text, { contentLength: 100_000, end: "close" }))
        const reason = yield* Effect.flip((yield* endpointOf(provider.baseUrl)).post({}))
        assert.strictEqual(reason._tag, "NetworkError")
      }).pipe(Effect.provide(client)))

    it.live("is cut off where a stream has no end, and closes the connection", () =>
      Effect.gen(function*() {
        const provider = yield* FakeProvider.make(FakeProvider.reply("a", { end: "endless" }))
        const { reason } = yield* events(yield* endpointOf(provider.baseUrl, { maxResponseBytes: 20_000 }))
        assert.include(reason?.message, "larger than the bound on answers")
        yield* provider.until(({ requests }) => requests[0]?.outcome === "left")
      }).pipe(Effect.provide(client)))

    it.effect("is left when a stream falls silent (ME-8)", () =>
      Effect.gen(function*() {
        const provider = yield* FakeProvider.make(FakeProvider.reply(text, { after: 900, end: "silence" }))
        const endpoint = yield* endpointOf(provider.baseUrl, { idleTimeout: Duration.seconds(30) })
        const come = yield* Deferred.make<void>()
        const fiber = yield* Effect.gen(function*() {
          const opened = yield* endpoint.open(stream)
          if (opened._tag === "Answer") return yield* Effect.die(opened.answer)
          return yield* opened.events.pipe(
            Stream.tap(() => Deferred.succeed(come, undefined)),
            Stream.runDrain,
            Effect.flip
          )
        }).pipe(Effect.scoped, Effect.forkChild)
        yield* Deferred.await(come)
        yield* TestClock.adjust("30 seconds")
        assert.include((yield* Fiber.join(fiber)).message, "nothing came for 30s")
        yield* provider.until(({ requests }) => requests[0]?.outcome === "left")
      }).pipe(Effect.provide(client)))

    it.live("is left when its answer does not begin in time, falls silent, or only drips (ME-8)", () => {
      const short = Duration.millis(50)
      const faults: ReadonlyArray<readonly [FakeProvider.Behaviour, Options, says: string]> = [
        [{ before: Effect.never }, { firstByteTimeout: short }, "no answer has begun within 50ms"],
        [{ before: Effect.never }, { timeout: short, firstByteTimeout: Duration.minutes(1) }, "no answer within 50ms"],
        [{ after: 0, end: "silence" }, { idleTimeout: short }, "nothing came for 50ms"],
        [{ after: 20, end: "silence" }, { idleTimeout: short }, "nothing came for 50ms"],
        [
          { between: Effect.sleep("5 millis"), end: "endless" },
          { idleTimeout: Duration.seconds(20), timeout: Duration.millis(200) },
          "no answer within 200ms"
        ]
      ]
      return Effect.forEach(faults, ([fault, times, says]) =>
        Effect.gen(function*() {
          const provider = yield* FakeProvider.make(FakeProvider.reply(text, fault))
          const endpoint = yield* endpointOf(provider.baseUrl, times)
          const whole = yield* Effect.flip(endpoint.post({}))
          const streamed = yield* Effect.result(events(endpoint))
          const reason = Result.isFailure(streamed) ? streamed.failure : streamed.success.reason
          for (const found of [whole, reason]) {
            assert.strictEqual(found?._tag, "NetworkError", says)
            assert.isTrue(found?.isRetryable)
            assert.include(found?.message, says)
          }
          yield* provider.until(({ requests }) => requests.every(({ outcome }) => outcome === "left"))
          // The time may be over before the request is there.
          assert.isAtMost(provider.requests.length, 2)
        }), { concurrency: "unbounded" }).pipe(Effect.provide(client))
    })

    it.live("closes the connection when its stream is interrupted, or not wanted any more", () =>
      Effect.gen(function*() {
        const provider = yield* FakeProvider.make(FakeProvider.reply(text, { after: 900, end: "silence" }))
        const endpoint = yield* endpointOf(provider.baseUrl)
        const come = yield* Deferred.make<void>()
        const all = Stream.unwrap(Effect.map(endpoint.open(stream), (opened) =>
          opened._tag === "Events" ? opened.events : Stream.empty))
        const fiber = yield* all.pipe(
          Stream.tap(() =>
            Deferred.succeed(come, undefined)
          ),
          Stream.runDrain,
          Effect.forkChild
        )
        yield* Deferred.await(come)
        yield* Fiber.interrupt(fiber)
        yield* provider.until(({ requests }) =>
          requests[0]?.outcome === "left"
        )
        yield* Stream.runDrain(Stream.take(all, 1))
        yield* provider.until(({ requests }) => requests[1]?.outcome === "left")
      }).pipe(Effect.provide(client)))
  })
}

describe("an endpoint", () => {
  it.live("sends its key as it is told, and reports it nowhere (ME-7)", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make(({ body }) =>
        FakeProvider.respond(400, { error: { message: `no: sk-secret-1 ${JSON.stringify(body)}` } }, {
          "request-id": "req-7"
        })
      )
      const apiKey = Redacted.make("sk-secret-1")
      const bearer = yield* endpointOf(provider.baseUrl, { apiKey })
      const named = yield* endpointOf(provider.baseUrl, { apiKey, keyHeader: "x-api-key" })
      const replaced = yield* endpointOf(provider.baseUrl, {
        apiKey,
        headers: { Authorization: Redacted.make("Custom k") }
      })
      const keyless = yield* endpointOf(provider.baseUrl, { apiKey: Redacted.make(" "), keyHeader: "x-api-key" })
      for (const endpoint of [bearer, named, replaced, keyless]) {
        const answer = yield* endpoint.post({ a: 1 })
        assert.strictEqual(answer.requestId, "req-7")
        if (answer.keyed) assert.notInclude(answer.reported, "sk-secret-1")
      }
      assert.deepStrictEqual(
        provider.requests.map(({ headers }) => [headers["authorization"], headers["x-api-key"]]),
        [["Bearer sk-secret-1", undefined], [undefined, "sk-secret-1"], ["Custom k", undefined], [undefined, undefined]]
      )
    }).pipe(Effect.provide(FetchHttpClient.layer)))

  it.live("says what it accepts, and takes an answer that is no stream as one", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make(FakeProvider.respond(200, { error: { message: "no" } }))
      const endpoint = yield* endpointOf(provider.baseUrl)
      yield* endpoint.post({})
      assert.strictEqual((yield* events(endpoint)).answer?.text, "{\"error\":{\"message\":\"no\"}}")
      assert.deepStrictEqual(provider.requests.map(({ headers }) => headers["accept"]), [
        "application/json",
        "text/event-stream, application/json"
      ])
    }).pipe(Effect.provide(FetchHttpClient.layer)))

  it.live("holds no more connections than its client may, with 200 calls at once, and leaks none", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make(({ nth }) =>
        nth % 10 === 0
          ? FakeProvider.respond(503, "busy")
          : nth % 10 === 1
          ? FakeProvider.reply("torn", { after: 20, end: "close" })
          : FakeProvider.reply("ok", { cut: nth })
      )
      const outcomes = yield* Effect.gen(function*() {
        const endpoint = yield* endpointOf(provider.baseUrl)
        return yield* Effect.forEach(
          Array.from({ length: 200 }, (_, nth) => nth),
          (nth) =>
            nth % 2 === 0
              ? Effect.map(Effect.result(endpoint.post({})), ({ _tag }) => _tag)
              : Effect.map(Effect.result(events(endpoint)), ({ _tag }) => _tag),
          { concurrency: "unbounded" }
        )
      }).pipe(Effect.provide(NodeHttpClient.layerUndiciOptions({ connections: 8 })))
      assert.strictEqual(outcomes.length, 200)
      assert.strictEqual(provider.requests.length, 200)
      assert.isAtMost(provider.connections.most, 8)
      assert.deepStrictEqual(provider.requests.filter(({ outcome }) => outcome === "pending"), [])
      yield* provider.until(({ connections }) => connections.open === 0)
    }))
})
