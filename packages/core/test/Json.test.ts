import { Json } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const names = ["\\", "\n", "\"", "\u0000", "a\\", "a\n", "a\"b", "a", "\n\n", "__proto__", "escaped ", "{", ", ", "/"]
const Value = Schema.Record(Schema.Literals(names), Schema.Union([Schema.Literals(names), Schema.Json]))

describe("Json.parse", () => {
  it("reads escaped names as they are, also where there was one with a backslash before", () => {
    for (const [at, [before, name]] of [["\\", "\n"], ["\\", "\""], ["a\\", "a\u0000"], ["\\", "\\"]].entries()) {
      // At a place of its own, where nothing else has been yet.
      const first = `first ${at}`
      Json.parse(JSON.stringify({ [first]: 1, [`${before}`]: 1 }))
      JSON.parse(JSON.stringify({ [first]: 1, [`${before}`]: 1 }))
      const text = JSON.stringify({ [first]: [`{"${name}":1}`, { [`${name}`]: name }], [`${name}`]: name })
      assert.strictEqual(JSON.stringify(Json.parse(text)), text)
    }
    assert.deepStrictEqual(Json.parse("{ \"\\u000A\" : 1,\n\"\\/\"\t:2}"), { "\n": 1, "/": 2 })
  })

  it("throws for what is no JSON, also beside such names", () => {
    for (const text of ["{\"\\x\":1}", "{\"\\n\":1", "{\"\\u00\":1}", ""]) {
      assert.throws(() => Json.parse(text), SyntaxError)
    }
  })

  it("reads as many levels as JSON.parse does, and the last of members with one name", () => {
    const levels = 20_000
    const text = `${"{\"\\n\":".repeat(levels)}1${"}".repeat(levels)}`
    let json = Json.parse(text)
    for (let level = 0; level < levels; level++) json = (json as Schema.JsonObject)["\n"] ?? null
    assert.strictEqual(json, 1)
    assert.deepStrictEqual(Json.parse("{\"\\n\":1,\"a\":2,\"\\u000a\":3}"), { "\n": 3, a: 2 })
  })

  it.prop("reads what was written, whatever it holds, also what was written twice", { value: Value }, ({ value }) => {
    for (const json of [value, { nested: [value] }, JSON.stringify(value)]) {
      assert.strictEqual(JSON.stringify(Json.parse(JSON.stringify(json))), JSON.stringify(json))
    }
  })
})
