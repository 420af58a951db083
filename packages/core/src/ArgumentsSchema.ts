/**
 * What a person may put in place of the arguments of an approval, as the log says it: the JSON schema of the request, or that of
 * its tool as it was described when the run began.
 */
import { JsonSchema, Result, Schema, SchemaRepresentation } from "effect"
import type { OperationKey } from "./Ids.ts"
import type { RunState } from "./RunState.ts"
import { placeAt } from "./RunState.ts"

/**
 * The JSON schema of the arguments of this request; undefined if the log holds none, or no such request.
 *
 * @category folds
 * @since 0.1.0
 */
export const of = (state: RunState, approval: OperationKey): Schema.Json | undefined => {
  const place = placeAt(state, approval)
  if (place?._tag !== "Approval") return undefined
  const { argumentsSchema, tool } = place.request
  return argumentsSchema ?? state.started?.tools.find(({ name }) => name === tool)?.parameters
}

/**
 * What is wrong with a value by a JSON schema (draft 2020-12); undefined if nothing is. Words that cannot be checked here let
 * everything pass.
 *
 * @category checks
 * @since 0.1.0
 */
export const mismatch = (schema: Schema.Json, value: Schema.Json): string | undefined => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined
  const codec = Result.try(() => imported({ ...schema }))
  if (Result.isFailure(codec)) return undefined
  const read = Schema.decodeResult(codec.success)(value, { errors: "all", onExcessProperty: "error" })
  return Result.isFailure(read) ? read.failure.message.replace(/\n\s+/g, " ").replaceAll("\n", "; ") : undefined
}

/** A schema that came from JSON needs no services. */
const imported = (schema: JsonSchema.JsonSchema) =>
  SchemaRepresentation.fromJsonSchemaDocument(
    JsonSchema.fromSchemaDraft2020_12(schema),
    { patterns: "apply" }
  ) as Schema.Codec<unknown, unknown>
