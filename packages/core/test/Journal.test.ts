import type { CurrentStep, Journal } from "@durable-agents/core"
import {
  Approval,
  Branch,
  EventStore,
  MemoryStore,
  Program,
  RunQueue,
  Runs,
  Runtime,
  Signal,
  Step,
  StoreError,
  Timer
} from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Latch, Layer, Option, Ref, Schedule, Schema } from "effect"
import {
  counting,
  eventsOf,
  execute,
  failing,
  handled,
  type Handler,
  noCalls,
  noFaults,
  processOf,
  programOf,
  quick,
  runOnce,
  settings,
  start,
  stateOf,
  tagsOf
} from "./fixtures.ts"

const Text = { output: Schema.String, error: Schema.String }
const step = (key: string, effect: Effect.Effect<string, string, CurrentStep> = Effect.succeed(key)) =>
  effect.pipe(Step.run(key, Text))

/** Fails as many times, and waits a moment after each. */
const flaky = (fails: number) => {
  let calls = 0
  return Effect.suspend(() => ++calls <= fails ? Effect.fail("not yet") : Effect.succeed("flaky"))
    .pipe(Step.run("flaky", { ...Text, retry: Schedule.spaced("80 millis"), recovery: "fail" }))
}

describe("storing", () => {
  it.live("takes one append for each boundary of a sequence, and reads nothing back", () => {
    const calls = noCalls()
    const memory = MemoryStore.memory()
    const handler = () => Effect.map(Effect.forEach(["a", "b", "c", "d"], (key) => step(key)), (all) => all.join(""))
    const app = handled(handler).pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provideMerge(counting(calls)),
      Layer.provideMerge(MemoryStore.layerOf(memory)),
      Layer.provide(quick)
    )
    return Effect.gen(function*() {
      const runId = yield* start()
      const before = { ...calls }
      const view = yield* execute(runId)
      assert.strictEqual(view.output, "abcd")
      assert.strictEqual(calls.append - before.append, 5)
      assert.strictEqual(calls.read - before.read, 1)
      assert.strictEqual(calls.release - before.release, 0)
    }).pipe(Effect.provide(app))
  })

  it.live("puts the requests of parallel branches into one append", () => {
    const calls = noCalls()
    const app = handled(() =>
      Effect.map(
        Effect.forEach(["a", "b", "c"], (key) => step(key), { concurrency: "unbounded" }),
        (all) => all.join("")
      )
    ).pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provideMerge(counting(calls)),
      Layer.provideMerge(MemoryStore.layer),
      Layer.provide(quick)
    )
    return Effect.gen(function*() {
      const runId = yield* start()
      calls.append = 0
      yield* execute(runId)
      assert.isAtMost(calls.append, 3)
    }).pipe(Effect.provide(app))
  })

  it.live("has the outcome of one branch in the store within 50 ms while another one hangs", () =>
    Effect.gen(function*() {
      const hang = yield* Deferred.make<string>()
      const memory = MemoryStore.memory()
      const handler = () =>
        Effect.map(
          Effect.all([step("done"), step("hangs", Deferred.await(hang))], { concurrency: "unbounded" }),
          (all) => all.join()
        )
      yield* Effect.gen(function*() {
        const runId = yield* start()
        const runs = yield* Runs
        const running = yield* Effect.forkChild(execute(runId))
        const view = yield* runs.await(runId, (view) => Array.from(view.state.open).length === 1 && view.seq >= 4)
          .pipe(Effect.timeout("50 millis"))
        assert.strictEqual(view.status, "Running")
        yield* Deferred.succeed(hang, "late")
        const end = yield* Fiber.join(running)
        assert.strictEqual(end.output, "done,late")
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))

  it.live(
    "takes a thousand signals during a hundred steps without a replay or an unknown outcome",
    () =>
      Effect.gen(function*() {
        const bodies = yield* Ref.make(0)
        const handler = () =>
          Effect.gen(function*() {
            yield* Ref.update(bodies, (n) => n + 1)
            for (let i = 0; i < 100; i++) {
              yield* step(`s${i}`, Effect.as(Effect.andThen(Effect.yieldNow, Effect.yieldNow), "x"))
            }
            let sum = 0
            for (let i = 0; i < 1000; i++) sum += Number(yield* Signal.receive("n", `n${i}`))
            return sum
          })
        yield* Effect.gen(function*() {
          const runs = yield* Runs
          const runId = yield* start()
          const running = yield* Effect.forkChild(execute(runId))
          yield* Effect.forEach(Array.from({ length: 1000 }, (_, i) => i), (i) => runs.signal(runId, "n", i), {
            concurrency: 8
          })
          const view = yield* Fiber.join(running)
          const end = view.status === "Completed" ? view : yield* execute(runId)
          assert.strictEqual(end.output, 499_500)
          const events = yield* eventsOf(runId)
          assert.isTrue(events.every(({ event }) => event._tag !== "StepFailed"))
          assert.strictEqual(events.filter(({ event }) => event._tag === "StepRequested").length, 100)
          if (view.status === "Completed") assert.strictEqual(yield* Ref.get(bodies), 1)
        }).pipe(Effect.provide(processOf(handler)))
      }),
    30_000
  )

  it.live("keeps an outcome whose position a foreign event took (PG-3)", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<string>()
      const handler = () =>
        Effect.gen(function*() {
          const value = yield* step("slow", Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)))
          return [value, yield* Signal.receive("note")]
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* runs.signal(runId, "note", "first")
        yield* Deferred.succeed(go, "kept")
        const view = yield* Fiber.join(running)
        assert.deepStrictEqual(view.output, ["kept", "first"])
        assert.deepStrictEqual(yield* tagsOf(runId), [
          "RunStarted",
          "StepRequested",
          "SignalReceived",
          "StepCompleted",
          "SignalAwaited",
          "RunCompleted"
        ])
      }).pipe(Effect.provide(processOf(handler)))
    }))
})

