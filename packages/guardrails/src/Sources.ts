/**
 * Where a value can come from: the request, the instructions, results of tools, what the model itself has said; made ready to look in.
 */
import type { Guardrails } from "@durable-agents/agent"
import type { RunId } from "@durable-agents/core"
import type { Schema } from "effect"
import * as CanonicalText from "./CanonicalText.ts"
import * as Encodings from "./Encodings.ts"
import * as Imperatives from "./Imperatives.ts"

/**
 * Whose words something is, most trusted first: of the person who gave the goal, of who made the agent, data of one's own system,
 * what others wrote, anybody's, an earlier model message alone, nobody's.
 *
 * @category models
 * @since 0.1.0
 */
export type Origin = "request" | "instructions" | "own" | "third_party" | "open_world" | "model" | "nowhere"

/**
 * One text, or one result with all its texts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Source {
  readonly origin: Exclude<Origin, "nowhere">
  /** Of a result: the call, its turn and its tool. */
  readonly key?: string
  readonly turn?: number
  readonly tool?: string
  readonly private: boolean
  /** Of a result: what the call was told to look at, if that is known. */
  readonly about?: string
  /** All its texts in the form in which they are compared, with an unmatched character between two. */
  readonly text: string
  /** Where an index of `text` was. */
  readonly locate: (index: number) => Located
  /** The verbs of one of its texts that order something. */
  readonly imperatives: (text: string) => ReadonlyArray<Imperatives.Imperative>
  /** Its texts as they were, with their paths; what stood encoded is no text of its own. */
  readonly texts: ReadonlyArray<Pick<Located, "path" | "text">>
}

/**
 * A place in an original text.
 *
 * @category models
 * @since 0.1.0
 */
export interface Located {
  /** Which text of a JSON value, keys and indices joined by `/`; empty for a text by itself. */
  readonly path: string
  readonly at: number
  /** The whole text that it is in, as it was. */
  readonly text: string
  /** In which encoding the text stood in its source, if in one. */
  readonly form?: string
}

/** A character that no value holds. */
const border = "\u0000"

interface Piece extends Omit<Located, "at"> {
  readonly canonical: CanonicalText.CanonicalText
  /** Where an encoded form stood; everything of it is there. */
  readonly within?: number
}

/**
 * A text by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofText = (origin: Source["origin"], text: string): Source => ({
  origin,
  private: false,
  ...assemble(piecesOf("", text))
})

/**
 * The result of an earlier call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofResult = (
  { arguments: args, key, labels, result = null, tool, turn }:
    & Pick<Guardrails.Past, "key" | "labels" | "result" | "tool" | "turn">
    & Partial<Pick<Guardrails.Past, "arguments">>
): Source => ({
  origin: labels.result ?? "open_world",
  key,
  turn,
  tool,
  private: labels.private ?? false,
  ...(args === undefined ? {} : { about: leaves(args).map(([, text]) => CanonicalText.value(text)).join("\n") }),
  ...assemble(leaves(result).flatMap(([path, text]) => piecesOf(path, text)))
})

const piecesOf = (path: string, text: string): ReadonlyArray<Piece> => [
  { path, text, canonical: CanonicalText.of(text) },
  ...Encodings.decoded(text).map(({ form, start, text: hidden }) => ({
    path,
    text: hidden,
    form,
    within: start,
    canonical: CanonicalText.of(hidden)
  }))
]

const assemble = (pieces: ReadonlyArray<Piece>): Pick<Source, "text" | "locate" | "texts" | "imperatives"> => {
  const starts: Array<number> = []
  let length = 0
  for (const { canonical } of pieces) {
    starts.push(length)
    length += canonical.text.length + border.length
  }
  const imperatives = new Map<string, ReadonlyArray<Imperatives.Imperative>>()
  return {
    imperatives: (text) => {
      const known = imperatives.get(text) ?? Imperatives.find(text)
      imperatives.set(text, known)
      return known
    },
    texts: pieces.filter(({ form }) => form === undefined),
    text: pieces.map(({ canonical }) => canonical.text).join(border),
    locate: (index) => {
      const number = CanonicalText.last(starts, index)
      const piece = pieces[number]
      if (piece === undefined) return { path: "", at: 0, text: "" }
      const { canonical, form, path, text, within } = piece
      return {
        path,
        text,
        at: within ?? canonical.at(index - (starts[number] ?? 0)),
        ...(form === undefined ? {} : { form })
      }
    }
  }
}

/**
 * All texts and numbers of a JSON value, and the names of its members, with their paths.
 *
 * @category readers
 * @since 0.1.0
 */
export const leaves = (json: Schema.Json, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  const found: Array<readonly [string, string]> = []
  const open: Array<readonly [string, Schema.Json]> = [[path, json]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, value] = next
    if (typeof value === "string" || typeof value === "number") found.push([at, String(value)])
    else if (typeof value === "object" && value !== null) {
      for (const [key, own] of Object.entries(value).toReversed()) {
        const below = `${at === "" ? "" : `${at}/`}${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
        open.push([below, own])
        if (!Array.isArray(value)) found.push([below, key])
      }
    }
  }
  return found
}

/**
 * Keeps what was made ready of the results of runs, up to so many characters; a recorded result never changes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const cache = (characters = 8_000_000) => {
  const kept = new Map<string, Source>()
  let size = 0
  return (runId: RunId, past: Guardrails.Past): Source => {
    const name = `${runId}/${past.key}`
    const known = kept.get(name)
    if (known !== undefined) return known
    const source = ofResult(past)
    kept.set(name, source)
    size += source.text.length
    for (const [oldest, { text }] of kept) {
      if (size <= characters || oldest === name) break
      kept.delete(oldest)
      size -= text.length
    }
    return source
  }
}
