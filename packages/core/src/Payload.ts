/**
 * The border between a program's values and the JSON of its log.
 */
import { Effect, Predicate, Schema } from "effect"
import { Limits } from "./Limits.ts"
import type { Failure } from "./Operation.ts"
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
export const clean = (value: unknown, maxBytes: number): Effect.Effect<Schema.Json, Failure> =>
  Effect.suspend(() => {
    const written = Effect.try({
      try: () => cleanText(JSON.stringify(value) ?? "null"),
      catch: (error): Failure => ({ reason: "Unencodable", error: String(error) })
    })
    return Effect.flatMap(written, (text) => {
      const bytes = bytesOf(text, maxBytes)
      if (bytes > maxBytes) {
        return Effect.fail<Failure>({
          reason: "TooLarge",
          error: `the result has ${bytes} bytes of JSON, more than the ${maxBytes} that are recorded`
        })
      }
      const json: Schema.Json = JSON.parse(text)
      if (text.length > 2 * maxDepth && isDeeper(json, maxDepth)) {
        return Effect.fail<Failure>({
          reason: "Unencodable",
          error: `the result has more than ${maxDepth} levels of lists and objects`
        })
      }
      if (Predicate.isObject(json)) sizes.set(json, text.length)
      return Effect.succeed(json)
    })
  })

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
    : (Predicate.isObject(json) ? sizes.get(json) : undefined) ?? JSON.stringify(json).length

/**
 * Encodes a value with its schema to JSON for the log.
 *
 * @category codecs
 * @since 0.1.0
 */
export const encoder = <A>(schema: PureSchema<A>): (value: A) => Effect.Effect<Schema.Json, Failure> => {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(schema))
  return (value) =>
    Effect.flatMap(Limits, ({ outputBytes }) =>
      encode(value).pipe(
        Effect.mapError((error): Failure => ({
          reason: "Unencodable",
          error: `the result does not fit its schema: ${error.message}`
        })),
        Effect.flatMap((json) => clean(json, outputBytes))
      ))
}

/**
 * Decodes JSON from the log with the program's schema.
 *
 * @category codecs
 * @since 0.1.0
 */
export const decoder = <A>(schema: PureSchema<A>) => Schema.decodeUnknownResult(Schema.toCodecJson(schema))
