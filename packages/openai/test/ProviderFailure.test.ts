import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Redacted, Schema } from "effect"
import { AiError } from "effect/ai"
import { Headers } from "effect/http"
import { ask, completion, say, serve } from "./server.ts"

const key = Redacted.make("sk-secret-0123456789")

/** How an answer is judged, after exactly one request. */
const judged = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}, keyed = true) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* serve(say(status, body, headers))
    const error = yield* Effect.flip(ask(server, keyed ? { apiKey: key } : {}))
    assert.strictEqual(server.requests.length, 1)
    return error
  }))

const errorBody = (code: unknown, type: unknown = null, message: unknown = "No way.") => ({
  error: { message, type, code, param: null }
})

/** An error as it would be stored. */
const recorded = (error: AiError.AiError) => JSON.stringify(Schema.encodeSync(AiError.AiError)(error))

const statusOf = ({ reason }: AiError.AiError) => "http" in reason ? reason.http?.response?.status : undefined

const retryAfterOf = (status: number, headers: Readonly<Record<string, string>>) =>
  Effect.map(
    judged(status, errorBody(null), headers),
    ({ reason, retryAfter }) => [reason._tag, retryAfter === undefined ? undefined : Duration.toMillis(retryAfter)]
  )

describe("ProviderFailure.ofStatus", () => {
  it.live("judges by status, after one request (checks 93, ME-1, ME-2, ME-4)", () =>
    Effect.gen(function*() {
      const table: ReadonlyArray<readonly [number, AiError.AiErrorReason["_tag"], boolean]> = [
        [400, "InvalidRequestError", false],
        [401, "AuthenticationError", false],
        [402, "QuotaExhaustedError", false],
        [403, "AuthenticationError", false],
        [404, "InvalidRequestError", false],
        [408, "InternalProviderError", true],
        [413, "InvalidRequestError", false],
        [422, "InvalidRequestError", false],
        [429, "RateLimitError", true],
        [500, "InternalProviderError", true],
        [502, "InternalProviderError", true],
        [503, "InternalProviderError", true],
        [529, "InternalProviderError", true]
      ]
      for (const [status, tag, retryable] of table) {
        const error = yield* judged(status, errorBody(null))
        assert.deepStrictEqual([status, error.reason._tag, error.isRetryable, statusOf(error)], [
          status,
          tag,
          retryable,
          status
        ])
      }
    }))

  it.live("judges by the provider's code where that says more than the status", () =>
    Effect.gen(function*() {
      const tagOf = (status: number, code: string) =>
        Effect.map(judged(status, errorBody(code)), ({ reason }) => reason._tag)
      assert.strictEqual(yield* tagOf(429, "insufficient_quota"), "QuotaExhaustedError")
      assert.strictEqual(yield* tagOf(400, "content_filter"), "ContentPolicyError")
      assert.strictEqual(yield* tagOf(400, "content_policy_violation"), "ContentPolicyError")
      assert.strictEqual(yield* tagOf(500, "context_length_exceeded"), "InvalidRequestError")
      assert.strictEqual(yield* tagOf(400, "rate_limit_exceeded"), "RateLimitError")
      assert.strictEqual(yield* tagOf(400, "invalid_api_key"), "AuthenticationError")
    }))

  it.live("says whether a key was missing or wrong", () =>
    Effect.gen(function*() {
      const kindOf = ({ reason }: AiError.AiError) => reason._tag === "AuthenticationError" ? reason.kind : reason._tag
      assert.strictEqual(kindOf(yield* judged(401, errorBody(null))), "InvalidKey")
      assert.strictEqual(kindOf(yield* judged(401, errorBody(null), {}, false)), "MissingKey")
      assert.strictEqual(kindOf(yield* judged(403, errorBody(null))), "InsufficientPermissions")
    }))

  it.live("repeats status, code and message of the provider in all forms they come in (H29)", () =>
    Effect.gen(function*() {
      const saidTo = (body: unknown) =>
        Effect.map(judged(400, body), ({ reason }) => "http" in reason ? reason.http?.body : undefined)
      assert.strictEqual(yield* saidTo(errorBody("bad_value")), "bad_value: No way.")
      assert.strictEqual(yield* saidTo(errorBody(null, "invalid_request_error")), "invalid_request_error: No way.")
      assert.strictEqual(yield* saidTo({ error: "No way." }), "No way.")
      assert.strictEqual(yield* saidTo([errorBody(400, null)]), "400: No way.")
      assert.strictEqual(yield* saidTo({ object: "error", message: "No way.", code: 40_001 }), "40001: No way.")
      assert.strictEqual(yield* saidTo({ detail: "No way." }), "No way.")
      assert.strictEqual(yield* saidTo("<html>\n  no way </html>"), "<html> no way </html>")
      assert.strictEqual(yield* saidTo(""), "the provider said nothing more")
      const error = yield* judged(400, errorBody("bad_value"), { "x-request-id": "req_1" })
      assert.include(error.message, "bad_value: No way.")
      assert.include(recorded(error), "req_1")
    }))

  it.live("does not repeat a long body", () =>
    Effect.gen(function*() {
      for (const body of [errorBody(null, null, "x".repeat(100_000)), "y".repeat(1_000_000)]) {
        const error = yield* judged(400, body)
        assert.isBelow(recorded(error).length, 2000)
        assert.isBelow(error.message.length, 1000)
      }
    }))

  it.live("takes over when to ask again: seconds, milliseconds, a date (ME-3)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* retryAfterOf(429, { "retry-after": "7" }), ["RateLimitError", 7000])
      assert.deepStrictEqual(yield* retryAfterOf(429, { "retry-after": "86400" }), ["RateLimitError", 86_400_000])
      assert.deepStrictEqual(yield* retryAfterOf(503, { "retry-after": "3" }), ["RateLimitError", 3000])
      assert.deepStrictEqual(yield* retryAfterOf(429, { "retry-after": "1", "retry-after-ms": "250" }), [
        "RateLimitError",
        250
      ])
      const inAMinute = Headers.formatHttpDate(DateTime.add(yield* DateTime.now, { seconds: 60 }))
      const [, millis] = yield* retryAfterOf(429, { "retry-after": inAMinute })
      assert.isTrue(typeof millis === "number" && millis > 50_000 && millis <= 60_000)
    }))

  it.live("ignores a time to ask again that makes no sense (ME-3)", () =>
    Effect.gen(function*() {
      for (const value of ["soon", "-5", "0", "", "NaN", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
        assert.deepStrictEqual(yield* retryAfterOf(429, { "retry-after": value }), ["RateLimitError", undefined])
        assert.deepStrictEqual(yield* retryAfterOf(503, { "retry-after": value }), ["InternalProviderError", undefined])
      }
    }))

  it.live("follows no redirect", () =>
    Effect.gen(function*() {
      const error = yield* judged(307, "", { location: "/v2/chat/completions" })
      assert.strictEqual(error.reason._tag, "UnknownError")
      assert.include(error.message, "HTTP 307")
    }))
})

