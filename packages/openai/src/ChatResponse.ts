/**
 * What an endpoint answered, as parts.
 */
import { Json } from "@durable-agents/provider"
import { Result, type Schema } from "effect"
import type { Response } from "effect/ai"
import { Tool } from "effect/ai"
import * as Completion from "./Completion.ts"
import type { Dialect } from "./Dialect.ts"

/**
 * Reads the first choice of a completion; fails with why there is none.
 *
 * **Details**
 *
 * Tool calls are passed on as they are: an id or a name that is missing is `""`, no arguments are `{}`, and a text that is not
 * JSON stays a text, for the caller to answer. A refusal is a text that ends with `content-filter`. Reasoning is kept with the
 * name of its field.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (text: string, dialect: Dialect): Result.Result<Array<Response.PartEncoded>, string> =>
  Result.gen(function*() {
    const json = yield* Result.mapError(Json.parse(text), () => text.trim() === "" ? "an empty body" : "not JSON")
    const completion = yield* Result.fromOption(Completion.decode(json), () => "not a completion")
    const choice = completion.choices?.find((one) => one !== undefined)
    if (choice?.message === undefined || (choice.error !== undefined && choice.error !== null)) {
      return yield* Result.fail("no choice")
    }
    const texts = Completion.textsOf(choice.message)
    const calls = choice.message.tool_calls ?? []
    return [
      ...reasoningOf(texts, choice.message, calls.length > 0),
      ...[texts.content, texts.refusal].filter((said) => said !== "").map((said) => ({
        type: "text" as const,
        text: said
      })),
      ...calls.map(callOf),
      metadataOf(completion),
      finishOf({
        reason: choice.finish_reason,
        isRefusal: texts.refusal !== "",
        usage: completion.usage ?? {},
        dialect
      })
    ]
  })

const reasoningOf = (
  { field, reasoning }: Completion.Texts,
  { reasoning_details = [], thinking_blocks = [] }: Completion.Message,
  hasCalls: boolean
): ReadonlyArray<Response.ReasoningPartEncoded> =>
  reasoning === "" && reasoning_details.length === 0 && thinking_blocks.length === 0 &&
    !(hasCalls && field !== undefined)
    ? []
    : [{ type: "reasoning", text: reasoning, metadata: keptOf(field, reasoning_details, thinking_blocks) }]

/**
 * What is kept with reasoning, so that it can be sent back as it came.
 *
 * @category readers
 * @since 0.1.0
 */
export const keptOf = (
  field: Completion.ReasoningField | undefined,
  details: ReadonlyArray<Schema.JsonObject>,
  blocks: ReadonlyArray<Schema.JsonObject>
): { readonly openai: Schema.JsonObject } => ({
  openai: {
    ...(field === undefined ? {} : { field }),
    ...(details.length === 0 ? {} : { details }),
    ...(blocks.length === 0 ? {} : { blocks })
  }
})

/**
 * One call as the model wrote it.
 *
 * @category readers
 * @since 0.1.0
 */
export const callOf = (call: Completion.ToolCall): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id: `${call?.id ?? ""}`,
  name: call?.function?.name ?? "",
  params: argumentsOf(call?.function?.arguments),
  ...(call?.extra_content === undefined ? {} : { metadata: { openai: { extra_content: call.extra_content } } })
})

const argumentsOf = (given: unknown): unknown => {
  if (given === undefined || given === null) return {}
  if (typeof given !== "string") return given
  return given.trim() === "" ? {} : Result.getOrElse(
    Result.flatMap(Result.try(() => Tool.unsafeSecureJsonParse(given)), () => Json.parse(given)),
    () => given
  )
}

/**
 * Who answered.
 *
 * @category readers
 * @since 0.1.0
 */
export const metadataOf = (
  { id, model }: Pick<Completion.Completion, "id" | "model">
): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  ...(id === undefined ? {} : { id: `${id}` }),
  ...(model === undefined ? {} : { modelId: model })
})

/**
 * How an answer ended, and what it used.
 *
 * @category readers
 * @since 0.1.0
 */
export const finishOf = (
  { dialect, isRefusal, reason, usage }: {
    readonly reason: string | undefined
    readonly isRefusal: boolean
    readonly usage: Completion.Usage
    readonly dialect: Dialect
  }
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: isRefusal ? "content-filter" : reasonOf(reason),
  usage: usageOf(usage),
  ...(dialect.reportsCost && usage.cost !== undefined
    ? { metadata: { durableAgents: { costUsd: `${usage.cost}` } } }
    : {})
})

/** The reasons that have a name; others end the answer all the same. */
const reasonOf = (reason: string | undefined): Response.FinishReason => {
  switch (reason?.toLowerCase()) {
    case undefined:
      return "unknown"
    case "stop":
      return "stop"
    case "length":
    case "max_tokens":
      return "length"
    case "tool_calls":
    case "function_call":
      return "tool-calls"
    case "content_filter":
      return "content-filter"
    case "error":
      return "error"
    default:
      return "other"
  }
}

const usageOf = (usage: Completion.Usage): typeof Response.Usage.Encoded => {
  const input = usage.prompt_tokens
  const output = usage.completion_tokens
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens
  const written = usage.prompt_tokens_details?.cache_write_tokens
  const reasoning = usage.completion_tokens_details?.reasoning_tokens
  return {
    inputTokens: {
      total: input,
      cacheRead: cached,
      cacheWrite: written,
      uncached: rest(rest(input, cached), written ?? 0)
    },
    outputTokens: { total: output, reasoning, text: rest(output, reasoning) }
  }
}

/** What is left of a total; unknown if a part of it is, or if the part is the larger one. */
const rest = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined || part > total ? undefined : total - part
