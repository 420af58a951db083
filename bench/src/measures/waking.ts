/**
 * How soon a run goes on: P7 after a decision, P11 after the death of its worker.
 */
import { Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { limit, ours, untilAtRest } from "../Contestants.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import { quantile } from "../Samples.ts"
import { Server } from "../Server.ts"
import { Settings } from "../Settings.ts"

const perRound = 20

/**
 * @category measures
 * @since 0.1.0
 */
export const p7 = measure(
  "P7",
  "From a decision to its run going on",
  Effect.gen(function*() {
    const { newSchema } = yield* Server
    const { rounds } = yield* Settings
    const schema = yield* newSchema
    const outside = yield* ours(schema)
    const worker = yield* ours(schema)
    yield* worker.ask("startWorker", { concurrency: 8 })
    const decider = yield* limit
    const listener = yield* limit.pipe(Effect.tap(({ ask }) => ask("listen")))
    const bare: Array<number> = []
    const told: Array<number> = []
    const found: Array<number> = []
    let parked = 0
    // The first round is compiled while it runs.
    for (let round = 0; round <= rounds; round++) {
      const waiting = yield* outside.ask("startWaiting", { prefix: `${round}-`, runs: perRound })
      yield* untilAtRest(schema, "AwaitingSignal", waiting.length)
      for (const [i, runId] of waiting.entries()) {
        const own = randomUUID()
        const going = yield* Effect.forkChild(listener.ask("wentOn", { runId: own }), { startImmediately: true })
        const decidedAt = yield* decider.ask("decide", { channel: listener.schema, runId: own })
        const { storedAt, toldAt } = yield* Fiber.join(going)
        const at = yield* outside.ask("go", { runId })
        const [actedAt = Number.NaN] = yield* worker.ask("acted", { names: [`${round}-${i}`] })
        if (round === 0) continue
        bare.push(storedAt - decidedAt)
        told.push(toldAt - decidedAt)
        found.push(actedAt - at)
      }
      parked += waiting.length
      yield* untilAtRest(schema, "Completed", parked)
    }
    const at = (part: number) => ({ ours: [quantile(found, part)], limit: [quantile(bare, part)] })
    const goal = { atMost: 2 }
    return [
      figure({ name: "half of them", unit: "ms", ...at(0.5), goal, against: [{ peer: "wake", times: 1 }] }),
      figure({ name: "95 of 100", unit: "ms", ...at(0.95), goal, against: [{ peer: "wakeLate", times: 1 }] }),
      figure({ name: "until the limit is told, half of them", unit: "ms", ours: [quantile(told, 0.5)] })
    ]
  })
)
