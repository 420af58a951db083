import { Approval, MemoryStore, Runs, Step } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result, Schema } from "effect"
import type { Budget } from "../src/Budget.ts"
import { noUsage } from "../src/Budget.ts"
import type { RunEvent } from "../src/RunEvent.ts"
import { activeMillisAt, evolve, initial } from "../src/RunState.ts"
import { fits, usageBelow } from "../src/Spending.ts"
import { eventsOf, execute, processOf, start } from "./fixtures.ts"
import {
  approvalAt,
  BudgetedTraces,
  completedOf,
  dana,
  failedOf,
  given,
  modelAt,
  requestOf,
  runId,
  started,
  stepAt,
  timerAt,
  toolAt
} from "./generators.ts"

type Asked = ReturnType<typeof stepAt>

const requested = (operation: Asked, attempt = 1, reserve?: { tokens: number; costUsd: string }): RunEvent =>
  requestOf(operation, reserve === undefined ? {} : { reserve })
    .requested({ key: operation.key, attempt, idempotencyKey: "" })

/** The state after events at these times, written by a worker unless they are decisions. */
const at = (...events: ReadonlyArray<readonly [at: number, event: RunEvent]>) =>
  events.reduce((state, [time, event], seq) => {
    const outside = event._tag === "RunStarted" || "actor" in event
    return evolve(state, { runId, seq, at: time, event, ...(outside ? {} : { epoch: 1 }) })
  }, initial(runId))

describe("RunState.activeMillisAt", () => {
  const s = stepAt("s")

  it("counts what operations take, and what is between them", () => {
    const state = at([0, started()], [100, requested(s)], [300, completedOf(s)], [310, requested(toolAt("t"))])
    assert.strictEqual(state.activeMillis, 210)
    assert.strictEqual(activeMillisAt(state, 1000), 900)
  })

  it("leaves out the time before the run is begun, and that after its end", () => {
    const state = at([0, started()], [5000, requested(s)], [5010, completedOf(s)])
    assert.strictEqual(state.activeMillis, 10)
    const ended = evolve(state, {
      runId,
      seq: 3,
      at: 5020,
      epoch: 1,
      event: { _tag: "RunCompleted", output: null, usage: noUsage }
    })
    assert.strictEqual(activeMillisAt(ended, 99_999), 20)
  })

  it("leaves out waiting for a person, for a time, and for the next attempt", () => {
    assert.strictEqual(activeMillisAt(at([0, started()], [0, approvalAt("ok")]), 9000), 0)
    assert.strictEqual(activeMillisAt(at([0, started()], [0, timerAt("t", 8000)]), 9000), 0)
    const retrying = at([0, started()], [0, requested(s)], [50, failedOf(s, { final: false })], [8000, requested(s, 2)])
    assert.strictEqual(activeMillisAt(retrying, 8010), 60)
  })

  it("counts a wait beside work, and a decision that no worker has acted on yet", () => {
    assert.strictEqual(activeMillisAt(at([0, started()], [0, approvalAt("ok")], [10, requested(s)]), 60), 50)
    const decided = at([0, started()], [0, approvalAt("ok")], [5000, {
      _tag: "ApprovalGranted",
      key: "ok",
      actor: dana
    }])
    assert.strictEqual(activeMillisAt(decided, 5030), 30)
  })

  it("leaves out being paused and being stuck", () => {
    const paused = at([0, started()], [0, requested(s)], [10, { _tag: "RunPaused", actor: dana }])
    assert.strictEqual(activeMillisAt(paused, 9000), 10)
    const stuck = at([0, started()], [0, requested(s)], [10, { _tag: "RunStuck", reason: "poison", detail: "" }])
    assert.strictEqual(activeMillisAt(stuck, 9000), 10)
  })
})

describe("Spending.usageBelow", () => {
  it("counts what is below a path, and not what only begins alike", () => {
    const one = modelAt("one/turn-1/model")
    const state = given(
      started(),
      requested(one, 1, { tokens: 100, costUsd: "1" }),
      completedOf(one, 1, { inputTokens: 7, outputTokens: 2, costUsd: "0.5" }),
      requested(toolAt("one/turn-1/call-1")),
      requested(stepAt("one/s")),
      requested(modelAt("oneself/turn-1/model"), 1, { tokens: 9, costUsd: "9" })
    )
    assert.deepStrictEqual(usageBelow(state, "one"), {
      ...noUsage,
      turns: 1,
      toolCalls: 1,
      inputTokens: 7,
      outputTokens: 2,
      costUsd: "0.5",
      possible: { tokens: 0, costUsd: "0" }
    })
    assert.deepInclude(usageBelow(state, "oneself"), { turns: 1, possible: { tokens: 9, costUsd: "9" } })
  })

  it("keeps what an attempt without a known outcome had reserved", () => {
    const one = modelAt("one/m")
    const lost = given(started(), requested(one, 1, { tokens: 5, costUsd: "1" }), requested(one, 2))
    assert.deepStrictEqual(usageBelow(lost, "one").possible, { tokens: 5, costUsd: "1" })
  })

  it.prop("is never more than the usage of the run, whatever is decided", { trace: BudgetedTraces }, ({ trace }) => {
    for (const { after } of trace.steps) {
      for (const path of ["a", "b", "race"]) {
        const part = usageBelow(after, path)
        assert.isAtMost(part.turns, after.usage.turns)
        assert.isAtMost(part.toolCalls, after.usage.toolCalls)
        assert.isAtMost(part.possible.tokens, after.usage.possible.tokens)
      }
    }
  })
})

