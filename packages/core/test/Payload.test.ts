import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result, Schema } from "effect"
import { Limits } from "../src/Limits.ts"
import { clean, decoder, describe as words, describeDefect, encoder, sizeOf } from "../src/Payload.ts"

const cleaned = (value: unknown, maxBytes = 1024 * 1024) => Effect.result(clean(value, maxBytes))

const reasonOf = (value: unknown, maxBytes?: number) =>
  Effect.map(cleaned(value, maxBytes), (result) => Result.isFailure(result) ? result.failure.reason : undefined)

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))

/** Every list and object within a value. */
const parts = (value: unknown): ReadonlyArray<object> =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(parts)] : []

describe("Payload.clean", () => {
  it.effect.prop(
    "gives the JSON of a value, with text that every database can hold",
    { value: Schema.Json },
    ({ value }) =>
      Effect.gen(function*() {
        const json = yield* clean(value, Infinity)
        const text = JSON.stringify(json)
        assert.isTrue(Schema.is(Schema.Json)(json))
        assert.notMatch(text, /\\u0000|\\ud[89a-f]/)
        if (!/\\u0000|\\ud/.test(JSON.stringify(value))) assert.deepEqual(json, JSON.parse(JSON.stringify(value)))
        assert.deepStrictEqual(yield* clean(json, Infinity), json)
      })
  )

  it.effect.prop("shares nothing with the value", { value: Schema.Json }, ({ value }) =>
    Effect.gen(function*() {
      const mine = new Set(parts(value))
      for (const part of parts(yield* clean(value, Infinity))) assert.isFalse(mine.has(part))
    }))

  it.effect("is not changed by what happens to the value later", () =>
    Effect.gen(function*() {
      const value = { list: [1, { deep: "a" }] }
      const json = yield* clean(value, 1000)
      value.list.push(2)
      assert.deepStrictEqual(json, { list: [1, { deep: "a" }] })
    }))

  it.effect("replaces NUL and half surrogate pairs, and leaves text alone that only spells them (EV-1, EV-2)", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* clean("a\u0000b\ud83dc😀", 100), "a\u2400b\ufffdc😀")
      assert.strictEqual(yield* clean(String.raw`\u0000 \ud83d`, 100), String.raw`\u0000 \ud83d`)
      assert.deepStrictEqual(yield* clean({ "\u0000": 1 }, 100), { "\u2400": 1 })
    }))

  it.effect("writes what JSON cannot say as JSON.stringify does (EV-12)", () =>
    Effect.gen(function*() {
      const value = {
        date: DateTime.toDate(DateTime.makeUnsafe(0)),
        gone: undefined,
        nan: NaN,
        inf: -Infinity,
        f: () => 1
      }
      assert.deepStrictEqual(yield* clean(value, 1000), { date: "1970-01-01T00:00:00.000Z", nan: null, inf: null })
      assert.deepStrictEqual(yield* clean([undefined, () => 1, new Map([[1, 2]])], 1000), [null, null, {}])
      for (const nothing of [undefined, () => 1, Symbol("s")]) assert.strictEqual(yield* clean(nothing, 1000), null)
    }))

  it.effect("passes keys that mean something to JavaScript on as plain data (EV-10)", () =>
    Effect.gen(function*() {
      const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":2}}`
      assert.strictEqual(JSON.stringify(yield* clean(JSON.parse(text), 1000)), text)
      assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"))
    }))

  it.effect("fails as Unencodable for big integers, cycles and a toJSON that throws", () =>
    Effect.gen(function*() {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const throwing = { toJSON: () => BigInt(1) }
      for (const value of [BigInt(1), { deep: [BigInt(1)] }, cycle, throwing]) {
        assert.strictEqual(yield* reasonOf(value), "Unencodable")
      }
    }))

  it.effect("takes 1,000 levels, and fails as Unencodable for more", () =>
    Effect.gen(function*() {
      const beside = (levels: number): unknown => JSON.parse("[0,".repeat(levels - 1) + "[]" + "]".repeat(levels - 1))
      for (const value of [nested(1_000), beside(1_000)]) assert.isUndefined(yield* reasonOf(value))
      assert.strictEqual(yield* reasonOf(beside(1_001)), "Unencodable")
      for (const levels of [1_001, 3_000, 100_000]) assert.strictEqual(yield* reasonOf(nested(levels)), "Unencodable")
      assert.isUndefined(yield* reasonOf(Array.from({ length: 5_000 }, () => [[]])))
    }))

  it.effect("fails as TooLarge beyond the limit in UTF-8, and says how large it is (EV-7)", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* reasonOf("a".repeat(98), 100))
      assert.strictEqual(yield* reasonOf("a".repeat(99), 100), "TooLarge")
      assert.isUndefined(yield* reasonOf("é".repeat(49), 100))
      assert.strictEqual(yield* reasonOf("é".repeat(50), 100), "TooLarge")
      assert.strictEqual(yield* reasonOf("😀".repeat(25), 100), "TooLarge")
      assert.strictEqual(yield* reasonOf({ text: "a".repeat(20_000_000) }), "TooLarge")
      const result = yield* cleaned("é".repeat(50), 100)
      assert.isTrue(Result.isFailure(result) && result.failure.error.includes("102 bytes"))
    }))
})

