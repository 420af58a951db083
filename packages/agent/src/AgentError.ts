/**
 * The ways in which an agent can fail by itself. Its budget is the engine's matter.
 */
import { GuardrailBlocked, type RunEventOf } from "@durable-agents/core"
import { Option, Schema } from "effect"
import * as ModelError from "./ModelError.ts"

/**
 * The provider refused or failed for good: one request that cannot succeed by repeating it, or too many that failed.
 *
 * @category errors
 * @since 0.1.0
 */
export class ModelFailed extends Schema.TaggedError<ModelFailed>("@durable-agents/agent/ModelFailed")("ModelFailed", {
  turn: Schema.Natural,
  attempts: Schema.Natural,
  /** The kind of the last failure, such as `RateLimitError`, or why the last attempt has no answer. */
  reason: Schema.String,
  detail: Schema.String
}) {
  /** The failure that ended a recorded model call. */
  static of(turn: number, { attempt, error, failure, reason }: RunEventOf<"LLMCallFailed">): ModelFailed {
    const known = ModelError.decode(failure)
    return new ModelFailed({
      turn,
      attempts: attempt,
      reason: Option.isSome(known) ? known.value.reason : reason,
      detail: error
    })
  }

  override get message() {
    const often = this.attempts === 1 ? "1 attempt" : `${this.attempts} attempts`
    return `The model failed in turn ${this.turn} after ${often} (${this.reason}): ${this.detail}`
  }
}

/**
 * The model ended without an answer that can be used: filtered, cut off, or empty. What there is of it is in `text`.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoAnswer extends Schema.TaggedError<NoAnswer>("@durable-agents/agent/NoAnswer")("NoAnswer", {
  turn: Schema.Natural,
  stopReason: Schema.String,
  text: Schema.String
}) {
  override get message() {
    return `The model gave no answer in turn ${this.turn}: ${sayings[this.stopReason] ?? "it ended with an empty text"}`
  }
}

const sayings: Readonly<Record<string, string>> = {
  "content-filter": "its provider withheld it (content filter or refusal)",
  length: "it was cut off at the token limit"
}

/**
 * The conversation has become longer than `Limits.transcriptLength`, or longer than is summarised and cannot be made shorter, so the
 * model was not asked again. What was done is recorded.
 *
 * @category errors
 * @since 0.1.0
 */
export class TranscriptTooLong
  extends Schema.TaggedError<TranscriptTooLong>("@durable-agents/agent/TranscriptTooLong")("TranscriptTooLong", {
    turn: Schema.Natural,
    characters: Schema.Natural,
    allowed: Schema.Natural,
    /** Why it could not be made shorter, if that was tried. */
    detail: Schema.optionalKey(Schema.String)
  })
{
  override get message() {
    const why = this.detail === undefined ? "" : `; ${this.detail}`
    return `The conversation before turn ${this.turn} has ${this.characters} characters, and ${this.allowed} are allowed${why}`
  }
}

/**
 * The conversation is too long, and the model that was asked for a summary of its beginning gave none, or the provider refused
 * the conversation with its summary as well. What was done is recorded.
 *
 * @category errors
 * @since 0.1.0
 */
export class CompactionFailed
  extends Schema.TaggedError<CompactionFailed>("@durable-agents/agent/CompactionFailed")("CompactionFailed", {
    turn: Schema.Natural,
    detail: Schema.String
  })
{
  override get message() {
    return `The conversation before turn ${this.turn} is too long, and could not be made shorter: ${this.detail}`
  }
}

/**
 * Every failure of an agent's own, as programs with agents inside declare it.
 *
 * @category errors
 * @since 0.1.0
 */
export const AgentError = Schema.Union([ModelFailed, NoAnswer, TranscriptTooLong, CompactionFailed, GuardrailBlocked])

/**
 * @category errors
 * @since 0.1.0
 */
export type AgentError = typeof AgentError.Type
