import { Digest } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "../src/Transcript.ts"

const mark = "~effect/ai/Prompt/Part"

/** Texts and members that could be taken for what marks a message as one. */
const Odd = Schema.Union([
  Schema.Literals([
    mark,
    `"${mark}":"${mark}",`,
    `\\"${mark}\\":\\"${mark}\\",`,
    `{"${mark}":"${mark}","~effect/ai/Prompt/Message":"~effect/ai/Prompt/Message"}`,
    "\"~effect/\""
  ]),
  Schema.String
])

const Value = Schema.Record(
  Schema.Union([Odd, Schema.Literals(["a", "~effect/ai/Prompt/Message", "~effect/other"])]),
  Schema.Union([Odd, Schema.Json, Schema.Struct({ [mark]: Odd, z: Schema.Finite })])
)

describe("Transcript.extend", () => {
  it.prop("covers what is said, and no member whose name begins like a mark of Effect", {
    before: Schema.String,
    text: Odd,
    params: Value,
    result: Value
  }, ({ before, params, result, text }) => {
    const call = { id: text, name: "echo", providerExecuted: false }
    const messages = [
      Prompt.makeMessage("assistant", {
        content: [Prompt.makePart("text", { text }), Prompt.makePart("tool-call", { ...call, params })]
      }),
      Prompt.makeMessage("tool", { content: [Prompt.makePart("tool-result", { ...call, isFailure: false, result })] })
    ]
    const written = JSON.stringify(messages, (key, value) => key.startsWith("~effect/") ? undefined : value)
    const { characters, digest } = Transcript.extend({ messages: [], digest: before, characters: 1 }, messages)
    assert.strictEqual(digest, Digest.digest(`${before}${written}`))
    assert.strictEqual(characters, 1 + written.length)
  })
})