describe("thousands of waits side by side", () => {
  const names = Array.from({ length: 5000 }, (_, index) => `w${index}`)
  const sideBySide = (wait: (name: string) => Effect.Effect<unknown, never, Journal>) => () =>
    Effect.as(Effect.forEach(names, wait, { concurrency: "unbounded", discard: true }), "all")

  it.live("begin and end within seconds", () =>
    Effect.gen(function*() {
      const timers = yield* runOnce(sideBySide((name) => Timer.sleep(name, "200 millis")), {
        settings: settings({ keep: "5 seconds" })
      })
      assert.strictEqual(timers.view.output, "all")
      const approvals = yield* runOnce(sideBySide((subject) => Approval.request(subject, { subject })))
      assert.strictEqual(approvals.view.pendingApprovals.length, 5000)
    }).pipe(Effect.timeout("8 seconds")), 20_000)
})

describe("keys", () => {
  it.live("are used once: a second use is a defect that names the key", () =>
    Effect.gen(function*() {
      const { view } = yield* runOnce(() => Effect.andThen(step("same"), step("same")))
      assert.strictEqual(view.status, "Failed")
      assert.include(view.reason, "`same` is used twice")
    }))

  it.live("of the items of a list that are equal are a defect before anything is done", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(() =>
        Step.forEach(["a", "b", "a"], { key: (item) => item }, () => step("pay")).pipe(Step.scope("all"))
      )
      assert.include(view.reason, "`all/a` is used twice")
      assert.strictEqual(events.length, 2)
    }))

  it.live("that do not fit say which versions of the program do not", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const versioned = (version: string) =>
        Program.make("test", { input: Schema.String, output: Schema.Json, error: Schema.String, version })
      const one = processOf(() => Effect.andThen(step("a"), Signal.receive("go")), memory, { program: versioned("1") })
      const two = processOf(() => Effect.andThen(step("b"), Signal.receive("go")), memory, { program: versioned("2") })
      const runId = yield* Effect.flatMap(Runs, (runs) => runs.start(versioned("1"), "input")).pipe(Effect.provide(one))
      yield* execute(runId).pipe(Effect.provide(one))
      yield* Effect.flatMap(Runs, (runs) => runs.signal(runId, "go", 1)).pipe(Effect.provide(two))
      const { reason } = yield* execute(runId).pipe(Effect.provide(two))
      assert.strictEqual(
        reason,
        "the log holds `a`, and the program does not ask for it; " +
          "the run was started with version `1` of its program, and this process has `2`"
      )
    }))

  it.live("that changed their meaning make the run stuck, and a release lets mended code go on", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const before = () =>
        Effect.gen(function*() {
          yield* step("a")
          return yield* Signal.receive("go")
        })
      const edited = () =>
        Effect.gen(function*() {
          yield* Timer.sleep("a", "1 hour")
          return yield* Signal.receive("go")
        })
      const runId = yield* start().pipe(Effect.tap(execute), Effect.provide(processOf(before, memory)))
      const stuck = yield* execute(runId).pipe(Effect.provide(processOf(edited, memory)))
      assert.strictEqual(stuck.status, "Stuck")
      assert.include(stuck.reason, "a step at `a`")
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        assert.strictEqual((yield* execute(runId)).status, "Stuck")
        yield* runs.release(runId, { actor: "olga" })
        yield* runs.signal(runId, "go", 1)
        assert.strictEqual((yield* execute(runId)).output, 1)
      }).pipe(Effect.provide(processOf(before, memory)))
    }))

  it.live("that changed their meaning make the run stuck whatever the program does then, and nothing else is recorded", () =>
    Effect.gen(function*() {
      const edits: ReadonlyArray<Handler> = [
        () => Effect.raceFirst(Timer.sleep("a", "1 hour"), Effect.succeed("never given")).pipe(Effect.as("done")),
        () =>
          Effect.all([Timer.sleep("a", "1 hour"), Branch.race("new", { x: Effect.succeed(1), y: Effect.succeed(2) })], {
            concurrency: "unbounded"
          }).pipe(Effect.as("done"))
      ]
      for (const edited of edits) {
        const memory = MemoryStore.memory()
        const runId = yield* start().pipe(
          Effect.tap(execute),
          Effect.provide(processOf(() => Effect.andThen(step("a"), Signal.receive("go")), memory))
        )
        yield* Effect.gen(function*() {
          assert.strictEqual((yield* execute(runId)).status, "Stuck")
          assert.deepStrictEqual((yield* tagsOf(runId)).slice(4), ["RunStuck"])
        }).pipe(Effect.provide(processOf(edited, memory), { local: true }))
      }
    }))

  it.live("that the program no longer asks for make the run stuck before anything new acts", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      let acted = 0
      const before = () => Effect.andThen(step("a"), Signal.receive("go"))
      const edited = () =>
        Effect.andThen(
          Effect.andThen(step("b", Effect.sync(() => `${++acted}`)), step("c")),
          Signal.receive("go")
        )
      const runId = yield* start().pipe(Effect.tap(execute), Effect.provide(processOf(before, memory)))
      const stuck = yield* execute(runId).pipe(Effect.provide(processOf(edited, memory)))
      assert.strictEqual(stuck.status, "Stuck")
      assert.strictEqual(stuck.state.stuck?.key, "a")
      assert.strictEqual(stuck.state.stuck?.heldBy, "b")
      assert.strictEqual(acted, 0)
    }))

  it.live("inside an operation cannot be used: operations do not nest", () =>
    Effect.gen(function*() {
      const { view } = yield* runOnce(() => step("outer", step("inner") as never))
      assert.strictEqual(view.status, "Failed")
      assert.include(view.reason, "operations do not nest")
    }))
})

