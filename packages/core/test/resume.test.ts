import type { Journal } from "@durable-agents/core"
import { Approval, Branch, CurrentStep, Program, Runs, Signal, Step, Timer } from "@durable-agents/core"
import { everyPrefix, People, Signals, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, HashMap, Ref, Schedule, Schema } from "effect"

/** A backend that honours idempotency keys: one effect for each, however often it is asked. */
class Backend {
  readonly byKey = new Map<string, string>()
  readonly effects = new Map<string, string>()
  readonly attempts = new Map<string, number>()

  act = (value: string, options: { readonly turns?: number; readonly failures?: number } = {}) =>
    Effect.gen({ self: this }, function*() {
      const { idempotencyKey, key } = yield* CurrentStep
      for (let i = 0; i < (options.turns ?? 0); i++) yield* Effect.yieldNow
      const tried = (this.attempts.get(key) ?? 0) + 1
      this.attempts.set(key, tried)
      if (tried <= (options.failures ?? 0)) return yield* Effect.fail(`not yet: ${value}`)
      const known = this.byKey.get(idempotencyKey)
      if (known === undefined) {
        this.byKey.set(idempotencyKey, value)
        this.effects.set(key, `${this.effects.get(key) ?? ""}${value}`)
      }
      return known ?? value
    })
}

const Text = { output: Schema.String, error: Schema.String }
const effectsOf = (backend: Backend) => Array.from(backend.effects).sort(([a], [b]) => a < b ? -1 : 1)

type More = Partial<Parameters<typeof everyPrefix<Backend, string, string, string>>[0]>

const scenarioOf = (
  name: string,
  body: (backend: Backend) => Effect.Effect<string, string, Journal>,
  more: More = {}
): Parameters<typeof everyPrefix<Backend, string, string, string>>[0] => {
  const program = Program.make(name, { input: Schema.String, output: Schema.String, error: Schema.String })
  return {
    program,
    input: "go",
    world: () => new Backend(),
    layer: (backend) => program.toLayer(() => body(backend)),
    effects: effectsOf,
    ...more
  }
}

const scenario = (...args: Parameters<typeof scenarioOf>) => everyPrefix(scenarioOf(...args))

const step = (backend: Backend, key: string, options?: { readonly turns?: number; readonly failures?: number }) =>
  backend.act(key, options).pipe(Step.run(key, Text), Effect.catchTag("BudgetExceeded", Effect.die))

