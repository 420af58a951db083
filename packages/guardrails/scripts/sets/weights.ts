/**
 * The text signal with weights that scripts/train.ts wrote to a folder.
 */
import { LearnedSignal } from "@durable-agents/guardrails"
import { Effect, Schema } from "effect"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const Weights = Schema.Struct({
  data: Schema.String,
  machine: Schema.Array(Schema.Finite),
  prose: Schema.Array(Schema.Finite),
  patterns: Schema.Struct({
    filters: Schema.Int,
    reach: Schema.Int,
    step: Schema.Finite,
    offsets: Schema.Array(Schema.Finite),
    heads: Schema.Array(Schema.Finite),
    biases: Schema.Tuple([Schema.Finite, Schema.Finite]),
    words: Schema.String,
    rows: Schema.String
  }),
  linear: Schema.optionalKey(Schema.Struct({
    share: Schema.Finite,
    bias: Schema.Finite,
    step: Schema.Finite,
    weights: Schema.String
  }))
})

const one = (folder: string, name: string) =>
  Effect.flatMap(
    Effect.promise((): Promise<unknown> => import(pathToFileURL(join(resolve(folder), `${name}.ts`)).href)),
    (module) => Effect.orDie(Schema.decodeUnknownEffect(Weights)(module))
  )

/** Dies of a folder without weights of all channels. */
export const weightsIn = (folder: string) =>
  Effect.map(
    Effect.all({
      goal: one(folder, "goal"),
      tool_args: one(folder, "toolArgs"),
      tool_result: one(folder, "toolResult")
    }),
    LearnedSignal.make
  )
