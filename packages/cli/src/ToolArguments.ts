/**
 * Whether arguments that a person put in place of a model's fit the tool, as it was described when the run began.
 */
import { RunEvent, type RunId, Runs, type ToolDescription } from "@durable-agents/core"
import { Effect, JsonSchema, Option, Result, Schema, SchemaRepresentation, Stream } from "effect"
import { wrong } from "./Failure.ts"

/**
 * Fails if the arguments do not fit. What cannot be checked here passes: the tool reads them once more when it is called.
 *
 * @category checks
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*(runId: RunId, approval: string, args: Schema.Json) {
  const { pendingApprovals } = yield* (yield* Runs).state(runId)
  const request = pendingApprovals.find(({ key }) => key === approval)
  if (request?.tool === undefined) return
  const tool = (yield* toolsOf(runId, approval)).find(({ name }) => name === request.tool)
  const problem = tool === undefined ? undefined : mismatch(tool.parameters, args)
  if (problem !== undefined) return yield* wrong(`The arguments do not fit \`${request.tool}\`: ${problem}`)
})

/**
 * What is wrong with a value by a JSON schema; undefined if nothing is, or if the schema says what cannot be checked.
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

/** Those of the run, or of the agent inside its program that asks, which is told them in the step `start` beside its turns. */
const toolsOf = Effect.fnUntraced(function*(runId: RunId, approval: string) {
  const turn = /(?:^|\/)turn-\d+\/call-\d+\/approval$/.exec(approval)
  const path = turn === null ? "" : approval.slice(0, turn.index)
  const events = yield* Stream.runCollect((yield* Runs).events(runId))
  return events.flatMap(({ event }): ReadonlyArray<ToolDescription> => {
    if (event._tag === "RunStarted") return path === "" ? event.tools : []
    return event._tag === "StepCompleted" && path !== "" && event.key === `${path}/start`
      ? Option.match(decodeTold(event.output), { onNone: () => [], onSome: ({ tools }) => tools })
      : []
  })
})

const decodeTold = Schema.decodeUnknownOption(Schema.Struct({ tools: Schema.Array(RunEvent.ToolDescription) }))
