/**
 * Judges the guardrails with labelled records, the way a run would use them.
 *
 * node packages/guardrails/scripts/evaluate.ts --set NAME --file FILE.jsonl [--profile NAME] [--signal none] [--weights DIR] [--json]
 *
 * `--weights` has the text signal read weights that scripts/train.ts wrote somewhere else.
 */
import { LearnedSignal, TextSignal } from "@durable-agents/guardrails"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import type { EvaluationSet } from "./sets/EvaluationSet.ts"
import { pii } from "./sets/pii.ts"
import { provenance } from "./sets/provenance.ts"
import { runs } from "./sets/runs.ts"
import { text } from "./sets/text.ts"
import { weightsIn } from "./sets/weights.ts"

/** One module a set. */
const sets: Readonly<Record<string, EvaluationSet>> = { pii, provenance, runs, text }

const main = Effect.gen(function*() {
  const { values } = parseArgs({
    options: {
      set: { type: "string", default: "" },
      file: { type: "string", default: "" },
      profile: { type: "string", default: "standard" },
      signal: { type: "string", default: "learned" },
      weights: { type: "string" },
      json: { type: "boolean", default: false }
    }
  })
  const set = sets[values.set]
  if (set === undefined) {
    return yield* Effect.die(`There is no set \`${values.set}\`; the sets are ${Object.keys(sets)}`)
  }
  const records: ReadonlyArray<unknown> = readFileSync(values.file, "utf8")
    .split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line))
  // With the signal that profiles have, with other weights, or with none.
  const signal = values.signal === "none"
    ? TextSignal.none
    : values.weights === undefined
    ? LearnedSignal.signal
    : yield* weightsIn(values.weights)
  const measures = yield* set.measure(records, values.profile)
    .pipe(Effect.provideService(TextSignal.TextSignal, signal))
  yield* Console.log(values.json ? JSON.stringify(measures, null, 2) : set.table(measures))
})

NodeRuntime.runMain(main)
