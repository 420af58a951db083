/**
 * What the Messages API answered, as parts. Only what is needed is looked at; whatever else is there, or is not, does not matter.
 */
import { Json } from "@durable-agents/provider"
import { Result, Schema } from "effect"
import type { Response } from "effect/ai"
import { Tool } from "effect/ai"
import type { Names } from "./Names.ts"
import type { Thinking } from "./Thinking.ts"
import * as Usage from "./Usage.ts"

const { lenient, orUndefined, parse } = Json

/**
 * Reads a whole message; fails with why it is none.
 *
 * **Details**
 *
 * Blocks keep their order. Tool calls are passed on as they are: an id or a name that is missing is `""`, no input is `{}`, and
 * an input that is no JSON stays a text, for the caller to answer. Blocks of kinds that nobody asked for are left out. A refusal
 * ends with `content-filter`, and says why if it says nothing else.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (text: string, names: Names): Result.Result<Array<Response.PartEncoded>, string> =>
  Result.gen(function*() {
    const json = yield* Result.mapError(parse(text), () => text.trim() === "" ? "an empty body" : "not JSON")
    const message = yield* Result.fromOption(decode(json), () => "not a message")
    const { content } = message
    if (content === undefined && message.type !== "message") return yield* Result.fail("no content")
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content ?? []
    const parts = blocks.flatMap((block) => partsOf(block, names))
    return [
      ...parts,
      ...explained(message, parts.some(({ type }) => type === "text")),
      metadataOf(message),
      finishOf(message, Usage.read(message.usage))
    ]
  })

/**
 * One block of an answer, whatever its kind.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Block = Schema.Struct({
  type: lenient(Schema.String),
  text: lenient(Schema.String),
  thinking: lenient(Schema.String),
  signature: lenient(Schema.String),
  data: lenient(Schema.String),
  id: lenient(Schema.Union([Schema.String, Schema.Finite])),
  name: lenient(Schema.String),
  input: Schema.optionalKey(Schema.Unknown)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Block = typeof Block.Type

/**
 * Why a message ended.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Stop = Schema.Struct({
  stop_reason: lenient(Schema.String),
  stop_sequence: lenient(Schema.String),
  stop_details: lenient(Schema.Struct({ category: lenient(Schema.String), explanation: lenient(Schema.String) }))
})

/**
 * @category models
 * @since 0.1.0
 */
export type Stop = typeof Stop.Type

/**
 * What is known of a message apart from its content.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Head = Schema.Struct({
  type: lenient(Schema.String),
  id: lenient(Schema.String),
  model: lenient(Schema.String),
  usage: lenient(Usage.Fields)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Head = typeof Head.Type

const Message = Schema.Struct({
  ...Head.fields,
  ...Stop.fields,
  content: lenient(Schema.Union([Schema.String, Schema.Array(orUndefined(Block))]))
})

const decode = Schema.decodeUnknownOption(Message)

const partsOf = (block: Block | undefined, names: Names): ReadonlyArray<Response.PartEncoded> => {
  switch (block?.type) {
    case "text":
      return block.text === undefined || block.text === "" ? [] : [{ type: "text", text: block.text }]
    case "thinking":
    case "redacted_thinking":
      return [{ type: "reasoning", text: block.thinking ?? "", metadata: thinkingOf(block) }]
    case "tool_use":
      return [callOf(block, names)]
    default:
      return []
  }
}

/**
 * What the API wants to see again of a thinking block, for the metadata of a part.
 *
 * @category readers
 * @since 0.1.0
 */
export const thinkingOf = ({ data, signature, type }: Block): { readonly anthropic: Thinking } => ({
  anthropic: type === "redacted_thinking"
    ? { type, data: data ?? "" }
    : { type: "thinking", ...(signature === undefined ? {} : { signature }) }
})

/**
 * A call; its input may still be a text.
 *
 * @category readers
 * @since 0.1.0
 */
export const callOf = ({ id, input, name }: Block, names: Names): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id: `${id ?? ""}`,
  name: names.meant(name ?? ""),
  params: inputOf(input)
})

const inputOf = (given: unknown): unknown => {
  if (given === undefined || given === null) return {}
  if (typeof given !== "string") return given
  return given.trim() === "" ? {} : Result.getOrElse(
    Result.flatMap(Result.try(() => Tool.unsafeSecureJsonParse(given)), () => parse(given)),
    () => given
  )
}

/**
 * The provider's words about a refusal that came without a text; otherwise nothing.
 *
 * @category readers
 * @since 0.1.0
 */
export const explained = (
  { stop_details, stop_reason }: Stop,
  hasText: boolean
): ReadonlyArray<Response.TextPartEncoded> => {
  const explanation = stop_details?.explanation ?? ""
  return stop_reason === "refusal" && !hasText && explanation !== "" ? [{ type: "text", text: explanation }] : []
}

/**
 * @category readers
 * @since 0.1.0
 */
export const metadataOf = ({ id, model }: Head): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  ...(id === undefined ? {} : { id }),
  ...(model === undefined ? {} : { modelId: model })
})

/**
 * The end of an answer, with the API's own words in the metadata.
 *
 * @category readers
 * @since 0.1.0
 */
export const finishOf = (
  { stop_details, stop_reason, stop_sequence }: Stop,
  usage: typeof Response.Usage.Encoded
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: reasonOf(stop_reason),
  usage,
  metadata: {
    anthropic: {
      ...(stop_reason === undefined ? {} : { stopReason: stop_reason }),
      ...(stop_sequence === undefined ? {} : { stopSequence: stop_sequence }),
      ...(stop_details?.category === undefined ? {} : { refusalCategory: stop_details.category })
    }
  }
})

/** The reasons that have a name; others end the answer all the same. */
const reasonOf = (reason: string | undefined): Response.FinishReason => {
  switch (reason) {
    case undefined:
      return "unknown"
    case "end_turn":
    case "stop_sequence":
      return "stop"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    case "tool_use":
      return "tool-calls"
    case "refusal":
      return "content-filter"
    case "pause_turn":
      return "pause"
    default:
      return "other"
  }
}
