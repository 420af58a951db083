import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Field, fieldOf, fits, initial, problem } from "../src/page/JsonSchema.ts"

const jsonSchema = (schema: Schema.Top): Schema.Json => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema))
  return JSON.parse(JSON.stringify({ ...root, $defs: definitions }))
}

const Order = Schema.Struct({
  id: Schema.NonEmptyString.check(Schema.isMaxLength(5)),
  cents: Schema.Natural.check(Schema.isLessThanOrEqualTo(100)),
  gift: Schema.optionalKey(Schema.Boolean),
  channel: Schema.Literals(["card", "voucher"]),
  lines: Schema.Array(Schema.Struct({ sku: Schema.String })),
  extra: Schema.Union([Schema.String, Schema.Finite])
}).annotate({ identifier: "Order" })

const order = fieldOf(jsonSchema(Order))

const member = (field: Field, name: string): Field => {
  const found = field._tag === "Group" ? field.members.find((one) => one.name === name) : undefined
  return found === undefined ? assert.fail(`no field \`${name}\``) : found.field
}

describe("JsonSchema.fieldOf", () => {
  it("finds a control for each member of a schema of Effect, through references and conditions", () => {
    assert.strictEqual(order._tag, "Group")
    if (order._tag !== "Group") return
    assert.deepStrictEqual(order.members.map(({ field, name, required }) => [name, field._tag, required]), [
      ["id", "Text", true],
      ["cents", "Number", true],
      ["gift", "Boolean", false],
      ["channel", "Choice", true],
      ["lines", "List", true],
      ["extra", "Raw", true]
    ])
  })

  it("always ends, also for what refers to itself, to nothing, or is no schema", () => {
    const tree = {
      $ref: "#/$defs/Tree",
      $defs: { Tree: { type: "object", properties: { left: { $ref: "#/$defs/Tree" } } } }
    }
    assert.strictEqual(fieldOf(tree)._tag, "Group")
    for (
      const odd of [
        { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } },
        { $ref: "#/none" },
        { $ref: "http://x" },
        1,
        null,
        [],
        {}
      ]
    ) {
      assert.strictEqual(fieldOf(odd)._tag, "Raw")
    }
  })
})

describe("JsonSchema.problem", () => {
  it("names what a text or a number has to be", () => {
    assert.strictEqual(problem(member(order, "id"), ""), "Must not be empty")
    assert.strictEqual(problem(member(order, "id"), "123456"), "At most 5 characters")
    assert.strictEqual(problem(member(order, "cents"), 1.5), "Must be a whole number")
    assert.strictEqual(problem(member(order, "cents"), -1), "At least 0")
    assert.strictEqual(problem(member(order, "cents"), 101), "At most 100")
    assert.strictEqual(problem(member(order, "cents"), null), "Give a number")
    assert.strictEqual(problem(member(order, "cents"), 100), "")
    const any = fieldOf({ type: "number" })
    assert.strictEqual(problem(any, Number.POSITIVE_INFINITY), "Give a number")
    assert.strictEqual(problem(any, 1e300), "")
    assert.strictEqual(problem(fieldOf({ type: "integer" }), 2 ** 60), "Too large to be exact")
  })
})

describe("JsonSchema.fits", () => {
  it("never lets a field hide a part of a value", () => {
    assert.isFalse(fits(order, { id: "A", hidden: true }))
    assert.isFalse(fits(member(order, "channel"), "cash"))
    assert.isFalse(fits(member(order, "id"), 1))
    assert.isTrue(fits(order, initial(order)))
  })
})
