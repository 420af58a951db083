/**
 * The border between a program's values and the JSON of its log.
 */
import { Effect, Predicate, Result, Schema } from "effect"
import type { Failure } from "./Failure.ts"
import * as Json from "./Json.ts"
import { Limits } from "./Limits.ts"
import { cleanText } from "./RunEvent.ts"

/**
 * A schema that needs nothing to encode and decode.
 *
 * @category models
 * @since 0.1.0
 */
export type PureSchema<A = unknown> = Schema.Codec<A, unknown>

/**
 * Makes JSON that every database can hold, and that no one else holds a reference to; fails with what is wrong and how large
 * it is.
 *
 * **Details**
 *
 * What JSON cannot say is written as `JSON.stringify` writes it: `NaN` as null, a `Date` as text, `undefined` members not at
 * all. `maxBytes` counts UTF-8. More than 1,000 levels of lists and objects are refused, since whoever reads them again may have
 * less stack.
 *
 * @category codecs
 * @since 0.1.0
 */
export const clean = (value: unknown, maxBytes: number): Effect.Effect<Schema.Json, Failure> => {
  const written = Result.try(() => cleanText(JSON.stringify(value) ?? "null"))
  if (Result.isFailure(written)) return Effect.fail({ reason: "Unencodable", error: String(written.failure) })
  const text = written.success
  const bytes = bytesOf(text, maxBytes)
  if (bytes > maxBytes) {
    return Effect.fail({
      reason: "TooLarge",
      error: `the result has ${bytes} bytes of JSON, more than the ${maxBytes} that are recorded`
    })
  }
  const json = Json.parse(text)
  if (text.length > 2 * maxDepth && isDeeper(json, maxDepth)) {
    return Effect.fail({
      reason: "Unencodable",
      error: `the result has more than ${maxDepth} levels of lists and objects`
    })
  }
  if (Predicate.isObjectOrArray(json)) sizes.set(json, text.length)
  return Effect.succeed(json)
}

const maxDepth = 1000

/** The length in UTF-8, or a lower bound that is already too much. */
const bytesOf = (text: string, maxBytes: number): number =>
  text.length > maxBytes || text.length * 3 <= maxBytes ? text.length : new TextEncoder().encode(text).length

const isDeeper = (json: Schema.Json, levels: number): boolean => {
  let inside: ReadonlyArray<object> = containers([json])
  for (let level = 1; inside.length > 0; level++) {
    if (level > levels) return true
    inside = inside.flatMap((value) => containers(Object.values(value)))
  }
  return false
}

const containers = (values: ReadonlyArray<unknown>) => values.filter(Predicate.isObjectOrArray)

/** Lengths of what was cleaned, so that an append need not write it once more to know its size. */
const sizes = new WeakMap<object, number>()

/**
 * The length of a value as JSON text.
 *
 * @category codecs
 * @since 0.1.0
 */
export const sizeOf = (json: Schema.Json): number =>
  typeof json === "string"
    ? json.length
    : (Predicate.isObjectOrArray(json) ? sizes.get(json) : undefined) ?? JSON.stringify(json).length

/**
 * A failure in words for people: the message of an error, a text as it is, anything else as JSON if it can be written. Never
 * fails itself; the words are such as the log holds them, and at most 4,000 characters.
 *
 * @category words
 * @since 0.1.0
 */
export const describe = (found: unknown): string =>
  firstOf(
    () =>
      found instanceof Error ? found.message || found.name : typeof found === "string" ? found : JSON.stringify(found),
    () => String(found)
  )

/**
 * The same for a bug, of which the kind says as much as the message.
 *
 * @category words
 * @since 0.1.0
 */
export const describeDefect = (found: unknown): string =>
  found instanceof Error
    // Names of errors may have the path of their package in front.
    ? firstOf(() => `${found.name.replace(/^.*\//, "")}: ${found.message}`)
    : firstOf(() => typeof found === "string" ? found : String(found))

const firstOf = (...ways: ReadonlyArray<() => string>): string => {
  for (const way of ways) {
    const words: Result.Result<unknown, unknown> = Result.try(way)
    if (Result.isSuccess(words) && typeof words.success === "string") return recordable(words.success)
  }
  return "something that cannot be put into words"
}

const recordable = (words: string): string =>
  (words.length > maxWords ? `${words.slice(0, maxWords)} …` : words).replaceAll("\u0000", "\u2400").toWellFormed()

const maxWords = 4_000

/**
 * A number in a value that JSON writes as `null`. What somebody is to decide or act on must not turn into nothing unnoticed.
 *
 * @category predicates
 * @since 0.1.0
 */
export const notFinite = (json: unknown): number | undefined => {
  const seen = new Set<unknown>()
  const left = [json]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === "number" && !Number.isFinite(value)) return value
    if (!Predicate.isObjectOrArray(value) || seen.has(value)) continue
    seen.add(value)
    // What cannot be looked at cannot be written either, which says so.
    for (const inner of Result.getOrElse(Result.try(() => Object.values(value)), () => [])) left.push(inner)
  }
  return undefined
}

/** Made once for each schema: a step is declared anew whenever its program comes to it, and to make a codec takes longer than to use it. */
const onceFor = <Made>(make: (schema: PureSchema) => Made) => {
  const known = new WeakMap<PureSchema, Made>()
  return (schema: PureSchema): Made => {
    const found = known.get(schema)
    if (found !== undefined) return found
    const made = make(schema)
    known.set(schema, made)
    return made
  }
}

/**
 * The encoder of a schema to JSON.
 *
 * @category codecs
 * @since 0.1.0
 */
export const encodeJson = onceFor((schema) => Schema.encodeUnknownEffect(Schema.toCodecJson(schema)))

const decodeJson = onceFor((schema) => Schema.decodeUnknownResult(Schema.toCodecJson(schema)))

/**
 * Encodes a value with its schema to JSON for the log. A schema that throws does not fit.
 *
 * @category codecs
 * @since 0.1.0
 */
export const encoder = <A>(schema: PureSchema<A>): (value: A) => Effect.Effect<Schema.Json, Failure> => {
  const encode = encodeJson(schema)
  return (value) =>
    Effect.flatMap(Limits, ({ outputBytes }) =>
      encode(value).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.mapError((error): Failure => ({
          reason: "Unencodable",
          error: `the result does not fit its schema: ${describe(error)}`
        })),
        Effect.flatMap((json) => clean(json, outputBytes))
      ))
}

/**
 * Decodes JSON from the log with the program's schema. A schema that throws does not fit.
 *
 * @category codecs
 * @since 0.1.0
 */
export const decoder = <A>(schema: PureSchema<A>) => {
  // What a schema decodes is of its type.
  const decode = decodeJson(schema) as (json: unknown) => Result.Result<A, Schema.SchemaError>
  return (json: unknown): Result.Result<A, Error> =>
    Result.flatMap(
      Result.try({ try: () => decode(json), catch: (found) => new Error(describe(found)) }),
      (decoded) => decoded
    )
}