describe("what a program is given", () => {
  it.live("is the decoded record, the first time too (EV-12)", () =>
    Effect.gen(function*() {
      const Odd = Schema.Struct({ at: Schema.Date, maybe: Schema.optional(Schema.String), text: Schema.String })
      const seen: Array<unknown> = []
      const handler = () =>
        Effect.gen(function*() {
          const odd = yield* Effect.succeed({ at: new Date(0), maybe: undefined, text: "a\u0000\ud800z" })
            .pipe(Step.run("odd", { output: Odd }))
          seen.push(odd)
          yield* Signal.receive("go")
          return odd.text
        })
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* execute(runId)
        yield* runs.signal(runId, "go", 1)
        const view = yield* execute(runId)
        assert.strictEqual(view.output, "a\u2400\ufffdz")
        assert.deepStrictEqual(seen[0], seen[1])
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))

  it.live("has its typed failures back as classes", () =>
    Effect.gen(function*() {
      class Refused extends Schema.TaggedError<Refused>()("Refused", { code: Schema.Finite }) {}
      const handler = () =>
        Effect.fail(new Refused({ code: 7 })).pipe(
          Step.run("call", { output: Schema.String, error: Refused }),
          Effect.catchTag("Refused", (error) => Effect.succeed(error instanceof Refused ? error.code : -1))
        )
      const { view } = yield* runOnce(handler)
      assert.strictEqual(view.output, 7)
    }))

  it.live("never includes a result that is too large, which is recorded once and not repeated (EV-7)", () =>
    Effect.gen(function*() {
      let calls = 0
      const { events, view } = yield* runOnce(() =>
        step(
          "big",
          Effect.sync(() => {
            calls += 1
            return "x".repeat(2 * 1024 * 1024)
          })
        )
      )
      assert.strictEqual(view.status, "Failed")
      assert.strictEqual(calls, 1)
      assert.isTrue(events.some(({ event }) => event._tag === "StepFailed" && event.reason === "TooLarge"))
    }))
})

describe("the order in which a program is given things", () => {
  it.live("is that of the log also when one append opens a wait that has its answer and answers another one", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const traces: Array<Array<string>> = []
      const [opens, asks] = [yield* Deferred.make<string>(), yield* Deferred.make<string>()]
      const stores = Latch.makeUnsafe(true)
      const handler = () =>
        Effect.gen(function*() {
          const trace: Array<string> = []
          traces.push(trace)
          const given = (name: string) => Effect.sync(() => trace.push(name))
          yield* Effect.all([
            Effect.andThen(Timer.sleep("nap", "100 millis"), given("timer")),
            Effect.andThen(step("asks", Deferred.await(asks)), Signal.receive("early"))
              .pipe(Effect.andThen(given("signal"))),
            Effect.andThen(step("opens", Deferred.await(opens)), step("on-its-way"))
          ], { concurrency: "unbounded" })
          return yield* Signal.receive("end")
        })
      const slow = Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) =>
          EventStore.of({
            ...store,
            append: (runId, append) =>
              append.epoch === undefined
                ? store.append(runId, append)
                : Effect.andThen(stores.await, store.append(runId, append))
          }))
      )
      const app = handled(handler).pipe(
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(slow),
        Layer.provideMerge(MemoryStore.layerOf(memory)),
        Layer.provide(settings({ keep: "5 seconds" }))
      )
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* runs.signal(runId, "early", 1)
        const running = yield* Effect.forkChild(execute(runId))
        yield* runs.await(runId, (view) => Array.from(view.state.open).length === 3)
        yield* stores.close
        yield* Deferred.succeed(opens, "opens")
        yield* Effect.sleep("5 millis")
        yield* Deferred.succeed(asks, "asks")
        yield* Effect.sleep("150 millis")
        yield* stores.open
        yield* Fiber.join(running)
        yield* runs.signal(runId, "end", 1)
        assert.strictEqual((yield* execute(runId)).status, "Completed")
        assert.deepStrictEqual(traces[0], ["signal", "timer"])
        assert.deepStrictEqual(traces[1], traces[0])
      }).pipe(Effect.provide(app))
    }))
})

