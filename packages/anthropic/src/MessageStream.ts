/**
 * The events of a streamed message, as parts.
 */
import { type Endpoint, Json, StreamParts } from "@durable-agents/provider"
import { Option, Result, Schema, type Stream } from "effect"
import { AiError, type Response } from "effect/ai"
import * as MessageResponse from "./MessageResponse.ts"
import type { Names } from "./Names.ts"
import * as Usage from "./Usage.ts"

/**
 * What turns events into parts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly names: Names
  /** The error that the data of an event says; undefined if it is none. */
  readonly errorIn: (data: string) => AiError.AiErrorReason | undefined
  /** The data of an event cannot be read. */
  readonly unreadable: (data: string, problem: string) => AiError.AiErrorReason
}

/**
 * Reads events up to the end of their message, and no further.
 *
 * **Details**
 *
 * Texts and thinking come in pieces; the end of a thinking part has its signature in the metadata. Inputs of calls come in pieces,
 * and the call as a whole when its block ends. Events of other kinds are passed over. An error among the events fails the stream
 * after what came before it, and so does an end before that of the message.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <E>(
  events: Stream.Stream<Endpoint.Event, E>,
  options: Options
): Stream.Stream<Response.StreamPartEncoded, E | AiError.AiErrorReason> =>
  StreamParts.fromEvents(events, {
    start,
    step: (state, { data, event }) => step(state, event, data, options),
    end: (state) => state.stop.stop_reason === undefined ? Result.fail(cutOff) : Result.succeed(end(state, options))
  })

interface State {
  readonly head: MessageResponse.Head
  readonly usage: Usage.Fields
  readonly stop: MessageResponse.Stop
  /** Blocks that have not ended, by their index, each with its input as far as it came in pieces. */
  readonly open: ReadonlyMap<number, Open>
  readonly hasText: boolean
}

interface Open {
  readonly block: MessageResponse.Block
  readonly json: string
}

type Step = readonly [State, ReadonlyArray<Response.StreamPartEncoded>]

const start: State = { head: {}, usage: {}, stop: {}, open: new Map(), hasText: false }

const Delta = Schema.Struct({
  ...MessageResponse.Stop.fields,
  type: Json.lenient(Schema.String),
  text: Json.lenient(Schema.String),
  thinking: Json.lenient(Schema.String),
  signature: Json.lenient(Schema.String),
  partial_json: Json.lenient(Schema.String)
})

const Event = Schema.Struct({
  type: Json.lenient(Schema.String),
  index: Json.lenient(Schema.Natural),
  message: Json.lenient(MessageResponse.Head),
  content_block: Json.lenient(MessageResponse.Block),
  delta: Json.lenient(Delta),
  usage: Json.lenient(Usage.Fields)
})

const decode = Schema.decodeUnknownOption(Event)

const step = (
  state: State,
  name: string,
  data: string,
  { errorIn, names, unreadable }: Options
): Result.Result<Step, AiError.AiErrorReason> => {
  if (name === "ping") return Result.succeed([state, []])
  const json = Json.parse(data)
  if (Result.isFailure(json)) return Result.fail(unreadable(data, "an event that is not JSON"))
  const event = Option.getOrElse(decode(json.success), () => ({} as typeof Event.Type))
  const { content_block, delta, index = 0, message, type = name, usage } = event
  switch (type) {
    case "error":
      return Result.fail(errorIn(data) ?? unreadable(data, "an error that does not say what it is"))
    case "message_start": {
      const head = message ?? {}
      // The output has only begun: its count is not known before the end.
      const { output_tokens: _, output_tokens_details: __, ...counted } = head.usage ?? {}
      return Result.succeed([{ ...state, head, usage: counted }, [MessageResponse.metadataOf(head)]])
    }
    case "content_block_start":
      return Result.succeed(opened(state, index, content_block ?? {}, names))
    case "content_block_delta":
      return Result.succeed(delta === undefined ? [state, []] : added(state, index, delta, names))
    case "content_block_stop":
      return Result.succeed(closed(state, index, names))
    case "message_delta":
      return Result.succeed([{
        ...state,
        stop: { ...state.stop, ...stopOf(delta ?? {}) },
        usage: Usage.update(state.usage, usage ?? {})
      }, []])
    case "message_stop":
      return Result.succeed(end(state, { names }))
    default: {
      const error = errorIn(data)
      return error === undefined ? Result.succeed([state, []]) : Result.fail(error)
    }
  }
}

