import { MemoryStore, RunQueue } from "@durable-agents/core"
import type { Stores } from "@durable-agents/testing"
import { RaceViolation, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { faultless, faulty, mail, scenarioOf, step } from "./faults.ts"

const violation = (scenario: Parameters<typeof twoWorkers<never, string, string, never>>[0] | typeof faultless) =>
  Effect.map(Effect.flip(twoWorkers(scenario as typeof faultless)), (error) => {
    assert.instanceOf(error, RaceViolation)
    return error as RaceViolation
  })

/** Memory with a fault in its queue. */
const withFault = (fault: (queue: RunQueue["Service"]) => RunQueue["Service"]): Effect.Effect<Layer.Layer<Stores>> =>
  Effect.sync(() => {
    const memory = MemoryStore.memory()
    return Layer.effectContext(Effect.map(RunQueue, (queue) => Context.make(RunQueue, fault(queue))))
      .pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
  })

describe("twoWorkers", () => {
  it.effect(
    "finds nothing in a program without a fault, and says how many races there were (WR-2, checks 12, 63)",
    () =>
      Effect.gen(function*() {
        const races = yield* twoWorkers(faultless)
        const more = yield* twoWorkers({ ...faultless, races: 30, seed: 100, stride: 10 })
        assert.isAtLeast(races, 40)
        assert.strictEqual(more, 30 + Math.ceil((races - 20) / 10))
      }),
    60_000
  )

  it.live("needs no test clock", () => twoWorkers({ ...faultless, stride: 10, races: 2 }))

  for (const name of Object.keys(faulty)) {
    it.effect(`finds ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* violation({ ...faulty[name] ?? faultless })
        assert.match(error.message, /^Two workers at one run left something else than one worker alone\.\n/)
      }))
  }

  it.effect("shows what is different, who did what, the log, and how to see it again", () =>
    Effect.gen(function*() {
      const error = yield* violation({ ...faulty["a missing idempotency key"] ?? faultless })
      const lines = error.message.split("\n")
      assert.deepStrictEqual(lines.slice(1, 8), [
        "First difference, at effects[1]:",
        "  one worker   \"second\"",
        "  two workers  \"first\"",
        "What they did:",
        "  A freezes before append of StepCompleted `first`, StepRequested `second`, and its lease runs out",
        "  B executes the run until it is Completed",
        "  A wakes and executes the run until it is Completed"
      ])
      assert.strictEqual(lines.at(-1), `This race again, alone: only: "${error.race}"`)
    }))

  it.effect("runs one race again, alone, and it goes the same way", () =>
    Effect.gen(function*() {
      const scenario = { ...faulty["a missing idempotency key"] ?? faultless, stride: 1_000, races: 200 }
      const first = yield* violation(scenario)
      assert.match(first.race, /^seed \d+$/)
      const again = yield* violation({ ...scenario, only: `seed ${Number(first.race.split(" ")[1])}` })
      assert.deepStrictEqual(again.schedule, first.schedule)
      assert.deepStrictEqual(again.difference, first.difference)
    }))

  it.effect("compares what it is told to", () => {
    const timed = scenarioOf((mailbox) =>
      Effect.andThen(mail(mailbox, "first"), step("now", Effect.map(Clock.currentTimeMillis, String)))
    )
    return Effect.gen(function*() {
      const error = yield* violation(timed)
      assert.strictEqual(error.difference?.path, "end.output")
      yield* twoWorkers({ ...timed, compare: ({ status }) => status })
    })
  })

  it.effect("refuses a run that nothing moves, before it races", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(twoWorkers({ ...faultless, outside: [] }))
      assert.strictEqual(error._tag, "NotMoving")
    }))
})

describe("twoWorkers on a store with a fault", () => {
  it.effect("finds that a decision is forgotten which comes while a run is given back", () =>
    Effect.gen(function*() {
      const stores = withFault((queue) => ({
        ...queue,
        release: (options) => queue.release({ ...options, seq: Number.MAX_SAFE_INTEGER })
      }))
      const error = yield* violation({ ...faultless, stores })
      assert.strictEqual(error.problem, "The run is due. Nothing in the script moves it.")
      assert.include(error.schedule.join("\n"), "the outside acts, and")
    }))

  it.effect("finds that a run is leased to two", () =>
    Effect.gen(function*() {
      const owners = new Set<string>()
      const stores = withFault((queue) => ({
        ...queue,
        acquire: (options) =>
          Effect.andThen(
            Effect.forEach(owners, (owner) => queue.heartbeat({ owner, leaseMillis: 0 })),
            Effect.tap(queue.acquire(options), () => Effect.sync(() => owners.add(options.owner)))
          )
      }))
      const error = yield* violation({ ...faultless, stores })
      assert.strictEqual(error.problem, "A worker took the run over while the other one was alive.")
    }))
})
