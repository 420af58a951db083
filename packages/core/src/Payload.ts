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
 * @category codecs
 * @since 0.1.0
 */
export const clean = (value: unknown, maxBytes: number): Effect.Effect<Schema.Json, Failure> =>
  Effect.suspend(() => {
    const written = Effect.try({
      try: () => JSON.stringify(value) ?? "null",
      catch: (error): Failure => ({ reason: "Unencodable", error: String(error) })
    })
    return Effect.flatMap(written, (text) => {
      if (text.length > maxBytes) {
        return Effect.fail<Failure>({
          reason: "TooLarge",
          error: `the result has ${text.length} characters of JSON, more than the ${maxBytes} that are recorded`
        })
      }
      const json: Schema.Json = JSON.parse(cleanText(text))
      if (Predicate.isObject(json)) sizes.set(json, text.length)
      return Effect.succeed(json)
    })
  })

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
