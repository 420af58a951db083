import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Actor } from "../src/Ids.ts"
import { actor, NextRunId, OperationKey, RunId, uuid } from "../src/Ids.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
  .check(Schema.isMinLength(16), Schema.isMaxLength(20))

describe("Ids.uuid", () => {
  it.prop("writes the version and the variant of RFC 9562, and all other bits as they are", {
    bytes: Bytes,
    version: Schema.Literals([7, 8])
  }, ({ bytes, version }) => {
    const id = uuid(Uint8Array.from(bytes), version)
    assert.isTrue(Schema.is(RunId)(id))
    const digits = id.replaceAll("-", "")
    const written = Array.from(
      { length: 16 },
      (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16)
    )
    const expected = bytes.slice(0, 16).map((byte, index) =>
      index === 6 ? (version << 4) | (byte % 16) : index === 8 ? 0x80 | (byte % 64) : byte
    )
    assert.deepStrictEqual(written, expected)
  })

  it("does not change the bytes that it is given", () => {
    const bytes = new Uint8Array(16).fill(0xff)
    uuid(bytes, 7)
    assert.isTrue(bytes.every((byte) => byte === 0xff))
  })
})

describe("Ids.NextRunId", () => {
  it.effect("makes a UUID of version 7 whose first 48 bits are the time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 9, 19, 12, 30, 15, 123))
      const id = yield* yield* NextRunId
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const millis = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
      assert.strictEqual(millis, Date.UTC(2026, 9, 19, 12, 30, 15, 123))
    }))

  it.effect("makes ids that sort by their time", () =>
    Effect.gen(function*() {
      const next = yield* NextRunId
      const ids: Array<string> = []
      for (const millis of [0, 1, 255, 256, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 47]) {
        yield* TestClock.setTime(millis)
        ids.push(yield* next)
      }
      assert.deepStrictEqual(ids, ids.toSorted())
    }))

  it.effect("makes 10,000 different ids in one millisecond", () =>
    Effect.gen(function*() {
      const next = yield* NextRunId
      const ids = yield* Effect.all(Array.from({ length: 10_000 }, () => next))
      assert.strictEqual(new Set(ids).size, ids.length)
    }))
})

describe("Ids.RunId", () => {
  it("takes only UUIDs in lower case", () => {
    const is = Schema.is(RunId)
    assert.isTrue(is("00000000-0000-4000-8000-00000000000a"))
    for (
      const text of [
        "00000000-0000-4000-8000-00000000000A",
        "00000000000040008000000000000001",
        "{00000000-0000-4000-8000-000000000001}",
        "00000000-0000-4000-8000-000000000001\n",
        "00000000-0000-4000-8000-00000000000g",
        ""
      ]
    ) assert.isFalse(is(text), text)
  })
})

describe("Ids.OperationKey", () => {
  it("takes 1 to 256 characters", () => {
    const is = Schema.is(OperationKey)
    assert.isFalse(is(""))
    assert.isTrue(is("a".repeat(256)))
    assert.isFalse(is("a".repeat(257)))
  })
})

describe("Ids.actor", () => {
  it("reads plain text as the id of a person, and leaves an actor as it is", () => {
    assert.deepStrictEqual(actor("dana"), { kind: "person", id: "dana" })
    const policy: Actor = { kind: "policy", id: "expiry" }
    assert.strictEqual(actor(policy), policy)
  })
})
