import { Agent } from "@durable-agents/agent"
import { type Payload, Program } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import * as ProgramInput from "../src/ProgramInput.ts"

const programOf = (input: Payload.PureSchema) => Program.make("p", { input, output: Schema.Void })

describe("ProgramInput.isText", () => {
  it("holds for programs whose input is a text as JSON, whatever it is to the program", () => {
    const texts = [
      Schema.String,
      Schema.NonEmptyString,
      Schema.Literals(["a", "b"]),
      Schema.Union([Schema.Literal("a"), Schema.String]),
      Schema.DateFromString,
      Schema.Date,
      Schema.BigInt,
      Schema.FiniteFromString
    ]
    for (const input of texts) assert.isTrue(ProgramInput.isText(programOf(input)))
    assert.isTrue(ProgramInput.isText(Agent.make("a", { instructions: "" })))
  })

  it("does not hold for others, nor where a text is only one of several things", () => {
    const others = [
      Schema.Finite,
      Schema.Boolean,
      Schema.Struct({ a: Schema.String }),
      Schema.Array(Schema.String),
      Schema.Json,
      Schema.Unknown,
      Schema.NullOr(Schema.String),
      Schema.Literal(1),
      Schema.Void
    ]
    for (const input of others) assert.isFalse(ProgramInput.isText(programOf(input)))
  })
})

describe("ProgramInput.read", () => {
  it.prop("takes a text as it is", { text: Schema.String }, ({ text }) => {
    assert.deepStrictEqual(ProgramInput.read(programOf(Schema.String), Option.some(text)), Result.succeed(text))
  })

  it.prop("reads back every value from its JSON", { json: Schema.Json }, ({ json }) => {
    assert.deepStrictEqual(
      ProgramInput.read(programOf(Schema.Json), Option.some(JSON.stringify(json))),
      Result.succeed(JSON.parse(JSON.stringify(json)))
    )
  })

  it("reads values as the program takes them", () => {
    const at = Schema.Struct({ at: Schema.Date })
    const read = ProgramInput.read(programOf(at), Option.some(`{"at":"2030-01-01T00:00:00.000Z"}`))
    assert.deepStrictEqual(read, Result.succeed({ at: new Date(Date.UTC(2030, 0, 1)) }))
  })

  it("needs no input for a program that takes none", () => {
    assert.deepStrictEqual(ProgramInput.read(programOf(Schema.Void), Option.none()), Result.succeed(undefined))
    assert.isTrue(Result.isFailure(ProgramInput.read(programOf(Schema.String), Option.none())))
  })

  it("says that an input does not fit, also when its schema breaks", () => {
    const breaking = Schema.String.check(Schema.makeFilter(() => {
      throw new Error("boom")
    }))
    for (const input of [Schema.NonEmptyString, breaking]) {
      const read = ProgramInput.read(programOf(input), Option.some(""))
      assert.isTrue(Result.isFailure(read) && read.failure.startsWith("the input does not fit `p`: "))
    }
  })
})
