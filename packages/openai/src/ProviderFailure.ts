/**
 * What a provider's refusal means: one table from status, code and body to a reason of `effect/ai`, which says whether asking
 * again can help.
 */
import { Option, Result, Schema } from "effect"
import { AiError } from "effect/ai"
import type { Answer } from "./Endpoint.ts"
import { lenient, parse } from "./Json.ts"

/**
 * The reason behind an answer whose status is no success.
 *
 * @category readers
 * @since 0.1.0
 */
export const ofStatus = (answer: Answer): AiError.AiErrorReason => {
  const said = saidIn(answer.reported)
  return reasonOf(answer, said, decisive.get(said.code) ?? byStatus(answer.status))
}

/**
 * The reason behind a success that holds no answer: the error in its body if there is one, otherwise that it cannot be read.
 *
 * @category readers
 * @since 0.1.0
 */
export const ofAnswer = (answer: Answer, problem: string): AiError.AiErrorReason => {
  const said = saidIn(answer.reported)
  if (said.isError) {
    const status = /^[345]\d\d$/.test(said.code) ? byStatus(Number(said.code)) : undefined
    return reasonOf(answer, said, decisive.get(said.code) ?? status ?? hints.get(said.type) ?? "provider")
  }
  return new AiError.InvalidOutputError({
    description: `HTTP ${answer.status}: ${problem}${
      answer.reported.trim() === "" ? "" : `: ${excerpt(answer.reported)}`
    }`
  })
}

type Kind = "content" | "forbidden" | "key" | "provider" | "quota" | "rate" | "request" | "unknown"

/** Codes that mean the same under any status. */
const decisive: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["insufficient_quota", "quota"],
  ["billing_hard_limit_reached", "quota"],
  ["billing_not_active", "quota"],
  ["content_filter", "content"],
  ["content_policy_violation", "content"],
  ["responsibleaipolicyviolation", "content"],
  ["context_length_exceeded", "request"],
  ["model_not_found", "request"],
  ["invalid_api_key", "key"],
  ["rate_limit_exceeded", "rate"]
])

/** Types of errors under a status that says nothing. */
const hints: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["invalid_request_error", "request"],
  ["not_found_error", "request"],
  ["authentication_error", "key"],
  ["permission_error", "forbidden"],
  ["rate_limit_error", "rate"]
])

const byStatus = (status: number): Kind => {
  switch (status) {
    case 401:
      return "key"
    case 402:
      return "quota"
    case 403:
      return "forbidden"
    case 429:
      return "rate"
    case 408:
    case 409:
    case 425:
      return "provider"
    default:
      return status >= 500 ? "provider" : status >= 400 ? "request" : "unknown"
  }
}

const reasonOf = (answer: Answer, { code, message, type }: Said, kind: Kind): AiError.AiErrorReason => {
  const { keyed, requestId, retryAfter, status } = answer
  const label = code || type
  const description = message === ""
    ? excerpt(answer.reported) || "the provider said nothing more"
    : `${label === "" ? "" : `${excerpt(label)}: `}${excerpt(message)}`
  const http = {
    response: { status, headers: requestId === "" ? {} : { "x-request-id": excerpt(requestId) } },
    body: description
  }
  const metadata = { openai: { code: excerpt(code), type: excerpt(type) } }
  switch (kind) {
    case "content":
      return new AiError.ContentPolicyError({ description, http, metadata })
    case "forbidden":
      return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description, http, metadata })
    case "key":
      return new AiError.AuthenticationError({ kind: keyed ? "InvalidKey" : "MissingKey", description, http, metadata })
    case "quota":
      return new AiError.QuotaExhaustedError({ http, metadata })
    case "rate":
      return new AiError.RateLimitError({ retryAfter, http, metadata })
    case "request":
      return new AiError.InvalidRequestError({ description, http, metadata })
    case "unknown":
      return new AiError.UnknownError({ description: `HTTP ${status}: ${description}`, http, metadata })
    case "provider":
      // Of the failures that pass, only this one can say when to ask again.
      return retryAfter === undefined
        ? new AiError.InternalProviderError({ description, http, metadata })
        : new AiError.RateLimitError({ retryAfter, http, metadata })
  }
}

/** The beginning of a text, in one line. */
const excerpt = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length <= 300 ? line : `${line.slice(0, 300).toWellFormed()} …`
}

interface Said {
  readonly isError: boolean
  readonly code: string
  readonly type: string
  readonly message: string
}

const Word = lenient(Schema.Union([Schema.String, Schema.Finite]))

const Fields = Schema.Struct({ code: Word, type: Word, status: Word, message: Word })

const Body = Schema.Struct({
  error: lenient(Schema.Union([Schema.NonEmptyString, Fields])),
  choices: lenient(Schema.Array(Schema.Struct({ error: lenient(Fields) }))),
  object: Word,
  detail: Word,
  ...Fields.fields
})

const decodeBody = Schema.decodeUnknownOption(Schema.Union([Body, Schema.NonEmptyArray(Body)]))

/** The words of an error, in the forms that endpoints give them. */
const saidIn = (text: string): Said => {
  const body = Option
    .getOrUndefined(Option.map(
      Option.flatMap(Result.getSuccess(parse(text)), decodeBody),
      (read) => "0" in read ? read[0] : read
    ))
  if (body === undefined) return silence
  const error = body.error ?? body.choices?.[0]?.error
  if (typeof error === "string") return { ...silence, isError: true, message: error, code: wordOf(body.code) }
  const { code, message, status, type } = error ?? body
  return {
    isError: error !== undefined || body.object === "error",
    code: wordOf(code ?? status),
    type: wordOf(type),
    message: `${message ?? body.detail ?? ""}`
  }
}

const silence: Said = { isError: false, code: "", type: "", message: "" }

const wordOf = (word: string | number | undefined): string => `${word ?? ""}`.toLowerCase()