/** Some endpoints begin a block with all of it. */
const opened = (state: State, index: number, block: MessageResponse.Block, names: Names): Step => {
  const id = `${index}`
  const next = (hasText = state.hasText): State => ({
    ...state,
    hasText,
    open: new Map(state.open).set(index, { block, json: "" })
  })
  switch (block.type) {
    case "text":
      return [next(state.hasText || isFilled(block.text)), [
        { type: "text-start", id },
        ...(isFilled(block.text) ? [{ type: "text-delta", id, delta: block.text } as const] : [])
      ]]
    case "thinking":
      return [next(), [
        { type: "reasoning-start", id },
        ...(isFilled(block.thinking) ? [{ type: "reasoning-delta", id, delta: block.thinking } as const] : [])
      ]]
    case "redacted_thinking":
      return [next(), [{ type: "reasoning-start", id }]]
    case "tool_use":
      return [next(), [{ type: "tool-params-start", id: callId(block, id), name: names.meant(block.name ?? "") }]]
    default:
      return [next(), []]
  }
}

const added = (state: State, index: number, delta: typeof Delta.Type, names: Names): Step => {
  const kind = blockTypes[delta.type ?? ""]
  if (kind === undefined) return [state, []]
  const known = state.open.get(index)
  if (known === undefined) {
    const [begun, first] = opened(state, index, { type: kind }, names)
    const [next, rest] = added(begun, index, delta, names)
    return [next, [...first, ...rest]]
  }
  const { block, json } = known
  if (block.type !== kind) return [state, []]
  const id = `${index}`
  const next = (open: Open, hasText = state.hasText): State => ({
    ...state,
    hasText,
    open: new Map(state.open).set(index, open)
  })
  if (isFilled(delta.text)) return [next(known, true), [{ type: "text-delta", id, delta: delta.text }]]
  if (isFilled(delta.thinking)) return [state, [{ type: "reasoning-delta", id, delta: delta.thinking }]]
  if (isFilled(delta.signature)) return [next({ block: { ...block, signature: delta.signature }, json }), []]
  if (isFilled(delta.partial_json)) {
    return [next({ block, json: json + delta.partial_json }), [
      { type: "tool-params-delta", id: callId(block, id), delta: delta.partial_json }
    ]]
  }
  return [state, []]
}

/** What a piece belongs to. */
const blockTypes: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "thinking",
  input_json_delta: "tool_use"
}

const closed = (state: State, index: number, names: Names): Step => {
  const known = state.open.get(index)
  if (known === undefined) return [state, []]
  const open = new Map(state.open)
  open.delete(index)
  return [{ ...state, open }, endOf(known, `${index}`, names)]
}

const endOf = ({ block, json }: Open, id: string, names: Names): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (block.type) {
    case "text":
      return [{ type: "text-end", id }]
    case "thinking":
    case "redacted_thinking":
      return [{ type: "reasoning-end", id, metadata: MessageResponse.thinkingOf(block) }]
    case "tool_use":
      return [
        { type: "tool-params-end", id: callId(block, id) },
        MessageResponse.callOf(json === "" ? block : { ...block, input: json }, names)
      ]
    default:
      return []
  }
}

const end = ({ hasText, open, stop, usage }: State, { names }: Pick<Options, "names">): Step => [
  start,
  [
    ...Array.from(open).flatMap(([index, block]) => endOf(block, `${index}`, names)),
    ...StreamParts.fromParts(MessageResponse.explained(stop, hasText)),
    MessageResponse.finishOf(stop, Usage.read(usage))
  ]
]

const stopOf = ({ stop_details, stop_reason, stop_sequence }: MessageResponse.Stop): MessageResponse.Stop => ({
  ...(stop_reason === undefined ? {} : { stop_reason }),
  ...(stop_sequence === undefined ? {} : { stop_sequence }),
  ...(stop_details === undefined ? {} : { stop_details })
})

const callId = ({ id }: MessageResponse.Block, index: string): string => `${id ?? ""}` || index

const isFilled = (text: string | undefined): text is string => text !== undefined && text !== ""

const cutOff = new AiError.InternalProviderError({
  description: "the stream ended before its message did",
  metadata: { failure: { kind: "transient" } }
})
