/**
 * A language model that answers as one did in a run before, offline: a log as a fixture for tests.
 */
import { Budget, type Recorded, type RunEventOf } from "@durable-agents/core"
import { Context, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import { AiError, LanguageModel, Model, Response } from "effect/ai"
import { CurrentModelCall, keyOf } from "./ModelCall.ts"
import * as ModelError from "./ModelError.ts"
import * as Part from "./Part.ts"
import * as Streamed from "./Streamed.ts"

const Failure = Schema.Struct({
  reason: Schema.String,
  error: Schema.String,
  failure: Schema.optionalKey(Schema.Json)
})

const Answer = Schema.Struct({
  parts: Schema.Array(Schema.Json),
  stopReason: Schema.String,
  usage: Budget.CallUsage,
  model: Schema.optionalKey(Schema.String),
  providerRequestId: Schema.optionalKey(Schema.String)
})

const Call = Schema.Struct({
  /** Such as `turn-3/model`, below the scopes around the agent. */
  key: Schema.String,
  attempt: Schema.Int,
  model: Schema.String,
  /** The digest of the prompt that was sent. */
  promptDigest: Schema.String,
  answer: Schema.optionalKey(Answer),
  failure: Schema.optionalKey(Failure)
})

/**
 * What a model was asked in a run, and what it answered, as `durable-agents record` writes it. It holds what the model said, so
 * whatever personal data that has; prompts are in it by their digests only.
 *
 * @category models
 * @since 0.1.0
 */
export const Recording = Schema.Struct({
  format: Schema.Literal("durable-agents/recording"),
  version: Schema.Literal(1),
  program: Schema.String,
  calls: Schema.Array(Call)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Recording = typeof Recording.Type

/**
 * Reads a recording from the text of its file.
 *
 * @category codecs
 * @since 0.1.0
 */
export const fromText: (text: string) => Effect.Effect<Recording, Schema.SchemaError> = Schema
  .decodeEffect(Schema.fromJsonString(Recording))

/**
 * A recording as the text of a file: the same for the same log.
 *
 * @category codecs
 * @since 0.1.0
 */
export const toText = (recording: Recording): string => `${JSON.stringify(recording, null, 2)}\n`

/**
 * The model calls of a log, of all agents in it, in the order of their requests. A call that was asked for and has no outcome
 * yet is left out.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromEvents = (events: ReadonlyArray<Recorded>): Recording => {
  const outcomes =
    new Map(events.flatMap(({ event }) =>
      event._tag === "LLMCallCompleted" || event._tag === "LLMCallFailed" ? [[idOf(event), event] as const] : []
    ))
  const [first] = events
  return {
    format: "durable-agents/recording",
    version: 1,
    program: first?.event._tag === "RunStarted" ? first.event.program : "",
    calls: events.flatMap(({ event }) => {
      if (event._tag !== "LLMCallRequested") return []
      const { attempt, key, model, promptDigest } = event
      const outcome = outcomes.get(idOf(event))
      return outcome === undefined ? [] : [{ key, attempt, model, promptDigest, ...said(outcome) }]
    })
  }
}

const idOf = ({ attempt, key }: { readonly attempt: number; readonly key: string }): string => `${attempt} ${key}`

const said = (
  event: RunEventOf<"LLMCallCompleted"> | RunEventOf<"LLMCallFailed">
): Pick<typeof Call.Type, "answer" | "failure"> => {
  if (event._tag === "LLMCallFailed") {
    const { error, failure, reason } = event
    return { failure: { reason, error, ...(failure === undefined ? {} : { failure }) } }
  }
  const { model, parts, providerRequestId, stopReason, usage } = event
  return {
    answer: {
      parts,
      stopReason,
      usage,
      ...(model === undefined ? {} : { model }),
      ...(providerRequestId === undefined ? {} : { providerRequestId })
    }
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * What is done when a prompt is not the one that was recorded, since instructions, tools or their results have changed: `refuse`
   * (default) fails the call, `answer` says what was recorded all the same.
   */
  readonly otherPrompts?: "refuse" | "answer"
}

/**
 * A model that gives what was recorded, by the place of each call in its run: answers as answers, failures as failures of the same
 * kind, with the delays that the provider asked for.
 *
 * **Details**
 *
 * An attempt that was not recorded gets the next one that was, or the last. A call that is not in the recording fails for good,
 * and says so: the run has taken another way.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  recording: Recording,
  { otherPrompts = "refuse" }: Options = {}
): Layer.Layer<LanguageModel.LanguageModel | Model.ModelName> =>
  Layer.effectContext(Effect.gen(function*() {
    const byKey = Map.groupBy(recording.calls, ({ key }) => key)
    const say = Effect.fnUntraced(function*() {
      const asked = yield* CurrentModelCall
      if (asked === undefined) return yield* refused("a recorded model answers agents only")
      const key = keyOf(asked)
      const calls = byKey.get(key) ?? []
      const call = calls.find(({ attempt }) => attempt >= asked.attempt) ?? calls.at(-1)
      if (call === undefined) {
        return yield* refused(`the recording has no call \`${key}\`: the run has taken another way`)
      }
      if (otherPrompts === "refuse" && call.promptDigest !== asked.promptDigest) {
        return yield* refused(`the prompt of \`${key}\` is not the one that was recorded; \`otherPrompts: "answer"\` answers it`)
      }
      return yield* reply(call)
    })
    const model = yield* LanguageModel.make({
      generateText: say,
      streamText: () => Stream.unwrap(Effect.map(say(), Streamed.fromParts))
    })
    return Context.make(LanguageModel.LanguageModel, model)
      .pipe(Context.add(Model.ModelName, recording.calls[0]?.model ?? "recorded"))
  }))

const reply = (
  { answer, failure, key }: typeof Call.Type
): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> => {
  if (answer === undefined) {
    return Effect.fail(AiError.make({ module, method, reason: reasonOf(failure ?? { reason: "", error: "" }) }))
  }
  const parts = answer.parts.map(Part.decode)
  const known = parts.filter((part) => part !== undefined)
  if (known.length < parts.length) return refused(`the answer of \`${key}\` has a part that this build does not know`)
  const { cachedInputTokens, inputTokens, outputTokens } = answer.usage
  return Effect.map(Effect.orDie(encode(known)), (encoded) => [
    ...encoded,
    { type: "response-metadata", id: answer.providerRequestId, modelId: answer.model, timestamp: undefined },
    {
      type: "finish",
      reason: Option.getOrElse(finishReason(answer.stopReason), () => "unknown"),
      usage: {
        inputTokens: { total: inputTokens, cacheRead: cachedInputTokens },
        outputTokens: { total: outputTokens }
      }
    }
  ])
}

const encode = Schema.encodeUnknownEffect(Schema.Array(Response.Part()))
const finishReason = Schema.decodeUnknownOption(Response.FinishReason)

/** A failure of the kind that was recorded, as far as it matters to whoever is told: whether it can pass, and when. */
const reasonOf = ({ error, failure }: typeof Failure.Type): AiError.AiErrorReason => {
  const known = Option.getOrUndefined(ModelError.decode(failure))
  const description = known?.message ?? error
  if (known?.reason === "RateLimitError") {
    const { retryAfterMillis } = known
    return new AiError
      .RateLimitError(retryAfterMillis === undefined ? {} : { retryAfter: Duration.millis(retryAfterMillis) })
  }
  if (known?.reason === "InvalidOutputError") return new AiError.InvalidOutputError({ description })
  return known === undefined || known.retryable
    ? new AiError.InternalProviderError({ description })
    : new AiError.InvalidRequestError({
      description,
      ...(known.kind === undefined ? {} : { metadata: { failure: { kind: known.kind } } })
    })
}

const module = "RecordedModel"
const method = "generateText"

const failed = (description: string): AiError.AiError =>
  AiError.make({ module, method, reason: new AiError.InvalidRequestError({ description }) })

const refused = (description: string) => Effect.fail(failed(description))
