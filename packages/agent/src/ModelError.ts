/**
 * A provider's failure as it is recorded: what kind, whether it can pass, when to try again. Never the request, its headers or
 * its credentials.
 */
import type { Operation } from "@durable-agents/core"
import { Duration, Effect, Option, Result, Schedule, Schema } from "effect"
import type { AiError } from "effect/ai"
import { cut } from "./Words.ts"

const Kind = Schema.Literals([
  "permanent",
  "transient",
  "rate-limited",
  "quota",
  "content-filtered",
  "context-too-long",
  "malformed-output"
])

/**
 * What a failure of a model means for whoever asks again.
 *
 * **Details**
 *
 * A layer of models may say it in the metadata of its error, as `failure: { kind }`. Otherwise it follows from the reason.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = typeof Kind.Type

/**
 * @category models
 * @since 0.1.0
 */
export const ModelError = Schema.Struct({
  /** The reason of `effect/ai`, such as `RateLimitError`. */
  reason: Schema.String,
  /** What the failure means. What older versions have recorded has none. */
  kind: Schema.optionalKey(Kind),
  message: Schema.String,
  retryable: Schema.Boolean,
  /** When the provider wants to be asked again. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite),
  /** The HTTP status of its answer. */
  status: Schema.optionalKey(Schema.Int),
  /** The provider may have begun an answer, which it charges for. */
  mayHaveCost: Schema.optionalKey(Schema.Boolean)
})

/**
 * @category models
 * @since 0.1.0
 */
export type ModelError = typeof ModelError.Type

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ isRetryable, reason, retryAfter }: AiError.AiError): ModelError => {
  const http = "http" in reason ? reason.http : undefined
  const status = http?.response?.status
  const said = http?.body === undefined || reason.message.includes(http.body) ? "" : ` — ${http.body}`
  const kind = kindOf(reason)
  return {
    reason: reason._tag,
    kind,
    message: cut(redact(`${status === undefined ? "" : `HTTP ${status}: `}${reason.message}${said}`), 2000),
    retryable: isRetryable,
    ...(retryAfter === undefined ? {} : { retryAfterMillis: Duration.toMillis(retryAfter) }),
    ...(status === undefined ? {} : { status }),
    ...(mayHaveCost(kind, reason, status) ? { mayHaveCost: true } : {})
  }
}

const kindOf = (reason: AiError.AiErrorReason): Kind => {
  const said = "metadata" in reason ? reason.metadata["failure"] : undefined
  if (isMarked(said)) return said.kind
  switch (reason._tag) {
    case "RateLimitError":
      return "rate-limited"
    case "QuotaExhaustedError":
      return "quota"
    case "ContentPolicyError":
      return "content-filtered"
    case "InvalidOutputError":
    case "StructuredOutputError":
      return "malformed-output"
    default:
      return reason.isRetryable ? "transient" : "permanent"
  }
}

const isMarked = Schema.is(Schema.Struct({ kind: Kind }))

/** What is refused costs nothing, and neither does what never reached the provider. */
const mayHaveCost = (kind: Kind, reason: AiError.AiErrorReason, status: number | undefined): boolean => {
  if (kind === "malformed-output") return true
  if (kind !== "transient" && kind !== "content-filtered") return false
  if (status !== undefined) return status < 300 || gaveUp.has(status)
  return reason._tag !== "NetworkError" || !neverSent.test(reason.message)
}

/** A gateway did not wait for the answer, which may have been made. */
const gaveUp: ReadonlySet<number> = new Set([408, 504, 524])

const neverSent =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CONNECT_TIMEOUT|certificate|ERR_TLS|ERR_SSL/i

/** Some providers take their key in the URL, and some repeat it in their answer. */
const redact = (text: string): string =>
  text
    .replace(/(https?:\/\/[^\s?"'<>]*)\?[^\s"'<>]*/g, "$1?…")
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 …")
    .replace(/\b(sk|pk|rk|key|xai|gsk)[-_][\w-]{8,}/g, "$1-…")

/**
 * Reads a recorded failure back.
 *
 * @category codecs
 * @since 0.1.0
 */
export const decode = (failure: Schema.Json | undefined) => Result.getSuccess(decodeResult(failure))

const decodeResult = Schema.decodeUnknownResult(ModelError)

/**
 * Whether a recorded attempt failed because its prompt was too long for the model.
 *
 * @category guards
 * @since 0.1.0
 */
export const isTooLong = ({ failure }: Pick<Operation.Failure, "failure">): boolean =>
  Option.exists(decode(failure), ({ kind }) => kind === "context-too-long")

/**
 * Reads a recorded attempt that failed, whether the model said so, it took too long, or its layer has a bug. `None` for others.
 *
 * @category codecs
 * @since 0.1.0
 */
export const read = (
  { error, failure, reason }: Pick<Operation.Failure, "reason" | "error" | "failure">
): Option.Option<ModelError> =>
  reason === "Error"
    ? decode(failure)
    : reason === "Timeout" || reason === "Defect"
    ? Option.some(ofUnknown({ reason, error }))
    : Option.none()

/**
 * What it means for whoever asks again that an attempt took too long, or that its layer has a bug.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofUnknown = ({ error, reason }: Pick<Operation.Failure, "reason" | "error">): ModelError => ({
  reason,
  kind: "transient",
  message: error,
  retryable: true
})

/**
 * How long the provider wants not to be asked.
 *
 * @category schedules
 * @since 0.1.0
 */
export const askedDelay = ({ retryAfterMillis }: ModelError): Duration.Duration | undefined =>
  retryAfterMillis === undefined ? undefined : Duration.millis(retryAfterMillis)

/**
 * @category codecs
 * @since 0.1.0
 */
export const toFailure = (error: ModelError): Operation.Failure => ({
  reason: "Error",
  error: error.message,
  failure: { ...error },
  ...(error.mayHaveCost === true ? { outcome: "unknown" } : {})
})

/**
 * From 1 s, twice as long each time, at most a minute, jittered.
 *
 * @category schedules
 * @since 0.1.0
 */
export const patient: Schedule.Schedule<unknown, ModelError> = Schedule.exponential("1 second").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.minutes(1)))),
  Schedule.jittered
)

/** An answer that cannot be read was paid for, and the next one is likely to be no better. */
const paidAttempts = 3

/**
 * The same schedule for failures that can pass: what the provider refuses for good is not asked again.
 *
 * @category schedules
 * @since 0.1.0
 */
export const whileRetryable = <E = never>(
  schedule: Schedule.Schedule<unknown, ModelError, E>
): Schedule.Schedule<unknown, ModelError, E> =>
  Schedule.while(
    schedule,
    ({ attempt, input }) => Effect.succeed(input.retryable && (attempt < paidAttempts || !unreadable.has(input.reason)))
  )

const unreadable: ReadonlySet<string> = new Set(["InvalidOutputError", "StructuredOutputError"])
