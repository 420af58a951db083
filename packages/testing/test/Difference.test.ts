import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Difference from "../src/Difference.ts"

describe("Difference.first", () => {
  const cases: ReadonlyArray<readonly [unknown, unknown, Difference.Difference | undefined]> = [
    [1, 1, undefined],
    [0, -0, undefined],
    [Number.NaN, Number.NaN, undefined],
    [1, 2, { path: "", expected: "1", actual: "2" }],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, { path: "a[1].b", expected: "2", actual: "3" }],
    [{ a: 1, b: undefined }, { b: undefined, a: 1 }, undefined],
    [{ a: undefined }, {}, undefined],
    [[1], [1, 2], { path: "[1]", expected: "nothing", actual: "2" }],
    [{ a: [] }, { a: {} }, { path: "a", expected: "[]", actual: "{}" }],
    [new Map([["a", 1]]), new Map([["a", 2]]), { path: ".get(\"a\")", expected: "1", actual: "2" }],
    [new Map([[{ k: 1 }, 1]]), new Map([[{ k: 2 }, 1]]), { path: "[0][0].k", expected: "1", actual: "2" }],
    [new Set([1, 2]), new Set([1, 3]), { path: "[1]", expected: "2", actual: "3" }],
    [new Set([1]), [1], { path: "", expected: "[1]", actual: "[1]" }],
    [new Date(0), new Date(1), { path: "getTime()", expected: "0", actual: "1" }],
    ["x".repeat(500), "", { path: "", expected: `"${"x".repeat(158)}…`, actual: "\"\"" }]
  ]

  it("says where values differ first, and what is there", () => {
    for (const [left, right, expected] of cases) assert.deepStrictEqual(Difference.first(left, right), expected)
  })

  it.prop("finds nothing between a JSON value and its copy", { value: Schema.Json }, ({ value }) => {
    assert.strictEqual(Difference.first(value, structuredClone(value)), undefined)
  })

  it.prop(
    "finds something exactly where JSON differs",
    { left: Schema.Json, right: Schema.Json },
    ({ left, right }) => {
      const sorted = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(sorted)
          : typeof value === "object" && value !== null
          ? Object
            .fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map((
              [key, inner]
            ) => [key, sorted(inner)]))
          : value
      const isSame = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right))
      assert.strictEqual(Difference.first(left, right) === undefined, isSame)
    }
  )
})
