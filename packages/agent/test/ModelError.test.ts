import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AiError } from "effect/ai"
import * as ModelError from "../src/ModelError.ts"

const kindOf = (reason: AiError.AiErrorReason) =>
  ModelError.make(AiError.make({ module: "Test", method: "generateText", reason })).kind

const lost = { reason: "TransportError", method: "POST", url: "https://models.example" } as const

describe("ModelError.make", () => {
  it("records what a failure means, by its reason", () => {
    assert.strictEqual(kindOf(new AiError.RateLimitError({})), "rate-limited")
    assert.strictEqual(kindOf(new AiError.QuotaExhaustedError({})), "quota")
    assert.strictEqual(kindOf(new AiError.ContentPolicyError({ description: "no" })), "content-filtered")
    assert.strictEqual(kindOf(new AiError.InvalidOutputError({ description: "no" })), "malformed-output")
    assert.strictEqual(kindOf(new AiError.InternalProviderError({ description: "no" })), "transient")
    assert.strictEqual(kindOf(new AiError.NetworkError(lost)), "transient")
    assert.strictEqual(kindOf(new AiError.NetworkError({ ...lost, reason: "InvalidUrlError" })), "permanent")
    assert.strictEqual(kindOf(new AiError.InvalidRequestError({})), "permanent")
    assert.strictEqual(kindOf(new AiError.UnknownError({})), "permanent")
  })

  it("records what the layer of the model says in the metadata", () => {
    const metadata = { failure: { kind: "context-too-long" } }
    assert.strictEqual(kindOf(new AiError.InvalidRequestError({ metadata })), "context-too-long")
    assert.strictEqual(kindOf(new AiError.InvalidRequestError({ metadata: { failure: { kind: "odd" } } })), "permanent")
    assert.strictEqual(
      kindOf(new AiError.RateLimitError({ metadata: { failure: { kind: "transient" } } })),
      "transient"
    )
  })

  it("is read back from logs that have no kind", () => {
    assert.deepStrictEqual(
      ModelError.decode({ reason: "RateLimitError", message: "no", retryable: true }),
      Result.getSuccess(Result.succeed({ reason: "RateLimitError", message: "no", retryable: true }))
    )
  })
})
