import { Json } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { show, sortKeys, toJson } from "../src/ToolResult.ts"
import { cut } from "../src/Words.ts"

const roundTrip = (json: Schema.Json) => Json.parse(JSON.stringify(json))
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = { value }
  return value
}

/** Has a text form, which is nobody's business. */
class Token {
  readonly #secret: string
  constructor(secret: string) {
    this.#secret = secret
  }
  toString() {
    return this.#secret
  }
}

describe("ToolResult.toJson", () => {
  it.prop("leaves JSON as it is, and says nothing about it", { json: Schema.Json }, ({ json }) => {
    const { json: written, mismatch } = toJson(json)
    assert.deepStrictEqual(written, roundTrip(json))
    if (!/\\u0000|\\ud/.test(JSON.stringify(json))) assert.isUndefined(mismatch)
  })

  it.prop("makes JSON of anything, the same after it was stored", { value: Schema.Unknown }, ({ value }) => {
    const { json } = toJson(value)
    assert.deepStrictEqual(roundTrip(json), json)
  })

  const oddities: ReadonlyArray<readonly [string, unknown, Schema.Json]> = [
    ["infinities", [Infinity, -Infinity], ["Infinity", "-Infinity"]],
    ["invalid dates", new Date(NaN), "Invalid Date"],
    ["maps without text keys", new Map([[1, "a"]]), [[1, "a"]]],
    ["maps whose keys would be the same text", new Map<unknown, string>([[1, "a"], ["1", "b"]]), [[1, "a"], [
      "1",
      "b"
    ]]],
    ["sets, in their order", new Set(["b", "a", "c"]), ["b", "a", "c"]],
    ["keys that no database holds", { "a\u0000": 1 }, { "a\u0000": 1 }],
    ["what has nothing to show", [/x/, Promise.resolve(1), (function*() {})()], [{}, {}, {}]],
    ["secrets", { token: Redacted.make("s3cr3t"), more: new Token("s3cr3t") }, { token: "<redacted>", more: {} }],
    ["symbols", Symbol("x"), "<symbol>"],
    ["members that throw", Object.defineProperty({ a: 1 }, "b", { enumerable: true, get: () => assert.fail("no") }), {
      a: 1,
      b: "<unreadable>"
    }],
    ["objects that refuse to be listed", new Proxy({}, { ownKeys: () => assert.fail("no") }), "<unreadable>"],
    ["objects that throw when they are asked for JSON", { toJSON: () => assert.fail("no") }, "<unreadable>"],
    ["URLs", new URL("http://example.com/"), "http://example.com/"],
    ["buffers", new Uint16Array([1, 2]).buffer, "AQACAA=="],
    ["views", new DataView(new Uint8Array([1, 2]).buffer), "AQI="]
  ]
  for (const [name, value, json] of oddities) {
    it(`writes ${name} as text or leaves it out, and says so (D52)`, () => {
      const { json: written, mismatch } = toJson(value)
      assert.deepStrictEqual(written, json)
      assert.strictEqual(mismatch, "parts of the result are not JSON and were written as text")
    })
  }

  it("leaves out members that are undefined, and keeps `__proto__` a member", () => {
    assert.deepStrictEqual(toJson({ a: undefined, b: [undefined] }), { json: { b: [null] } })
    const odd: unknown = JSON.parse("{\"__proto__\":{\"x\":1}}")
    assert.strictEqual(JSON.stringify(toJson(odd).json), "{\"__proto__\":{\"x\":1}}")
  })

  it("writes the same object twice where it stands twice, and stops where it stands in itself", () => {
    const shared = { n: 1 }
    assert.deepStrictEqual(toJson([shared, shared]), { json: [{ n: 1 }, { n: 1 }] })
  })

  it("does not go deeper than 64 levels, however deep a value is", () => {
    assert.include(JSON.stringify(toJson(nested(100_000)).json), "<nested too deep>")
    assert.deepStrictEqual(toJson(nested(60)), { json: nested(60) as Schema.Json })
  })
})

describe("ToolResult.cut", () => {
  it.prop("is the longest beginning that fits, and never half a character (EV-2)", {
    text: Schema.String,
    max: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
  }, ({ max, text }) => {
    const whole = text.toWellFormed()
    const shown = cut(whole, max)
    const bytes = (part: string) => new TextEncoder().encode(part).length
    assert.isTrue(whole.startsWith(shown) && shown.isWellFormed() && bytes(shown) <= max)
    const next = Array.from(whole.slice(shown.length))[0]
    assert.isTrue(next === undefined || bytes(shown + next) > max)
  })
})

describe("ToolResult.show", () => {
  it.prop("is the result itself if it is short, in one order of keys, and never empty (CH-3)", { json: Schema.Json }, (
    { json }
  ) => {
    const shown = show(json, 1_000_000)
    assert.isTrue(JSON.stringify(shown).length > 2 || typeof shown !== "string")
    assert.deepStrictEqual(sortKeys(shown), shown)
  })

  it("is the same for equal results, whatever the order of their keys", () => {
    assert.strictEqual(
      JSON.stringify(show({ b: { d: 1, c: 2 }, a: [] }, 100)),
      JSON.stringify(show({ a: [], b: { c: 2, d: 1 } }, 100))
    )
  })
})
