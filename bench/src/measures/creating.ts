/**
 * Starting runs: P9.
 */
import { Effect } from "effect"
import { limit, ours } from "../Contestants.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import type { Round } from "../Round.ts"
import { Server } from "../Server.ts"
import { Settings } from "../Settings.ts"

const goals = [[16, 0.55, "create16"], [64, 0.4, "create64"]] as const

/**
 * @category measures
 * @since 0.1.0
 */
export const p9 = measure(
  "P9",
  "Starting runs",
  Effect.gen(function*() {
    const { newSchema } = yield* Server
    const { roundMillis, rounds, warmUps } = yield* Settings
    const process = yield* ours(yield* newSchema)
    const bare = yield* limit
    const perSecond = (runs: number, { endedAt, startedAt }: Round) => runs / (endedAt - startedAt) * 1_000

    return yield* Effect.forEach(goals, ([atOnce, atLeast, peer]) =>
      Effect.gen(function*() {
        const once = {
          limit: (runs: number) => Effect.map(bare.ask("create", { runs, atOnce }), (round) => perSecond(runs, round)),
          ours: (runs: number) =>
            Effect.map(process.ask("create", { runs, atOnce, steps: 1 }), (round) => perSecond(runs, round))
        }
        /** The first rounds are compiled while they run; half a second is enough for the others. */
        const runsFor = Effect.fnUntraced(function*(create: (runs: number) => Effect.Effect<number>) {
          let runs = atOnce * 8
          for (let i = 0; i < warmUps; i++) {
            runs = Math.max(atOnce * 8, Math.round((yield* create(runs)) * roundMillis / 2_000))
          }
          return runs
        })
        const runs = { limit: yield* runsFor(once.limit), ours: yield* runsFor(once.ours) }
        const found = { limit: Array.of<number>(), ours: Array.of<number>() }
        for (let i = 0; i < rounds; i++) {
          for (const name of ["limit", "ours"] as const) found[name].push(yield* once[name](runs[name]))
        }
        return figure({
          name: `${atOnce} at once`,
          unit: "runs/s",
          ...found,
          goal: { atLeast },
          against: [{ peer, times: 2.5 }]
        })
      }))
  })
)
