/**
 * An answer of a declared shape. The model gives it by calling a tool that is never carried out, or as JSON in its text.
 */
import { type Cause, Effect, Result, Schema } from "effect"
import * as Parameters from "./Parameters.ts"
import { isObject } from "./ToolResult.ts"
import { inWords } from "./Words.ts"

/**
 * The tool by which a model gives an answer of a declared shape.
 *
 * @category constants
 * @since 0.1.0
 */
export const toolName = "final_answer"

/**
 * How an agent's answer is asked for and read.
 *
 * @category models
 * @since 0.1.0
 */
export interface FinalAnswer {
  readonly name: string
  /** The JSON schema of the tool's arguments. */
  readonly parameters: Schema.JsonObject
  /** Reads an answer, given as arguments or as a text, as it is recorded. Fails with what is wrong with it, in words. */
  readonly read: (given: Schema.Json) => Effect.Effect<Schema.Json, string>
}

/**
 * Arguments of a tool are an object, so an answer that is none is a member of one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (output: Schema.Constraint): Result.Result<FinalAnswer, unknown> =>
  Result.try(() => {
    const codec = Schema.toCodecJson(output) as unknown as Schema.Codec<unknown, Schema.Json>
    const decode = Schema.decodeUnknownEffect(codec)
    const encode = Schema.encodeUnknownEffect(codec)
    const own = Parameters.ofSchema(output)
    const asObject = isObject(own) && own["type"] === "object"
    const parameters = asObject ? own : Parameters.ofSchema(Schema.Struct({ answer: output }))
    return {
      name: toolName,
      parameters: isObject(parameters) ? parameters : {},
      read: (given) =>
        Effect
          .firstSuccessOf(readings(given, asObject).map((reading) =>
            Effect.flatMap(decode(reading, { onExcessProperty: "error", errors: "all" }), encode)
          )).pipe(Effect.catchCause((cause) => Effect.fail(problem(given, cause))))
    }
  })

/** What a model may have meant; the last one is what an error is about. */
const readings = (given: Schema.Json, asObject: boolean): ReadonlyArray<Schema.Json> => {
  if (typeof given !== "string") return asObject ? [given] : [member(given)]
  const parsed = Result.getOrElse(Result.try(() => JSON.parse(unfenced(given)) as Schema.Json), () => given)
  return asObject ? [parsed] : [given.trim(), parsed, member(parsed)]
}

const member = (json: Schema.Json): Schema.Json =>
  isObject(json) && Object.hasOwn(json, "answer") ? json["answer"] ?? null : json

/** Models like to put JSON into a code block. */
const unfenced = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(text)?.[1] ?? text

const problem = (given: Schema.Json, cause: Cause.Cause<Schema.SchemaError>): string =>
  typeof given === "string"
    ? `the answer has to be given by calling \`${toolName}\`; as a text it does not fit: ${inWords(cause)}`
    : `the answer does not fit: ${inWords(cause)}`