describe("ProviderFailure.ofAnswer", () => {
  it.live("judges an error under a success as it would under its own status (MR-8)", () =>
    Effect.gen(function*() {
      const tagOf = (body: unknown) => Effect.map(judged(200, body), ({ reason }) => reason._tag)
      assert.strictEqual(yield* tagOf(errorBody(429)), "RateLimitError")
      assert.strictEqual(yield* tagOf(errorBody("502")), "InternalProviderError")
      assert.strictEqual(yield* tagOf(errorBody(400)), "InvalidRequestError")
      assert.strictEqual(yield* tagOf(errorBody("insufficient_quota")), "QuotaExhaustedError")
      assert.strictEqual(yield* tagOf(errorBody(null, "invalid_request_error")), "InvalidRequestError")
      assert.strictEqual(yield* tagOf(errorBody(null)), "InternalProviderError")
      assert.strictEqual(yield* tagOf({ error: "overloaded" }), "InternalProviderError")
      assert.strictEqual(
        yield* tagOf(completion({ content: "" }, {}, {
          finish_reason: "error",
          error: { code: 502, message: "gone" }
        })),
        "InternalProviderError"
      )
    }))

  it.live("names a body that is no completion, with its beginning (MR-8, D23)", () =>
    Effect.gen(function*() {
      const table: ReadonlyArray<readonly [unknown, string]> = [
        ["<html>gateway</html>", "HTTP 200: not JSON: <html>gateway</html>"],
        ["{\"id\":\"a\",\"cho", "HTTP 200: not JSON: {\"id\":\"a\",\"cho"],
        ["", "HTTP 200: an empty body"],
        ["[]", "HTTP 200: not a completion: []"],
        ["7", "HTTP 200: not a completion: 7"],
        [{ choices: [] }, "HTTP 200: no choice: {\"choices\":[]}"],
        [{ choices: null }, "HTTP 200: no choice: {\"choices\":null}"],
        [{ choices: [null] }, "HTTP 200: no choice: {\"choices\":[null]}"],
        [{ choices: [{ message: null }] }, "HTTP 200: no choice: {\"choices\":[{\"message\":null}]}"]
      ]
      for (const [body, message] of table) {
        const error = yield* judged(200, body)
        assert.strictEqual(error.reason._tag, "InvalidOutputError")
        assert.strictEqual(error.reason.message, `Invalid output: ${message}`)
      }
    }))
})

