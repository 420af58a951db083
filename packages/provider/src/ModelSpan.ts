/**
 * What the span of a model call says, by OpenTelemetry's conventions for generative AI (`gen_ai.*`). No text of a prompt or an
 * answer is among it.
 */
import { Predicate, type Tracer } from "effect"
import { type Response, Telemetry } from "effect/ai"

/**
 * @category models
 * @since 0.1.0
 */
export interface Asked {
  /** The provider's name in the conventions, such as `openai`, if it has one there. */
  readonly provider: string
  readonly model: string
  readonly maxTokens?: number | undefined
  /** Fields of the request as chat interfaces name them, such as `temperature`; others are passed over. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Says what a model is asked for. Changes the span.
 *
 * @category annotations
 * @since 0.1.0
 */
export const asked = (span: Tracer.Span, { maxTokens, model, parameters = {}, provider }: Asked): void =>
  Telemetry.addGenAIAnnotations(span, {
    operation: { name: "chat" },
    provider: { name: provider },
    request: {
      model,
      maxTokens,
      temperature: numberIn(parameters["temperature"]),
      topP: numberIn(parameters["top_p"]),
      topK: numberIn(parameters["top_k"]),
      frequencyPenalty: numberIn(parameters["frequency_penalty"]),
      presencePenalty: numberIn(parameters["presence_penalty"]),
      seed: numberIn(parameters["seed"])
    }
  })

const numberIn = (value: unknown): number | undefined => Predicate.isNumber(value) ? value : undefined

/**
 * Says what one part of an answer tells about all of it: which model answered, under which id, why it ended, what it used. Other
 * parts are passed over. Changes the span.
 *
 * @category annotations
 * @since 0.1.0
 */
export const answered = (span: Tracer.Span, part: Response.PartEncoded | Response.StreamPartEncoded): void => {
  if (part.type === "response-metadata") {
    Telemetry.addGenAIAnnotations(span, { response: { id: part.id, model: part.modelId } })
  }
  if (part.type === "finish") {
    Telemetry.addGenAIAnnotations(span, {
      response: { finishReasons: [part.reason] },
      usage: { inputTokens: part.usage.inputTokens.total, outputTokens: part.usage.outputTokens.total }
    })
  }
}
