import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import { Response } from "effect/ai"
import * as Assembly from "../src/Assembly.ts"
import type { Said } from "../src/ModelDeltas.ts"
import * as Part from "../src/Part.ts"

const Piece = Schema.String.check(Schema.isMinLength(1))
const Text = Schema.TaggedUnion({
  text: { pieces: Schema.Array(Piece), signature: Schema.NullOr(Schema.String) },
  reasoning: { pieces: Schema.Array(Piece), signature: Schema.NullOr(Schema.String) },
  call: { params: Schema.Struct({ a: Schema.String }) }
})
/** Where the metadata of a text comes: at its beginning, with its pieces, or at its end. */
const Cut = Schema.Struct({
  parts: Schema.Array(Text),
  metadata: Schema.Literals(["start", "end"]),
  apart: Schema.Boolean
})

const finish = Response.makePart("finish", {
  reason: "stop",
  usage: new Response.Usage({
    inputTokens: { uncached: undefined, total: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 2, text: undefined, reasoning: undefined }
  }),
  response: undefined
})

const metadataOf = (signature: string | null) => signature === null ? {} : { provider: { signature } }

const whole = ({ parts }: typeof Cut.Type): ReadonlyArray<Response.AnyPart> => [
  ...parts.map((part, index): Response.AnyPart =>
    part._tag === "call"
      ? Response.makePart("tool-call", { id: `${index}`, name: "t", params: part.params, providerExecuted: false })
      : Response.makePart(part._tag, { text: part.pieces.join(""), metadata: metadataOf(part.signature) })
  ),
  finish
]

const streamed = ({ metadata, parts }: typeof Cut.Type): ReadonlyArray<Response.AnyPart> => [
  ...parts.flatMap((part, index): ReadonlyArray<Response.AnyPart> => {
    const id = `${index}`
    if (part._tag === "call") {
      return [
        Response.makePart("tool-params-start", { id, name: "t", providerExecuted: false }),
        Response.makePart("tool-params-delta", { id, delta: JSON.stringify(part.params) }),
        Response.makePart("tool-call", { id, name: "t", params: part.params, providerExecuted: false })
      ]
    }
    const at = (where: "start" | "end") => metadata === where ? { metadata: metadataOf(part.signature) } : {}
    return part._tag === "text"
      ? [
        Response.makePart("text-start", { id, ...at("start") }),
        ...part.pieces.map((delta) => Response.makePart("text-delta", { id, delta })),
        Response.makePart("text-end", { id, ...at("end") })
      ]
      : [
        Response.makePart("reasoning-start", { id, ...at("start") }),
        ...part.pieces.map((delta) => Response.makePart("reasoning-delta", { id, delta })),
        Response.makePart("reasoning-end", { id, ...at("end") })
      ]
  }),
  finish
]

const collect = (parts: ReadonlyArray<Response.AnyPart>, apart = true) => {
  const said: Array<Said> = []
  const stream = Stream.fromIterable(parts)
  return Effect.map(
    Effect.result(Assembly.collect(apart ? Stream.rechunk(stream, 1) : stream, (delta) => said.push(delta))),
    (result) => ({ result, said })
  )
}

const recorded = (parts: ReadonlyArray<Response.AnyPart>) =>
  Result.getOrThrow(Part.encode(parts.filter(({ type }) => type !== "finish")))

describe("Assembly.collect", () => {
  it.effect.prop(
    "gives what is recorded of the same answer in one piece, for any cutting",
    { cut: Cut },
    ({ cut }) =>
      Effect.gen(function*() {
        const { result, said } = yield* collect(streamed(cut), cut.apart)
        assert.deepStrictEqual(recorded(Result.getOrThrow(result)), recorded(whole(cut)))
        const texts = said.flatMap((delta) => delta._tag === "Text" ? [delta.text] : []).join("")
        assert.strictEqual(texts, cut.parts.flatMap((part) => part._tag === "text" ? part.pieces : []).join(""))
      })
  )

  it.effect("keeps texts that overlap in the order in which they begin", () =>
    Effect.gen(function*() {
      const { result } = yield* collect([
        Response.makePart("text-start", { id: "a" }),
        Response.makePart("reasoning-start", { id: "a" }),
        Response.makePart("reasoning-delta", { id: "a", delta: "why" }),
        Response.makePart("text-delta", { id: "a", delta: "what" }),
        Response.makePart("reasoning-end", { id: "a" }),
        finish
      ])
      assert.deepStrictEqual(recorded(Result.getOrThrow(result)), [
        { type: "text", text: "what" },
        { type: "reasoning", text: "why" }
      ])
    }))

  it.effect("fails for a stream that ends without saying so, as something that can pass", () =>
    Effect.gen(function*() {
      const { result } = yield* collect([Response.makePart("text-delta", { id: "a", delta: "Hal" })])
      assert.isTrue(Result.isFailure(result) && result.failure.isRetryable)
    }))

  it.effect("fails for an error among the parts, with no word of what is no text", () =>
    Effect.gen(function*() {
      const { result } = yield* collect([
        Response.makePart("text-delta", { id: "a", delta: "Hal" }),
        Response.makePart("error", { error: { key: "sk-secret" } }),
        finish
      ])
      assert.isTrue(Result.isFailure(result) && result.failure.isRetryable)
      assert.notInclude(Result.isFailure(result) ? result.failure.message : "", "secret")
    }))
})
