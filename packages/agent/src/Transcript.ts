/**
 * The conversation that a model is shown, built from recorded events only: equal logs give equal prompts, to the last
 * character, on every machine and from every store.
 */
import type { RunEventOf } from "@durable-agents/core"
import { Digest } from "@durable-agents/core"
import { Schema } from "effect"
import { Prompt, Response } from "effect/ai"
import { apply, type Change } from "./Changes.ts"
import { frame, type Framing } from "./Framing.ts"
import * as Part from "./Part.ts"
import { show } from "./ToolResult.ts"
import { cut } from "./Words.ts"

/**
 * What the model has been told so far.
 *
 * @category models
 * @since 0.1.0
 */
export interface Conversation {
  readonly messages: ReadonlyArray<Prompt.Message>
  /** Covers every message in order: the digest of the one before the last turn, followed by that turn's messages. */
  readonly digest: string
  /** Length of its text, for an estimate of its tokens. */
  readonly characters: number
}

/**
 * The conversation before the first turn, with what is to stand after the goal.
 *
 * @category constructors
 * @since 0.1.0
 */
export const begin = (systemPrompt: string, goal: string, summary?: string): Conversation => {
  const texts = summary === undefined ? [goal] : [goal, summary]
  const user = Prompt.makeMessage("user", { content: texts.map((text) => Prompt.makePart("text", { text })) })
  return extend(
    { messages: [], digest: "", characters: 0 },
    systemPrompt.trim() === "" ? [user] : [Prompt.makeMessage("system", { content: systemPrompt }), user]
  )
}

/**
 * The conversation with what came next.
 *
 * @category combinators
 * @since 0.1.0
 */
export const extend = (conversation: Conversation, messages: ReadonlyArray<Prompt.Message>): Conversation => {
  if (messages.length === 0) return conversation
  const text = textOf(messages)
  return {
    messages: [...conversation.messages, ...messages],
    digest: Digest.digest(`${conversation.digest}${text}`),
    characters: conversation.characters + text.length
  }
}

/** Messages as JSON without what marks them as messages. Other members whose names begin alike are left out one by one. */
const textOf = (messages: ReadonlyArray<Prompt.Message>): string => {
  const text = marks.reduce((text, mark) => text.replaceAll(mark, ""), JSON.stringify(messages))
  return text.includes("\"~effect/")
    ? JSON.stringify(messages, (key, value) => key.startsWith("~effect/") ? undefined : value)
    : text
}

/** In JSON, no text can look like them: its quotes are escaped. */
const marks = ["Message", "Part"].map((kind) => `"~effect/ai/Prompt/${kind}":"~effect/ai/Prompt/${kind}",`)

/**
 * One tool call as the model asked for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  /** Its place in the turn, from 1. */
  readonly index: number
  /** Unique in the conversation; the provider's own where that is. */
  readonly id: string
  readonly tool: string
  /** As the model wrote them, which may be no object. */
  readonly params: Schema.Json
}

/**
 * A recorded answer of the model, read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly message: Prompt.Message | undefined
  readonly calls: ReadonlyArray<Call>
  readonly text: string
}

/**
 * Reads the parts of an answer. Parts that this build does not know stay in the log and are not sent back.
 *
 * **Details**
 *
 * An id that is blank, too long or used before is replaced by one made of turn and place, a name that no provider would accept
 * is made acceptable, and arguments that are no object are sent back as an empty one: the next request is valid for a strict
 * provider, and the same after a restart.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (parts: ReadonlyArray<Schema.Json>, turn: number, used: ReadonlySet<string>): Answer => {
  const taken = new Set(used)
  const calls: Array<Call> = []
  const sent = parts.flatMap((json): ReadonlyArray<Response.AnyPart> => {
    const part = Part.decode(json)
    if (part === undefined || !belongs(part)) return []
    if (part.type !== "tool-call" || part.providerExecuted) return [part]
    const index = calls.length + 1
    const id = freshId(part.id, `call_${turn}_${index}`, taken)
    taken.add(id)
    const params = isJson(part.params) ? part.params : null
    calls.push({ index, id, tool: cut(part.name, 256), params })
    return [Response.makePart("tool-call", {
      id,
      name: wireName(part.name),
      params: isArguments(params) ? params : {},
      providerExecuted: false,
      metadata: part.metadata
    })]
  })
  return {
    message: Prompt.fromResponseParts(sent).content[0],
    calls,
    text: sent.flatMap((part) => part.type === "text" ? [part.text] : []).join("")
  }
}

const isJson = Schema.is(Schema.Json)

/** Results of our own tools and approvals are never taken from an answer. */
const belongs = (part: Response.AnyPart): boolean =>
  part.type !== "tool-approval-request" && (part.type !== "tool-result" || part.providerExecuted)

