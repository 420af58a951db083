import { ArgumentsSchema } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Tool } from "effect/ai"
import { approvalAt, given, started } from "./generators.ts"

const parameters = Schema.Struct({
  orderId: Schema.NonEmptyString,
  cents: Schema.Natural,
  lines: Schema.Array(Schema.Struct({ sku: Schema.String, count: Schema.optionalKey(Schema.Int) })),
  kind: Schema.optionalKey(Schema.Literals(["full", "part"])),
  note: Schema.NullOr(Schema.String)
})

const described: Schema.Json = JSON
  .parse(JSON.stringify(Tool.getJsonSchema(Tool.make("refund", { parameters, success: Schema.Void }))))

describe("ArgumentsSchema.mismatch", () => {
  it.prop("finds nothing wrong with what the tool takes", { value: parameters }, ({ value }) => {
    assert.isUndefined(ArgumentsSchema.mismatch(described, JSON.parse(JSON.stringify(value))))
  })

  it.prop("finds what the tool would not take", { value: Schema.Json }, ({ value }) => {
    const fits = Schema.is(parameters)(value)
    assert.strictEqual(ArgumentsSchema.mismatch(described, value) === undefined, fits)
  })

  it("says what is wrong in one line", () => {
    const value = { orderId: "", cents: -1, lines: [{ sku: 1 }], note: null }
    assert.strictEqual(
      ArgumentsSchema.mismatch(described, value),
      "Expected a value with a length of at least 1 at [\"orderId\"]; Expected a value greater than or equal to 0 at " +
        "[\"cents\"]; Expected string at [\"lines\"][0][\"sku\"]"
    )
  })

  it("holds open what a schema says that cannot be checked here, and what is no schema", () => {
    const value = { a: 1 }
    assert.isUndefined(ArgumentsSchema.mismatch({ type: "object", dependentRequired: { a: ["b"] } }, value))
    assert.isUndefined(ArgumentsSchema.mismatch({ $ref: "https://example.com/schema" }, value))
    for (const schema of [null, true, "object", [], {}, { type: "object" }]) {
      assert.isUndefined(ArgumentsSchema.mismatch(schema, value))
    }
  })
})

describe("ArgumentsSchema.of", () => {
  const parameters = { type: "object", required: ["id"] }
  const tools = [{ name: "ship", parameters, effect: "once", approval: true }] as const

  it("is that of the request, else that of the tool as it was when the run began, else none", () => {
    const own = { type: "string" }
    const state = given(
      started({ tools }),
      approvalAt("by-tool", { tool: "ship", arguments: {} }),
      approvalAt("own", { tool: "ship", arguments: {}, argumentsSchema: own }),
      approvalAt("unknown", { tool: "sink", arguments: {} }),
      approvalAt("plain")
    )
    assert.deepStrictEqual(ArgumentsSchema.of(state, "by-tool"), parameters)
    assert.deepStrictEqual(ArgumentsSchema.of(state, "own"), own)
    for (const key of ["unknown", "plain", "other"]) assert.isUndefined(ArgumentsSchema.of(state, key))
  })
})
