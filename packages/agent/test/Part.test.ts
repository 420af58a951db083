import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { Response } from "effect/ai"
import * as Part from "../src/Part.ts"
import { sortKeys } from "../src/ToolResult.ts"

/** Everything that the schema of `effect/ai` takes. */
const Parts = Schema.Array(Response.Part())

const Text = Schema.Literals(["", "text", "reasoning", "tool-call", "~effect/ai/Response/Part"])

/** What is a part of a common kind, or nearly one: members are missing, of another type, or too many. */
const Nearly = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["text", "reasoning", "tool-call", "unheard-of"])),
  text: Schema.optionalKey(Schema.Union([Text, Schema.Null])),
  id: Schema.optionalKey(Schema.Union([Text, Schema.Finite])),
  name: Schema.optionalKey(Schema.Union([Text, Schema.Null])),
  params: Schema.optionalKey(Schema.Json),
  providerExecuted: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Null])),
  metadata: Schema.optionalKey(Schema.Union([Schema.Struct({}), Response.ProviderMetadata, Schema.Null])),
  "~effect/ai/Response/Part": Schema.optionalKey(Text),
  more: Schema.optionalKey(Schema.Json)
})

/** A part that goes through the schema, and all parts beside it. */
const file = Response.makePart("file", { mediaType: "text/plain", data: new Uint8Array([1]) })

const written = (parts: ReadonlyArray<Response.AnyPart>) =>
  Result.match(Part.encode(parts), {
    onFailure: ({ message }) => message,
    onSuccess: (encoded) => encoded.map((part) => JSON.stringify(part))
  })

describe("Part.encode", () => {
  it.prop("writes parts by hand as the schema does", { parts: Parts }, ({ parts }) => {
    assert.deepStrictEqual([...written(parts), ...written([file])], written([...parts, file]))
  })

  it.prop("fails as the schema does, and with its words", { part: Nearly }, ({ part }) => {
    const parts = [part as unknown as Response.AnyPart]
    const alone = written(parts)
    const beside = written([...parts, file])
    assert.deepStrictEqual(typeof alone === "string" ? alone : [...alone, ...written([file])], beside)
  })

  it("leaves out what a part is read back with anyway", () => {
    const call = Response.makePart("tool-call", { id: "1", name: "read", params: undefined, providerExecuted: false })
    const thought = Response.makePart("reasoning", { text: "Hm.", metadata: { provider: { signature: "c2ln" } } })
    assert.deepStrictEqual(Result.getOrThrow(Part.encode([call, thought])), [
      { type: "tool-call", id: "1", name: "read", params: {} },
      { type: "reasoning", text: "Hm.", metadata: { provider: { signature: "c2ln" } } }
    ])
  })
})

describe("Part.decode", () => {
  const bySchema = (json: Schema.Json) =>
    Option.getOrUndefined(Schema.decodeUnknownOption(Response.Part())(sortKeys(json)))

  it.prop("reads parts by hand as the schema does", { json: Nearly }, ({ json }) => {
    assert.deepStrictEqual(Part.decode(json), bySchema(json))
    assert.strictEqual(JSON.stringify(Object(Part.decode(json)).params), JSON.stringify(Object(bySchema(json)).params))
  })

  it.prop("reads what was written", { parts: Parts }, ({ parts }) => {
    for (const part of Result.getOrThrow(Part.encode(parts))) {
      const json: Schema.Json = JSON.parse(JSON.stringify(part))
      assert.deepStrictEqual(Part.decode(json), bySchema(json))
    }
  })

  it.prop("reads anything else as the schema does", { json: Schema.Json }, ({ json }) => {
    assert.deepStrictEqual(Part.decode(json), bySchema(json))
  })
})
