/**
 * Steps per second, and what they cost the server: P1 to P5.
 */
import { Effect } from "effect"
import { ours } from "../Contestants.ts"
import { figure, type Goal } from "../Figure.ts"
import { measure } from "../Measure.ts"
import type { peers } from "../peers.ts"
import * as Proxy from "../Proxy.ts"
import { wallMillis } from "../Round.ts"
import { median, ratios, spread } from "../Samples.ts"
import { Server } from "../Server.ts"
import { type Sample, Throughput } from "../Throughput.ts"
import { stepsOfRun } from "../work.ts"

const speeds = (samples: ReadonlyArray<Sample>) => samples.map(({ stepsPerSecond }) => stepsPerSecond)

const stepsPerSecond = (
  concurrency: 1 | 16 | 64,
  goal: Goal,
  against: ReadonlyArray<{ readonly peer: keyof typeof peers; readonly times: number }>
) =>
  Effect.gen(function*() {
    const { limit, ours, two } = yield* (yield* Throughput).at(concurrency)
    const judged = spread(speeds(two)).median > spread(speeds(ours)).median ? two : ours
    const common = { unit: "steps/s", limit: speeds(limit) }
    const judge = (samples: ReadonlyArray<Sample>) => samples === judged ? { goal, against } : {}
    return [
      figure({ ...common, name: `C = ${concurrency}`, ours: speeds(ours), ...judge(ours) }),
      ...(two.length === 0 ? [] : [
        figure({ ...common, name: `C = ${concurrency}, two workers`, ours: speeds(two), ...judge(two) }),
        figure({
          name: "two workers against one",
          unit: "times",
          ours: ratios(speeds(two), speeds(ours)),
          goal: { atLeast: 1 }
        })
      ])
    ]
  })

/**
 * @category measures
 * @since 0.1.0
 */
export const p1 = measure(
  "P1",
  "Steps per second, one run at a time",
  stepsPerSecond(1, { atLeast: 0.65 }, [{ peer: "steps1", times: 2 }])
)

/**
 * @category measures
 * @since 0.1.0
 */
export const p2 = measure(
  "P2",
  "Steps per second, 16 runs at a time",
  stepsPerSecond(16, { atLeast: 0.45 }, [{ peer: "steps16", times: 4 }])
)

const neighbours = 8

/** How long the run waits that waits longest against its neighbours, those that became due just before and after it. */
const longestWait = Effect.gen(function*() {
  const { newSchema } = yield* Server
  const schema = yield* newSchema
  const outside = yield* ours(schema)
  const worker = yield* ours(schema)
  const runs = 256
  yield* outside.ask("startSlow", { prefix: "", runs, steps: 4, millis: 2 })
  const begun = wallMillis()
  yield* worker.ask("startWorker", { concurrency: 16 })
  const acted = yield* worker.ask("acted", { names: Array.from({ length: runs }, (_, i) => `${i}`) })
  const waits = acted.map((at) => at - begun)
  return Math
    .max(...waits.map((wait, i) => wait / median(waits.slice(Math.max(0, i - neighbours), i + neighbours + 1))))
}).pipe(Effect.scoped)

/**
 * @category measures
 * @since 0.1.0
 */
export const p3 = measure(
  "P3",
  "Steps per second, 64 runs at a time",
  Effect.gen(function*() {
    const speeds = yield* stepsPerSecond(64, { atLeast: 0.45 }, [
      { peer: "steps64", times: 5 },
      { peer: "steps64Restate", times: 4 }
    ])
    const wait = yield* longestWait
    return [
      ...speeds,
      figure({
        name: "longest wait of a due run against its neighbours'",
        unit: "times",
        ours: [wait],
        goal: { atMost: 2 }
      })
    ]
  })
)

const commits = (samples: ReadonlyArray<Sample>) => samples.map(({ commitsPerStep }) => commitsPerStep)