describe("a person who says how an operation ended that is under way", () => {
  it.live("is believed at that place of the log, and what else is under way is recorded as it ends", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const traces: Array<Array<unknown>> = []
      const [late, other] = [yield* Deferred.make<string>(), yield* Deferred.make<string>()]
      const handler = () =>
        Effect.gen(function*() {
          const trace: Array<unknown> = []
          traces.push(trace)
          const given = (value: unknown) => Effect.sync(() => trace.push(value))
          yield* Effect.all([
            Effect.flatMap(step("late", Deferred.await(late)), given),
            Effect.flatMap(Deferred.await(other).pipe(Step.run("other", { ...Text, recovery: "fail" })), given),
            Effect.flatMap(Signal.receive("note"), given)
          ], { concurrency: "unbounded" })
          return yield* Signal.receive("end")
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* runs.await(runId, (view) => Array.from(view.state.open).length === 3)
        yield* runs.resolve(runId, { _tag: "Happened", key: "late", output: "by a person", actor: "olga" })
        yield* runs.signal(runId, "note", "noted")
        yield* Effect.sleep("20 millis")
        yield* Deferred.succeed(late, "by itself")
        yield* Deferred.succeed(other, "other")
        assert.strictEqual((yield* Fiber.join(running)).status, "AwaitingSignal")
        yield* runs.signal(runId, "end", 1)
        assert.strictEqual((yield* execute(runId)).status, "Completed")
        assert.deepStrictEqual(traces, [[], ["by a person", "noted", "other"], ["by a person", "noted", "other"]])
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))

  it.live("ends the wait for its next attempt", () =>
    Effect.gen(function*() {
      const handler = () => Effect.fail("no").pipe(Step.run("busy", { ...Text, retry: Schedule.spaced("2 seconds") }))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* runs.await(runId, (view) => view.waits.some(({ kind }) => kind === "retry"))
        yield* runs.resolve(runId, { _tag: "Happened", key: "busy", output: "by a person", actor: "olga" })
        const view = yield* Fiber.join(running).pipe(Effect.timeout("1 second"))
        assert.strictEqual(view.output, "by a person")
      }).pipe(Effect.provide(processOf(handler, MemoryStore.memory(), { settings: settings({ keep: "5 seconds" }) })))
    }))
})

