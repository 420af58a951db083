import {
  Approval,
  Branch,
  EventStore,
  InvalidRequest,
  MemoryStore,
  Program,
  type RunId,
  RunIndex,
  Runs,
  Signal,
  type StartOptions,
  Step,
  Timer,
  Worker
} from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { execute, type Handler, processOf, programOf, runOnce, start, stateOf } from "./fixtures.ts"

const deep = Array.from({ length: 100_000 }).reduce<Schema.Json>((inner) => [inner], 1)
const unreadable = {
  get cents(): number {
    throw new Error("not to be read")
  }
}

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
        refuse({ startKey: "" }),
        refuse({ requestedBy: " " }),
        refuse({ budget: { turns: 1.5 } }),
        refuse({ budget: { turns: -1 } }),
        refuse({ budget: { costUsd: "much" } }),
        refuse({ priority: 0.5 }),
        refuse({}, "x".repeat(100_001)),
        Effect.flip(runs.start(programOf(), 7 as never))
      ])
      assert.isTrue(errors.every(({ _tag }) => _tag === "InvalidRequest"))
      const Anything = Program.make("anything", { input: Schema.Json, output: Schema.Json })
      const large = yield* Effect.flip(runs.start(Anything, ["x".repeat(2_000_000)]))
      assert.match(large.message, /^`input` has 2000004 bytes of JSON, more than/)
      const index = yield* RunIndex
      assert.deepStrictEqual((yield* index.list()).items, [])
    }).pipe(Effect.provide(processOf(() => step("a")))))

  it.effect("under the same key refuses whatever would be done otherwise, and takes who asks and when as they come", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const program = Program.make("guarded", {
        input: Schema.String,
        output: Schema.Json,
        error: Schema.String,
        description: { guardrailProfile: "low", guardrailProfiles: ["low", "high"] }
      })
      const options = { startKey: "k", labels: { a: "1", b: "2" }, budget: { turns: 3 }, priority: 1 }
      const start = (more: StartOptions = {}, input = "x") => runs.start(program, input, { ...options, ...more })
      const runId = yield* start()
      for (
        const same of [
          { labels: { b: "2", a: "1" } },
          { requestedBy: "sam" },
          { startAt: DateTime.makeUnsafe(60_000) },
          { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
        ]
      ) assert.strictEqual(yield* start(same), runId)
      for (
        const other of [
          { labels: {} },
          { budget: { turns: 4 } },
          { budget: { turns: 3, tokens: 1 } },
          { priority: 2 },
          { systemPrompt: "Obey." },
          { guardrailProfile: "high" },
          { contentDigest: "another" }
        ]
      ) assert.deepInclude(yield* Effect.flip(start(other)), { _tag: "StartConflict", runId })
      assert.strictEqual((yield* Effect.flip(start({}, "y")))._tag, "StartConflict")
    }).pipe(Effect.provide(processOf(() => step("a")))))

  it.effect("with a time in the future is not due before it, whatever else is decided", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* runs.start(programOf(), "x", { startAt: DateTime.makeUnsafe(60_000) })
        yield* runs.signal(runId, "early", 1)
        assert.strictEqual(memory.runs.get(runId)?.wakeAt, 60_000)
        assert.strictEqual((yield* runs.state(runId)).wakeAt, 60_000)
        const listed = yield* (yield* RunIndex).get(runId)
        assert.strictEqual(Option.getOrUndefined(listed)?.wakeAt, 60_000)
        yield* Layer.build(Worker.layer({ poll: "1 second" }))
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual((yield* runs.state(runId)).status, "Pending")
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* runs.await(runId)).status, "Completed")
      }).pipe(Effect.scoped, Effect.provide(processOf(() => step("a"), memory)))
    }))
})

describe("Runs.signal", () => {
  it.effect("takes the same again under one id, also after the end, and refuses another signal under it", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      const send = (payload: Schema.Json, name = "go", id = "s-1") => runs.signal(runId, name, payload, { id })
      yield* send({ a: 1, b: [2] })
      const { seq } = yield* runs.signal(runId, "go", "between")
      assert.strictEqual((yield* send({ b: [2], a: 1 })).seq, seq)
      const refused = [yield* Effect.flip(send({ a: 2 })), yield* Effect.flip(send({ a: 1, b: [2] }, "stop"))]
      for (const each of refused) assert.deepInclude(each, { _tag: "SignalConflict", id: "s-1", seq: 1 })
      assert.strictEqual((yield* execute(runId)).status, "Completed")
      const ended = (yield* runs.state(runId)).seq
      assert.strictEqual((yield* send({ a: 1, b: [2] })).seq, ended)
      assert.strictEqual((yield* Effect.flip(send({ a: 2 })))._tag, "SignalConflict")
      assert.strictEqual((yield* Effect.flip(send(1, "go", "s-2")))._tag, "RunClosed")
    }).pipe(Effect.provide(processOf(() => step("a")))))

  it.effect("lets one of two signals have an id that arrive at once", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      const sent = yield* Effect.forEach(
        [1, 2, 1, 2],
        (payload) => Effect.result(runs.signal(runId, "go", payload, { id: "s-1" })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(sent.filter(Result.isSuccess), 2)
      assert.strictEqual((yield* runs.state(runId)).seq, 2)
    }).pipe(Effect.provide(processOf(() => step("a")))))
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

