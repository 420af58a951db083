/**
 * Rounds of the work in which the limit and our system take turns, once for each number of runs at a time, for all measures that
 * ask.
 */
import { Cache, Context, Effect, Layer, Scope } from "effect"
import * as Child from "./Child.ts"
import type { Limit } from "./limit/process.ts"
import type { Ours } from "./ours/process.ts"
import type { Round } from "./Round.ts"
import type { Counters } from "./Server.ts"
import { Server } from "./Server.ts"
import { Settings } from "./Settings.ts"
import { stepsOfRun } from "./work.ts"

/**
 * One round of one system.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sample {
  readonly stepsPerSecond: number
  readonly commitsPerStep: number
  readonly walBytesPerStep: number
  readonly cpuMicrosPerStep: number
}

/**
 * What was done and counted, round by round: the samples of one round were taken one after the other.
 *
 * @category models
 * @since 0.1.0
 */
export interface Samples {
  readonly limit: ReadonlyArray<Sample>
  readonly ours: ReadonlyArray<Sample>
  /** The same by two workers in two processes, each with half of the runs; only from two runs at a time on. */
  readonly two: ReadonlyArray<Sample>
}

/**
 * @category services
 * @since 0.1.0
 */
export class Throughput extends Context.Service<Throughput, {
  readonly at: (concurrency: number) => Effect.Effect<Samples>
  /** Bytes on disk of one run, the limit's and ours, by what all rounds so far have left. */
  readonly bytesPerRun: Effect.Effect<{ readonly ours: number; readonly limit: number }>
}>()("@durable-agents/bench/Throughput") {}

type Rounds = ReadonlyArray<Round>

/** What is still faster then is measured as it is. */
const mostWarmUps = 12

/** One of the systems: how it does a number of runs, and what it does when there are none. */
interface Contestant {
  readonly prepare: (runs: number) => Effect.Effect<void>
  readonly work: (runs: number) => Effect.Effect<Rounds>
  /** What a worker writes that has nothing to do: it introduces itself and says farewell. */
  readonly idle: Effect.Effect<unknown>
}

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Throughput, never, Server> = Layer.effect(
  Throughput,
  Effect.gen(function*() {
    const { bytesOf, counting, newSchema, url } = yield* Server
    const { roundMillis, rounds, warmUps } = yield* Settings
    const schemas = { limit: yield* newSchema, ours: yield* newSchema }
    const limit = yield* Child.start<Limit>("limit/process.ts")
    const scope = yield* Effect.scope
    const worker = Effect.gen(function*() {
      const started = yield* Child.start<Ours>("ours/process.ts")
      yield* started.ask("open", { url, schema: schemas.ours })
      return started
    }).pipe(Scope.provide(scope))
    const first = yield* worker
    const second = yield* Effect.cached(worker)
    yield* limit.ask("open", { url, schema: schemas.limit })
    const done = { limit: 0, ours: 0 }

    const bare = (atOnce: number): Contestant => ({
      prepare: () => Effect.void,
      work: (runs) => {
        done.limit += runs
        return Effect.map(limit.ask("work", { atOnce, runs, steps: stepsOfRun }), (round) => [round])
      },
      idle: Effect.void
    })

    const workers = (atOnce: number, count: 1 | 2): Contestant => {
      const processes = count === 1 ? Effect.succeed([first]) : Effect.map(second, (other) => [first, other])
      const working = Effect.flatMap(
        processes,
        (all) =>
          Effect.forEach(all, (process) => process.ask("work", { concurrency: atOnce / count }), {
            concurrency: "unbounded"
          })
      )
      return {
        prepare: (runs) => {
          done.ours += runs
          return first.ask("create", { runs, steps: stepsOfRun, atOnce: 64 })
        },
        work: () => working,
        idle: working
      }
    }

    const round = Effect.fnUntraced(function*({ idle, prepare, work }: Contestant, runs: number) {
      const [, nothing] = yield* counting(idle)
      yield* prepare(runs)
      const [result, counted] = yield* counting(work(runs))
      return sample(runs * stepsOfRun, result, counted, nothing)
    })

    /**
     * The first rounds are compiled while they run: there are more of them until one is no faster than those before. The last one
     * says how many runs a round can have.
     */
    const runsFor = Effect.fnUntraced(function*(contestant: Contestant, atOnce: number) {
      let runs = atOnce * 2
      let fastest = 0
      for (let i = 0; i < mostWarmUps; i++) {
        const { stepsPerSecond } = yield* round(contestant, runs)
        const possible = stepsPerSecond * roundMillis / 1_000 / stepsOfRun
        runs = atOnce * Math.max(4, Math.round(possible / atOnce))
        if (i >= warmUps - 1 && stepsPerSecond < fastest * 1.05) break
        fastest = Math.max(fastest, stepsPerSecond)
      }
      return runs
    })

    const measure = Effect.fnUntraced(function*(atOnce: number) {
      const contestants = { limit: bare(atOnce), ours: workers(atOnce, 1), two: workers(atOnce, 2) }
      const runs = {
        limit: yield* runsFor(contestants.limit, atOnce),
        ours: yield* runsFor(contestants.ours, atOnce),
        two: atOnce < 64 ? 0 : yield* runsFor(contestants.two, atOnce)
      }
      const samples = { limit: Array.of<Sample>(), ours: Array.of<Sample>(), two: Array.of<Sample>() }
      for (let i = 0; i < rounds; i++) {
        for (const name of ["limit", "ours", "two"] as const) {
          if (runs[name] > 0) samples[name].push(yield* round(contestants[name], runs[name]))
        }
      }
      return samples
    })

    const cache = yield* Cache.make({ capacity: 8, lookup: measure })

    return {
      at: (concurrency) => Cache.get(cache, concurrency),
      bytesPerRun: Effect.gen(function*() {
        return {
          limit: (yield* bytesOf(schemas.limit)) / done.limit,
          ours: (yield* bytesOf(schemas.ours)) / done.ours
        }
      })
    }
  })
)

const sample = (steps: number, rounds: Rounds, counted: Counters, nothing: Counters): Sample => {
  const startedAt = Math.min(...rounds.map(({ startedAt }) => startedAt))
  const endedAt = Math.max(...rounds.map(({ endedAt }) => endedAt))
  return {
    stepsPerSecond: steps / (endedAt - startedAt) * 1_000,
    commitsPerStep: (counted.commits - nothing.commits) / steps,
    walBytesPerStep: (counted.walBytes - nothing.walBytes) / steps,
    cpuMicrosPerStep: rounds.reduce((total, { cpuMicros }) => total + cpuMicros, 0) / steps
  }
}
