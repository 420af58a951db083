/**
 * What becomes of a tool's result: JSON for the log, whatever the tool returned, and what the model is shown of it. Encoding
 * cannot fail for the value's sake, since the side effect has happened.
 */
import type { Operation } from "@durable-agents/core"
import { Payload } from "@durable-agents/core"
import type { Schema } from "effect"
import { Effect, Predicate, Result } from "effect"
import { Base64 } from "effect/encoding"
import { cut, excerpt, inWords, recordable } from "./Words.ts"

/**
 * A result as it is recorded; `mismatch` says why it is not quite what the tool returned.
 *
 * @category models
 * @since 0.1.0
 */
export interface Encoded {
  readonly json: Schema.Json
  readonly mismatch?: string
}

/**
 * Encodes a result with the tool's own schema; what does not fit is written down as well as JSON can hold it, and marked.
 * Fails only if it is too large to be recorded.
 *
 * @category codecs
 * @since 0.1.0
 */
export const encode = (
  value: unknown,
  withSchema: Effect.Effect<unknown, Schema.SchemaError>,
  outputBytes: number
): Effect.Effect<Encoded, Operation.Failure> => {
  const written = Effect.matchCauseEager(withSchema, {
    onSuccess: (json) => transcribe(json, outputBytes),
    onFailure: (cause) => ({
      ...transcribe(value, outputBytes),
      mismatch: `the result does not fit the tool's schema: ${excerpt(inWords(cause))}`
    })
  })
  return Effect.flatMapEager(written, ({ tooLarge, ...encoded }) =>
    tooLarge
      ? Effect.fail<Operation.Failure>({
        reason: "TooLarge",
        error: `it is larger than the ${outputBytes} characters of JSON that are recorded`
      })
      : Effect.mapEager(Payload.clean(encoded.json, outputBytes), (json) => ({ ...encoded, json })))
}

/**
 * Makes JSON of any value. What JSON cannot hold becomes text in its place, and is marked.
 *
 * **Details**
 *
 * NaN, infinities and bigints become their text, dates ISO 8601, bytes base64, sets and iterables of pairs lists, maps with text
 * keys objects, errors name and message without a stack. Functions, cycles, what is nested more than 64 levels, and what cannot
 * be read become a word in angle brackets; objects of a kind that show nothing are empty. Members that are `undefined` are left out, as everywhere in JSON.
 *
 * @category codecs
 * @since 0.1.0
 */
export const toJson = (value: unknown): Encoded => {
  const { json, mismatch } = transcribe(value, Infinity)
  return mismatch === undefined ? { json } : { json, mismatch }
}

const transcribe = (value: unknown, maxCharacters: number): Encoded & { readonly tooLarge: boolean } => {
  const state: Walk = { left: maxCharacters, lossy: false, around: new Set() }
  const json = write(state, value, 0)
  return {
    json,
    tooLarge: state.left < 0,
    ...(state.lossy ? { mismatch: "parts of the result are not JSON and were written as text" } : {})
  }
}

interface Walk {
  /** Characters that may still be written; past them nothing more is copied. */
  left: number
  lossy: boolean
  readonly around: Set<object>
}

const maxDepth = 64

const write = (walk: Walk, value: unknown, depth: number): Schema.Json => {
  walk.left -= typeof value === "string" ? value.length : 1
  if (walk.left < 0) return null
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      // JSON knows no negative zero.
      return Number.isFinite(value) ? value + 0 : instead(walk, String(value))
    case "undefined":
      return null
    case "object":
      return value === null ? null : writeObject(walk, value, depth)
    default:
      return instead(walk, typeof value === "bigint" ? String(value) : `<${typeof value}>`)
  }
}

const instead = <A extends Schema.Json>(walk: Walk, json: A): A => {
  walk.lossy = true
  return json
}

const writeObject = (walk: Walk, value: object, depth: number): Schema.Json => {
  if (walk.around.has(value)) return instead(walk, "<cycle>")
  if (depth >= maxDepth) return instead(walk, "<nested too deep>")
  walk.around.add(value)
  const written = Result.try((): Schema.Json => {
    const special = replacement(value)
    return special === undefined ? writePlain(walk, value, depth) : instead(walk, write(walk, special.value, depth + 1))
  })
  walk.around.delete(value)
  return Result.getOrElse(written, () => instead(walk, unreadable))
}

const writePlain = (walk: Walk, value: object, depth: number): Schema.Json => {
  if (Array.isArray(value)) return Array.from(value, (item) => write(walk, item, depth + 1))
  const keys = Object.keys(value)
  if (keys.length === 0 && !isPlain(value)) return instead(walk, {})
  return Object.fromEntries(keys.flatMap((key) => {
    walk.left -= key.length
    // Two of those could become one.
    if (recordable(key) !== key) walk.lossy = true
    const member = Result.try((): unknown => Reflect.get(value, key))
    if (Result.isFailure(member)) return [[key, instead(walk, unreadable)]]
    return member.success === undefined ? [] : [[key, write(walk, member.success, depth + 1)]]
  }))
}

/** Whether it has no more to show than its members: what has none and is something else, such as a RegExp, is lost. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const unreadable = "<unreadable>"

/** What stands for an object that is not a plain one; undefined if it is written as it is. */
const replacement = (value: object): { readonly value: unknown } | undefined => {
  if (value instanceof Date) return { value: Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString() }
  if (value instanceof Map) {
    const texts = Array.from(value.keys()).every(Predicate.isString)
    return { value: texts ? Object.fromEntries(value) : Array.from(value) }
  }
  if (value instanceof Set) return { value: Array.from(value) }
  if (value instanceof Uint8Array) return { value: Base64.encode(value) }
  if (ArrayBuffer.isView(value)) {
    return { value: Base64.encode(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) }
  }
  if (value instanceof ArrayBuffer) return { value: Base64.encode(new Uint8Array(value)) }
  if (value instanceof Error) return { value: { name: value.name, message: value.message } }
  if ("toJSON" in value && typeof value.toJSON === "function") return { value: value.toJSON() }
  return undefined
}

/**
 * What the model is shown of a recorded result: the result itself, keys in one order; its beginning and a note if it is too
 * long; words if there is nothing to show.
 *
 * @category views
 * @since 0.1.0
 */
export const show = (result: Schema.Json, maxBytes: number): Schema.Json => {
  if (result === null || (typeof result === "string" && result.trim() === "")) return nothing
  const ordered = sortKeys(result)
  const text = typeof ordered === "string" ? ordered : JSON.stringify(ordered)
  const shown = cut(text, maxBytes)
  return shown.length === text.length
    ? ordered
    : `${shown}\n[The result was cut here: these are the first ${shown.length} of ${text.length} characters.]`
}

const nothing = "The call succeeded and returned nothing."

/**
 * The same value with the keys of its objects in one order, so that it is the same text from every store.
 *
 * @category codecs
 * @since 0.1.0
 */
export const sortKeys = (json: Schema.Json): Schema.Json => {
  if (json === null || typeof json !== "object") return json
  if (isList(json)) return json.map(sortKeys)
  return Object
    .fromEntries(Object.entries(json).sort(([left], [right]) => left < right ? -1 : 1).map((
      [key, value]
    ) => [key, sortKeys(value)]))
}

/**
 * @category guards
 * @since 0.1.0
 */
export const isList = (json: Schema.Json): json is ReadonlyArray<Schema.Json> => Array.isArray(json)

/**
 * @category guards
 * @since 0.1.0
 */
export const isObject = (json: Schema.Json | undefined): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