/**
 * Whether a value can be the arguments of a call: an object.
 *
 * @category guards
 * @since 0.1.0
 */
export const isArguments = (json: Schema.Json): boolean =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const freshId = (given: string, own: string, taken: ReadonlySet<string>): string => {
  if (given.trim() !== "" && given.length <= 256 && !taken.has(given)) return given
  let id = own
  while (taken.has(id)) id += "_"
  return id
}

const wireName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown"

/**
 * How a call ended: as the log says, or without being carried out.
 *
 * @category models
 * @since 0.1.0
 */
export type CallOutcome =
  | RunEventOf<"ToolCallCompleted" | "ToolCallFailed">
  | { readonly _tag: "Denied"; readonly reason: string }
  | { readonly _tag: "CutOff" }

/**
 * A call with its outcome, and with the arguments that an approver put in place of the model's.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answered {
  readonly call: Call
  readonly outcome: CallOutcome
  readonly edited: Schema.Json | undefined
  /** Why the model is not shown the result. */
  readonly withheld: string | undefined
  /** What it is shown in the place of passages of the result. */
  readonly changes?: ReadonlyArray<Change> | undefined
  /** What it is shown in the place of the whole result. */
  readonly shown?: Schema.Json | undefined
}

/**
 * The messages that answer a turn: one result for each of its calls, in their order; or what is wrong with an answer that was
 * given as a text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const replies = (
  answered: ReadonlyArray<Answered>,
  shownBytes: number,
  framing?: Framing | undefined
): ReadonlyArray<Prompt.Message> => {
  const [first] = answered
  if (first === undefined) return []
  return first.call.index === 0 ? [correction(first.outcome)] : [toolMessage(answered, shownBytes, framing)]
}

const correction = (outcome: CallOutcome): Prompt.Message =>
  Prompt.makeMessage("user", {
    content: [
      Prompt.makePart("text", {
        text: `This was not accepted as the answer: ${outcome._tag === "ToolCallFailed" ? outcome.error : "try again"}`
      })
    ]
  })

const toolMessage = (
  answered: ReadonlyArray<Answered>,
  shownBytes: number,
  framing: Framing | undefined
): Prompt.Message =>
  Prompt.makeMessage("tool", {
    content: answered.map(({ call, changes = [], edited, outcome, shown, withheld }) =>
      Prompt.makePart("tool-result", {
        id: call.id,
        name: wireName(call.tool),
        isFailure: outcome._tag !== "ToolCallCompleted" || outcome.isFailure === true || withheld !== undefined,
        result: withEdit(
          withheld === undefined ? resultOf(outcome, shownBytes, changes, framing, shown) : hidden(withheld),
          edited === undefined ? undefined : show(edited, shownBytes)
        ),
        providerExecuted: false
      })
    )
  })

const hidden = (why: string): string => `This call was executed, but its result is withheld: ${why}`

const withEdit = (result: Schema.Json, edited: Schema.Json | undefined): Schema.Json =>
  edited === undefined ? result : {
    note: "A person changed the arguments of this call before allowing it.",
    arguments: edited,
    result
  }

const resultOf = (
  outcome: CallOutcome,
  shownBytes: number,
  changes: ReadonlyArray<Change>,
  framing: Framing | undefined,
  shown: Schema.Json | undefined
): Schema.Json => {
  const framed = (json: Schema.Json) => framing === undefined ? json : frame(framing, json)
  switch (outcome._tag) {
    case "ToolCallCompleted":
      return framed(show(shown ?? (changes.length === 0 ? outcome.result : apply(outcome.result, changes)), shownBytes))
    case "ToolCallFailed":
      // What a tool says of its failure is no less the words of others.
      return outcome.reason === "Error" ? framed(failed(outcome)) : failed(outcome)
    case "Denied":
      return `This call was not executed: it was denied.${
        outcome.reason.trim() === "" ? "" : ` Reason: ${outcome.reason}`
      }`
    case "CutOff":
      return "This call was not executed: the output was cut off at the token limit. Repeat the call if it is still needed."
  }
}

const failed = (event: RunEventOf<"ToolCallFailed">): string => {
  if (event.outcome === "unknown") {
    return `It is not known whether this call took effect: ${event.error}. Do not assume either; find out before you repeat it.`
  }
  switch (event.reason) {
    case "Refused":
      return `This call was not executed: ${event.error}`
    case "Resolved":
      return `This call did not take effect: ${event.error}`
    case "TooLarge":
    case "Unencodable":
      return `This call was executed, but its result cannot be shown: ${event.error}.`
    default:
      return `This call failed: ${event.error}`
  }
}
