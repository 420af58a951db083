import { type Endpoint, FailureTable, ProviderFailure } from "@durable-agents/provider"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import type { AiError } from "effect/ai"
import { markOf } from "./kind.ts"

const judge = ProviderFailure.make({ provider: "test" })

const answer = (status: number, body: unknown): Endpoint.Answer => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, text, whole: true, reported: text, retryAfter: undefined, requestId: "", keyed: true }
}

const reasonOf = (status: number, body: unknown): AiError.AiErrorReason =>
  status < 300 ? judge.ofAnswer(answer(status, body), "no choice") : judge.ofStatus(answer(status, body))

const kindOf = (status: number, body: unknown) => markOf(reasonOf(status, body))

const openAi = (code: unknown, type: unknown, message: unknown = "No.") => ({
  error: { message, type, param: null, code }
})
/** The same type for a limit that passes and for one that does not: the cause tells them apart. */
const because = (error_code: string) => ({
  type: "error",
  error: { type: "rate_limit_error", message: "No.", details: { error_code } }
})

const anthropic = (type: string, message = "No.") => ({ type: "error", error: { type, message }, request_id: "req_1" })
const google = (code: number, status: string, message = "No.", details?: unknown) => [{
  error: { code, message, status, details }
}]

type Row = readonly [status: number, body: unknown, kind: FailureTable.Kind]

