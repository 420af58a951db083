/**
 * The form of a completion, and of the chunks of one that is streamed. Only what is needed is looked at; whatever else is there,
 * or is not, does not matter.
 */
import { Json } from "@durable-agents/provider"
import { Schema } from "effect"

const Count = Json.lenient(Schema.Natural)

/**
 * @category schemas
 * @since 0.1.0
 */
export const Usage = Schema.Struct({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: Json.lenient(Schema.Struct({ cached_tokens: Count, cache_write_tokens: Count })),
  completion_tokens_details: Json.lenient(Schema.Struct({ reasoning_tokens: Count })),
  /** DeepSeek's name for cached tokens, besides the usual one. */
  prompt_cache_hit_tokens: Count,
  cost: Json.lenient(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))
})

/**
 * @category schemas
 * @since 0.1.0
 */
export type Usage = typeof Usage.Type

const Id = Schema.Union([Schema.String, Schema.Finite])

/**
 * A call, or a piece of one. Every entry is one, whatever it is: a call that was left out would never be answered.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCall = Json.orUndefined(Schema.Struct({
  index: Json.lenient(Schema.Natural),
  id: Json.lenient(Id),
  function: Json
    .lenient(Schema.Struct({ name: Json.lenient(Schema.String), arguments: Schema.optionalKey(Schema.Unknown) })),
  extra_content: Json.lenient(Schema.JsonObject)
}))

/**
 * @category schemas
 * @since 0.1.0
 */
export type ToolCall = typeof ToolCall.Type

const Thought = Json.orUndefined(Schema.Struct({ text: Json.lenient(Schema.String) }))

const Piece = Schema.Struct({
  text: Json.lenient(Schema.String),
  refusal: Json.lenient(Schema.String),
  thinking: Json.lenient(Schema.Union([Schema.String, Schema.Array(Thought)]))
})

/**
 * A message, or what a chunk adds to one.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Message = Schema.Struct({
  content: Json.lenient(Schema.Union([Schema.String, Schema.Array(Json.orUndefined(Piece))])),
  refusal: Json.lenient(Schema.String),
  reasoning_content: Json.lenient(Schema.String),
  reasoning: Json.lenient(Schema.String),
  reasoning_details: Json.lenient(Schema.Array(Schema.JsonObject)),
  /** LiteLLM's name for what Anthropic's models think, with its signatures. */
  thinking_blocks: Json.lenient(Schema.Array(Schema.JsonObject)),
  tool_calls: Json.lenient(Schema.Array(ToolCall))
})

/**
 * @category schemas
 * @since 0.1.0
 */
export type Message = typeof Message.Type

const Choice = Schema.Struct({
  index: Json.lenient(Schema.Natural),
  message: Json.lenient(Message),
  delta: Json.lenient(Message),
  finish_reason: Json.lenient(Schema.String),
  error: Schema.optionalKey(Schema.Unknown)
})

/**
 * @category schemas
 * @since 0.1.0
 */
export const Completion = Schema.Struct({
  id: Json.lenient(Id),
  model: Json.lenient(Schema.String),
  choices: Json.lenient(Schema.Array(Json.orUndefined(Choice))),
  usage: Json.lenient(Usage),
  /** Where Groq has the usage of a stream. */
  x_groq: Json.lenient(Schema.Struct({ usage: Json.lenient(Usage) })),
  error: Schema.optionalKey(Schema.Unknown)
})

/**
 * @category schemas
 * @since 0.1.0
 */
export type Completion = typeof Completion.Type

/**
 * @category readers
 * @since 0.1.0
 */
export const decode = Schema.decodeUnknownOption(Completion)

/**
 * The texts of a message, those in pieces joined.
 *
 * @category models
 * @since 0.1.0
 */
export interface Texts {
  readonly content: string
  readonly refusal: string
  /** Where the reasoning was, if there is any: a field of the message, or pieces of its content. */
  readonly field: ReasoningField | undefined
  readonly reasoning: string
}

/**
 * @category models
 * @since 0.1.0
 */
export type ReasoningField = "reasoning_content" | "reasoning" | "thinking"

/**
 * Reads the texts of a message, or of what a chunk adds to one. Of several fields with reasoning the first counts: some endpoints
 * send the same under two names.
 *
 * @category readers
 * @since 0.1.0
 */
export const textsOf = ({ content, reasoning, reasoning_content, refusal }: Message): Texts => {
  const pieces = content === undefined || typeof content === "string" ? [] : content
  const thought = pieces.map((piece) => thinkingOf(piece?.thinking)).join("")
  const found: ReadonlyArray<readonly [ReasoningField, string | undefined]> = [
    ["reasoning_content", reasoning_content],
    ["reasoning", reasoning],
    ["thinking", thought]
  ]
  const [field, text = ""] = found.find(([, text]) => text !== undefined && text !== "") ??
    // Who wants this field back wants it empty as well.
    (reasoning_content === "" ? ["reasoning_content", ""] as const : [undefined])
  return {
    content: typeof content === "string" ? content : pieces.map((piece) => piece?.text ?? "").join(""),
    refusal: refusal ?? pieces.map((piece) => piece?.refusal ?? "").join(""),
    field,
    reasoning: text
  }
}

const thinkingOf = (thinking: string | ReadonlyArray<typeof Thought.Type> | undefined): string =>
  thinking === undefined || typeof thinking === "string"
    ? thinking ?? ""
    : thinking.map((thought) => thought?.text ?? "").join("")