describe("suspension", () => {
  it.live("happens in uninterruptible regions too, and no handler of the program can swallow it", () =>
    Effect.gen(function*() {
      const swallowed: Array<string> = []
      const handler = () =>
        Effect.gen(function*() {
          const waiting = Effect.uninterruptible(Signal.receive("go")).pipe(Effect.catchCause((cause) => {
            swallowed.push(Cause.hasInterrupts(cause) ? "interrupt" : "other")
            return step("never-recorded")
          }))
          return yield* waiting
        })
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const parked = yield* execute(runId)
        assert.strictEqual(parked.status, "AwaitingSignal")
        assert.deepStrictEqual(yield* tagsOf(runId), ["RunStarted", "SignalAwaited"])
        yield* runs.signal(runId, "go", "on")
        assert.strictEqual((yield* execute(runId)).output, "on")
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))

  it.live("appends nothing for operations that finalizers ask for", () =>
    Effect.gen(function*() {
      const handler = () => Effect.ensuring(Signal.receive("go"), Effect.exit(step("cleanup")))
      yield* Effect.gen(function*() {
        const runId = yield* start()
        assert.strictEqual((yield* execute(runId)).status, "AwaitingSignal")
        assert.deepStrictEqual(yield* tagsOf(runId), ["RunStarted", "SignalAwaited"])
        const runs = yield* Runs
        yield* runs.signal(runId, "go", 1)
        assert.strictEqual((yield* execute(runId)).output, 1)
        assert.include(yield* tagsOf(runId), "StepCompleted")
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("is not mistaken for an end: an executed run that waits appends nothing when executed again (check 11)", () =>
    Effect.gen(function*() {
      yield* Effect.gen(function*() {
        const runId = yield* start()
        const first = yield* execute(runId)
        const second = yield* execute(runId)
        assert.strictEqual(first.seq, second.seq)
        assert.strictEqual(second.status, "AwaitingApproval")
      }).pipe(Effect.provide(processOf(() => Effect.map(Approval.request("ok", { subject: "?" }), (d) => d._tag))))
    }))

  it.live("never comes while a run is blocked on something unknown: that makes it stuck", () =>
    Effect.gen(function*() {
      const { view } = yield* runOnce(() => Effect.never)
      assert.strictEqual(view.status, "Stuck")
      assert.strictEqual(view.state.stuck?.reason, "blocked")
    }))

  it.live("never comes while branches or what the log has closed are all that is waited for", () =>
    Effect.gen(function*() {
      const handlers: ReadonlyArray<Handler> = [
        () => Branch.race("race", { a: Effect.never, b: Effect.never }),
        () => Branch.race("race", { slow: Effect.uninterruptible(Signal.receive("closed")), quick: step("quick") })
      ]
      for (const handler of handlers) {
        const { view } = yield* runOnce(handler)
        assert.deepStrictEqual([view.status, view.state.stuck?.reason], ["Stuck", "blocked"])
      }
    }))

  it.live("never comes between two attempts of an operation that follow each other at once", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(() =>
        Effect.as(Effect.all([Signal.receive("go"), flaky(1)], { concurrency: "unbounded" }), null)
      )
      assert.strictEqual(view.status, "AwaitingSignal")
      assert.strictEqual(events.at(-1)?.event._tag, "StepCompleted")
    }))

  it.live("loses no decision that comes while it happens", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const handler = () =>
        Effect.gen(function*() {
          let sum = 0
          for (let i = 0; i < 30; i++) sum += Number(yield* Signal.receive("n", `n${i}`))
          return sum
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const sender = yield* Effect.forkChild(Effect.forEach(
          Array.from({ length: 30 }, (_, i) => i),
          (i) => Effect.andThen(Effect.sleep(`${i % 12} millis`), runs.signal(runId, "n", i))
        ))
        let view = yield* execute(runId)
        while (view.status !== "Completed") view = yield* execute(runId)
        yield* Fiber.join(sender)
        assert.strictEqual(view.output, 435)
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))
})

describe("interruption by the program", () => {
  it.live("records the outcome of a loser as unknown, and never gives it on replay", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.gen(function*() {
          const winner = yield* Branch.race("race", {
            hangs: step("slow", Effect.never),
            quick: step("quick")
          })
          yield* Signal.receive("go")
          return winner
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        assert.strictEqual((yield* execute(runId)).status, "AwaitingSignal")
        const events = yield* eventsOf(runId)
        const loser = events.find(({ event }) => event._tag === "StepFailed")?.event
        assert.isTrue(loser?._tag === "StepFailed" && loser.reason === "Interrupted" && loser.outcome === "unknown")
        yield* runs.signal(runId, "go", 1)
        assert.strictEqual((yield* execute(runId)).output, "quick")
      }).pipe(Effect.provide(processOf(handler)))
    }))

  /** A race whose branches both have their signal when the run is taken up; the first one wins. */
  const bothTold = (
    loser: (told: Effect.Effect<Schema.Json, never, Journal>) => Effect.Effect<Schema.Json, unknown, Journal>
  ) =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      for (const name of ["stop", "go", "go"]) yield* runs.signal(runId, name, name)
      const view = yield* execute(runId)
      return { view, events: yield* eventsOf(runId) }
    }).pipe(Effect.provide(processOf(() =>
      Branch.race("race", {
        stop: Signal.receive("stop"),
        go: loser(Signal.receive("go"))
      }).pipe(Effect.flatMap((first) => Effect.map(Signal.receive("go", "later"), (later) => [first, later])))
    )))

  it.live("begins nothing of a branch after the log says that another one has won", () =>
    Effect.gen(function*() {
      const acts = yield* bothTold((told) => Effect.andThen(told, step("ship")))
      assert.deepStrictEqual(acts.view.output, ["stop", "go"])
      assert.isUndefined(acts.events.find(({ event }) => event._tag === "StepRequested"))
      // The next signal of that name is not lost on it.
      const waits = yield* bothTold((told) => Effect.andThen(told, Signal.receive("go", "another")))
      assert.deepStrictEqual(waits.view.output, ["stop", "go"])
      const { events, view } = yield* runOnce(() =>
        Branch.race("race", { quick: Effect.succeed("quick"), acts: step("acts"), waits: Signal.receive("told") })
      )
      assert.strictEqual(view.output, "quick")
      assert.deepStrictEqual(events.map(({ event }) => event._tag), ["RunStarted", "BranchDecided", "RunCompleted"])
    }))

  it.live("lets a branch that has lost undo what it did, and end what cannot be interrupted", () =>
    Effect.gen(function*() {
      const undoes = yield* bothTold((told) =>
        told.pipe(Effect.andThen(step("ship")), Effect.onInterrupt(() => Effect.orDie(step("undo"))))
      )
      assert.deepStrictEqual(undoes.view.output, ["stop", "go"])
      const keys = undoes.events.flatMap(({ event }) => event._tag === "StepRequested" ? [event.key] : [])
      assert.deepStrictEqual(keys, ["race/go/undo"])
      const ends = yield* bothTold((told) => Effect.uninterruptible(Effect.andThen(told, step("ship"))))
      assert.deepStrictEqual(ends.view.output, ["stop", "go"])
      assert.isDefined(ends.events.find(({ event }) => event._tag === "StepCompleted"))
    }))

  it.live("closes an operation that waits a moment for its next attempt", () =>
    Effect.gen(function*() {
      const fails = step("fails", Effect.andThen(Effect.sleep("20 millis"), Effect.fail("no")))
      const handler = () =>
        Effect.andThen(
          Effect.exit(Effect.all([flaky(9), fails], { concurrency: "unbounded" })),
          Signal.receive("go")
        )
      const { events, view } = yield* runOnce(handler)
      assert.strictEqual(view.status, "AwaitingSignal")
      const last = events.findLast(({ event }) => event._tag === "StepFailed" && event.key === "flaky")?.event
      assert.isTrue(last?._tag === "StepFailed" && last.reason === "Interrupted" && last.outcome === undefined)
    }))

  it.live("closes an operation of which it is being looked up how it ended", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const begun = yield* Deferred.make<void>()
      const handler = (other: Effect.Effect<string, string>) => () =>
        Effect.andThen(
          Effect.exit(Effect.all([
            Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
              .pipe(Step.run("pay", { output: Schema.String, recovery: { lookup: Effect.never } })),
            step("other", other)
          ], { concurrency: "unbounded" })),
          Signal.receive("go")
        )
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(running)
        return runId
      }).pipe(Effect.provide(processOf(handler(Effect.never), memory)))
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* execute(runId)).status, "AwaitingSignal")
        const last = (yield* eventsOf(runId)).findLast(({ event }) => "key" in event && event.key === "pay")?.event
        assert.isTrue(last?._tag === "StepFailed" && last.reason === "Interrupted" && last.outcome === "unknown")
      }).pipe(Effect.provide(processOf(handler(Effect.fail("no")), memory)))
    }))

  it.live("closes a wait, and deciding it afterwards is refused", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.gen(function*() {
          yield* Effect.all([
            Approval.request("ok", { subject: "?" }),
            Effect.andThen(Timer.sleep("t", 20), step("fails", Effect.fail("no")))
          ], { concurrency: "unbounded" }).pipe(Effect.catch(() => Effect.void))
          return yield* Signal.receive("go")
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        let view = yield* execute(runId)
        while (view.status !== "AwaitingSignal") {
          yield* Effect.sleep("5 millis")
          view = yield* execute(runId)
        }
        assert.include(yield* tagsOf(runId), "WaitAbandoned")
        assert.strictEqual(view.pendingApprovals.length, 0)
        const late = yield* Effect.flip(runs.approve(runId, { approval: "ok", actor: "dana" }))
        assert.strictEqual(late._tag, "WaitClosed")
        yield* runs.signal(runId, "go", "end")
        assert.strictEqual((yield* execute(runId)).output, "end")
      }).pipe(Effect.provide(processOf(handler)))
    }))
})