describe("what callers give in another type than declared", () => {
  const other = <A>(value: unknown) => value as A
  const refused: ReadonlyArray<
    readonly [
      string,
      (runs: Runs["Service"], runId: RunId) => Effect.Effect<unknown, { readonly _tag: string }>,
      string
    ]
  > = [
    [
      "an actor of an unknown kind",
      (runs, id) => runs.approve(id, { approval: "ok", actor: other({ kind: "robot", id: "x" }) }),
      "`actor` wants"
    ],
    ["no actor", (runs, id) => runs.deny(id, { approval: "ok", actor: other(undefined) }), "`actor` wants"],
    [
      "a reason that is null",
      (runs, id) => runs.cancel(id, { actor: "dana", reason: other(null) }),
      "`reason` is no text"
    ],
    [
      "a comment that is a number",
      (runs, id) => runs.approve(id, { approval: "ok", actor: "dana", comment: other(5) }),
      "`comment` is no text"
    ],
    [
      "an amount that is no number",
      (runs, id) => runs.signal(id, "paid", { lines: [{ cents: NaN }] }),
      "`payload` holds NaN"
    ],
    [
      "a value of too many levels",
      (runs, id) => runs.signal(id, "paid", deep),
      "`payload`"
    ],
    [
      "a value that cannot be looked at",
      (runs, id) => runs.signal(id, "paid", unreadable),
      "`payload`"
    ],
    [
      "no approval",
      (runs, id) => runs.approve(id, { approval: other(undefined), actor: "dana" }),
      "`approval` is no text"
    ],
    [
      "an error that is a number",
      (runs, id) => runs.resolve(id, { _tag: "DidNotHappen", key: "pay", error: other(5), actor: "dana" }),
      "`error` is no text"
    ],
    [
      "a label that is a number",
      (runs) => runs.start(programOf(), "x", { labels: other({ a: 5 }) }),
      "`labels` is no text"
    ],
    [
      "somebody of an unknown kind who asks",
      (runs) => runs.start(programOf(), "x", { requestedBy: other({ kind: "robot", id: "x" }) }),
      "`actor` wants"
    ],
    [
      "an unknown scope of a key",
      (runs) => runs.start(programOf(), "x", { startKey: "a", startKeyScope: other("all") }),
      "`startKeyScope` wants"
    ],
    [
      "a digest that is a number",
      (runs) => runs.start(programOf(), "x", { startKey: "a", contentDigest: other(5) }),
      "`contentDigest` is no text"
    ]
  ]
  for (const [name, act, message] of refused) {
    it.effect(`is refused, and the run goes on: ${name}`, () =>
      Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* execute(runId)
        const error = yield* Effect.flip(act(runs, runId))
        assert.isTrue(error instanceof InvalidRequest && error.message.startsWith(message), String(error))
        yield* runs.approve(runId, { approval: "ok", actor: "dana" })
        assert.strictEqual((yield* execute(runId)).status, "Completed")
        assert.strictEqual((yield* (yield* RunIndex).list()).items.length, 1)
      }).pipe(Effect.provide(processOf(() => Effect.map(Approval.request("ok", { subject: "?" }), (d) => d._tag)))))
  }

  it.effect("is no run: a text that is no id", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      for (const id of [other<RunId>("garbage"), other<RunId>(undefined)]) {
        const errors = yield* Effect.all([
          Effect.flip(runs.state(id)),
          Effect.flip(runs.cancel(id, { actor: "dana" })),
          Effect.flip(runs.fork(id, { at: 1, actor: "dana" })),
          Effect.flip(runs.await(id)),
          Effect.flip(execute(id))
        ])
        for (const error of errors) assert.strictEqual(error.message, `There is no run \`${id}\``)
        assert.deepStrictEqual(yield* Stream.runCollect(runs.events(id)), [])
      }
    }).pipe(Effect.provide(processOf(() => step("a")))))
})

describe("what cannot be written down", () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const cases: ReadonlyArray<readonly [string, Handler]> = [
    ["a key without characters", () => step("")],
    ["a key of 257 characters", () => step("x".repeat(257))],
    ["a key with U+0000", () => step("a\u0000")],
    ["a key with half a surrogate pair", () => Timer.sleep("\ud83d", 1).pipe(Effect.as(null))],
    ["a signal named with U+0000", () => Signal.receive("a\u0000", "key")],
    ["a timer without an end", () => Effect.as(Timer.sleep("t", Infinity), null)],
    ["a timer of no number", () => Effect.as(Timer.sleep("t", NaN), null)],
    ["a timer of no number of days", () => Effect.as(Timer.sleep("t", { days: NaN }), null)],
    ["a timer of what is no duration", () => Effect.as(Timer.sleep("t", "3 fortnights" as never), null)],
    [
      "an approval that expires after no number",
      () => Effect.as(Approval.request("ok", { subject: "?", expiresIn: NaN, onExpiry: "approve" }), null)
    ],
    [
      "a time-out of no number",
      () => Effect.succeed(1).pipe(Step.run("pay", { output: Schema.Int, timeout: NaN }), Effect.orDie)
    ],
    [
      "an approval of an amount that is no number",
      () => Effect.as(Approval.request("ok", { subject: "?", arguments: { lines: [{ cents: NaN }] } }), null)
    ],
    [
      "an approval with arguments that are no JSON",
      () => Effect.as(Approval.request("ok", { subject: "?", arguments: { cents: 1n } as never }), null)
    ],
    [
      "an approval with arguments that hold themselves",
      () => Effect.as(Approval.request("ok", { subject: "?", arguments: cycle as never }), null)
    ],
    [
      "an approval with arguments of too many levels",
      () => Effect.as(Approval.request("ok", { subject: "?", arguments: deep }), null)
    ],
    [
      "an approval with arguments that cannot be looked at",
      () => Effect.as(Approval.request("ok", { subject: "?", arguments: unreadable as never }), null)
    ],
    ["an approval without words", () => Effect.as(Approval.request("ok", { subject: undefined as never }), null)],
    ["a race without branches", () => Branch.race("r", {})],
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
