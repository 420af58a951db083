/**
 * The chunks of a streamed completion, as parts.
 */
import { type Endpoint, Json, StreamParts } from "@durable-agents/provider"
import { Option, Result, type Stream } from "effect"
import { AiError, type Response } from "effect/ai"
import * as ChatResponse from "./ChatResponse.ts"
import * as Completion from "./Completion.ts"
import type { Dialect } from "./Dialect.ts"
import * as Pending from "./Pending.ts"

/**
 * What turns events into parts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly dialect: Dialect
  /** What an event means that holds no chunk: the error in it if there is one, otherwise that it cannot be read. */
  readonly judge: (data: string, problem: string) => AiError.AiErrorReason
}

/**
 * Reads events up to the end of their answer, and no further.
 *
 * **Details**
 *
 * Texts, refusals, reasoning and the arguments of calls come as they are sent; the ends of them, calls as a whole, who answered
 * and what it used come at the end of the stream, and are what `ChatResponse.read` gives for the same answer in one piece. Only
 * the choice of the first chunk counts. An error among the events fails the stream after what came before it. So does a stream
 * that ends without a reason and without `[DONE]`: it was torn, and another call may go well.
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
    step: (state, { data, event }) => step(state, event, data.trim(), options),
    end: (state) => state.reason === undefined ? Result.fail(cutOff) : end(state, options)
  })

interface State {
  readonly head: Pick<Completion.Completion, "id" | "model">
  /** Of the choice that counts. */
  readonly index: number | undefined
  readonly reason: string | undefined
  readonly usage: Completion.Usage
  /** The texts that have begun. */
  readonly open: ReadonlySet<TextId>
  readonly reasoning: Pending.Reasoning | undefined
  readonly calls: Pending.Calls
}

type TextId = "content" | "refusal"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

type Step = Result.Result<readonly [State, Parts], AiError.AiErrorReason>

const start: State = {
  head: {},
  index: undefined,
  reason: undefined,
  usage: {},
  open: new Set(),
  reasoning: undefined,
  calls: Pending.noCalls
}

const step = (state: State, event: string, data: string, options: Options): Step => {
  if (event === "error") return Result.fail(options.judge(data, unsaid))
  if (data === "[DONE]") return end(state, options)
  if (data === "") return Result.succeed([state, []])
  const json = Json.parse(data)
  if (Result.isFailure(json)) return Result.fail(options.judge(data, "an event that is not JSON"))
  const chunk = Option.getOrUndefined(Completion.decode(json.success))
  if (chunk === undefined) return Result.fail(options.judge(data, "an event that is no chunk"))
  const choice = chunk.choices?.find((one) =>
    one !== undefined && (state.index === undefined || (one.index ?? 0) === state.index)
  )
  if (isThere(chunk.error) || isThere(choice?.error) || (chunk.choices === undefined && isError(json.success))) {
    return Result.fail(options.judge(data, unsaid))
  }
  const next: State = {
    ...state,
    head: {
      ...ifFilled("id", state.head.id ?? chunk.id),
      ...ifFilled("model", state.head.model ?? chunk.model)
    },
    usage: chunk.usage ?? chunk.x_groq?.usage ?? state.usage
  }
  if (choice === undefined) return Result.succeed([next, []])
  // Some endpoints end with the message as a whole; it counts if it is all there is.
  const isFirst = state.open.size === 0 && state.reasoning === undefined && Pending.isEmpty(state.calls)
  const added = choice.delta ?? (isFirst ? choice.message : undefined) ?? {}
  const [said, parts] = add({ ...next, index: choice.index ?? 0 }, added)
  return Result.succeed([{ ...said, reason: choice.finish_reason ?? state.reason }, parts])
}

const unsaid = "an error that does not say what it is"

const isThere = (value: unknown): boolean => value !== undefined && value !== null

const isError = (json: unknown): boolean =>
  typeof json === "object" && json !== null && "object" in json && json.object === "error"

/** Chunks before the answer may have blank ids and names. */
const ifFilled = <K extends "id" | "model", V>(key: K, value: V): { readonly [key in K]?: V } =>
  value === undefined || value === "" ? {} : { [key]: value } as { readonly [key in K]: V }

const add = (state: State, message: Completion.Message): readonly [State, Parts] => {
  const texts = Completion.textsOf(message)
  const thought = Pending.addReasoning(state.reasoning, texts, message)
  const said = (["content", "refusal"] as const).filter((id) => texts[id] !== "")
  const calls = Pending.addCalls(state.calls, message.tool_calls ?? [])
  return [
    {
      ...state,
      reasoning: thought.reasoning,
      open: said.length === 0 ? state.open : new Set([...state.open, ...said]),
      calls: calls.calls
    },
    [
      ...thought.parts,
      ...said.flatMap((id): Parts => [
        ...(state.open.has(id) ? [] : [{ type: "text-start", id } as const]),
        { type: "text-delta", id, delta: texts[id] }
      ]),
      ...calls.parts
    ]
  ]
}

const end = (state: State, { dialect, judge }: Options): Step => {
  const { calls, head, index, open, reason, reasoning, usage } = state
  if (index === undefined) return Result.fail(judge("", "a stream without a choice"))
  return Result.succeed([start, [
    ...Pending.endReasoning(reasoning, !Pending.isEmpty(calls)),
    ...Array.from(open, (id) => ({ type: "text-end", id }) as const),
    ...Pending.endCalls(calls),
    ChatResponse.metadataOf(head),
    ChatResponse.finishOf({ reason, isRefusal: open.has("refusal"), usage, dialect })
  ]])
}

const cutOff = new AiError.InternalProviderError({
  description: "the stream ended before its answer did",
  metadata: { failure: { kind: "transient" } }
})