describe("cancel", () => {
  it.live("of a run that appends at full speed lands within a second", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.gen(function*() {
          for (let i = 0;; i++) yield* step(`s${i}`)
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* runs.await(runId, (view) => view.seq > 200)
        yield* runs.cancel(runId, { actor: "olga", reason: "enough" })
        const view = yield* Fiber.join(running).pipe(Effect.timeout("1 second"))
        assert.strictEqual(view.status, "Cancelled")
        assert.strictEqual(view.reason, "enough")
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("lets an operation in flight end within the grace time and records it", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const handler = () =>
        Effect.andThen(
          step(
            "charge",
            Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Effect.sleep("30 millis"), "paid"))
          ),
          step("after")
        )
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* runs.cancel(runId, { actor: "olga", reason: "stop" })
        assert.strictEqual((yield* Fiber.join(running)).status, "Cancelled")
        assert.deepStrictEqual(yield* tagsOf(runId), [
          "RunStarted",
          "StepRequested",
          "RunCancelRequested",
          "StepCompleted",
          "RunCancelled"
        ])
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("ends a race of waits that a finalizer asks for, and lets the finalizer go on", () =>
    Effect.gen(function*() {
      const waits = Branch.race("race", { told: Signal.receive("told"), bored: Timer.sleep("bored", "1 hour") })
      const undo = Effect.orDie(step("undo"))
      const handler = () =>
        Effect.onInterrupt(
          Signal.receive("never"),
          () => undo.pipe(Effect.andThen(Effect.exit(waits)), Effect.andThen(Effect.orDie(step("undo-more"))))
        )
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* execute(runId)
        yield* runs.cancel(runId, { actor: "olga", reason: "stop" })
        assert.strictEqual((yield* execute(runId)).status, "Cancelled")
        const undone = (yield* eventsOf(runId)).flatMap(({ event }) =>
          event._tag === "StepCompleted" ? [event.key] : []
        )
        assert.deepStrictEqual(undone, ["undo", "undo-more"])
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("goes on when the run is paused after it", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<string>()
      const handler = () =>
        Effect.andThen(step("a", Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))), step("b"))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* runs.cancel(runId, { actor: "olga", reason: "stop" })
        yield* runs.pause(runId, { actor: "olga" })
        yield* Effect.sleep("20 millis")
        yield* Deferred.succeed(go, "a")
        assert.strictEqual((yield* Fiber.join(running)).status, "Cancelled")
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("records an operation that outlasts the grace time as unknown", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const handler = () => step("hangs", Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* runs.cancel(runId, { actor: "olga", reason: "stop" })
        assert.strictEqual((yield* Fiber.join(running)).status, "Cancelled")
        const events = yield* eventsOf(runId)
        assert.isTrue(events.some(({ event }) => event._tag === "StepFailed" && event.outcome === "unknown"))
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("lets finalizers undo what was done", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.gen(function*() {
          yield* step("reserve")
          yield* Effect.onInterrupt(Signal.receive("never"), () => Effect.orDie(step("undo")))
          return "not reached"
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* execute(runId)
        yield* runs.cancel(runId, { actor: "olga", reason: "stop" })
        assert.strictEqual((yield* stateOf(runId)).status, "Cancelling")
        assert.strictEqual((yield* execute(runId)).status, "Cancelled")
        const undone = (yield* eventsOf(runId)).filter(({ event }) => event._tag === "StepCompleted")
        assert.strictEqual(undone.length, 2)
      }).pipe(Effect.provide(processOf(handler)))
    }))

  it.live("ends a run at once that has not begun, or that is stuck", () =>
    Effect.gen(function*() {
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        assert.strictEqual((yield* runs.cancel(runId, { actor: "olga", reason: "no" })).status, "Cancelled")
        const stuckId = yield* start()
        assert.strictEqual((yield* execute(stuckId)).status, "Stuck")
        assert.strictEqual((yield* runs.cancel(stuckId, { actor: "olga", reason: "no" })).status, "Cancelled")
      }).pipe(Effect.provide(processOf(() => Effect.never)))
    }))
})

describe("recovery", () => {
  it.live("of a step that must not be repeated records that its outcome is unknown (EO-4)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const begun = yield* Deferred.make<void>()
      let calls = 0
      const handler = (hang: boolean) => () =>
        Effect.suspend(() => {
          calls += 1
          return hang ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) : Effect.succeed("paid")
        }).pipe(
          Step.run("pay", { output: Schema.String, recovery: "fail" }),
          Effect.catchTag("OperationFailed", (error) => Effect.succeed({ unknown: error.unknown }))
        )
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(running)
        return runId
      }).pipe(Effect.provide(processOf(handler(true), memory)))
      const view = yield* execute(runId).pipe(Effect.provide(processOf(handler(false), memory)))
      assert.deepStrictEqual(view.output, { unknown: true })
      assert.strictEqual(calls, 1)
    }))

  it.live("looks up whether it happened, and completes or repeats", () =>
    Effect.gen(function*() {
      for (const happened of [true, false]) {
        const memory = MemoryStore.memory()
        const begun = yield* Deferred.make<void>()
        let calls = 0
        const handler = (hang: boolean) => () =>
          Effect.suspend(() => {
            calls += 1
            return hang
              ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
              : Effect.succeed("paid again")
          }).pipe(Step.run("pay", {
            output: Schema.String,
            recovery: { lookup: Effect.succeed(happened ? Option.some("paid before") : Option.none()) }
          }))
        const runId = yield* Effect.gen(function*() {
          const runId = yield* start()
          const running = yield* Effect.forkChild(execute(runId))
          yield* Deferred.await(begun)
          yield* Fiber.interrupt(running)
          return runId
        }).pipe(Effect.provide(processOf(handler(true), memory)))
        const view = yield* execute(runId).pipe(Effect.provide(processOf(handler(false), memory)))
        assert.strictEqual(view.output, happened ? "paid before" : "paid again")
        assert.strictEqual(calls, happened ? 1 : 2)
      }
    }))

  it.live("tells a time-out apart from a failure: its outcome is unknown (EO-2)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(() =>
        Effect.never.pipe(
          Step.run("slow", { output: Schema.String, timeout: "10 millis", recovery: "fail" }),
          Effect.catchTag("OperationFailed", (error) => Effect.succeed([error.reason, error.unknown]))
        )
      )
      assert.deepStrictEqual(view.output, ["Timeout", true])
      assert.isTrue(events.some(({ event }) => event._tag === "StepFailed" && event.reason === "Timeout"))
    }))

  it.live("of a defect follows the policy and does not repeat without end", () =>
    Effect.gen(function*() {
      let calls = 0
      const { events, view } = yield* runOnce(() =>
        Effect.suspend(() => {
          calls += 1
          return Effect.die(new TypeError("bug"))
        }).pipe(Step.run("bug", { output: Schema.String, attempts: 2 })), { settings: settings({ keep: "5 seconds" }) })
      assert.strictEqual(calls, 2)
      assert.strictEqual(view.status, "Failed")
      assert.strictEqual(events.filter(({ event }) => event._tag === "StepFailed").length, 2)
    }), 10_000)
})