describe("Payload.describe", () => {
  it.prop("says anything in words that the log holds as they are, and not too many (EV-1, EV-2, EV-8)", {
    value: Schema.Unknown
  }, ({ value }) => {
    for (const found of [value, Object.assign(new Error(), { message: value })]) {
      for (const said of [words(found), describeDefect(found)]) {
        assert.isTrue(said.isWellFormed() && !said.includes("\u0000") && said.length <= 4_002)
      }
    }
  })

  it("cuts what nobody would read", () => {
    assert.strictEqual(words("x".repeat(4_000)), "x".repeat(4_000))
    assert.strictEqual(words("x".repeat(9_000_000)), `${"x".repeat(4_000)} …`)
    assert.isTrue(words("😀".repeat(4_001).slice(1)).isWellFormed())
    assert.strictEqual(describeDefect(new TypeError("a\u0000b\ud800")), "TypeError: a\u2400b\ufffd")
  })
})

describe("Payload.sizeOf", () => {
  it.effect.prop("is the length of the JSON text of a list or an object, cleaned or not", {
    value: Schema.Array(Schema.Json)
  }, ({ value }) =>
    Effect.gen(function*() {
      assert.strictEqual(sizeOf(value), JSON.stringify(value).length)
      const json = yield* clean({ value }, Infinity)
      assert.isAtLeast(sizeOf(json), JSON.stringify(json).length)
      if (!/\\u0000|\\ud/.test(JSON.stringify(value))) assert.strictEqual(sizeOf(json), JSON.stringify(json).length)
    }))
})

describe("Payload.encoder", () => {
  const When = Schema.Struct({ at: Schema.DateTimeUtc, count: Schema.Finite })

  it.effect("writes with the schema, so that decoder reads the same value", () =>
    Effect.gen(function*() {
      const value = { at: DateTime.makeUnsafe(86_400_000), count: 7 }
      const json = yield* encoder(When)(value)
      assert.isTrue(Schema.is(Schema.Json)(json))
      const decoded = Result.getOrThrow(decoder(When)(json))
      assert.isTrue(DateTime.Equivalence(decoded.at, value.at))
      assert.strictEqual(decoded.count, 7)
    }))

  it.effect("fails as Unencodable for a value that does not fit its schema", () =>
    Effect.gen(function*() {
      const result = yield* Effect.result(encoder(Schema.String as Schema.Codec<unknown, unknown>)(7))
      assert.isTrue(Result.isFailure(result) && result.failure.reason === "Unencodable")
    }))

  it.effect("keeps to the limit that is in place", () =>
    Effect.gen(function*() {
      const write = encoder(Schema.String)("a".repeat(100))
      assert.strictEqual(yield* write, "a".repeat(100))
      const limits = { ...Limits.defaultValue(), outputBytes: 50 }
      const result = yield* Effect.result(Effect.provideService(write, Limits, limits))
      assert.isTrue(Result.isFailure(result) && result.failure.reason === "TooLarge")
    }))
})
