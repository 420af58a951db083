import { Tokenizer } from "@durable-agents/agent"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { atMost } from "../src/Tokens.ts"

describe("Tokens.atMost", () => {
  it.effect("is more than the tokenizer says, and no more than the bytes of a text and what stands around it", () =>
    Effect.gen(function*() {
      const count = yield* yield* Tokenizer
      const texts = [
        "The quick brown fox jumps over the lazy dog. ".repeat(100),
        "Grüße 🦊 日本語".repeat(50),
        "{\"a\":[1,2]}",
        ""
      ]
      for (const text of texts) {
        for (const model of ["gpt-5.4", "claude-opus-5-5", "o3", "qwen3:8b"]) {
          const most = atMost(count, model, [text])
          assert.isAtLeast(most, count(text), text)
          assert.isAtMost(most, new TextEncoder().encode(text).length + 16)
        }
      }
      assert.isAbove(atMost(count, "claude-opus-5-5", texts), atMost(count, "gpt-5.4", texts))
    }))

  it.effect("takes names of special tokens and broken text as they come", () =>
    Effect.gen(function*() {
      const count = yield* yield* Tokenizer
      assert.isAbove(atMost(count, "gpt-5.4", ["<|endoftext|> \ud800 \u0000"]), 16)
    }))

  it.effect("takes no time to speak of for a word without an end", () =>
    Effect.gen(function*() {
      const count = yield* yield* Tokenizer
      // In one piece this takes more than 20 seconds.
      assert.isAbove(atMost(count, "gpt-5.4", ["a".repeat(100_000)]), 12_500)
    }))

  it.prop(
    "grows with what it is given",
    { texts: Schema.Array(Schema.String), more: Schema.String },
    ({ more, texts }) => {
      const bytes = (text: string) => new TextEncoder().encode(text).length
      assert.isAbove(atMost(bytes, "gpt-5.4", [...texts, more]), atMost(bytes, "gpt-5.4", texts))
    }
  )
})
