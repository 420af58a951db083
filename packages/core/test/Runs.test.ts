import {
  Approval,
  Branch,
  EventStore,
  MemoryStore,
  RunIndex,
  Runs,
  Signal,
  Step,
  Timer,
  Worker
} from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { execute, type Handler, processOf, programOf, runOnce, start, stateOf } from "./fixtures.ts"

const step = (key: string) => Effect.succeed(key).pipe(Step.run(key, { output: Schema.String }))

describe("Runs.approve", () => {
  it.effect("does not take other arguments where none were shown", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      yield* execute(runId)
      const decide = (approval: string) => runs.approve(runId, { approval, actor: "dana", arguments: { cents: 1 } })
      const refused = yield* Effect.flip(decide("plain"))
      assert.strictEqual(refused.message, "`arguments` cannot be changed: none were shown")
      assert.deepStrictEqual((yield* runs.state(runId)).pendingApprovals.map(({ key }) => key), ["plain", "shown"])
      yield* decide("shown")
      assert.strictEqual((yield* Effect.flip(decide("shown")))._tag, "ApprovalNotPending")
    }).pipe(Effect.provide(processOf(() =>
      Effect.all([
        Approval.request("plain", { subject: "?" }),
        Approval.request("shown", { subject: "?", arguments: { cents: 2 } })
      ], { concurrency: 2 }).pipe(Effect.as("done"))
    ))))
})

describe("Runs.approve, when time is up", () => {
  it.effect("is judged by the store's clock at the moment at which it is stored, also after a lost race", () =>
    Effect.gen(function*() {
      const store = yield* EventStore
      const runs = yield* Runs
      const runId = yield* start()
      yield* execute(runId)
      yield* TestClock.adjust("59 seconds")
      let raced = false
      // While the decision is on its way, a signal takes its place and the time of the request runs out.
      const slow = EventStore.of({
        ...store,
        append: (id, append) =>
          Effect.gen(function*() {
            if (!raced) {
              raced = true
              yield* Effect.orDie(runs.signal(runId, "other", null))
              yield* TestClock.adjust("2 seconds")
            }
            return yield* store.append(id, append)
          })
      })
      const late = Effect.flatMap(Runs, (own) => own.approve(runId, { approval: "ship", actor: "dana" }))
        .pipe(Effect.provide(Runs.layer.pipe(Layer.provide(Layer.succeed(EventStore, slow))), { local: true }))
      assert.deepInclude(yield* Effect.flip(late), {
        _tag: "ApprovalNotPending",
        decision: { decision: "denied", actor: { kind: "policy", id: "expiry" } }
      })
      assert.strictEqual((yield* execute(runId)).output, "Denied")
    }).pipe(Effect.provide(processOf(() =>
      Effect.map(Approval.request("ship", { subject: "?", expiresIn: "1 minute" }), ({ _tag }) =>
        _tag)
    ))))
})

describe("Runs.start", () => {
  it.effect("records what was asked for, and defaults where nothing was (check 23)", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const plain = (yield* stateOf(yield* start())).state.started
      assert.deepStrictEqual(plain?.budget, { turns: 25, toolCalls: 100, costUsd: "1.00" })
      assert.deepStrictEqual(plain?.requestedBy, { kind: "system", id: "unknown" })
      const runId = yield* runs.start(programOf("test", { budget: { turns: 3 } }), "x", {
        budget: { toolCalls: 0 },
        labels: { team: "support" },
        requestedBy: "sam",
        priority: 7
      })
      const own = (yield* runs.state(runId)).state.started
      assert.deepStrictEqual(own?.budget, { turns: 3, toolCalls: 0, costUsd: "1.00" })
      assert.deepStrictEqual([own?.labels, own?.priority, own?.requestedBy.id], [{ team: "support" }, 7, "sam"])
    }).pipe(Effect.provide(processOf(() => step("a")))))

  it.effect("refuses what could never run, and stores nothing (EV-8)", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const refuse = (options: Parameters<typeof runs.start>[2], input = "x") =>
        Effect.flip(runs.start(programOf(), input, options))
      const errors = yield* Effect.all([
        refuse({ labels: { a: "x".repeat(2001) } }),
        refuse({ startKey: "x".repeat(2001) }),
        refuse({ requestedBy: " " }),
        refuse({ budget: { turns: 1.5 } }),
        refuse({ budget: { turns: -1 } }),
        refuse({ budget: { costUsd: "much" } }),
        refuse({ priority: 0.5 }),
        refuse({}, "x".repeat(100_001)),
        Effect.flip(runs.start(programOf(), 7 as never))
      ])
      assert.isTrue(errors.every(({ _tag }) => _tag === "InvalidRequest"))
      const index = yield* RunIndex
      assert.deepStrictEqual((yield* index.list()).items, [])
    }).pipe(Effect.provide(processOf(() => step("a")))))

  it.effect("with a time in the future is not due before it, whatever else is decided", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* runs.start(programOf(), "x", { startAt: DateTime.makeUnsafe(60_000) })
        yield* runs.signal(runId, "early", 1)
        assert.strictEqual(memory.runs.get(runId)?.wakeAt, 60_000)
        yield* Layer.build(Worker.layer({ poll: "1 second" }))
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual((yield* runs.state(runId)).status, "Pending")
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* runs.await(runId)).status, "Completed")
      }).pipe(Effect.scoped, Effect.provide(processOf(() => step("a"), memory)))
    }))
})

