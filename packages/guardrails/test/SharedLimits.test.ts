import { Agent, type Guardrails, ScriptedModel, ToolCall } from "@durable-agents/agent"
import { MemoryStore, Quotas, type RunId, Runs, Runtime, RuntimeSettings, StoreError } from "@durable-agents/core"
import { SharedLimits } from "@durable-agents/guardrails"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { eventsOf, only } from "./fixtures.ts"

const Refund = pipe(
  Tool.make("refund", {
    parameters: Schema.Struct({ amount: Schema.String, to: Schema.optionalKey(Schema.String) }),
    success: Schema.String,
    dependencies: [ToolCall]
  }),
  (tool) => tool.annotate(Tool.Idempotent, true)
)

const Kit = Toolkit.make(Refund)
const Desk = Agent.make("desk", { instructions: "You refund.", toolkit: Kit })

const refunds = (most: SharedLimits.SharedLimit["most"], more: Partial<SharedLimits.SharedLimit> = {}) => ({
  name: "refunds",
  tools: ["refund"],
  of: "sum" as const,
  field: "amount",
  most,
  per: "1 day" as const,
  ...more
})

const refund = (amount: string, to?: string) =>
  ScriptedModel.toolCall("refund", { amount, ...(to === undefined ? {} : { to }) })

/** A process over a memory that others may share. The goal of a run is what it refunds. */
const desk = (
  memory: MemoryStore.Memory,
  limits: ReadonlyArray<SharedLimits.SharedLimit>,
  quotas?: Quotas["Service"]
) => {
  const paid: Array<string> = []
  const shared = Layer.orDie(SharedLimits.layer(limits))
  const layer = Desk.layer.pipe(
    Layer.provide(quotas === undefined ? shared : Layer.provide(shared, Layer.succeed(Quotas, quotas))),
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layerOf(memory)),
    Layer.provideMerge(Layer.merge(
      ScriptedModel.layer(({ prompt, turn }) => {
        const goal = /"text":"([^"]*)"/.exec(JSON.stringify(prompt.content))?.[1] ?? ""
        const [amount = "", to] = goal.split(" to ")
        return turn === 1 ? refund(amount, to) : "Done."
      }),
      Kit.toLayer({
        refund: ({ amount }) => Effect.sync(() => (paid.push(amount), "paid"))
      })
    )),
    Layer.provide(Layer.succeed(RuntimeSettings, {
      ...RuntimeSettings.defaultValue(),
      suspendAfter: "5 millis",
      keep: 0,
      blockedAfter: "50 millis",
      grace: "100 millis"
    }))
  )
  return { layer, paid }
}

const play = (goal: string, profile: Guardrails.Profile = "validation") =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runId = yield* runs.start(Desk, goal, { guardrailProfile: profile, labels: { team: goal.slice(-1) } })
    return { runId, view: yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(runId)) }
  })

const rulesOf = (runId: RunId) =>
  Effect.map(
    eventsOf(runId),
    (events) => only(events, "GuardrailTriggered").map(({ action, rule }) => `${rule} ${action}`)
  )