describe("Spending.fits", () => {
  const limitOf = (within: ReadonlyArray<{ path: string; budget: Budget }>, now: number, budget: Budget = {}) => {
    const s = stepAt("part/s")
    const state = at([0, started({ budget })], [1000, requested(s)], [1100, completedOf(s)], [
      1100,
      timerAt("part/t", 5000)
    ])
    const result = fits(state, { kind: "step", isFirst: true, reserve: undefined, within, now })
    return Result.isFailure(result) ? [result.failure.limit, result.failure.used, result.failure.within] : undefined
  }

  it("counts the time of a part from the first thing recorded in it, waiting included or not", () => {
    const part = (budget: Budget) => [{ path: "part", budget }]
    assert.deepStrictEqual(limitOf(part({ wallMillis: 1000 }), 2500), ["wallMillis", "1500", "part"])
    assert.isUndefined(limitOf(part({ wallMillis: 2000 }), 2500))
    assert.deepStrictEqual(limitOf(part({ activeMillis: 100 }), 2500), ["activeMillis", "100", "part"])
    assert.isUndefined(limitOf(part({ activeMillis: 101 }), 2500))
    assert.isUndefined(limitOf([{ path: "another", budget: { wallMillis: 1 } }], 2500))
  })

  it("asks the run first, then the parts from the outermost on", () => {
    const parts = [{ path: "part", budget: { wallMillis: 1 } }, { path: "part/inner", budget: { wallMillis: 0 } }]
    assert.deepStrictEqual(limitOf(parts, 2500, { wallMillis: 10 }), ["wallMillis", "2500", undefined])
    assert.deepStrictEqual(limitOf(parts, 2500), ["wallMillis", "1500", "part"])
  })
})

describe("Step.scope with a budget", () => {
  const step = (key: string) => Effect.succeed(key).pipe(Step.run(key, { output: Schema.String }))

  it.live("refuses what is inside, and nothing else", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.gen(function*() {
          const inside = yield* Effect.flip(step("a").pipe(Step.scope("part", { budget: { wallMillis: 0 } })))
          const outside = yield* step("b")
          return [inside instanceof Error ? inside.message : "", outside]
        })
      yield* Effect.gen(function*() {
        const view = yield* execute(yield* start())
        assert.deepStrictEqual(view.output, ["The budget of `part` allows 0 milliseconds, and 0 are used", "b"])
      }).pipe(Effect.provide(processOf(handler, MemoryStore.memory())))
    }))

  it.live("is in the log with the first request inside, and again when it has changed", () => {
    const memory = MemoryStore.memory()
    const worker = (turns: number) =>
      processOf(() =>
        Effect.gen(function*() {
          yield* step("before")
          yield* Effect.gen(function*() {
            yield* step("a")
            yield* step("b").pipe(Step.scope("inner", { budget: { tokens: 10 } }))
            yield* step("c").pipe(Step.scope("inner", { budget: { tokens: 10 } }))
            yield* Approval.request("more", { subject: "May it go on?" })
            yield* step("d").pipe(Step.scope("inner", { budget: { tokens: 10 } }))
          }).pipe(Step.scope("part", { budget: { turns, costUsd: "0.50" } }))
          return null
        }), memory)
    return Effect.gen(function*() {
      const runId = yield* start().pipe(Effect.tap(execute), Effect.provide(worker(1)))
      const log = yield* Effect.gen(function*() {
        yield* Effect.flatMap(Runs, (runs) => runs.approve(runId, { approval: "part/more", actor: "dana" }))
        assert.strictEqual((yield* execute(runId)).status, "Completed")
        return yield* eventsOf(runId)
      }).pipe(Effect.provide(worker(2)))
      const said = log.flatMap(({ event }) => event._tag === "StepRequested" ? [[event.key, event.within]] : [])
      const part = (turns: number) => ({
        path: "part",
        budget: { turns, costUsd: "0.50", unpriced: "refuse" as const }
      })
      assert.deepStrictEqual(said, [
        ["before", undefined],
        ["part/a", [part(1)]],
        ["part/inner/b", [{ path: "part/inner", budget: { tokens: 10 } }]],
        ["part/inner/c", undefined],
        ["part/inner/d", [part(2)]]
      ])
    })
  })

  it.live("is a bug of the program if it cannot be meant", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.exit(step("a").pipe(Step.scope("part", { budget: { turns: -1 } }))).pipe(Effect.map(Exit.hasDies))
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* execute(yield* start())).output, true)
      }).pipe(Effect.provide(processOf(handler, MemoryStore.memory())))
    }))
})
