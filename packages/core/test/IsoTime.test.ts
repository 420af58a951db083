import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Schema } from "effect"
import { IsoTime } from "../src/index.ts"

const millisOf = (text: string) => Option.getOrUndefined(Option.map(IsoTime.read(text), DateTime.toEpochMillis))

describe("IsoTime.read", () => {
  it.prop(
    "reads back every time",
    { millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799_999 })) },
    ({ millis }) => {
      assert.strictEqual(millisOf(DateTime.formatIso(DateTime.makeUnsafe(millis))), millis)
    }
  )

  it("takes any offset, and leaves nothing to where it is read", () => {
    assert.strictEqual(millisOf("2030-01-01T09:00+01:00"), Date.UTC(2030, 0, 1, 8))
    assert.strictEqual(millisOf("2032-02-29t23:59:59.5z"), Date.UTC(2032, 1, 29, 23, 59, 59, 500))
    for (const text of ["", "now", "2030", "2030-01-01", "2030-01-01T09:00", "1 Jan 2030", " 2030-01-01T09:00Z"]) {
      assert.isUndefined(millisOf(text), text)
    }
  })

  it("takes no day or time that there is not for another one", () => {
    for (
      const text of [
        "2030-02-30T09:00Z",
        "2030-02-29T09:00+01:00",
        "2030-04-31T09:00Z",
        "2030-13-01T09:00Z",
        "2030-00-01T09:00Z",
        "2030-01-01T25:00Z",
        "2030-01-01T09:60Z",
        "2030-01-01T09:00+25:00"
      ]
    ) assert.isUndefined(millisOf(text), text)
  })
})
