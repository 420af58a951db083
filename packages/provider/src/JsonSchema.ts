/**
 * The JSON schemas that endpoints are told: of a tool's arguments, of an answer.
 */
import { Result, Schema } from "effect"
import { AiError } from "effect/ai"

const isObject = Schema.is(Schema.JsonObject)

/**
 * The JSON schema of something, or why it has none; `what` names it in words.
 *
 * @category readers
 * @since 0.1.0
 */
export const of = (what: string, describe: () => unknown): Result.Result<Schema.JsonObject, AiError.AiErrorReason> => {
  const none = (why: string) => new AiError.UnsupportedSchemaError({ description: `${what} has no JSON schema${why}` })
  return Result.flatMap(
    Result.try({ try: describe, catch: (error) => none(`: ${String(error)}`) }),
    (schema) => isObject(schema) ? Result.succeed(schema) : Result.fail(none(""))
  )
}
