import { Approval, EventStore, MemoryStore, Runs, StoreError, StoreMetrics } from "@durable-agents/core"
import { Observer } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { execute, type Handler, processOf, programOf, start } from "./fixtures.ts"

const waiting: Handler = (input) =>
  input === "block" ? Effect.never : Effect.as(Approval.request("ok", { subject: "on?" }), "done")

describe("StoreMetrics", () => {
  it.live("say what waits for workers, people and operators", () =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      yield* Effect.gen(function*() {
        yield* StoreMetrics.look(["test"])
        const nothing = {
          "runs_due{}": 0,
          "run_longest_due_seconds{}": 0,
          "approvals_waiting{}": 0,
          "approval_oldest_seconds{}": 0,
          "stuck_waiting{}": 0
        }
        assert.deepStrictEqual(eyes.measured(), nothing)
        yield* execute(yield* start())
        yield* execute(yield* Effect.flatMap(Runs, (runs) => runs.start(programOf(), "block")))
        yield* start()
        yield* start()
        yield* StoreMetrics.look(["test"])
        assert.deepInclude(eyes.measured(), { "runs_due{}": 2, "approvals_waiting{}": 1, "stuck_waiting{}": 1 })
        yield* StoreMetrics.look(["other"])
        assert.deepInclude(eyes.measured(), {
          "runs_due{}": 0,
          "run_longest_due_seconds{}": 0,
          "approvals_waiting{}": 1
        })
      }).pipe(Effect.provide(Layer.provideMerge(processOf(waiting), eyes.layer)))
    }))

  it.live("say nothing of due runs where no program is known", () =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      yield* StoreMetrics.look([]).pipe(Effect.provide(Layer.provideMerge(processOf(waiting), eyes.layer)))
      assert.notProperty(eyes.measured(), "runs_due{}")
      assert.deepInclude(eyes.measured(), { "approvals_waiting{}": 0 })
    }))

  it.effect("are looked at again and again, and a store that is away is said once", () =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      let looks = 0
      const away = Layer.effectContext(Effect.map(EventStore, (store) =>
        Context.make(EventStore, {
          ...store,
          now: Effect.suspend(() => {
            looks += 1
            return Effect.fail(new StoreError({ operation: "now", detail: "away" }))
          })
        })))
      yield* Layer.build(StoreMetrics.layer({ programs: ["test"], every: "10 seconds" }).pipe(
        Layer.provide(away),
        Layer.provide(MemoryStore.layer),
        Layer.provide(eyes.layer)
      ))
      yield* TestClock.adjust("35 seconds")
      assert.strictEqual(looks, 4)
      assert.lengthOf(eyes.logs.filter((line) => line.includes("Could not measure")), 1)
    }))
})
