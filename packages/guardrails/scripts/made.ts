/**
 * Writes made runs, one a line, for scripts/evaluate.ts --set provenance and --set runs.
 *
 * node packages/guardrails/scripts/made.ts [--seed NUMBER] [--rounds NUMBER] [--set first|later|last] > FILE.jsonl
 */
import { parseArgs } from "node:util"
import * as Runs from "./made/Runs.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "20260301" },
    rounds: { type: "string", default: "8" },
    set: { type: "string", default: "first" }
  }
})

for (
  const run of Runs.make(
    Number(values.seed),
    Number(values.rounds),
    values.set === "later" || values.set === "last" ? values.set : "first"
  )
) {
  process.stdout.write(`${JSON.stringify(run)}\n`)
}