describe("leases", () => {
  it.live("that are lost stop the worker without an append, however late it wakes (WR-1)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<string>()
      let second = 0
      const slow = () =>
        Effect.andThen(
          step("a", Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))),
          step("b", Effect.sync(() => `${++second}`))
        )
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start()
        const zombie = yield* Effect.forkChild(Effect.exit(execute(runId)))
        yield* Deferred.await(begun)
        memory.aliveUntil.clear()
        const other = yield* execute(runId).pipe(Effect.provide(
          processOf(() => Effect.andThen(step("a"), step("b")), memory),
          { local: true }
        ))
        assert.strictEqual(other.status, "Completed")
        const length = other.seq
        yield* Deferred.succeed(go, "late")
        const late = yield* Fiber.join(zombie)
        assert.isTrue(Exit.isSuccess(late) && late.value.status === "Completed")
        assert.strictEqual((yield* stateOf(runId)).seq, length)
        assert.strictEqual(second, 0)
        return runId
      }).pipe(Effect.provide(processOf(slow, memory)))
      const events = yield* eventsOf(runId).pipe(Effect.provide(processOf(slow, memory)))
      const recovered = events.findIndex(({ event }) => event._tag === "RunRecovered")
      assert.isTrue(events.slice(recovered).every(({ epoch }) => epoch === 2))
    }))

  it.live("that are lost between an append and its late answer stop the worker before it acts", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      let acted = 0
      const takenOver = Layer.effect(
        EventStore,
        Effect.gen(function*() {
          const store = yield* EventStore
          const queue = yield* RunQueue
          return EventStore.of({
            ...store,
            append: (runId, append) =>
              append.epoch !== 1 || append.expected !== 1
                ? store.append(runId, append)
                : Effect.gen(function*() {
                  yield* store.append(runId, append)
                  memory.aliveUntil.clear()
                  yield* Effect.orDie(queue.acquire({ owner: "thief", leaseMillis: 60_000, runId }))
                  yield* store.append(runId, {
                    expected: 2,
                    epoch: 2,
                    events: [{ _tag: "RunRecovered", epoch: 2, owner: "thief" }]
                  })
                  return yield* new StoreError({ operation: "append", detail: "the connection broke" })
                })
          })
        })
      )
      const app = handled(() => step("a", Effect.sync(() => `${++acted}`))).pipe(
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(takenOver),
        Layer.provideMerge(MemoryStore.layerOf(memory)),
        Layer.provide(quick)
      )
      yield* Effect.gen(function*() {
        const runId = yield* start()
        const running = yield* Effect.forkChild(execute(runId))
        yield* Effect.sleep("100 millis")
        assert.strictEqual(acted, 0)
        assert.deepStrictEqual(yield* tagsOf(runId), ["RunStarted", "StepRequested", "RunRecovered"])
        yield* Fiber.interrupt(running)
      }).pipe(Effect.provide(app))
    }))

  it.live("that hold go on with an append whose answer was lost, whatever it said, and append it once", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const faults = noFaults()
      const handler = () =>
        Effect.gen(function*() {
          yield* Effect.exit(step("fails", Effect.fail("no")))
          yield* flaky(1)
          yield* Effect.exit(Branch.race("race", { hangs: step("hangs", Effect.never), quick: step("quick") }))
          return yield* step("last")
        })
      faults.append.push(...Array.from({ length: 12 }, () => "answersWithAnError" as const))
      const app = handled(handler).pipe(
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(failing(faults)),
        Layer.provideMerge(MemoryStore.layerOf(memory)),
        Layer.provide(quick)
      )
      yield* Effect.gen(function*() {
        const runId = yield* start()
        assert.strictEqual((yield* execute(runId)).output, "last")
        const keys = (yield* eventsOf(runId)).map(({ event }) =>
          "attempt" in event ? `${event.key}/${event.attempt}` : ""
        )
        const requests = (yield* tagsOf(runId)).flatMap((tag, index) => tag === "StepRequested" ? [keys[index]] : [])
        assert.deepStrictEqual(requests, [
          "fails/1",
          "flaky/1",
          "flaky/2",
          "race/hangs/hangs/1",
          "race/quick/quick/1",
          "last/1"
        ])
      }).pipe(Effect.provide(app))
    }))

  it.live("are given back when the store has a bug, which is a defect of who executes the run", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const app = handled(() => step("a")).pipe(
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(failing({ ...noFaults(), append: ["dies"] })),
        Layer.provideMerge(MemoryStore.layerOf(memory)),
        Layer.provide(quick)
      )
      yield* Effect.gen(function*() {
        const runId = yield* start()
        const exit = yield* Effect.exit(execute(runId)).pipe(Effect.timeout("2 seconds"))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.isNull(memory.runs.get(runId)?.owner)
        assert.strictEqual((yield* execute(runId)).output, "a")
      }).pipe(Effect.provide(app))
    }))

  it.live("that are confirmed for one run are not taken as confirmed for another one that is lost", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const faults = { ...noFaults(), heartbeat: 1000 }
      const gates = { kept: yield* Deferred.make<void>(), lost: yield* Deferred.make<void>() }
      const acted: Array<string> = []
      const handler = (input: string) =>
        Effect.gen(function*() {
          yield* step("first")
          yield* Deferred.await(input === "kept" ? gates.kept : gates.lost)
          return yield* step("second", Effect.sync(() => `${acted.push(input)}`))
        })
      const app = handled(handler).pipe(
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(failing(faults)),
        Layer.provideMerge(MemoryStore.layerOf(memory)),
        Layer.provide(settings({ lease: "300 millis", blockedAfter: "1 minute" }))
      )
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const queue = yield* RunQueue
        const kept = yield* runs.start(programOf(), "kept")
        const lost = yield* runs.start(programOf(), "lost")
        const running = yield* Effect.forkChild(execute(kept))
        const losing = yield* Effect.forkChild(execute(lost))
        yield* Effect.forEach([kept, lost], (runId) => runs.await(runId, (view) => view.seq === 3))
        yield* Effect.sleep("200 millis")
        memory.aliveUntil.clear()
        yield* queue.acquire({ owner: "thief", leaseMillis: 60_000, runId: lost })
        faults.heartbeat = 0
        yield* Deferred.succeed(gates.kept, undefined)
        yield* Fiber.join(running)
        yield* Deferred.succeed(gates.lost, undefined)
        yield* Effect.sleep("50 millis")
        assert.deepStrictEqual(acted, ["kept"])
        yield* Fiber.interrupt(losing)
      }).pipe(Effect.provide(app))
    }))

  it.live("give many callers at once the same end, with side effects once (WR-2, check 12)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      let effects = 0
      const handler = () => step("pay", Effect.andThen(Effect.sleep("5 millis"), Effect.sync(() => `${++effects}`)))
      const runId = yield* start().pipe(Effect.provide(processOf(handler, memory)))
      const once = execute(runId).pipe(Effect.provide(processOf(handler, memory)))
      const twice = Effect.all([execute(runId), execute(runId)], { concurrency: 2 })
        .pipe(Effect.provide(processOf(handler, memory)))
      const [a, b, [c, d]] = yield* Effect.all([once, once, twice], { concurrency: "unbounded" })
      assert.deepStrictEqual([a.output, b.output, c.output, d.output], ["1", "1", "1", "1"])
      const tags = yield* tagsOf(runId).pipe(Effect.provide(processOf(handler, memory)))
      assert.deepStrictEqual(tags, ["RunStarted", "StepRequested", "StepCompleted", "RunCompleted"])
    }))
})

