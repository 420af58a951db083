import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Tool } from "effect/ai"
import * as ToolArguments from "../src/ToolArguments.ts"

const parameters = Schema.Struct({
  orderId: Schema.NonEmptyString,
  cents: Schema.Natural,
  lines: Schema.Array(Schema.Struct({ sku: Schema.String, count: Schema.optionalKey(Schema.Int) })),
  kind: Schema.optionalKey(Schema.Literals(["full", "part"])),
  note: Schema.NullOr(Schema.String)
})

const described: Schema.Json = JSON
  .parse(JSON.stringify(Tool.getJsonSchema(Tool.make("refund", { parameters, success: Schema.Void }))))

describe("ToolArguments.mismatch", () => {
  it.prop("finds nothing wrong with what the tool takes", { value: parameters }, ({ value }) => {
    assert.isUndefined(ToolArguments.mismatch(described, JSON.parse(JSON.stringify(value))))
  })

  it.prop("finds what the tool would not take", { value: Schema.Json }, ({ value }) => {
    const fits = Schema.is(parameters)(value)
    assert.strictEqual(ToolArguments.mismatch(described, value) === undefined, fits)
  })

  it("says what is wrong in one line", () => {
    const value = { orderId: "", cents: -1, lines: [{ sku: 1 }], note: null }
    assert.strictEqual(
      ToolArguments.mismatch(described, value),
      "Expected a value with a length of at least 1 at [\"orderId\"]; Expected a value greater than or equal to 0 at " +
        "[\"cents\"]; Expected string at [\"lines\"][0][\"sku\"]"
    )
  })

  it("holds open what a schema says that cannot be checked here, and what is no schema", () => {
    const value = { a: 1 }
    assert.isUndefined(ToolArguments.mismatch({ type: "object", dependentRequired: { a: ["b"] } }, value))
    assert.isUndefined(ToolArguments.mismatch({ $ref: "https://example.com/schema" }, value))
    for (const schema of [null, true, "object", [], {}, { type: "object" }]) {
      assert.isUndefined(ToolArguments.mismatch(schema, value))
    }
  })
})
