import type { RunId } from "@durable-agents/core"
import { Runs, Runtime, RuntimeSettings } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventsOf, outside, place, run } from "./kill/harness.ts"
import { Ledger } from "./kill/Ledger.ts"
import { type Orders, type Scenario, scenarios } from "./kill/scenarios.ts"

const scenarioOf = (name: string): Scenario => {
  const scenario = scenarios[name]
  assert.isDefined(scenario)
  return scenario ?? assert.fail("no such scenario")
}

/** This process works on the run until it rests: it is another one than those that died. */
const finish = (scenario: Scenario, runId: RunId, orders: Orders) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Ledger(orders.ledger)),
    (ledger) =>
      Effect.flatMap(Runtime, (runtime) => runtime.execute(runId)).pipe(Effect.provide(
        scenario.layer(ledger, orders).pipe(
          Layer.provideMerge(Runtime.layer),
          Layer.provide(Sqlite.layer({ file: orders.file })),
          Layer.provide(Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "5 millis" }))
        ),
        { local: true }
      )),
    (ledger) => Effect.sync(() => ledger.close())
  )

/** Processes that die as ordered, one after the other; this one finishes, and approves whatever is asked in between. */
const survive = (name: string, deaths: ReadonlyArray<Partial<Orders>>) =>
  Effect.gen(function*() {
    const here = yield* place
    const scenario = scenarioOf(name)
    return yield* Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* scenario.start(runs)
      const left = [...deaths]
      let kills = 0
      for (let round = 0; round < 30; round++) {
        const view = yield* runs.state(runId)
        for (const { key } of view.pendingApprovals) yield* runs.approve(runId, { approval: key, actor: "dana" })
        if (view.status === "Completed") break
        const orders = { file: here.file, ledger: here.ledger, scenario: name, runId, ...left[0] }
        if (left.length === 0) {
          yield* finish(scenario, runId, orders)
          continue
        }
        const end = yield* run(orders)
        if (end === "SIGKILL") {
          kills += 1
          left.shift()
        } else assert.strictEqual(end, 0)
      }
      const events = yield* eventsOf(runId)
      const ledger = new Ledger(here.ledger)
      const books = { effects: ledger.effects(), attempts: ledger.attempts() }
      ledger.close()
      const view = yield* runs.state(runId)
      assert.strictEqual(view.status, "Completed")
      assert.deepStrictEqual(books.effects, scenario.effects)
      assert.deepStrictEqual(events.map(({ seq }) => seq), events.map((_, index) => index))
      const settled = events.flatMap(({ event }) =>
        event._tag === "StepCompleted" || event._tag === "ToolCallCompleted" || event._tag === "LLMCallCompleted" ||
          ("final" in event && event.final)
          ? [event.key]
          : []
      )
      assert.strictEqual(new Set(settled).size, settled.length)
      return { kills, events, books }
    }).pipe(Effect.provide(outside(here)))
  }).pipe(Effect.scoped)

/** Many at a time, since most of it is waiting for processes to start. */
const atOnce = { concurrency: 3 }

describe("a run on SQLite whose process is killed", () => {
  for (const name of Object.keys(scenarios)) {
    it.live(`at every event of \`${name}\` is finished by another one, with one effect each (checks 4, 7)`, () =>
      Effect.gen(function*() {
        const whole = yield* survive(name, [])
        assert.strictEqual(whole.kills, 0)
        const own = whole.events.filter(({ epoch }) => epoch !== undefined).map(({ seq }) => seq)
        const trials = yield* Effect.forEach(own, (atSeq) => survive(name, [{ atSeq }]), atOnce)
        assert.isTrue(trials.every(({ kills }) => kills === 1))
      }))

    it.live(`in the gap between each side effect of \`${name}\` and its record makes it once (EO-1, check 5)`, () =>
      Effect.gen(function*() {
        yield* Effect.forEach(scenarioOf(name).effects, (inGapOf) =>
          Effect.gen(function*() {
            const { books, events, kills } = yield* survive(name, [{ inGapOf }])
            assert.strictEqual(kills, 1)
            assert.strictEqual(books.attempts.filter((attempt) => attempt.name === inGapOf).length, 2)
            const recovered = events.filter(({ event }) => "recovered" in event && event.recovered === true)
            assert.isAtLeast(recovered.length, 1)
            assert.include(events.map(({ event }) => event._tag), "RunRecovered")
          }), atOnce)
      }))
  }

  it.live("two and three times is finished all the same (check 6)", () =>
    Effect.gen(function*() {
      const twice = yield* survive("sequence", [{ atSeq: 2 }, { inGapOf: "ship" }])
      const thrice = yield* survive("parallel", [{ inGapOf: "east" }, { inGapOf: "west" }, { inGapOf: "sum" }])
      assert.deepStrictEqual([twice.kills, thrice.kills], [2, 3])
    }))
})