describe("a program killed at every instant", () => {
  it.effect("ends the same when its steps follow each other", () =>
    Effect.gen(function*() {
      const trials = yield* scenario("sequence", (backend) =>
        Effect.gen(function*() {
          const a = yield* step(backend, "a")
          const b = yield* step(backend, "b")
          return a + b + (yield* step(backend, "c"))
        }))
      assert.isAtLeast(trials, 8)
    }))

  it.effect("ends the same when its steps run side by side and share memory", () =>
    scenario("parallel", (backend) =>
      Effect.gen(function*() {
        const order = yield* Ref.make("")
        yield* Effect.forEach(
          ["a", "b", "c"],
          (key, index) =>
            step(backend, key, { turns: 5 - index * 2 }).pipe(
              Effect.tap(() => Ref.update(order, (text) => text + key)),
              Effect.tap(() => step(backend, `${key}2`))
            ),
          { concurrency: "unbounded" }
        )
        return yield* Ref.get(order)
      })))

  it.effect("ends the same with a limit on concurrency", () =>
    scenario("limited", (backend) =>
      Effect.map(
        Step.forEach(["x", "y", "z"], { key: (item) => item, concurrency: 2 }, (item) =>
          Effect.andThen(step(backend, "first"), step(backend, "second", { turns: item.length }))),
        (all) =>
          all.join()
      )))

  for (const [first, second] of [[1, 7], [7, 1]] as const) {
    it.effect(`ends the same when two branches fail and ${first < second ? "the first" : "the second"} does so earlier`, () =>
      scenario(`failing-${first}`, (backend) =>
        Effect.all([
          step(backend, "left", { turns: first, failures: 9 }),
          step(backend, "right", { turns: second, failures: 9 })
        ], { concurrency: "unbounded" }).pipe(
          Effect.catch((error) => Effect.andThen(step(backend, "undo"), Effect.succeed([error]))),
          Effect.map((all) => all.join())
        )))
  }

  it.effect("ends the same with a race that has steps on both sides", () =>
    scenario("race", (backend) =>
      Effect.gen(function*() {
        const winner = yield* Branch.race("which", {
          slow: Effect.andThen(step(backend, "a"), step(backend, "b", { turns: 20 })),
          quick: step(backend, "c", { turns: 3 })
        })
        return winner + (yield* step(backend, "after"))
      }), { effects: (backend) => effectsOf(backend).filter(([key]) => !key.startsWith("which/slow")) }))

  it.effect("ends the same with a timer of days against a signal", () =>
    scenario("timer", (backend) =>
      Effect.gen(function*() {
        yield* step(backend, "before")
        const first = yield* Branch.race("patience", {
          told: Effect.as(Signal.receive("told"), "told"),
          bored: Effect.as(Timer.sleep("three-days", "3 days"), "bored")
        })
        yield* Timer.sleep("more", "1 hour")
        return first + (yield* step(backend, "after"))
      })))

  it.effect("ends the same with signals, early ones too", () =>
    scenario("signals", (backend) =>
      Effect.gen(function*() {
        const one = yield* Signal.receive("number", "one")
        yield* step(backend, "between")
        const two = yield* Signal.receive("number", "two")
        return `${one}${two}${yield* step(backend, "after")}`
      }), {
      // The second one comes before the run waits for it.
      outside: [
        Signals.send("number", 1),
        Signals.send("number", 2, { early: ({ state }) => HashMap.size(state.signalIds) === 1 })
      ]
    }))

  it.effect("ends the same with approvals in a row and side by side (AP-12)", () =>
    scenario("approvals", (backend) =>
      Effect.gen(function*() {
        const one = yield* Approval.request("one", { subject: "one?" })
        yield* step(backend, one._tag)
        const both = yield* Effect.all([
          Approval.request("two", { subject: "two?" }),
          Effect.andThen(step(backend, "beside"), Approval.request("three", { subject: "three?" }))
        ], { concurrency: "unbounded" })
        return both.map(({ _tag }) => _tag).join()
      }), { outside: People.approve }))

  it.effect("ends the same when a step is tried again, at once and after a long time", () =>
    scenario("retries", (backend) =>
      Effect.gen(function*() {
        const soon = yield* backend.act("soon", { failures: 2 }).pipe(
          Step.run("soon", { ...Text, retry: Schedule.recurs(5) }),
          Effect.catchTag("BudgetExceeded", Effect.die)
        )
        const late = yield* backend.act("late", { failures: 3 }).pipe(
          Step.run("late", { ...Text, retry: Schedule.exponential("1 minute").pipe(Schedule.upTo({ times: 6 })) }),
          Effect.catchTag("BudgetExceeded", Effect.die)
        )
        return soon + late
      })))

  it.effect("ends the same when it is cancelled while it waits, and undoes what it did", () =>
    scenario("cancel", (backend) =>
      Effect.gen(function*() {
        yield* step(backend, "reserve")
        yield* Effect.onInterrupt(Signal.receive("never"), () => Effect.orDie(step(backend, "undo")))
        return "not reached"
      }), {
      outside: (view) => Effect.flatMap(Runs, (runs) => runs.cancel(view.runId, { actor: "olga", reason: "enough" }))
    }))

  it.effect("ends the same when three processes die in a row", () =>
    scenario("deaths", (backend) =>
      Effect.gen(function*() {
        const all = yield* Effect.forEach(["a", "b"], (key) => step(backend, key), { concurrency: "unbounded" })
        return all.join() + (yield* step(backend, "c"))
      }), { deaths: 3 }))
})

describe("a program that two workers execute", () => {
  it.effect(
    "ends as with one, with parallel steps, approvals, signals, timers and late retries (WR-2, check 12)",
    () =>
      twoWorkers(scenarioOf("raced", (backend) =>
        Effect.gen(function*() {
          const both = yield* Effect.all([step(backend, "a"), step(backend, "b", { turns: 3 })], {
            concurrency: "unbounded"
          })
          const decision = yield* Approval.request("ok", { subject: "?" })
          const first = yield* Branch.race("patience", {
            told: Effect.as(Signal.receive("told"), "told"),
            bored: Effect.as(Timer.sleep("three-days", "3 days"), "bored")
          })
          const late = yield* backend.act("late", { failures: 1 }).pipe(
            Step.run("late", { ...Text, retry: Schedule.spaced("1 hour") }),
            Effect.catchTag("BudgetExceeded", Effect.die)
          )
          return [...both, decision._tag, first, late].join()
        }), { outside: [People.after("1 hour", People.approve), Signals.send("told", null, { after: "1 day" })] })),
    60_000
  )

  it.effect(
    "ends as with one when it is cancelled while it waits, and is undone once",
    () =>
      twoWorkers(scenarioOf("cancelled", (backend) =>
        Effect.gen(function*() {
          yield* step(backend, "reserve")
          yield* Effect.onInterrupt(Signal.receive("never"), () => Effect.orDie(step(backend, "undo")))
          return "not reached"
        }), {
        outside: (view) => Effect.flatMap(Runs, (runs) => runs.cancel(view.runId, { actor: "olga", reason: "enough" }))
      })),
    60_000
  )
})
