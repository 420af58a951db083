import { Anthropic } from "@durable-agents/anthropic"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"

const modelOf = ({ url }: FakeProvider.FakeProvider) =>
  Anthropic.layer({ model: "m", baseUrl: url }).pipe(Layer.provide(FetchHttpClient.layer))

const said: FakeProvider.Reply = {
  text: "Grüße 🌍",
  reasoning: "Hm.",
  toolCalls: [{ id: "toolu_1", name: "stock", arguments: { item: "bölt" } }],
  usage: { input: 100, output: 40, cacheRead: 60, cacheWrite: 10 }
}

const question = { prompt: "Hi.", disableToolCallResolution: true, toolCallValidation: "deferred" } as const

/** What an answer says, in whatever pieces it came. */
const heard = LanguageModel.streamText(question)
  .pipe(Stream.runFold(() => ({ text: "", reasoning: "", calls: [] as Array<unknown>, ends: 0 }), (all, part) => ({
    text: part.type === "text-delta" ? all.text + part.delta : all.text,
    reasoning: part.type === "reasoning-delta" ? all.reasoning + part.delta : all.reasoning,
    calls: part.type === "tool-call" ? [...all.calls, part.params] : all.calls,
    ends: part.type === "finish" ? all.ends + 1 : all.ends
  })))

const all = { text: "Grüße 🌍", reasoning: "Hm.", calls: [{ item: "bölt" }], ends: 1 }

const asked = LanguageModel.generateText(question).pipe(Effect.map(({ content }) => ({
  text: content.flatMap((part) => part.type === "text" ? [part.text] : []).join(""),
  reasoning: content.flatMap((part) => part.type === "reasoning" ? [part.text] : []).join(""),
  calls: content.flatMap((part) => part.type === "tool-call" ? [part.params] : []),
  ends: content.filter((part) => part.type === "finish").length
})))

describe("the Messages API over a bad network", () => {
  it.live("is understood in whatever pieces it comes (MR-15)", () =>
    Effect.gen(function*() {
      for (const cut of ["bytes", 1, 2] as const) {
        const provider = yield* FakeProvider.make(FakeProvider.reply(said, { cut }))
        assert.deepStrictEqual(yield* Effect.provide(heard, modelOf(provider)), all)
        assert.deepStrictEqual(yield* Effect.provide(asked, modelOf(provider)), all)
      }
    }))

  it.live("is never taken for an answer that was torn anywhere, and the failure can pass (ME-2)", () =>
    Effect.gen(function*() {
      for (const end of ["close", "reset"] as const) {
        for (let after = 1; after < 1200; after += 97) {
          const provider = yield* FakeProvider.make(FakeProvider.reply(said, { after, end }))
          for (const answer of [heard, asked]) {
            const outcome = yield* Effect.result(Effect.provide(answer, modelOf(provider)))
            if (outcome._tag === "Success") assert.deepStrictEqual(outcome.success, all)
            else assert.isTrue(outcome.failure.isRetryable, outcome.failure.message)
          }
          assert.strictEqual(provider.requests.length, 2)
        }
      }
    }))

  it.live("answers 200 callers at once by one request each", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make(FakeProvider.reply(said))
      const callers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        (_, nth) => Effect.forkChild(nth % 2 === 0 ? heard : asked)
      ).pipe(Effect.provide(modelOf(provider)))
      for (const answer of yield* Fiber.joinAll(callers)) assert.deepStrictEqual(answer, all)
      assert.strictEqual(provider.requests.length, 200)
      yield* provider.until(({ requests }) => requests.every(({ outcome }) => outcome !== "pending"))
    }))
})
