/**
 * What has come of an answer's reasoning and calls, in pieces.
 */
import { Option, Result, Schema } from "effect"
import type { Response } from "effect/ai"
import * as ChatResponse from "./ChatResponse.ts"
import type { Message, ReasoningField, Texts, ToolCall } from "./Completion.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/**
 * @category models
 * @since 0.1.0
 */
export interface Reasoning {
  readonly field: ReasoningField | undefined
  readonly hasText: boolean
  /** Whether it was shown to have begun. One that is empty may turn out to be nothing. */
  readonly isShown: boolean
  readonly details: ReadonlyArray<Schema.JsonObject>
  readonly blocks: ReadonlyArray<Schema.JsonObject>
}

const reasoningId = "reasoning"

/**
 * Adds what a chunk says. The field that had a text first counts: some endpoints send the same under two names.
 *
 * @category combinators
 * @since 0.1.0
 */
export const addReasoning = (
  before: Reasoning | undefined,
  { field, reasoning }: Texts,
  { reasoning_details: details = [], thinking_blocks: blocks = [] }: Pick<
    Message,
    "reasoning_details" | "thinking_blocks"
  >
): { readonly reasoning: Reasoning | undefined; readonly parts: Parts } => {
  if (field === undefined && details.length === 0 && blocks.length === 0) return { reasoning: before, parts: [] }
  const known = before ?? { field: undefined, hasText: false, isShown: false, details: [], blocks: [] }
  const counts = field !== undefined && (!known.hasText || known.field === field)
  const hasText = counts && reasoning !== ""
  const shows = hasText || details.length > 0 || blocks.length > 0
  return {
    reasoning: {
      field: hasText || known.field === undefined ? field : known.field,
      hasText: known.hasText || hasText,
      isShown: known.isShown || shows,
      details: details.reduce(withDetail, known.details),
      blocks: blocks.reduce(withBlock, known.blocks)
    },
    parts: [
      ...(shows && !known.isShown ? [{ type: "reasoning-start", id: reasoningId } as const] : []),
      ...(hasText ? [{ type: "reasoning-delta", id: reasoningId, delta: reasoning } as const] : [])
    ]
  }
}

/** A detail goes on where the one before it is of the same type and index: its texts are added, other fields replace. */
const withDetail = (
  details: ReadonlyArray<Schema.JsonObject>,
  piece: Schema.JsonObject
): ReadonlyArray<Schema.JsonObject> => {
  const last = details.at(-1)
  if (last === undefined || last["type"] !== piece["type"] || last["index"] !== piece["index"]) {
    return [...details, piece]
  }
  const given = Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null))
  return [...details.slice(0, -1), {
    ...last,
    ...given,
    ...Object.fromEntries(["text", "summary"].flatMap((name) => {
      const [one, other] = [last[name], given[name]]
      return typeof one === "string" && typeof other === "string" ? [[name, one + other]] : []
    }))
  }]
}

/** Blocks have no index. One of thinking goes on until its signature has come, which is in its last piece. */
const withBlock = (
  blocks: ReadonlyArray<Schema.JsonObject>,
  piece: Schema.JsonObject
): ReadonlyArray<Schema.JsonObject> => {
  const last = blocks.at(-1)
  if (
    last === undefined || last["type"] !== "thinking" || piece["type"] !== "thinking" || isFilled(last["signature"])
  ) {
    return [...blocks, piece]
  }
  const thinking = [last["thinking"], piece["thinking"]].filter((text) => typeof text === "string").join("")
  return [...blocks.slice(0, -1), { ...last, ...piece, thinking }]
}

const isFilled = (value: unknown): boolean => typeof value === "string" && value !== ""

/**
 * @category combinators
 * @since 0.1.0
 */
