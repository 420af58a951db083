/**
 * JSON as endpoints write it: read without losing digits, and no further than it makes sense.
 */
import { Effect, Result, Schema } from "effect"

/**
 * Reads JSON; an integer that a number cannot hold becomes the text of its digits, which no schema takes for a number.
 *
 * @category readers
 * @since 0.1.0
 */
export const parse = (text: string): Result.Result<unknown, unknown> =>
  Result.try(() =>
    JSON.parse(
      text,
      (_, value: unknown, { source }: { readonly source?: string } = {}) =>
        typeof value !== "number" || source === undefined || isExact(value, source) ? value : source
    )
  )

const isExact = (value: number, source: string): boolean =>
  Number.isFinite(value) && (!/^-?\d+$/.test(source) || Number.isSafeInteger(value))

/**
 * A value that may be null or anything else: what does not fit the schema is undefined.
 *
 * @category schemas
 * @since 0.1.0
 */
export const orUndefined = <S extends Schema.Constraint>(schema: S) =>
  Schema.UndefinedOr(schema).pipe(Schema.catchDecoding(() => Effect.succeedSome(undefined)))

/**
 * The same for a field, which may be missing too.
 *
 * @category schemas
 * @since 0.1.0
 */
export const lenient = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(orUndefined(schema))