describe("Runs.pause and Runs.resume", () => {
  const handler: Handler = () => Effect.andThen(Timer.sleep("nap", "1 hour"), step("after"))

  it.effect("take a run out of work and put it back (D35)", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      yield* execute(runId)
      yield* runs.pause(runId, { actor: "olga", reason: "audit" })
      yield* TestClock.adjust("2 hours")
      const paused = yield* execute(runId)
      assert.strictEqual(paused.status, "Paused")
      assert.strictEqual((yield* runs.pause(runId, { actor: "olga" })).seq, paused.seq)
      yield* runs.resume(runId, { actor: "olga" })
      assert.strictEqual((yield* execute(runId)).status, "Completed")
      assert.strictEqual((yield* Effect.flip(runs.resume(runId, { actor: "olga" })))._tag, "RunClosed")
    }).pipe(Effect.provide(processOf(handler))))
})

describe("Runs.resolve", () => {
  it.effect("refuses an operation that is not open", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      yield* execute(runId)
      const unknown = yield* Effect
        .flip(runs.resolve(runId, { _tag: "Happened", output: 1, key: "nothing", actor: "olga" }))
      assert.strictEqual(unknown._tag, "WaitClosed")
    }).pipe(Effect.provide(processOf(() => Effect.map(Approval.request("ok", { subject: "?" }), (d) => d._tag)))))
})

describe("what cannot be written down", () => {
  const cases: ReadonlyArray<readonly [string, Handler]> = [
    ["a key without characters", () => step("")],
    ["a key of 257 characters", () => step("x".repeat(257))],
    ["a key with U+0000", () => step("a\u0000")],
    ["a key with half a surrogate pair", () => Timer.sleep("\ud83d", 1).pipe(Effect.as(null))],
    ["a signal named with U+0000", () => Signal.receive("a\u0000", "key")],
    ["a timer without an end", () => Effect.as(Timer.sleep("t", Infinity), null)],
    ["a branch name with a slash", () => Branch.race("r", { "a/b": step("x"), c: step("y") })]
  ]
  for (const [name, handler] of cases) {
    it.live(`is a defect that says so: ${name}`, () =>
      Effect.gen(function*() {
        const { events, view } = yield* runOnce(handler)
        assert.strictEqual(view.status, "Failed")
        assert.include(view.reason, "cannot be recorded")
        assert.isTrue(events.every(({ event }) => event._tag !== "UnknownEvent"))
      }))
  }
})

describe("a run with two approvals side by side", () => {
  it.effect("is listed as waiting for the second once the first has been acted on", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      yield* execute(runId)
      yield* runs.approve(runId, { approval: "one", actor: "dana" })
      yield* execute(runId)
      const index = yield* RunIndex
      assert.deepStrictEqual((yield* index.list({ status: "AwaitingApproval" })).items.map((run) => run.runId), [runId])
    }).pipe(Effect.provide(processOf(() =>
      Effect.map(
        Effect.all([Approval.request("one", { subject: "1?" }), Approval.request("two", { subject: "2?" })], {
          concurrency: "unbounded"
        }),
        (both) => both.length
      )
    ))))
})
describe("what cannot be encoded or put into words", () => {
  const Text = { output: Schema.String, error: Schema.String }
  const evil = {
    get a(): string {
      return assert.fail("a getter with a bug")
    }
  }
  const bare: unknown = Object.create(null)

  it.live("in a typed failure reaches the program as that failure", () =>
    Effect.gen(function*() {
      const Big = Schema.Struct({ amount: Schema.BigInt })
      const amount = Effect.fail({ amount: 7n }).pipe(
        Step.run("big", { output: Schema.String, error: Big }),
        Effect.catch((error) => Effect.succeed("amount" in error ? `${error.amount}` : "another failure"))
      )
      const nothing = Effect.fail(undefined).pipe(
        Step.run("nothing", { output: Schema.String, error: Schema.Undefined }),
        Effect.catch((error) => Effect.succeed(error === undefined ? "nothing" : "another failure"))
      )
      const { events, view } = yield* runOnce(() => Effect.all([amount, nothing]))
      assert.deepStrictEqual(view.output, ["7", "nothing"])
      assert.isTrue(events.every(({ event }) => event._tag !== "UnknownEvent"))
    }))

  it.live("in the result of a step is recorded as that, once", () =>
    Effect.gen(function*() {
      let calls = 0
      const { events, view } = yield* runOnce(() =>
        Effect.sync(() => {
          calls += 1
          return evil
        }).pipe(Step.run("evil", { output: Schema.Struct({ a: Schema.String }) }))
      )
      assert.deepStrictEqual([view.status, calls], ["Failed", 1])
      assert.isTrue(events.some(({ event }) => event._tag === "StepFailed" && event.reason === "Unencodable"))
    }))

  it.live("in a bug of a step is recorded as a bug", () =>
    Effect.gen(function*() {
      const { events } = yield* runOnce(() => Effect.die(bare).pipe(Step.run("bug", { ...Text, attempts: 1 })))
      assert.isTrue(events.some(({ event }) => event._tag === "StepFailed" && event.reason === "Defect"))
    }))

  const ends: ReadonlyArray<readonly [string, Effect.Effect<never> | Effect.Effect<typeof evil>]> = [
    ["a result", Effect.succeed(evil)],
    ["a failure", Effect.fail(bare) as Effect.Effect<never>],
    ["a bug", Effect.die(bare)]
  ]
  for (const [name, end] of ends) {
    it.live(`ends the run as failed when it is ${name} of the program`, () =>
      Effect.gen(function*() {
        const { view } = yield* runOnce(() => end).pipe(Effect.timeout("2 seconds"))
        assert.strictEqual(view.status, "Failed")
      }))
  }
})