describe("budgets", () => {
  it.live("of wall-clock time refuse the next request, and the refusal is replayed", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const handler = () =>
        Effect.gen(function*() {
          yield* step("a", Effect.as(Effect.sleep("600 millis"), "a"))
          const refused = yield* Effect.flip(step("b"))
          yield* Signal.receive("go")
          return refused instanceof Error ? refused.message : refused
        })
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start({ budget: { wallMillis: 500 } })
        assert.strictEqual((yield* execute(runId)).status, "AwaitingSignal")
        yield* runs.changeBudget(runId, { wallMillis: 100_000 }, { actor: "olga" })
        yield* runs.signal(runId, "go", 1)
        assert.include(String((yield* execute(runId)).output), "allows 500 milliseconds")
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))
})

describe("logs that cannot be executed here", () => {
  it.live("with an unknown event are put back, and readable (D61)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const handler = () => Signal.receive("go")
      yield* Effect.gen(function*() {
        const runId = yield* start()
        yield* execute(runId)
        memory.runs.get(runId)?.events.push({ type: "RunTeleported", payload: "{}", at: 0, epoch: undefined })
        const error = yield* Effect.flip(execute(runId))
        assert.strictEqual(error._tag, "NotExecutable")
        assert.include(error.message, "RunTeleported")
        assert.strictEqual((yield* stateOf(runId)).status, "AwaitingSignal")
        const queue = yield* RunQueue
        const due = yield* queue.claim({
          owner: "me",
          leaseMillis: 1000,
          namespace: "default",
          programs: ["test"],
          limit: 1
        })
        assert.strictEqual(due.length, 0)
      }).pipe(Effect.provide(processOf(handler, memory)))
    }))
})

describe("settings", () => {
  it.live("keep a run in memory that is due again soon", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(
        () => Effect.as(Timer.sleep("nap", "60 millis"), "rested"),
        { settings: settings({ keep: "5 seconds" }) }
      )
      assert.strictEqual(view.output, "rested")
      assert.strictEqual(events.at(-1)?.epoch, 1)
    }))
})