const rows: Readonly<Record<string, ReadonlyArray<Row>>> = {
  OpenAI: [
    [400, openAi(null, "invalid_request_error"), "permanent"],
    [400, openAi("context_length_exceeded", "invalid_request_error"), "context-too-long"],
    [
      400,
      openAi(
        "invalid_prompt",
        "invalid_request_error",
        "your prompt was flagged as potentially violating our usage policy"
      ),
      "content-filtered"
    ],
    [401, openAi("invalid_api_key", "invalid_request_error"), "permanent"],
    [403, openAi("unsupported_country_region_territory", "request_forbidden"), "permanent"],
    [404, openAi("model_not_found", "invalid_request_error"), "permanent"],
    [429, openAi("rate_limit_exceeded", "requests"), "rate-limited"],
    [
      429,
      openAi(
        "rate_limit_exceeded",
        "tokens",
        "Request too large for gpt-4o on tokens per min (TPM): Limit 10, Requested 12."
      ),
      "context-too-long"
    ],
    [429, openAi("insufficient_quota", "insufficient_quota"), "quota"],
    [500, openAi(null, "server_error"), "transient"],
    [503, openAi("slow_down", "server_error"), "transient"]
  ],
  Azure: [
    [400, {
      error: { code: "content_filter", message: "filtered", innererror: { code: "ResponsibleAIPolicyViolation" } }
    }, "content-filtered"],
    [
      400,
      { error: { code: null, message: "No.", innererror: { code: "ResponsibleAIPolicyViolation" } } },
      "content-filtered"
    ],
    [401, { error: { code: "401", message: "Access denied due to invalid subscription key." } }, "permanent"],
    [401, { statusCode: 401, message: "Unauthorized." }, "permanent"],
    [404, { error: { code: "DeploymentNotFound", message: "No." } }, "permanent"],
    [413, { error: { code: "tokens_limit_reached", message: "Max size: 8000 tokens." } }, "context-too-long"],
    [429, { error: { code: "429", message: "Please retry after 60 seconds." } }, "rate-limited"]
  ],
  Groq: [
    [400, openAi("tool_use_failed", "invalid_request_error"), "malformed-output"],
    [400, openAi("json_validate_failed", "invalid_request_error"), "malformed-output"],
    [
      413,
      openAi("rate_limit_exceeded", "tokens", "Request too large for model `x`: Limit 6000, Requested 9000"),
      "context-too-long"
    ],
    [429, openAi("rate_limit_exceeded", "tokens"), "rate-limited"],
    [498, openAi("capacity_exceeded", null), "transient"]
  ],
  Together: [
    [402, openAi("credit_limit", null), "quota"],
    [
      403,
      openAi(null, "invalid_request_error", "`inputs` tokens + `max_new_tokens` must be <= 4097"),
      "context-too-long"
    ],
    [503, openAi("engine_overloaded", "server_error"), "transient"]
  ],
  OpenRouter: [
    [402, { error: { code: 402, message: "Insufficient credits" } }, "quota"],
    [402, {
      error: { code: 402, message: "Insufficient credits", metadata: { limit_source: "openrouter_in_flight_budget" } }
    }, "rate-limited"],
    [403, { error: { code: 403, message: "Spent.", metadata: { limit_source: "openrouter_key_limit" } } }, "quota"],
    [400, { error: { code: 400, message: "Bad role.", metadata: { error_type: "invalid_prompt" } } }, "permanent"],
    [
      403,
      { error: { code: 403, message: "Flagged", metadata: { reasons: ["x"], flagged_input: "y" } } },
      "content-filtered"
    ],
    [408, { error: { code: 408, message: "Timed out" } }, "transient"],
    [200, { error: { code: 429, message: "Slow." } }, "rate-limited"],
    [200, { error: { code: 502, message: "Down." } }, "transient"],
    [200, { error: { code: 402, message: "No." } }, "quota"],
    [200, { choices: [{ error: { code: 503, message: "None." } }] }, "transient"],
    [200, { choices: [null, { error: { code: 400, message: "None." } }] }, "permanent"]
  ],
  DeepSeek: [
    [402, openAi("invalid_request_error", "unknown_error", "Insufficient Balance"), "quota"],
    [
      400,
      openAi("invalid_request_error", "invalid_request_error", "This model's maximum context length is 65536 tokens."),
      "context-too-long"
    ],
    [422, openAi(null, "invalid_request_error"), "permanent"]
  ],
  Mistral: [
    [
      429,
      { object: "error", message: "Rate limit exceeded", type: "rate_limited", param: null, code: "1300" },
      "rate-limited"
    ],
    [429, {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "invalid_request_error",
      code: null
    }, "transient"],
    [400, { object: "error", message: "No.", type: "invalid_request_error", code: "3051" }, "context-too-long"],
    [422, { detail: [{ loc: ["body"], msg: "field required" }] }, "permanent"]
  ],
  Gemini: [
    [400, google(400, "INVALID_ARGUMENT"), "permanent"],
    [400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "permanent"],
    [
      400,
      google(400, "INVALID_ARGUMENT", "The input token count (11) exceeds the maximum number of tokens allowed (10)."),
      "context-too-long"
    ],
    [429, google(429, "RESOURCE_EXHAUSTED"), "rate-limited"],
    [503, google(503, "UNAVAILABLE"), "transient"],
    [200, google(503, "UNAVAILABLE"), "transient"],
    [200, { error: { status: "PERMISSION_DENIED", message: "No." } }, "permanent"]
  ],
  "Ollama, vLLM, SGLang, llama.cpp, LM Studio": [
    [404, openAi(null, "api_error", "model \"x\" not found, try pulling it first"), "permanent"],
    [500, openAi(null, "api_error", "prompt too long; exceeded max context length by 12 tokens"), "context-too-long"],
    [503, openAi(null, "api_error", "server busy, please try again."), "transient"],
    [400, { object: "error", message: "No.", type: "BadRequestError", param: null, code: 400 }, "permanent"],
    [200, { object: "error", message: "No.", type: "BadRequestError", param: null, code: 400 }, "permanent"],
    [400, {
      object: "error",
      message: "This model's maximum context length is 10 tokens. However, you requested 12.",
      code: 400
    }, "context-too-long"],
    [
      400,
      openAi(400, "BadRequestError", "The input (12 tokens) is longer than the model's context length (10 tokens)."),
      "context-too-long"
    ],
    [400, openAi(400, "exceed_context_size_error"), "context-too-long"],
    [400, { error: "Input is greater than the context length" }, "context-too-long"]
  ],
  LiteLLM: [
    [400, openAi("400", "budget_exceeded"), "quota"],
    [429, openAi("429", "throttling_error"), "rate-limited"],
    [401, openAi("401", "auth_error"), "permanent"]
  ],
  Anthropic: [
    [400, anthropic("invalid_request_error"), "permanent"],
    [400, anthropic("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), "context-too-long"],
    [
      400,
      anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 9 + 8 > 10"),
      "context-too-long"
    ],
    [400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "quota"],
    [400, anthropic("invalid_request_error", "Output blocked by content filtering policy"), "content-filtered"],
    [401, anthropic("authentication_error"), "permanent"],
    [402, anthropic("billing_error"), "quota"],
    [403, anthropic("permission_error"), "permanent"],
    [404, anthropic("not_found_error"), "permanent"],
    [413, anthropic("request_too_large"), "context-too-long"],
    [429, anthropic("rate_limit_error"), "rate-limited"],
    [500, anthropic("api_error"), "transient"],
    [504, anthropic("timeout_error"), "transient"],
    [529, anthropic("overloaded_error"), "transient"],
    [429, because("enforced_spend_limit_reached"), "quota"],
    [429, because("contract_spend_limit_reached"), "quota"],
    [429, because("ramp_limit_exceeded"), "rate-limited"],
    [429, because("novelty"), "rate-limited"],
    [200, anthropic("overloaded_error"), "transient"],
    [200, anthropic("rate_limit_error"), "rate-limited"],
    [200, anthropic("api_error"), "transient"],
    [200, anthropic("permission_error"), "permanent"],
    [200, anthropic("invalid_request_error"), "permanent"]
  ]
}

describe("ProviderFailure", () => {
  for (const [provider, table] of Object.entries(rows)) {
    it(`judges what ${provider} answers (ME-1, ME-2, MR-8)`, () => {
      for (const [status, body, kind] of table) {
        assert.strictEqual(kindOf(status, body), kind, `${status} ${JSON.stringify(body)}`)
      }
    })
  }

  it("judges what nobody knows by its status", () => {
    for (
      const [status, kind] of [[302, "permanent"], [418, "permanent"], [425, "transient"], [599, "transient"]] as const
    ) {
      assert.strictEqual(kindOf(status, "<html>"), kind)
    }
    assert.strictEqual(kindOf(200, { error: "who knows" }), "transient")
    assert.strictEqual(kindOf(200, "<html>"), "malformed-output")
    assert.strictEqual(kindOf(200, { choices: [] }), "malformed-output")
  })

  it("asks again exactly for what passes and for what was malformed", () => {
    for (const table of Object.values(rows)) {
      for (const [status, body, kind] of table) {
        const passes = kind === "transient" || kind === "rate-limited" || kind === "malformed-output"
        assert.strictEqual(reasonOf(status, body).isRetryable, passes)
      }
    }
  })

  it("has the kind, and the provider's code and type, in the metadata of the reason", () => {
    const reason = reasonOf(400, openAi("context_length_exceeded", "invalid_request_error"))
    assert.deepStrictEqual("metadata" in reason ? reason.metadata : undefined, {
      failure: { kind: "context-too-long" },
      test: { code: "context_length_exceeded", type: "invalid_request_error" }
    })
  })

  it("finds a delay in the body where the headers have none", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }]
    const reason = reasonOf(429, google(429, "RESOURCE_EXHAUSTED", "No.", details))
    assert.strictEqual(reason._tag === "RateLimitError" && Duration.toMillis(reason.retryAfter ?? 0), 34_070)
  })

  it("is no error if its form is none", () => {
    for (
      const body of [
        { choices: [] },
        { type: "message_start", message: { id: "a" } },
        { type: "ping" },
        "x",
        "",
        "null"
      ]
    ) {
      assert.strictEqual(judge.ofError(answer(200, body)), undefined)
    }
    assert.isDefined(judge.ofError(answer(200, anthropic("api_error"))))
  })

  it("names words in lower case, each once, in its tables", () => {
    for (const word of [...FailureTable.words.keys(), ...FailureTable.hints.keys()]) {
      assert.strictEqual(word, word.toLowerCase())
      assert.isFalse(FailureTable.words.has(word) && FailureTable.hints.has(word), word)
    }
  })
})