describe("SharedLimits", () => {
  it.effect("permits exactly the limit to many runs of two processes at once, in each currency", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const one = desk(memory, [refunds({ EUR: 100, USD: "50.50" })])
      const other = desk(memory, [refunds({ EUR: 100, USD: "50.50" })])
      const all = [one, other].flatMap(({ layer }) =>
        ["EUR 30", "EUR 30", "EUR 30", "USD 25.25", "USD 25.25", "CHF 1"].map((goal) =>
          Effect.provide(play(goal), layer)
        )
      )
      yield* Effect.all(all, { concurrency: "unbounded" })
      const paid = [...one.paid, ...other.paid].toSorted()
      assert.deepStrictEqual(paid, ["EUR 30", "EUR 30", "EUR 30", "USD 25.25", "USD 25.25"])
    }))

  it.effect("counts what a run has set aside whose log was deleted, for the time of the limit and no longer", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const { layer, paid } = desk(memory, [refunds({ EUR: 20 }, { per: "10 minutes" })])
      yield* Effect.gen(function*() {
        const { runId } = yield* play("EUR 15")
        memory.runs.delete(runId)
        yield* play("EUR 6")
        assert.deepStrictEqual(paid, ["EUR 15"])
        yield* TestClock.adjust("10 minutes")
        yield* play("EUR 20")
        assert.deepStrictEqual(paid, ["EUR 15", "EUR 20"])
      }).pipe(Effect.provide(layer))
    }))

  it.effect("frees what was not made, and keeps what was for its time, whoever asks", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const { layer, paid } = desk(memory, [refunds({ EUR: 20 }, { per: "10 minutes" })])
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const poor = yield* runs.start(Desk, "EUR 13", { budget: { toolCalls: 0 } })
        const { status } = yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(poor))
        assert.strictEqual(status, "Failed")
        assert.deepStrictEqual(paid, [])
        yield* play("EUR 15")
        const { runId } = yield* play("EUR 6")
        assert.deepStrictEqual(paid, ["EUR 15"])
        assert.deepStrictEqual(yield* rulesOf(runId), ["limit_exceeded BLOCK"])
        yield* play("EUR 5")
        yield* TestClock.adjust("9 minutes")
        yield* play("EUR 1")
        assert.deepStrictEqual(paid, ["EUR 15", "EUR 5"])
        yield* TestClock.adjust("61 seconds")
        yield* play("EUR 20")
        assert.deepStrictEqual(paid, ["EUR 15", "EUR 5", "EUR 20"])
      }).pipe(Effect.provide(layer))
    }))

  it.effect("has a person asked, counts what the person allows, and not what the person does not", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const { layer, paid } = desk(memory, [refunds({ EUR: 10 }, { onExceeded: "ask" })])
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runtime = yield* Runtime
        const denied = yield* play("EUR 11")
        assert.strictEqual(denied.view.status, "AwaitingApproval")
        const approval = "turn-1/call-1/approval"
        yield* runs.deny(denied.runId, { approval, actor: "dana@example.com", reason: "no" })
        yield* runtime.execute(denied.runId)
        const allowed = yield* play("EUR 12")
        yield* runs.approve(allowed.runId, { approval, actor: "dana@example.com" })
        yield* runtime.execute(allowed.runId)
        assert.deepStrictEqual(paid, ["EUR 12"])
        assert.strictEqual((yield* play("EUR 1")).view.status, "AwaitingApproval")
      }).pipe(Effect.provide(layer))
    }))

  it.effect("counts apart what it is told to, by values in canonical form, and keeps no value", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const { layer, paid } = desk(memory, [
        { name: "letters", tools: ["refund"], of: "calls", most: 1, per: "1 hour", by: [{ field: "to" }, "program"] }
      ])
      yield* Effect.gen(function*() {
        yield* play("EUR 1 to ann@x.org")
        yield* play("EUR 2 to ANN@X.ORG")
        yield* play("EUR 3 to bob@x.org")
        assert.deepStrictEqual(paid, ["EUR 1", "EUR 3"])
        assert.notInclude(
          JSON.stringify(Array.from(memory.quotas, ([name, held]) => [name, ...held])).toLowerCase(),
          "ann@"
        )
      }).pipe(Effect.provide(layer))
    }))

  it.effect("sets aside once what a process that died had set aside, and what its successor decides", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const first = desk(memory, [refunds({ EUR: 10 })])
      // The process dies after it has set aside, and before the call is recorded.
      const cut = yield* Effect.provide(play("EUR 10"), first.layer)
      const row = memory.runs.get(cut.runId)
      const at = row?.events.findIndex(({ type }) => type === "ToolCallRequested") ?? 0
      row?.events.splice(at)
      if (row !== undefined) Object.assign(row, { summary: undefined, owner: null, wakeAt: 0 })
      const second = desk(memory, [refunds({ EUR: 10 })])
      yield* Effect.gen(function*() {
        yield* play("EUR 1")
        yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(cut.runId))
        yield* play("EUR 1")
        assert.deepStrictEqual(second.paid, ["EUR 10"])
      }).pipe(Effect.provide(second.layer))
    }))

  it.effect("permits the same, whenever a process dies, and nothing beyond the limit", () => {
    let memory = MemoryStore.memory()
    return everyPrefix({
      stride: 2,
      program: Desk,
      input: "Refund.",
      stores: Effect.sync(() => {
        memory = MemoryStore.memory()
        return MemoryStore.layerOf(memory)
      }),
      world: () => ({ paid: new Map<string, string>() }),
      layer: ({ paid }) =>
        Desk.layer.pipe(
          Layer.provide(Layer.orDie(SharedLimits.layer([refunds({ EUR: 100 })])).pipe(Layer.provide(Layer.suspend(() =>
            MemoryStore.layerOf(memory)
          )))),
          Layer.provide([
            ScriptedModel.layer([
              ScriptedModel
                .toolCalls(["EUR 40", "EUR 50", "EUR 20"].map((amount) => ({ name: "refund", params: { amount } }))),
              refund("EUR 10"),
              refund("EUR 1"),
              "Done."
            ]),
            Kit.toLayer({
              refund: ({ amount }) =>
                Effect.map(ToolCall, ({ idempotencyKey }) => (paid.set(idempotencyKey, amount), "paid"))
            })
          ])
        ),
      effects: ({ paid }) => Array.from(paid.values()).toSorted()
    })
  })

  it.effect("has a person asked while the store cannot be asked", () =>
    Effect.gen(function*() {
      const broken = Effect.fail(new StoreError({ operation: "reserve", detail: "gone" }))
      const memory = MemoryStore.memory()
      const { layer, paid } = desk(memory, [refunds({ EUR: 10 })], { reserve: () => broken, settle: () => broken })
      const { view } = yield* Effect.provide(play("EUR 1"), layer)
      assert.strictEqual(view.status, "AwaitingApproval")
      assert.deepStrictEqual(paid, [])
    }))

  it("says which limits cannot be meant", () => {
    for (
      const [limit, why] of [
        [refunds({ EUR: 1 }, { per: "0 seconds" }), "not 0"],
        [refunds({ EUR: -1 }), "not negative"],
        [refunds({ EUR: 1 }, { field: "" }), "field"],
        [refunds({ EUR: 1 }, { of: "distinct" as never }), "calls or a sum"]
      ] as const
    ) assert.include(SharedLimits.problem(limit) ?? "", why)
    assert.isUndefined(SharedLimits.problem(refunds({ EUR: 1 })))
  })
})