/** What one worker asks of the database for runs one after the other, less what it asks and writes when there are none. */
const oneByOne = Effect.gen(function*() {
  const { counting, newSchema, url } = yield* Server
  const schema = yield* newSchema
  const proxy = yield* Proxy.make(url)
  const outside = yield* ours(schema)
  const worker = yield* ours(schema, { url: proxy.url })
  const runs = 25
  const working = Effect.gen(function*() {
    const before = proxy.traffic().roundTrips
    const [, { commits }] = yield* counting(worker.ask("work", { concurrency: 1 }))
    return { roundTrips: proxy.traffic().roundTrips - before, commits }
  })
  yield* working
  const nothing = yield* working
  yield* outside.ask("create", { runs, steps: stepsOfRun, atOnce: 1 })
  yield* outside.ask("close")
  const all = yield* working
  const perStep = (name: keyof typeof all) => [(all[name] - nothing[name]) / (runs * stepsOfRun)]
  return { commits: perStep("commits"), roundTrips: perStep("roundTrips") }
}).pipe(Effect.scoped)

/**
 * @category measures
 * @since 0.1.0
 */
export const p4 = measure(
  "P4",
  "Commits and round trips per step",
  Effect.gen(function*() {
    const { at } = yield* Throughput
    const single = yield* oneByOne
    const counted = yield* Effect.forEach(
      [[16, 0.12], [64, 0.04]] as const,
      ([concurrency, atMost]) =>
        Effect.map(at(concurrency), ({ limit, ours }) => [
          figure({ name: `commits, C = ${concurrency}`, unit: "per step", ours: commits(ours), goal: { atMost } }),
          figure({ name: `commits of the limit, C = ${concurrency}`, unit: "per step", ours: commits(limit) })
        ])
    )
    return [
      figure({ name: "commits, C = 1", unit: "per step", ours: single.commits, goal: { atMost: 1.1 } }),
      ...counted.flat(),
      figure({ name: "round trips, C = 1", unit: "per step", ours: single.roundTrips, goal: { atMost: 1.15 } })
    ]
  })
)

/** Updates of rows that runs of twice as many steps make more, per step. */
const updates = Effect.gen(function*() {
  const { newSchema, sql } = yield* Server
  const runs = 20
  const updatesOf = Effect.fnUntraced(function*(steps: number) {
    const schema = yield* newSchema
    const worker = yield* ours(schema)
    yield* worker.ask("create", { runs, steps, atOnce: 16 })
    yield* worker.ask("work", { concurrency: 4 })
    // What a connection has done is counted when it is closed, at the latest.
    yield* worker.ask("close")
    const [row] = yield* Effect.orDie(sql<{ readonly updates: number }>`
      select sum(n_tup_upd)::float8 as updates from pg_stat_user_tables where schemaname = ${schema} and relname <> 'workers'`)
    return row?.updates ?? Number.NaN
  }, Effect.scoped)
  const [short, long] = [yield* updatesOf(stepsOfRun), yield* updatesOf(2 * stepsOfRun)]
  return { perStep: (long - short) / (runs * stepsOfRun), perRun: short / runs }
})

/**
 * @category measures
 * @since 0.1.0
 */
export const p5 = measure(
  "P5",
  "Bytes written, bytes kept, updates",
  Effect.gen(function*() {
    const throughput = yield* Throughput
    const { limit, ours } = yield* throughput.at(1)
    const wal = (samples: ReadonlyArray<Sample>) => samples.map(({ walBytesPerStep }) => walBytesPerStep)
    const kept = yield* throughput.bytesPerRun
    const { perRun, perStep } = yield* updates
    return [
      figure({ name: "WAL, C = 1", unit: "bytes/step", ours: wal(ours), limit: wal(limit), goal: { atMost: 1.2 } }),
      figure({
        name: `kept of a run of ${stepsOfRun} steps`,
        unit: "bytes",
        ours: [kept.ours],
        limit: [kept.limit],
        goal: { atMost: 1.2 }
      }),
      figure({ name: "updates of rows", unit: "per step", ours: [perStep], goal: { atMost: 0 } }),
      figure({ name: "updates of rows", unit: "per run", ours: [perRun] })
    ]
  })
)
