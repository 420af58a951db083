import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { Tool } from "effect/ai"
import * as Parameters from "../src/Parameters.ts"

class Person extends Schema.Class<Person>("Person")({ name: Schema.String }) {}

interface Tree {
  readonly name: string
  readonly below: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({
  name: Schema.String,
  below: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

const Text = { type: "string" }
const object = (properties: Schema.JsonObject, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

describe("the parameters of a tool, as a model is told about them,", () => {
  it("are an object, also if their schema has a name of its own", () => {
    assert.deepStrictEqual(Parameters.ofSchema(Person), object({ name: Text }))
    const named = Schema.Struct({ to: Person }).annotate({ identifier: "Letter" })
    assert.deepStrictEqual(Parameters.ofSchema(named), {
      ...object({ to: { $ref: "#/$defs/PersonEncoded" } }),
      $defs: { PersonEncoded: object({ name: Text }) }
    })
  })

  it("keep a definition that speaks of itself", () => {
    const described = Parameters.ofSchema(Tree)
    const tree = object({ name: Text, below: { type: "array", items: { $ref: "#/$defs/Objects_" } } })
    assert.deepStrictEqual(described, { ...tree, $defs: { Objects_: tree } })
    assert.isTrue(Parameters.hasPath(described, "below.below.name"))
    assert.isFalse(Parameters.hasPath(described, "below.below.nome"))
  })

  it("are closed at every depth: in lists, tuples, unions, records and definitions (check 34)", () => {
    const Inner = Schema.Struct({ x: Schema.String })
    const described = Parameters.ofSchema(Schema.Struct({
      list: Schema.Array(Inner),
      tuple: Schema.Tuple([Inner]),
      union: Schema.Union([Inner, Schema.String]),
      record: Schema.Record(Schema.String, Inner),
      person: Person,
      empty: Schema.Struct({})
    }))
    const open = JSON.stringify(described).match(/"type":"object"/g)?.length ?? 0
    const closed = JSON.stringify(described).match(/"additionalProperties":(false|\{)/g)?.length ?? 0
    assert.strictEqual(open, 8)
    assert.strictEqual(closed, 8)
  })

  it("take a parameter's name and default for what they are", () => {
    const odd = Schema.Struct({
      not: Schema.Null,
      properties: Schema.String.annotate({ default: "a" }),
      additionalProperties: Schema.Boolean,
      any: Schema.Json.annotate({ default: { properties: {}, additionalProperties: true } })
    })
    assert.deepStrictEqual(
      Parameters.ofSchema(odd),
      object({
        not: { type: "null" },
        properties: { type: "string", default: "a" },
        additionalProperties: { type: "boolean" },
        any: { default: { properties: {}, additionalProperties: true } }
      })
    )
  })
})

describe("a tool that is given with a JSON schema", () => {
  const given = {
    type: "object",
    properties: {
      to: { type: "string", minLength: 1 },
      cents: { type: "integer", minimum: 1 },
      more: { type: "object", properties: { tags: { $ref: "#/$defs/Tags" } } }
    },
    required: ["to"],
    additionalProperties: false,
    $defs: { Tags: { type: "array", items: { enum: ["a", "b"] } } }
  }
  const dynamic = (parameters: object) => Tool.dynamic("given", { parameters: { ...parameters } })

  const fits = (parameters: object, args: unknown) => {
    const codec = Schema.toCodecJson(Parameters.schemaOf(dynamic(parameters))) as unknown as Schema.Codec<unknown>
    const decoded = Schema.decodeUnknownEffect(codec)(args, { onExcessProperty: "error" })
    return Effect.map(Effect.exit(decoded), Exit.isSuccess)
  }

  it("is described with that", () => {
    assert.deepStrictEqual(Parameters.ofTool(dynamic(given)), given as Schema.Json)
  })

  it.effect("takes arguments that fit it, and no others (checks 34, 35, 36)", () =>
    Effect.gen(function*() {
      for (const args of [{ to: "ann" }, { to: "ann", cents: 1, more: { tags: ["a", "b"], other: 1 } }]) {
        assert.isTrue(yield* fits(given, args), JSON.stringify(args))
      }
      const wrong = [{}, { to: "" }, { to: 1 }, { to: "a", cents: 0 }, { to: "a", gift: 1 }, {
        to: "a",
        more: { tags: ["c"] }
      }]
      for (const args of wrong) assert.isFalse(yield* fits(given, args), JSON.stringify(args))
    }))

  it.effect("may be of an older dialect", () =>
    Effect.gen(function*() {
      const older = {
        type: "object",
        properties: { tag: { $ref: "#/definitions/Tag" } },
        definitions: { Tag: { type: "string" } }
      }
      assert.isTrue(yield* fits(older, { tag: "a" }))
      assert.isFalse(yield* fits(older, { tag: 1 }))
    }))

  it.effect("takes any object if its schema says what cannot be checked here", () =>
    Effect.gen(function*() {
      const odd = { type: "object", properties: {}, dependentRequired: { a: ["b"] } }
      assert.isTrue(yield* fits(odd, { a: 1 }))
      assert.isFalse(yield* fits(odd, [1]))
    }))
})