export const endReasoning = (reasoning: Reasoning | undefined, hasCalls: boolean): Parts => {
  if (reasoning === undefined || !(reasoning.isShown || hasCalls)) return []
  const { blocks, details, field, isShown } = reasoning
  return [
    ...(isShown ? [] : [{ type: "reasoning-start", id: reasoningId } as const]),
    { type: "reasoning-end", id: reasoningId, metadata: ChatResponse.keptOf(field, details, blocks) }
  ]
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Calls {
  readonly list: ReadonlyArray<Call>
  /** Where in the list the call of an index is. */
  readonly places: ReadonlyMap<number, number>
}

interface Call {
  readonly id: string
  readonly name: string
  /** The pieces so far; what is no text replaces them. */
  readonly given: unknown
  readonly extra: Schema.JsonObject | undefined
  /** The id under which it was shown to have begun, once its name had come. */
  readonly shown: string | undefined
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const noCalls: Calls = { list: [], places: new Map() }

/**
 * @category getters
 * @since 0.1.0
 */
export const isEmpty = ({ list }: Calls): boolean => list.length === 0

/**
 * Adds pieces of calls.
 *
 * **Details**
 *
 * A piece belongs to the call of its index; without one to that of its id, or to the last. It begins another call, whatever its
 * index, if it brings another id together with a name, or a name and arguments where those before are complete: some endpoints
 * give every call the index 0, others repeat id and name in every piece, or give a new id to every piece.
 *
 * @category combinators
 * @since 0.1.0
 */
export const addCalls = (
  calls: Calls,
  pieces: ReadonlyArray<ToolCall>
): { readonly calls: Calls; readonly parts: Parts } =>
  pieces.reduce<{ readonly calls: Calls; readonly parts: Parts }>(
    ({ calls, parts }, piece) => {
      const [next, added] = addPiece(calls, piece)
      return { calls: next, parts: [...parts, ...added] }
    },
    { calls, parts: [] }
  )

const addPiece = ({ list, places }: Calls, piece: ToolCall): readonly [Calls, Parts] => {
  const id = `${piece?.id ?? ""}`
  const name = piece?.function?.name ?? ""
  const given = piece?.function?.arguments
  const index = piece?.index
  const byId = id === "" ? -1 : list.findLastIndex((call) => call.id === id)
  const known = index === undefined ? (byId >= 0 ? byId : list.length - 1) : places.get(index) ?? list.length
  const before = list[known]
  const isNew = before === undefined || begins(before, { id, name, given })
  const place = isNew ? list.length : known
  const old: Call = isNew ? { id: "", name: "", given: undefined, extra: undefined, shown: undefined } : before
  const call: Call = {
    id: old.id === "" ? id : old.id,
    name: old.name === "" ? name : old.name,
    given: joined(old.given, given),
    extra: piece?.extra_content ?? old.extra,
    shown: old.shown
  }
  const shown = old.shown ?? (call.name === "" ? undefined : freeId(call.id, list, place))
  const delta = textOf(old.shown === undefined ? call.given : given)
  return [
    {
      list: isNew ? [...list, { ...call, shown }] : list.with(place, { ...call, shown }),
      places: index === undefined ? places : new Map(places).set(index, place)
    },
    shown === undefined ? [] : [
      ...(old.shown === undefined ? [{ type: "tool-params-start", id: shown, name: call.name } as const] : []),
      ...(delta === "" ? [] : [{ type: "tool-params-delta", id: shown, delta } as const])
    ]
  ]
}

/** The call's own id, unless that says nothing or is another's as well. */
const freeId = (id: string, list: ReadonlyArray<Call>, place: number): string =>
  id === "" || list.some(({ shown }) => shown === id) ? `${id}#${place}` : id

const begins = (
  before: Call,
  piece: { readonly id: string; readonly name: string; readonly given: unknown }
): boolean => {
  if (piece.name === "") return false
  if (piece.id !== "" && before.id !== "" && piece.id !== before.id) return true
  if (piece.id !== "" && piece.id === before.id) return false
  return before.name !== "" && textOf(piece.given) !== "" && isComplete(before.given)
}

const isComplete = (given: unknown): boolean =>
  typeof given !== "string" ? given !== undefined && given !== null : Option.isSome(decodeObject(given))

const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.JsonObject))

const joined = (before: unknown, piece: unknown): unknown => {
  if (piece === undefined || piece === null) return before
  return typeof before === "string" && typeof piece === "string" ? before + piece : piece
}

const textOf = (given: unknown): string =>
  typeof given === "string"
    ? given
    : given === undefined || given === null
    ? ""
    : Result.getOrElse(Result.try(() => JSON.stringify(given)), () => "")

/**
 * The calls as a whole.
 *
 * @category combinators
 * @since 0.1.0
 */
export const endCalls = ({ list }: Calls): Parts =>
  list.flatMap(({ extra, given, id, name, shown }): Parts => [
    ...(shown === undefined ? [] : [{ type: "tool-params-end", id: shown } as const]),
    ChatResponse.callOf({
      id,
      function: { name, arguments: given },
      ...(extra === undefined ? {} : { extra_content: extra })
    })
  ])
