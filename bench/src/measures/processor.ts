/**
 * Processor time and memory of our own code: P13 and P14.
 */
import { Effect } from "effect"
import * as Child from "../Child.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import type { Memory } from "../memory/process.ts"
import { type Sample, Throughput } from "../Throughput.ts"

/**
 * @category measures
 * @since 0.1.0
 */
export const p13 = measure(
  "P13",
  "Processor time and memory",
  Effect.gen(function*() {
    const { limit, ours } = yield* (yield* Throughput).at(64)
    const cpu = (samples: ReadonlyArray<Sample>) => samples.map(({ cpuMicrosPerStep }) => cpuMicrosPerStep)
    const engine = yield* (yield* Child.start<Memory>("memory/process.ts")).ask("engine")
    const { ask } = yield* Child.start<Memory>("memory/process.ts", ["--expose-gc"])
    yield* ask("branches", { count: 1_000 })
    const perBranch = yield* Effect.replicateEffect(ask("branches", { count: 5_000 }), 3)
    return [
      figure({ name: "a step on Postgres, C = 64", unit: "µs", ours: cpu(ours), goal: { atMost: 60 } }),
      figure({ name: "of the limit, C = 64", unit: "µs", ours: cpu(limit) }),
      figure({ name: "a step in memory", unit: "µs", ours: [engine.microsPerStep], goal: { atMost: 35 } }),
      figure({
        name: "in memory, after 4,000 steps against the first",
        unit: "times",
        ours: [engine.lateAgainstEarly]
      }),
      figure({
        name: "kept for a waiting branch",
        unit: "KB",
        ours: perBranch.map((bytes) => bytes / 1_024),
        goal: { atMost: 6 }
      })
    ]
  })
)

/**
 * @category measures
 * @since 0.1.0
 */
export const p14 = measure(
  "P14",
  "A turn of an agent with one tool call, scripted model, memory store",
  Effect.gen(function*() {
    const found = yield* (yield* Child.start<Memory>("memory/process.ts")).ask("agent")
    return [
      figure({ name: "processor time", unit: "µs", ours: [found.microsPerTurn], goal: { atMost: 400 } }),
      figure({ name: "of these, two plain steps", unit: "µs", ours: [found.ofTheseTwoSteps] }),
      figure({ name: "of these, the model's own layer", unit: "µs", ours: [found.ofTheseGenerateText] })
    ]
  })
)
