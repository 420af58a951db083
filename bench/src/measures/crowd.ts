/**
 * What runs cost that wait or have ended: P10.
 */
import { Effect } from "effect"
import { limit, ours, untilAtRest } from "../Contestants.ts"
import { copies, finished } from "../crowd.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import * as Proxy from "../Proxy.ts"
import { median } from "../Samples.ts"
import { Server } from "../Server.ts"
import { Settings } from "../Settings.ts"

const idleMillis = 10_000

/**
 * @category measures
 * @since 0.1.0
 */
export const p10 = measure(
  "P10",
  "Runs that wait for a person, and runs that have ended",
  Effect.gen(function*() {
    const { bytesOf, newSchema, url } = yield* Server
    const { crowd, rounds } = yield* Settings
    const schemas = { empty: yield* newSchema, full: yield* newSchema }
    const outside = { empty: yield* ours(schemas.empty), full: yield* ours(schemas.full) }

    // As many as there is time for come to rest by themselves; the others are copies of them.
    const before = yield* bytesOf(schemas.full)
    const alive = Math.min(crowd.parked, 1_000)
    const parker = yield* ours(schemas.full)
    yield* outside.full.ask("startParked", { runs: alive })
    yield* parker.ask("startWorker", { concurrency: 256 })
    yield* untilAtRest(schemas.full, "AwaitingApproval", alive)
    yield* parker.ask("close")
    const bytes = ((yield* bytesOf(schemas.full)) - before) / alive
    yield* copies(schemas.full, crowd.parked - alive, alive)
    yield* outside.full.ask("create", { runs: 16, steps: 2, atOnce: 16 })
    yield* outside.full.ask("work", { concurrency: 16 })
    yield* finished(schemas.full, crowd.finished)

    const nodeOptions = ["--expose-gc"]
    const proxy = yield* Proxy.make(url)
    const empty = yield* ours(schemas.empty, { nodeOptions })
    const full = yield* ours(schemas.full, { nodeOptions, url: proxy.url })
    const bare = yield* limit
    const polls = { empty: Array.of<number>(), full: Array.of<number>() }
    const lists = { limit: Array.of<number>(), ours: Array.of<number>() }
    const page = { status: "AwaitingApproval", times: 50 } as const
    // The first round is compiled while it runs.
    for (let round = 0; round <= rounds; round++) {
      const found = {
        empty: median(yield* outside.empty.ask("poll", { times: 100 })),
        full: median(yield* outside.full.ask("poll", { times: 100 })),
        limit: median(yield* bare.ask("list", { ...page, from: schemas.full })),
        ours: median(yield* outside.full.ask("list", page))
      }
      if (round === 0) continue
      polls.empty.push(found.empty)
      polls.full.push(found.full)
      lists.limit.push(found.limit)
      lists.ours.push(found.ours)
    }

    yield* empty.ask("startWorker", { concurrency: 8 })
    yield* full.ask("startWorker", { concurrency: 8 })
    yield* Effect.sleep(1_000)
    const { roundTrips } = proxy.traffic()
    yield* Effect.sleep(idleMillis)
    const idle = (proxy.traffic().roundTrips - roundTrips) / idleMillis * 1_000
    const [withNone, withAll] = [yield* empty.ask("memory"), yield* full.ask("memory")]
    const megabytes = (bytes: number) => [bytes / 1_048_576]
    return [
      figure({
        name: `a poll among ${crowd.parked.toLocaleString("en")} and ${
          crowd.finished.toLocaleString("en")
        }, against one among none`,
        unit: "ms",
        ours: polls.full,
        limit: polls.empty,
        goal: { atMost: 1.1 }
      }),
      figure({
        name: "memory of the worker, against that among none",
        unit: "MB",
        ours: megabytes(withAll),
        limit: megabytes(withNone),
        goal: { atMost: 1.1 }
      }),
      figure({ name: "transactions of an idle worker", unit: "per second", ours: [idle], goal: { atMost: 2 } }),
      figure({ name: "kept of a waiting run", unit: "bytes", ours: [bytes], goal: { atMost: 3.4 * 1_024 } }),
      figure({ name: "a page of 100 that wait", unit: "ms", ...lists, goal: { atMost: 2 } })
    ]
  })
)
