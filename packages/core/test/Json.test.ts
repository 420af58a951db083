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

  it.prop("reads what was written, whatever it holds, also what was written twice", { value: Value }, ({ value }) => {
    for (const json of [value, { nested: [value] }, JSON.stringify(value)]) {
      assert.strictEqual(JSON.stringify(Json.parse(JSON.stringify(json))), JSON.stringify(json))
    }
  })
})
