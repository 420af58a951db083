import type { RunId } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { eventsOf, outside, type Place, place, spawnChild } from "./kill/harness.ts"
import { Ledger } from "./kill/Ledger.ts"
import { scenarios } from "./kill/scenarios.ts"

const parallel = scenarios["parallel"] ?? assert.fail("no such scenario")

/** A worker daemon that ends with the scope. */
const daemon = ({ file, ledger }: Place) =>
  Effect.acquireRelease(
    Effect.sync(() => spawnChild({ file, ledger, scenario: "parallel" })),
    (child) => ended(child, "SIGTERM")
  )

const ended = (child: ChildProcess, signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill(signal)
  })

const booksOf = (place: Place) =>
  Effect.sync(() => {
    const ledger = new Ledger(place.ledger)
    const books = { attempts: ledger.attempts(), effects: ledger.effects() }
    ledger.close()
    return books
  })

const check = (ids: ReadonlyArray<RunId>, place: Place) =>
  Effect.gen(function*() {
    const books = yield* booksOf(place)
    assert.deepStrictEqual(books.effects, ids.flatMap(() => parallel.effects).sort())
    for (const runId of ids) {
      const events = yield* eventsOf(runId)
      assert.deepStrictEqual(events.map(({ seq }) => seq), events.map((_, index) => index))
      const settled = events.flatMap(({ event }) => event._tag === "StepCompleted" ? [event.key] : [])
      assert.strictEqual(new Set(settled).size, settled.length)
      const epochs = events.flatMap(({ epoch }) => epoch === undefined ? [] : [epoch])
      assert.deepStrictEqual(epochs, [...epochs].sort((left, right) => left - right))
    }
    return books
  })

/** A small random number generator, so that a failing seed can be run again. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return state % below
  }
}

describe("worker processes on one SQLite file", () => {
  it.live("run no operation twice while two of them live (check 63)", () =>
    Effect.gen(function*() {
      const here = yield* place
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const ids = yield* Effect.forEach(Array.from({ length: 50 }), () => parallel.start(runs))
        yield* daemon(here)
        yield* daemon(here)
        yield* Effect.forEach(ids, (runId) => runs.await(runId), { concurrency: 10 })
        const books = yield* check(ids, here)
        assert.strictEqual(books.attempts.length, 200)
        assert.isAtLeast(new Set(books.attempts.map(({ pid }) => pid)).size, 2)
      }).pipe(Effect.provide(outside(here)))
    }))

  const kills = Number(process.env["KILLS"] ?? 20)
  const seed = Number(process.env["SEED"] ?? 20_261_129)

  it.live(`lose nothing and pay nothing twice under ${kills} random kills (seed ${seed}; check 64)`, () =>
    Effect.gen(function*() {
      const random = randomOf(seed)
      const here = yield* place
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const ids: Array<RunId> = []
        const slots = [spawnChild({ file: here.file, ledger: here.ledger, scenario: "parallel" })]
        for (let done = 0; done < kills; done++) {
          for (let i = 0; i < 5; i++) ids.push(yield* parallel.start(runs))
          if (slots.length < 2) slots.push(spawnChild({ file: here.file, ledger: here.ledger, scenario: "parallel" }))
          yield* Effect.sleep(250 + random(700))
          const victim = random(slots.length)
          const [child] = slots.splice(victim, 1)
          if (child !== undefined) yield* ended(child, "SIGKILL")
        }
        yield* Effect.forEach(slots, (child) => ended(child, "SIGKILL"))
        yield* daemon(here)
        for (const runId of ids) {
          const view = yield* runs.await(runId, ({ status }) => status === "Stuck")
          if (view.status === "Stuck") yield* runs.release(runId, { actor: "olga" })
          const end = yield* runs.await(runId)
          assert.strictEqual(end.status, "Completed")
        }
        yield* check(ids, here)
      }).pipe(Effect.provide(outside(here)))
    }))
})
