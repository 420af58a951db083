/**
 * The programs that a server can start, as definitions: what they take is known by its JSON schema only.
 */
import { Program } from "@durable-agents/core"
import { Effect, Option, type Redacted, Schema } from "effect"
import { keys, wrong } from "../Failure.ts"
import type { ServerAddress } from "../ServerAddress.ts"
import * as ServerClient from "./ServerClient.ts"

/**
 * The program with this name. Whether an input fits is for the server to say.
 *
 * @category constructors
 * @since 0.1.0
 */
export const find = Effect.fnUntraced(function*(
  address: ServerAddress,
  token: Option.Option<Redacted.Redacted>,
  name: string
) {
  const { client, ofQuestion } = yield* ServerClient.make(address, token)
  const programs = yield* client.desk.programs().pipe(Effect.catchTags(ofQuestion("programs")))
  const found = programs.find((program) => program.name === name)
  if (found === undefined) {
    return yield* wrong(programs.length === 0
      ? "The server knows no program that it could start"
      : `The server has no program \`${name}\`; it has ${keys(programs.map(({ name }) => name))}`)
  }
  return Program.make(found.name, {
    input: isText(found.input, found.input) ? Schema.String : Schema.Json,
    output: Schema.Json
  })
})

const decode = Schema.decodeUnknownOption(Schema.Struct({
  type: Schema.optionalKey(Schema.Json),
  $ref: Schema.optionalKey(Schema.String),
  $defs: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  anyOf: Schema.optionalKey(Schema.NonEmptyArray(Schema.Json)),
  oneOf: Schema.optionalKey(Schema.NonEmptyArray(Schema.Json))
}))

/** Whether a schema takes texts only. A definition that leads back to itself is none of a text. */
const isText = (schema: Schema.Json, whole: Schema.Json, depth = 0): boolean =>
  depth < 16 && Option.exists(decode(schema), ({ $ref, anyOf, oneOf, type }) => {
    if ($ref === undefined) {
      return type === "string" || (anyOf ?? oneOf)?.every((one) => isText(one, whole, depth + 1)) === true
    }
    const target = Option.getOrUndefined(decode(whole))?.$defs?.[$ref.replace(/^#\/(\$defs|definitions)\//, "")]
    return target !== undefined && isText(target, whole, depth + 1)
  })
