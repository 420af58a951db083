/**
 * What an endpoint answered, as parts. Only what is needed is looked at; whatever else is there, or is not, does not matter.
 */
import { Json } from "@durable-agents/provider"
import { Result, Schema } from "effect"
import type { Response } from "effect/ai"
import { Tool } from "effect/ai"

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
export const read = (text: string): Result.Result<Array<Response.PartEncoded>, string> =>
  Result.gen(function*() {
    const json = yield* Result.mapError(Json.parse(text), () => text.trim() === "" ? "an empty body" : "not JSON")
    const completion = yield* Result.fromOption(decode(json), () => "not a completion")
    const choice = completion.choices?.find((one) => one !== undefined)
    if (choice?.message === undefined || (choice.error !== undefined && choice.error !== null)) {
      return yield* Result.fail("no choice")
    }
    const { message } = choice
    const { content, refusal } = contentOf(message)
    return [
      ...reasoningOf(message),
      ...[content, refusal].filter((said) => said !== "").map((said) => ({ type: "text" as const, text: said })),
      ...(message.tool_calls ?? []).map(callOf),
      {
        type: "response-metadata",
        ...(completion.id === undefined ? {} : { id: `${completion.id}` }),
        ...(completion.model === undefined ? {} : { modelId: completion.model })
      },
      {
        type: "finish",
        reason: refusal === "" ? finishOf(choice.finish_reason) : "content-filter",
        usage: usageOf(completion.usage ?? {})
      }
    ]
  })

const Count = Json.lenient(Schema.Natural)

const Usage = Schema.Struct({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: Json.lenient(Schema.Struct({ cached_tokens: Count })),
  completion_tokens_details: Json.lenient(Schema.Struct({ reasoning_tokens: Count }))
})

const Id = Schema.Union([Schema.String, Schema.Finite])

/** Every entry is a call, whatever it is: one that was left out would never be answered. */
const ToolCall = Json.orUndefined(Schema.Struct({
  id: Json.lenient(Id),
  function: Json
    .lenient(Schema.Struct({ name: Json.lenient(Schema.String), arguments: Schema.optionalKey(Schema.Unknown) }))
}))

const Piece = Schema.Struct({ text: Json.lenient(Schema.String), refusal: Json.lenient(Schema.String) })

const Message = Schema.Struct({
  content: Json.lenient(Schema.Union([Schema.String, Schema.Array(Json.orUndefined(Piece))])),
  refusal: Json.lenient(Schema.String),
  reasoning_content: Json.lenient(Schema.String),
  reasoning: Json.lenient(Schema.String),
  tool_calls: Json.lenient(Schema.Array(ToolCall))
})

const Completion = Schema.Struct({
  id: Json.lenient(Id),
  model: Json.lenient(Schema.String),
  choices: Json.lenient(Schema.Array(Json.orUndefined(Schema.Struct({
    message: Json.lenient(Message),
    finish_reason: Json.lenient(Schema.String),
    error: Schema.optionalKey(Schema.Unknown)
  })))),
  usage: Json.lenient(Usage)
})

const decode = Schema.decodeUnknownOption(Completion)

/** Texts in pieces are joined; pieces of other kinds, such as thoughts, are no part of the answer. */
const contentOf = (
  { content, refusal }: typeof Message.Type
): { readonly content: string; readonly refusal: string } => {
  if (content === undefined || typeof content === "string") return { content: content ?? "", refusal: refusal ?? "" }
  return {
    content: content.map((piece) => piece?.text ?? "").join(""),
    refusal: refusal ?? content.map((piece) => piece?.refusal ?? "").join("")
  }
}

const reasoningOf = (message: typeof Message.Type): ReadonlyArray<Response.PartEncoded> => {
  const field = (["reasoning_content", "reasoning"] as const).find((name) => (message[name] ?? "") !== "")
  return field === undefined
    ? []
    : [{ type: "reasoning", text: message[field] ?? "", metadata: { openai: { field } } }]
}

const callOf = (call: typeof ToolCall.Type): Response.PartEncoded => ({
  type: "tool-call",
  id: `${call?.id ?? ""}`,
  name: call?.function?.name ?? "",
  params: argumentsOf(call?.function?.arguments)
})

const argumentsOf = (given: unknown): unknown => {
  if (given === undefined || given === null) return {}
  if (typeof given !== "string") return given
  return given.trim() === "" ? {} : Result.getOrElse(
    Result.flatMap(Result.try(() => Tool.unsafeSecureJsonParse(given)), () => Json.parse(given)),
    () => given
  )
}

/** The reasons that have a name; others end the answer all the same. */
const finishOf = (reason: string | undefined): Response.FinishReason => {
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

const usageOf = (usage: typeof Usage.Type): typeof Response.Usage.Encoded => {
  const input = usage.prompt_tokens
  const output = usage.completion_tokens
  const cached = usage.prompt_tokens_details?.cached_tokens
  const reasoning = usage.completion_tokens_details?.reasoning_tokens
  return {
    inputTokens: { total: input, cacheRead: cached, uncached: rest(input, cached) },
    outputTokens: { total: output, reasoning, text: rest(output, reasoning) }
  }
}

/** What is left of a total; unknown if a part of it is, or if the part is the larger one. */
const rest = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined || part > total ? undefined : total - part
