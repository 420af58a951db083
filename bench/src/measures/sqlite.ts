/**
 * The embedded store: P12.
 */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Child from "../Child.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import type { Round } from "../Round.ts"
import { Settings } from "../Settings.ts"
import type { OnSqlite } from "../sqlite/process.ts"
import { stepsOfRun } from "../work.ts"

/**
 * @category measures
 * @since 0.1.0
 */
export const p12 = measure(
  "P12",
  "Steps per second on SQLite, one run at a time",
  Effect.gen(function*() {
    const { roundMillis, rounds, warmUps } = yield* Settings
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-bench-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const process = yield* Child.start<OnSqlite>("sqlite/process.ts")
    yield* process.ask("open", { folder })
    const speed = (runs: number, { endedAt, startedAt }: Round) => runs * stepsOfRun / (endedAt - startedAt) * 1_000
    const once = (name: "limit" | "ours", runs: number) =>
      Effect.map(process.ask(name, { runs, steps: stepsOfRun }), (round) => speed(runs, round))
    /** The first rounds are compiled while they run. */
    const runsFor = Effect.fnUntraced(function*(name: "limit" | "ours") {
      let runs = 4
      for (let i = 0; i < warmUps; i++) {
        runs = Math.max(4, Math.round((yield* once(name, runs)) * roundMillis / 1_000 / stepsOfRun))
      }
      return runs
    })
    const runs = { limit: yield* runsFor("limit"), ours: yield* runsFor("ours") }
    const found = { limit: Array.of<number>(), ours: Array.of<number>() }
    for (let i = 0; i < rounds; i++) {
      for (const name of ["limit", "ours"] as const) found[name].push(yield* once(name, runs[name]))
    }
    return [figure({ name: "C = 1", unit: "steps/s", ...found, goal: { atLeast: 0.6 } })]
  })
)
