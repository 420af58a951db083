import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { request } from "node:http"

const post = (provider: FakeProvider.FakeProvider, path: string, body: object = {}, signal?: AbortSignal) =>
  Effect.promise(async () => {
    const response = await fetch(`${provider.baseUrl}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      redirect: "manual",
      ...(signal === undefined ? {} : { signal })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const failing = (provider: FakeProvider.FakeProvider) =>
  Effect.map(Effect.exit(post(provider, "/chat/completions")), ({ _tag }) => _tag)

/** The pieces in which a body comes. */
const piecesFrom = (provider: FakeProvider.FakeProvider) =>
  Effect.callback<ReadonlyArray<Buffer>>((resume) => {
    const pieces: Array<Buffer> = []
    const sent = request(`${provider.baseUrl}/chat/completions`, { method: "POST" }, (response) => {
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("end", () => resume(Effect.succeed(pieces)))
    })
    sent.end("{}")
  })

const dataOf = (text: string): ReadonlyArray<unknown> =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => json === "[DONE]" ? json : JSON.parse(json))

const Said: FakeProvider.Reply = {
  text: "Grüße 🙂",
  reasoning: "Hm.",
  toolCalls: [{ name: "stock", arguments: { item: "bolt" } }],
  usage: { input: 100, output: 40, cacheRead: 60, reasoning: 30 }
}

describe("FakeProvider", () => {
  it.live("answers in the dialect of the path, and remembers what it was asked", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make(FakeProvider.reply(Said))
      const openAi = JSON.parse((yield* post(provider, "/chat/completions?a=b", { model: "m" })).text)
      assert.deepInclude(openAi.choices[0], { finish_reason: "tool_calls" })
      assert.deepInclude(openAi.choices[0].message, { content: "Grüße 🙂", reasoning_content: "Hm." })
      assert.deepInclude(openAi.usage, { prompt_tokens: 100, completion_tokens: 40 })
      const anthropic = JSON.parse((yield* post(provider, "/messages")).text)
      assert.deepStrictEqual(anthropic.content.map(({ type }: { type: string }) => type), [
        "thinking",
        "text",
        "tool_use"
      ])
      assert.deepStrictEqual(anthropic.usage, {
        input_tokens: 40,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 0,
        output_tokens: 40
      })
      assert.deepStrictEqual(
        provider.requests.map(({ body, method, nth, outcome, path }) => [nth, method, path, body, outcome]),
        [
          [1, "POST", "/v1/chat/completions?a=b", { model: "m" }, "answered"],
          [2, "POST", "/v1/messages", {}, "answered"]
        ]
      )
    }))

  it.live("streams the same in events, for who asks for a stream", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make(FakeProvider.reply(Said, { cut: 7 }))
      const stream = { stream: true, stream_options: { include_usage: true } }
      const chunks = dataOf((yield* post(provider, "/chat/completions", stream)).text)
      const deltas = chunks.slice(0, -2).map((chunk) => Object(chunk).choices[0].delta)
      assert.strictEqual(deltas.map(({ content = "" }) => content).join(""), "Grüße 🙂")
      assert.strictEqual(
        deltas.flatMap(({ tool_calls = [] }) => tool_calls).map((call) => call.function.arguments).join(""),
        "{\"item\":\"bolt\"}"
      )
      assert.deepInclude(Object(chunks.at(-2)).usage, { prompt_tokens: 100 })
      assert.strictEqual(chunks.at(-1), "[DONE]")
      const events = dataOf((yield* post(provider, "/messages", stream)).text).map(Object)
      assert.strictEqual(events[0]?.type, "message_start")
      assert.strictEqual(events.at(-1)?.type, "message_stop")
      assert.strictEqual(events.map(({ delta }) => delta?.text ?? "").join(""), "Grüße 🙂")
    }))

  it.live("cuts bodies anywhere, the same way for the same seed", () =>
    Effect.gen(function*() {
      const body = "ü🙂".repeat(10)
      for (const cut of [3, "bytes"] as const) {
        const provider = yield* FakeProvider.make({ body, cut })
        const pieces = yield* piecesFrom(provider)
        assert.strictEqual(Buffer.concat(pieces).toString("utf8"), body)
        assert.isAbove(pieces.length, 1)
      }
    }))

  it.live("plays one behaviour after the other, the last one for all that follow", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make([
        FakeProvider.respond(429, { error: {} }, { "retry-after": "7" }),
        FakeProvider.respond(307, "", { location: "/elsewhere" }),
        FakeProvider.reply("ok")
      ])
      const first = yield* post(provider, "/chat/completions")
      assert.deepStrictEqual([first.status, first.headers.get("retry-after")], [429, "7"])
      assert.strictEqual((yield* post(provider, "/chat/completions")).status, 307)
      for (const _ of [1, 2]) assert.strictEqual((yield* post(provider, "/chat/completions")).status, 200)
    }))

  it.live("breaks off: reset, closed in the middle, with a wrong length", () =>
    Effect.gen(function*() {
      for (
        const behaviour of [
          FakeProvider.reset,
          FakeProvider.reply("hello", { after: 20, end: "close" }),
          FakeProvider.reply("hello", { after: 20, end: "reset" }),
          FakeProvider.reply("hello", { contentLength: 9999, end: "close" })
        ]
      ) {
        const provider = yield* FakeProvider.make(behaviour)
        assert.strictEqual(yield* failing(provider), "Failure")
        assert.strictEqual(provider.requests[0]?.outcome, "broken")
      }
    }))

  it.live("waits before the first byte, and sees when it is left (ME-8)", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const provider = yield* FakeProvider.make([
        FakeProvider.reply("ok", { before: Deferred.await(go) }),
        FakeProvider.silence
      ])
      const slow = yield* Effect.forkChild(post(provider, "/chat/completions"))
      yield* provider.until(({ requests }) => requests.length === 1)
      assert.strictEqual(provider.requests[0]?.outcome, "pending")
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(slow)).status, 200)
      const controller = new AbortController()
      const left = yield* Effect.forkChild(Effect.exit(post(provider, "/chat/completions", {}, controller.signal)))
      yield* provider.until(({ requests }) => requests.length === 2)
      controller.abort()
      yield* provider.until(({ requests }) => requests[1]?.outcome === "left")
      yield* Fiber.join(left)
    }))
})
