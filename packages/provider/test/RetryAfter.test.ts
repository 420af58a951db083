import { RetryAfter } from "@durable-agents/provider"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { Headers } from "effect/http"

const now = Date.UTC(2026, 9, 1, 12, 0, 0)
const at = (millis: number) => new Date(now + millis).toUTCString()

const millisOf = (headers: Readonly<Record<string, string>>, status = 429): number | undefined => {
  const delay = RetryAfter.ofHeaders(Headers.fromInput(headers), status, now)
  return delay === undefined ? undefined : Duration.toMillis(delay)
}

describe("RetryAfter.ofHeaders", () => {
  it("reads seconds, also in fractions, milliseconds and dates (ME-3)", () => {
    assert.strictEqual(millisOf({ "retry-after": "7" }), 7000)
    assert.strictEqual(millisOf({ "retry-after": " 1.5 " }), 1500)
    assert.strictEqual(millisOf({ "retry-after": "0.0004" }), 1)
    assert.strictEqual(millisOf({ "retry-after-ms": "250", "retry-after": "1" }), 250)
    assert.strictEqual(millisOf({ "retry-after-ms": "x", "retry-after": "1" }), 1000)
    assert.strictEqual(millisOf({ "retry-after": at(60_000) }), 60_000)
    assert.strictEqual(millisOf({ "retry-after": "Thursday, 01-Oct-26 12:00:05 GMT" }), 5000)
    assert.strictEqual(millisOf({ "retry-after": "30" }, 503), 30_000)
    assert.strictEqual(millisOf({ "retry-after": "86400" }), 86_400_000)
  })

  it("compares a date with that of the answer, whatever the clock here says (ME-3)", () => {
    assert.strictEqual(millisOf({ "retry-after": at(3_660_000), date: at(3_600_000) }), 60_000)
    assert.strictEqual(millisOf({ "retry-after": at(-3_540_000), date: at(-3_600_000) }), 60_000)
    assert.strictEqual(millisOf({ "retry-after": at(60_000), date: "yesterday" }), 60_000)
  })

  it("takes what makes no sense for nothing, and never for zero (ME-3)", () => {
    const odd = [
      "soon",
      "-5",
      "0",
      "",
      "NaN",
      "1e3",
      "0x10",
      "1,5",
      "Infinity",
      at(0),
      at(-1000),
      "1790000000",
      "604801"
    ]
    for (const value of odd) {
      assert.strictEqual(millisOf({ "retry-after": value }), undefined, value)
      assert.strictEqual(millisOf({ "retry-after": value, "x-ratelimit-reset-requests": "1s" }), undefined, value)
    }
    for (const value of ["-1", "0", "9e9", "", "99999999999"]) {
      assert.strictEqual(millisOf({ "retry-after-ms": value }), undefined, value)
    }
    for (const value of ["", "s", "-1s", "1 s", "1x", "0s", "1s!", "2026-13-40"]) {
      assert.strictEqual(millisOf({ "x-ratelimit-reset-tokens": value }), undefined, value)
    }
  })

  it("waits for the reset of a limit under 429 if nothing else is named (ME-3)", () => {
    const both = { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }
    assert.strictEqual(millisOf(both), 360_000)
    assert.strictEqual(millisOf({ ...both, "x-ratelimit-remaining-requests": "0" }), 1000)
    assert.strictEqual(millisOf({ ...both, "x-ratelimit-remaining-tokens": "0" }), 360_000)
    assert.strictEqual(millisOf({ ...both, "retry-after": "2" }), 2000)
    assert.strictEqual(millisOf(both, 503), undefined)
    assert.strictEqual(millisOf({ "x-ratelimit-reset-requests": "20ms" }), 20)
    assert.strictEqual(millisOf({ "x-ratelimit-reset-requests": "2m59.56s" }), 179_560)
    assert.strictEqual(millisOf({ "x-ratelimit-reset": `${now + 5000}` }), 5000)
    assert.strictEqual(millisOf({ "x-ratelimit-reset": `${now / 1000 + 5}` }), 5000)
    assert.strictEqual(millisOf({ "x-ratelimit-reset": "12" }), 12_000)
  })

  it("waits for Anthropic's resets, of the limits that are used up (ME-3)", () => {
    const headers = {
      "anthropic-ratelimit-requests-remaining": "40",
      "anthropic-ratelimit-requests-reset": "2026-10-01T13:00:00Z",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-10-01T12:00:09Z"
    }
    assert.strictEqual(millisOf(headers), 9000)
    assert.strictEqual(millisOf({ ...headers, date: at(4000) }), 5000)
    assert.strictEqual(millisOf({ "anthropic-ratelimit-tokens-reset": "tomorrow" }), undefined)
  })
})
