import { MemoryStore, Metrics, Runs, Step } from "@durable-agents/core"
import { CrashingStore, FrozenStore, Observer } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Schedule, Schema } from "effect"
import { type Handler, runOnce, start } from "./fixtures.ts"
import { worker } from "./observing.ts"

class Busy extends Schema.TaggedError<Busy>()("Busy", { detail: Schema.String }) {}

/** What an effect measures. */
const measuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const eyes = Observer.make()
    return Effect.map(Effect.provide(effect, eyes.layer), (value) => ({ value, metrics: eyes.measured() }))
  })

const Text = { output: Schema.String }

const flaky = (times: number, key: string) => {
  let left = times
  return Effect.suspend(() => left-- > 0 ? Effect.fail(new Busy({ detail: "not now" })) : Effect.succeed("done"))
    .pipe(Step.run(key, { ...Text, error: Busy, retry: Schedule.recurs(5) }))
}

describe("Metrics", () => {
  it.live("are what runs have in their logs, by program, kind and code", () =>
    Effect.gen(function*() {
      const handler: Handler = () =>
        Effect.gen(function*() {
          yield* flaky(2, "flaky")
          yield* Effect.never.pipe(Step.run("slow", { ...Text, timeout: 1, attempts: 1 }), Effect.ignore)
          return yield* flaky(0, "last")
        })
      const { metrics, value } = yield* measuring(runOnce(handler))
      assert.strictEqual(value.view.status, "Completed")
      assert.deepStrictEqual(metrics, {
        "runs_started_total{program=test}": 1,
        "claims_total{program=test,takeover=false}": 1,
        "runs_executing{program=test}": 0,
        "operation_duration_seconds{program=test,kind=step,outcome=failed}": 2,
        "operation_duration_seconds{program=test,kind=step,outcome=completed}": 2,
        "operation_duration_seconds{program=test,kind=step,outcome=unknown}": 1,
        "failures_total{program=test,kind=step,code=Busy}": 2,
        "failures_total{program=test,kind=step,code=Timeout}": 1,
        "retries_total{program=test,kind=step,code=Busy}": 2,
        "unknown_outcomes_total{program=test,kind=step,policy=record}": 1,
        "runs_ended_total{program=test,status=Completed}": 1,
        "run_duration_seconds{program=test,status=Completed}": 1,
        "run_active_seconds{program=test,status=Completed}": 1
      })
    }))

  it.live("say which limits stop operations, and why runs fail", () =>
    Effect.gen(function*() {
      const { metrics } = yield* measuring(runOnce(() => flaky(0, "one"), { budget: { wallMillis: 0 } }))
      assert.deepInclude(metrics, {
        "budget_stops_total{program=test,limit=wallMillis}": 1,
        "failures_total{program=test,kind=step,code=BudgetExceeded}": 1,
        "runs_ended_total{program=test,status=Failed,code=BudgetExceeded}": 1
      })
    }))

  it.live("count each event once, by the worker that wrote it, over a crash", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const stores = MemoryStore.layerOf(memory)
      const [first, second] = [Observer.make(), Observer.make()]
      const process = CrashingStore.doomed()
      const acts = yield* Deferred.make<void>()
      const one = (act: Effect.Effect<string>): Handler => () => act.pipe(Step.run("one", Text))
      const forEver = Effect.andThen(Deferred.succeed(acts, undefined), Effect.never)
      const runId = yield* Effect.provide(start(), Layer.provideMerge(Runs.layer, stores))
      yield* Effect.gen(function*() {
        yield* Layer.build(worker(one(forEver), CrashingStore.layer(process).pipe(Layer.provideMerge(stores)), first))
        yield* Deferred.await(acts)
        process.dead = true
      }).pipe(Effect.scoped, Effect.exit)
      yield* Effect.gen(function*() {
        yield* Layer.build(worker(one(Effect.succeed("done")), stores, second))
        yield* Effect.flatMap(Runs, (runs) => runs.await(runId))
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Runs.layer, stores)))
      assert.deepInclude(first.measured(), { "claims_total{program=test,takeover=false}": 1 })
      assert.notProperty(first.measured(), "runs_ended_total{program=test,status=Completed}")
      assert.deepInclude(second.measured(), {
        "claims_total{program=test,takeover=true}": 1,
        "recoveries_total{program=test}": 1,
        "retries_total{program=test,kind=step,code=Crashed}": 1,
        "runs_ended_total{program=test,status=Completed}": 1
      })
    }))

  it.live("count leases that are lost", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const stores = MemoryStore.layerOf(memory)
      const eyes = Observer.make()
      const latch = FrozenStore.thawed()
      const acts = yield* Deferred.make<void>()
      const one = (act: Effect.Effect<string>): Handler => () => act.pipe(Step.run("one", Text))
      const frozen = FrozenStore.layer(latch).pipe(Layer.provideMerge(stores))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* Layer.build(worker(one(Effect.andThen(Deferred.succeed(acts, undefined), Effect.never)), frozen, eyes))
        yield* Deferred.await(acts)
        yield* latch.close
        yield* Layer.build(worker(one(Effect.succeed("done")), stores, Observer.make()))
        yield* runs.await(runId)
        yield* latch.open
        yield* eyes.said(/lost|leased/i)
        assert.deepInclude(eyes.measured(), { "lease_losses_total{program=test}": 1 })
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Runs.layer, stores)))
    }))

  it("name no run, and keep to names from code", () => {
    for (const { description, labels, name, type, unit } of Metrics.all) {
      assert.match(name, /^durable_agents_[a-z_]+$/)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      assert.strictEqual(name.endsWith("_seconds"), unit === "s", name)
      assert.isFalse(labels.some((label) => /run|key|tool|id$/i.test(label)), name)
      assert.match(description, /^[A-Z].*[^.]$/)
    }
  })

  it("take no word of somebody for a code", () => {
    const codeOf = (failure: Schema.Json, _tag: "StepFailed" | "LLMCallFailed" = "StepFailed") =>
      Metrics.codeOf({ _tag, reason: "Error", failure })
    assert.strictEqual(codeOf({ _tag: "Busy" }), "Busy")
    assert.strictEqual(codeOf({ _tag: "Busy", reason: "customer-4711" }), "Busy")
    assert.strictEqual(codeOf({ _tag: "ModelError", reason: "RateLimitError" }, "LLMCallFailed"), "RateLimitError")
    for (const failure of ["Busy", null, 7, {}, { _tag: 7 }, { _tag: "the card of Dana" }, { _tag: "x".repeat(65) }]) {
      assert.strictEqual(codeOf(failure), "Error")
    }
  })
})
