/**
 * What providers' refusals mean, as data: statuses, codes and types, and phrases of messages.
 */
import { Schema } from "effect"

/**
 * What a failure means for whoever asks again.
 *
 * **Details**
 *
 * - `permanent`: the same request will be refused again.
 * - `transient`: nothing is wrong with the request; later it may go well.
 * - `rate-limited`: the same, and asking at once would make it worse.
 * - `quota`: there is no more money, or none is allowed to be spent.
 * - `content-filtered`: the provider does not want to answer this.
 * - `context-too-long`: a shorter conversation might be answered.
 * - `malformed-output`: there was an answer, and it cannot be read. It was probably paid for.
 *
 * @category models
 * @since 0.1.0
 */
export const Kind = Schema.Literals([
  "permanent",
  "transient",
  "rate-limited",
  "quota",
  "content-filtered",
  "context-too-long",
  "malformed-output"
])

/**
 * @category models
 * @since 0.1.0
 */
export type Kind = typeof Kind.Type

/**
 * A kind, or which of the permanent ones it is.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = Exclude<Kind, "permanent"> | "bad-request" | "bad-key" | "forbidden" | "unknown"

/**
 * @category readers
 * @since 0.1.0
 */
export const kindOf = (verdict: Verdict): Kind =>
  verdict === "bad-request" || verdict === "bad-key" || verdict === "forbidden" || verdict === "unknown"
    ? "permanent"
    : verdict

const of = (verdict: Verdict, words: ReadonlyArray<string>) => words.map((word) => [word, verdict] as const)

/**
 * Codes and types that mean the same whatever the status is, in lower case.
 *
 * @category tables
 * @since 0.1.0
 */
export const words: ReadonlyMap<string, Verdict> = new Map([
  ...of("quota", [
    "insufficient_quota", // OpenAI
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error", // Anthropic
    "enforced_spend_limit_reached", // Anthropic, with the type of rate limits
    "contract_spend_limit_reached",
    "insufficient_credits", // OpenRouter
    "payment_required",
    "openrouter_credits",
    "openrouter_key_limit",
    "openrouter_workspace_budget",
    "openrouter_guardrail_budget",
    "credit_limit", // Together
    "budget_exceeded" // LiteLLM
  ]),
  ...of("content-filtered", [
    "content_filter", // OpenAI, Azure
    "content_policy_violation",
    "responsibleaipolicyviolation", // Azure
    "prohibited_content", // Gemini
    "contentpolicyviolationerror" // LiteLLM
  ]),
  ...of("context-too-long", [
    "context_length_exceeded", // OpenAI, Azure, Groq, Together, OpenRouter
    "tokens_limit_reached", // Azure
    "string_above_max_length", // OpenAI
    "exceed_context_size_error", // llama.cpp
    "request_too_large", // Anthropic
    "3051", // Mistral
    "contextwindowexceedederror" // LiteLLM
  ]),
  ...of("malformed-output", [
    "tool_use_failed", // Groq: the model's own call was not one
    "json_validate_failed", // Groq: the model's own JSON was none
    "output_parse_failed" // Groq
  ]),
  ...of("bad-key", [
    "invalid_api_key",
    "api_key_invalid", // Gemini, under status 400
    "authentication_error" // Anthropic
  ]),
  ...of("bad-request", ["model_not_found", "deploymentnotfound"]),
  ...of("rate-limited", [
    "rate_limit_exceeded", // OpenAI, Azure, Groq
    "rate_limit_error", // Anthropic
    "rate_limited", // Mistral
    "resource_exhausted", // Gemini
    "openrouter_in_flight_budget", // OpenRouter, under status 402: too much at once, not too much
    "throttling_error" // LiteLLM
  ]),
  ...of("transient", [
    "overloaded_error", // Anthropic
    "slow_down", // OpenAI
    "engine_overloaded", // Together
    "service_tier_capacity_exceeded", // Mistral
    "3505", // Mistral
    "capacity_exceeded", // Groq
    "nocapacity" // Azure
  ])
])

/**
 * Types that mean something only under a status that says nothing, such as 200.
 *
 * @category tables
 * @since 0.1.0
 */
export const hints: ReadonlyMap<string, Verdict> = new Map([
  ...of("bad-request", [
    "invalid_request_error",
    "not_found_error",
    "badrequesterror", // vLLM, SGLang
    "notfounderror",
    "invalid_argument", // Gemini
    "failed_precondition",
    "not_found",
    "invalid_request" // OpenRouter
  ]),
  ...of("forbidden", ["permission_error", "permission_denied", "permissiondeniederror"]),
  ...of("bad-key", ["unauthenticated", "unauthorized", "authenticationerror", "auth_error"]),
  ...of("rate-limited", ["ratelimiterror", "too_many_requests"]),
  ...of("transient", [
    "api_error",
    "timeout_error",
    "server_error",
    "internal_server_error",
    "internalservererror",
    "internal",
    "unavailable",
    "deadline_exceeded"
  ])
])

/**
 * What providers write in messages without a code for it. The first phrase that is found counts, before the status.
 *
 * @category tables
 * @since 0.1.0
 */
export const phrases: ReadonlyArray<readonly [phrase: RegExp, verdict: Verdict]> = [
  [/prompt (is )?too long/i, "context-too-long"], // Anthropic, Ollama
  [/exceed(s|ed)? (the )?(max(imum)? |model'?s? |available )*context (length|limit|size|window)/i, "context-too-long"],
  [/(maximum|max) context length/i, "context-too-long"], // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  [/(longer|greater|larger) than the (model'?s? )?context (length|window)/i, "context-too-long"], // SGLang, LM Studio
  [/input token count.{0,40}exceeds the maximum/i, "context-too-long"], // Gemini
  [/input length.{0,60}exceeds? the maximum/i, "context-too-long"],
  [/maximum prompt length is/i, "context-too-long"], // xAI
  [/input is too long for requested model/i, "context-too-long"],
  [/max_new_tokens.{0,40}must (be <=|not exceed)/i, "context-too-long"], // Together
  [/request too large for /i, "context-too-long"], // OpenAI, Groq: more than the limit of a whole minute
  [/credit balance is too low/i, "quota"], // Anthropic, under status 400
  [/insufficient (balance|credits|funds)/i, "quota"], // DeepSeek, OpenRouter
  [/reached your specified .{0,40}usage limits/i, "quota"], // Anthropic, under status 400
  [/content management policy|flagged (as|by) .{0,60}(polic|moderation)/i, "content-filtered"], // Azure, OpenAI
  [/output blocked by content filtering/i, "content-filtered"], // Anthropic
  [/service tier capacity exceeded/i, "transient"], // Mistral
  [/api key not valid/i, "bad-key"] // Gemini, under status 400
]

/**
 * Statuses that do not mean what their class does.
 *
 * @category tables
 * @since 0.1.0
 */
export const statuses: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [401, "bad-key"],
  [402, "quota"],
  [403, "forbidden"],
  [407, "bad-key"],
  [408, "transient"],
  [409, "transient"],
  [413, "context-too-long"],
  [421, "transient"],
  [423, "transient"],
  [424, "transient"],
  [425, "transient"],
  [429, "rate-limited"],
  [498, "transient"], // Groq: no capacity
  [501, "bad-request"],
  [505, "bad-request"]
])

/**
 * What a status means by itself: those of 400 to 499 without an entry are bad requests, from 500 on they pass, others are unknown.
 *
 * @category readers
 * @since 0.1.0
 */
export const ofStatus = (status: number): Verdict =>
  statuses.get(status) ?? (status >= 500 ? "transient" : status >= 400 ? "bad-request" : "unknown")
