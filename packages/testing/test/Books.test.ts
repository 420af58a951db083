import type { Recorded, RunEvent } from "@durable-agents/core"
import { RunId } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Account, End } from "../src/kill/Books.ts"
import * as Books from "../src/kill/Books.ts"
import * as Canonical from "../src/kill/Canonical.ts"
import type { Fate } from "../src/kill/Conductor.ts"
import { History } from "../src/kill/History.ts"
import * as Plan from "../src/kill/Plan.ts"

const runId = RunId.make("0190d6e2-4a11-7c3e-8a51-6a2f1b0c9d3e")
const lease = 100
const expected: End = { status: "Completed", output: "done", effects: ["charge"] }

const requested = (attempt: number): RunEvent.RunEvent => ({
  _tag: "StepRequested",
  key: "charge",
  attempt,
  idempotencyKey: "k"
})

const failed = (attempt: number): RunEvent.RunEvent => ({
  _tag: "StepFailed",
  key: "charge",
  attempt,
  reason: "Error",
  error: "busy",
  final: false
})

/** Events a thousand milliseconds apart, from 1000 on. */
const logOf = (...events: ReadonlyArray<RunEvent.RunEvent>): ReadonlyArray<Recorded> =>
  events.map((event, seq) => ({ runId, seq, at: 1_000 * (seq + 1), epoch: 1, event }))

const call = (worker: string, attempt: number) => ({
  runId,
  key: "charge",
  attempt,
  idempotencyKey: "k",
  name: "charge",
  worker
})

const account = (options: Partial<Account> & { readonly fate?: Fate; readonly status?: "Cancelled" }): Account => ({
  planned: {
    startKey: "1",
    canonical: Canonical.mixed,
    fate: options.fate ?? "approved",
    after: 0,
    delayMillis: 0
  },
  view: { runId, status: options.status ?? "Completed", output: options.status === undefined ? "done" : undefined },
  events: options.events ?? logOf(requested(1), requested(2)),
  calls: options.calls ?? [],
  effects: options.effects ?? ["charge"]
})

const found = (of: Account, history = new History()) => Books.problems(of, () => expected, history, lease)

const twice = { calls: [call("A1", 1), call("B1", 2)] }

const troubled = (worker: string, from: number, to: number): History => {
  const history = new History()
  history.trouble(worker, { from, to })
  return history
}

describe("Books.problems", () => {
  it("finds nothing where each thing was asked for once", () => {
    assert.deepStrictEqual(found(account({ calls: [call("A1", 1)] })), [])
  })

  it("finds a second attempt while the worker of the first was well", () => {
    assert.include(found(account(twice))[0], "although A1 was well")
    assert.include(found(account({ calls: [call("A1", 1), call("A1", 2)] }))[0], "although A1 was well")
  })

  it("excuses it if that worker was killed, stood still, or had no database before the second was asked for", () => {
    assert.deepStrictEqual(found(account(twice), troubled("A1", 1_500, Infinity)), [])
    assert.deepStrictEqual(found(account(twice), troubled("A1", 500, 950)), [])
    const history = new History()
    history.outage({ from: 1_200, to: 1_300 })
    assert.deepStrictEqual(found(account(twice), history), [])
  })

  it("excuses it also if that worker still stands, or the database is still away, when all runs have ended", () => {
    const history = new History()
    const goesOn = history.trouble("A1", { from: 1_500, to: Infinity })
    assert.deepStrictEqual(found(account(twice), history), [])
    goesOn(800)
    assert.include(found(account(twice), history)[0], "although A1 was well")
    const isBack = history.outage({ from: 0, to: Infinity })
    assert.deepStrictEqual(found(account(twice), history), [])
    isBack(800)
    assert.include(found(account(twice), history)[0], "although A1 was well")
  })

  it("does not excuse it by trouble of another worker, or of another time", () => {
    for (const history of [troubled("B1", 1_500, Infinity), troubled("A1", 2_001, 3_000), troubled("A1", 0, 899)]) {
      assert.lengthOf(found(account(twice), history).filter((line) => line.includes("was well")), 1)
    }
  })

  it("excuses one after a failure", () => {
    assert.deepStrictEqual(found(account({ ...twice, events: logOf(requested(1), failed(1), requested(2)) })), [])
  })

  it("never excuses one attempt that two made", () => {
    const same = account({ calls: [call("A1", 1), call("B1", 1)] })
    assert.include(found(same, troubled("A1", 0, Infinity))[0], "asked for by A1 (attempt 1) and by B1 (attempt 1)")
  })

  it("finds an effect that is missing, or one too many", () => {
    for (const effects of [[], ["charge", "charge"]]) assert.include(found(account({ effects }))[0], "end.effects")
  })

  it("lets a cancelled run have made a part, or have been too late", () => {
    assert.deepStrictEqual(found(account({ fate: "cancelled", status: "Cancelled", effects: [] })), [])
    assert.deepStrictEqual(found(account({ fate: "cancelled" })), [])
    const odd = account({ fate: "cancelled", status: "Cancelled", effects: ["ship"] })
    assert.include(found(odd)[0], "it was cancelled, having made ship")
  })

  it("finds an event of a stale lease", () => {
    const [first, second] = logOf(requested(1), failed(1))
    const events = first === undefined || second === undefined ? [] : [{ ...first, epoch: 2 }, second]
    assert.include(found(account({ events }))[0], "was written under lease 1, after lease 2")
  })
})

describe("Plan.make", () => {
  const options = { runs: 50, calm: 10, moves: 30, workers: 3, leaseMillis: 2_000, restarts: true }

  it.effect("gives the same for a seed, and something else for another one", () =>
    Effect.gen(function*() {
      const plan = yield* Plan.make({ ...options, seed: 7 })
      assert.deepStrictEqual(yield* Plan.make({ ...options, seed: 7 }), plan)
      assert.notDeepEqual((yield* Plan.make({ ...options, seed: 8 })).moves, plan.moves)
      assert.strictEqual(plan.runs.filter(({ after }) => after === -1).length, 10)
      assert.deepStrictEqual(new Set(plan.moves.map(({ deed }) => deed._tag)).size, 4)
    }))
})