describe("secrets", () => {
  const secrets = ["sk-secret-0123456789", "azure-secret", "pass\"word/ö", "in-the-query"]
  const [apiKey = "", header = "", password = "", query = ""] = secrets
  const options = { apiKey: key, headers: { "Api-Key": Redacted.make(header) } }
  const withUser = (url: string) =>
    `${url.replace("//", `//user:${encodeURIComponent(password)}@`)}?api-key=${query}&api-version=2024-10-21`

  const assertHidden = (error: AiError.AiError) => {
    for (const text of [JSON.stringify(error), recorded(error), error.message, `${error.stack}`]) {
      for (const secret of secrets) {
        assert.notInclude(text, secret)
        assert.notInclude(text, JSON.stringify(secret).slice(1, -1))
        assert.notInclude(text, encodeURIComponent(secret))
      }
    }
  }

  it.live("reach no error, even if the endpoint repeats them (check 93, ME-7)", () =>
    Effect.gen(function*() {
      const answers = [400, 401, 404, 429, 500, 200].flatMap((status) => [
        say(status, errorBody(`code ${apiKey}`, header, `Incorrect: Bearer ${secrets.join()}`), {
          "x-request-id": apiKey
        }),
        say(status, `you sent ${secrets.join()} to ${encodeURIComponent(password)}`)
      ])
      const server = yield* serve(answers)
      for (const _ of answers) assertHidden(yield* Effect.flip(ask({ url: withUser(server.url) }, options)))
      assert.strictEqual(server.requests.length, answers.length)
    }))

  it.live("reach no error when nobody answers", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(serve({}))
      assertHidden(yield* Effect.flip(ask({ url: withUser(gone.url) }, options)))
      assertHidden(yield* Effect.flip(ask(gone, { apiKey: Redacted.make(`${apiKey}\nü`), headers: options.headers })))
    }))

  it.live("in the base URL are sent as it says", () =>
    Effect.gen(function*() {
      const server = yield* serve(say(500, ""))
      yield* Effect.flip(ask({ url: withUser(server.url) }))
      const [request] = server.requests
      assert.strictEqual(
        request?.headers.authorization,
        `Basic ${Buffer.from(`user:${password}`).toString("base64")}`
      )
      assert.strictEqual(request?.path, `/v1/chat/completions?api-key=${query}&api-version=2024-10-21`)
    }))
})
