import { Approval, Digest, Fork, MemoryStore, Runs, Step, Timer } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { RunId } from "../src/Ids.ts"
import type { RunEvent } from "../src/RunEvent.ts"
import type { Operation, Place, RunState } from "../src/RunState.ts"
import { fold, initial, openPlaces, pendingApprovals, status } from "../src/RunState.ts"
import { eventsOf, execute, processOf, start, stateOf, tagsOf } from "./fixtures.ts"
import {
  approvalAt,
  completedOf,
  dana,
  failedOf,
  plain,
  recordedOf,
  requestOf,
  runId,
  started,
  stepAt,
  timerAt,
  toolAt,
  Traces
} from "./generators.ts"

const forkId = RunId.make("00000000-0000-4000-8000-000000000002")
const now = 9_000_000

const forked = (log: ReturnType<typeof recordedOf>, at: number, more: Partial<Fork.Options> = {}) =>
  Fork.make(log, { runId: forkId, at, actor: dana, now, started: {}, ...more })

const stateFrom = (events: ReadonlyArray<RunEvent>): RunState =>
  fold(
    initial(forkId),
    events.map((event, seq) => ({ runId: forkId, seq, at: now, epoch: Fork.copiedEpoch, event }))
  )

/** What a program can tell of a place; not when it was, nor under which idempotency key it is tried. */
const told = (place: Place) => {
  const { activeBefore: _a, since: _s, ...rest } = { activeBefore: 0, since: 0, ...place }
  if (rest._tag === "Approval") {
    const { expiresAtMillis: _, ...request } = rest.request
    return { ...rest, request }
  }
  if (rest._tag !== "Operation") return rest
  // A failure that names no time for the next attempt means its own.
  const { failures, idempotencyKey: _i, request, wakeAt: _w, ...own } = rest
  return { ...own, request: { ...request, idempotencyKey: "" }, failures: failures.map(({ event }) => keyless(event)) }
}

const keyless = (event: RunEvent) => ({ ...event, idempotencyKey: "" })

/** What a program can tell of a state. */
const seen = (state: RunState) => {
  const { open, places, seq, signalIds, signals, usage, budget, verdicts, paused, stuck } = plain(state)
  return {
    open,
    places: places.map(([key, place]) => [key, told(place)]),
    seq,
    signalIds,
    signals,
    usage,
    budget,
    verdicts: Array.from(verdicts),
    paused,
    stuck,
    input: state.started?.input
  }
}

const laws = { arbitrary: { size: 60, runs: 60 } }

describe("Fork.make", () => {
  it.prop("begins with the events of the original at their positions, and in the same state, from any position", {
    trace: Traces
  }, ({ trace: { log } }) => {
    for (let at = 1; at <= log.length; at += 3) {
      const original = fold(initial(runId), log.slice(0, at))
      const result = forked(log, at)
      const isOver = original.end !== undefined || original.cancel !== undefined
      assert.strictEqual(Result.isFailure(result), isOver)
      if (Result.isFailure(result)) continue
      const copied = result.success.slice(0, at)
      assert.deepStrictEqual(copied.map(({ _tag }) => _tag), log.slice(0, at).map(({ event }) => event._tag))
      assert.deepStrictEqual(seen(stateFrom(copied)), seen(original))
      // It goes on: nothing is in flight, paused or stuck.
      const state = stateFrom(result.success)
      assert.isFalse(state.paused)
      assert.isUndefined(state.stuck)
      assert.strictEqual(state.inFlight, 0)
      assert.strictEqual(state.problem?.detail, original.problem?.detail)
      assert.include(["Running", "AwaitingApproval", "AwaitingSignal", "Sleeping", "Pending"], status(state))
    }
  }, laws)

  it.prop("gives what has no outcome an idempotency key of the new run, and leaves what has one as it was", {
    trace: Traces
  }, ({ trace: { log } }) => {
    const result = forked(log, log.length)
    if (Result.isFailure(result)) return
    const before = new Map(operations(fold(initial(runId), log)).map((operation) => [operation.key, operation]))
    for (const operation of operations(stateFrom(result.success))) {
      const key = before.get(operation.key)?.idempotencyKey
      if (operation.request === undefined) continue
      if (operation.outcome === undefined) assert.notStrictEqual(operation.idempotencyKey, key)
      else assert.strictEqual(operation.idempotencyKey, key)
    }
  }, laws)

  it("derives the key of a call by the formula of any other", () => {
    const log = recordedOf([started(), requested(toolAt("pay"))])
    const [, request, failed] = Result.getOrThrow(forked(log, 2))
    assert.deepInclude(request, { _tag: "ToolCallRequested", key: "pay" })
    const { arguments: args, idempotencyKey, tool } = request?._tag === "ToolCallRequested"
      ? request
      : { arguments: null, idempotencyKey: "", tool: "" }
    assert.strictEqual(idempotencyKey, Digest.idempotencyKey(forkId, 1, tool, args))
    assert.deepInclude(failed, { _tag: "ToolCallFailed", key: "pay", final: false, wakeAtMillis: now })
    assert.notProperty(failed, "outcome")
  })

  it("has an approval that nobody decided ask again, with all of its time, and keeps one that was decided", () => {
    const log = recordedOf([
      started(),
      approvalAt("open", { expiresAtMillis: 5_000, onExpiry: "deny" }),
      approvalAt("done", { expiresAtMillis: 5_000, onExpiry: "deny" }),
      { _tag: "ApprovalGranted", key: "done", actor: dana }
    ])
    const events = Result.getOrThrow(forked(log, 4))
    const [pending, ...more] = pendingApprovals(stateFrom(events))
    assert.deepStrictEqual(more, [])
    assert.deepInclude(pending, { key: "open", expiresAt: now + 5_000 - (log[1]?.at ?? 0) })
    assert.deepInclude(events[2], { expiresAtMillis: 5_000 })
  })

  it("says where it comes from and who made it, and is nobody's child", () => {
    const log = recordedOf([
      started({ startKey: "order-7", parent: "p", traceparent: "t", labels: { team: "ops" } }),
      { _tag: "RunPaused", actor: dana },
      { _tag: "RunStuck", reason: "poison", detail: "?" }
    ])
    const [first, ...rest] = Result
      .getOrThrow(forked(log, 3, { reason: "again", started: { labels: { try: "2" } }, budget: { turns: 3 } }))
    assert.deepInclude(first, {
      requestedBy: dana,
      forkedFrom: { runId, seq: 3, reason: "again" },
      labels: { try: "2" }
    })
    for (const field of ["startKey", "parent", "traceparent"]) assert.notProperty(first, field)
    assert.deepStrictEqual(rest.slice(2).map(({ _tag }) => _tag), ["RunReleased", "RunResumed", "BudgetChanged"])
    for (const event of rest.slice(2)) assert.deepInclude(event, { actor: dana, reason: "again" })
  })

  it("is refused where nothing goes on from: no event, past the end, after an end or a cancel", () => {
    const log = recordedOf([
      started(),
      timerAt("nap", 5),
      { _tag: "RunCancelRequested", actor: dana, reason: "" },
      { _tag: "RunCancelled", actor: dana, reason: "", usage: stateFrom([]).usage }
    ])
    for (
      const [at, words] of [[0, "the first has to"], [5, "has 4 events"], [4, "end of the run"], [
        3,
        "to stop"
      ]] as const
    ) {
      const refused = forked(log, at)
      assert.include(Result.isFailure(refused) ? refused.failure.message : "", words)
    }
    assert.isTrue(Result.isSuccess(forked(log, 2)))
  })

  it("keeps what an operation has tried already, and its place in the schedule", () => {
    const step = stepAt("flaky")
    const log = recordedOf([started(), requested(step), failedOf(step, { final: false, wakeAtMillis: 5 })])
    const state = stateFrom(Result.getOrThrow(forked(log, 3)))
    const [operation] = openPlaces(state)
    assert.deepInclude(operation, { attempt: 1, inFlight: false, wakeAt: 5 })
    assert.strictEqual(state.seq, 3)
    const done = recordedOf([started(), requested(step), completedOf(step)])
    assert.deepStrictEqual(openPlaces(stateFrom(Result.getOrThrow(forked(done, 3)))), [])
  })
})

const requested = (operation: ReturnType<typeof stepAt>) =>
  requestOf(operation).requested({ key: operation.key, attempt: 1, idempotencyKey: `key of ${operation.key}` })

const operations = (state: RunState): ReadonlyArray<Operation> =>
  plain(state).places.map(([, place]) => place).filter((place) => place._tag === "Operation")

describe("Runs.fork", () => {
  /** Everything that a run does to the world: which step, under which key. */
  const world = () => {
    const effects: Array<readonly [string, string]> = []
    const act = (name: string) =>
      Effect.map(Step.idempotencyKey, (key) => {
        effects.push([name, key])
        return name
      }).pipe(Step.run(name, { output: Schema.String }))
    let failures = 0
    const flaky = Effect.suspend(() => (failures++ % 2 === 0 ? Effect.fail("busy") : Effect.void)).pipe(
      Effect.andThen(Step.idempotencyKey),
      Effect.map((key) => void effects.push(["flaky", key])),
      Step.run("flaky", { output: Schema.Void, error: Schema.String, retry: Schedule.recurs(3) }),
      Effect.orDie
    )
    const handler = () =>
      Effect.gen(function*() {
        const both = yield* Effect.all([act("a"), act("b")], { concurrency: 2 })
        yield* flaky
        const decision = yield* Approval.request("ship", { subject: "Ship it?", arguments: { n: 1 } })
        yield* Timer.sleep("nap", "1 hour")
        return [...both, yield* act("c"), decision._tag]
      })
    return { effects, handler }
  }

  const toEnd = Effect.fnUntraced(function*(id: RunId) {
    const runs = yield* Runs
    let view = yield* execute(id)
    while (view.status === "AwaitingApproval" || view.status === "Sleeping") {
      if (view.status === "AwaitingApproval") yield* runs.approve(id, { approval: "ship", actor: "dana" })
      else yield* TestClock.adjust("1 hour")
      view = yield* execute(id)
    }
    return view
  })

  it.effect("leads to the end from every position, does nothing twice, and does the rest under keys of its own", () => {
    const { effects, handler } = world()
    return Effect.gen(function*() {
      const runs = yield* Runs
      const original = yield* start()
      const ended = yield* toEnd(original)
      assert.deepStrictEqual(ended.output, ["a", "b", "c", "Granted"])
      const log = yield* eventsOf(original)
      const before = new Map(effects)
      for (let at = 1; at < log.length; at++) {
        effects.length = 0
        const id = yield* runs.fork(original, { at, actor: "dana" })
        const prefix = (yield* eventsOf(id)).slice(0, at)
        assert.deepStrictEqual(prefix.map(({ event }) => event._tag), log.slice(0, at).map(({ event }) => event._tag))
        const view = yield* toEnd(id)
        assert.deepStrictEqual(view.output, ended.output, `forked at ${at}`)
        const done = log.slice(0, at).flatMap(({ event }) => event._tag === "StepCompleted" ? [event.key] : [])
        assert.sameMembers(
          effects.map(([name]) => name),
          ["a", "b", "flaky", "c"].filter((name) => !done.includes(name))
        )
        for (const [name, key] of effects) assert.notStrictEqual(key, before.get(name))
      }
      assert.deepStrictEqual(yield* eventsOf(original), log)
    }).pipe(Effect.provide(processOf(handler)))
  }, 30_000)

  it.effect("is known by its start key, and refused under the key of another run", () => {
    const { handler } = world()
    return Effect.gen(function*() {
      const runs = yield* Runs
      const original = yield* start()
      yield* execute(original)
      const fork = (at: number, startKey = "again") => runs.fork(original, { at, actor: "dana", startKey })
      const id = yield* fork(3)
      assert.strictEqual(yield* fork(3), id)
      assert.strictEqual((yield* Effect.flip(fork(2)))._tag, "StartConflict")
      assert.notStrictEqual(yield* fork(3, "once more"), id)
      assert.strictEqual((yield* stateOf(id)).state.started?.startKey, "again")
      const unknown = yield* Effect.flip(runs.fork(forkId, { at: 1, actor: "dana" }))
      assert.strictEqual(unknown._tag, "RunNotFound")
      for (const at of [-1, 0, 0.5, 1e9, Number.NaN]) {
        const refused = yield* Effect.flip(fork(at, `at ${at}`))
        assert.strictEqual(refused._tag === "ForkRefused" ? refused.runId : refused._tag, original, `at ${at}`)
      }
      assert.strictEqual((yield* Effect.flip(runs.fork(original, { at: 3, actor: " " })))._tag, "InvalidRequest")
    }).pipe(Effect.provide(processOf(handler)))
  })

  it.effect("waits where the original waited, for a decision of its own", () => {
    const { handler } = world()
    const memory = MemoryStore.memory()
    return Effect.gen(function*() {
      const runs = yield* Runs
      const original = yield* start()
      const { seq } = yield* execute(original)
      const id = yield* runs.fork(original, { at: seq, actor: "dana" })
      assert.strictEqual((yield* stateOf(id)).status, "AwaitingApproval")
      yield* runs.deny(original, { approval: "ship", actor: "erik" })
      assert.strictEqual((yield* execute(id)).status, "AwaitingApproval")
      assert.deepStrictEqual((yield* toEnd(id)).output, ["a", "b", "c", "Granted"])
      assert.deepStrictEqual((yield* toEnd(original)).output, ["a", "b", "c", "Denied"])
      assert.notInclude(yield* tagsOf(id), "ApprovalDenied")
      assert.isTrue(Option.isSome(Option.fromNullishOr(memory.runs.get(id))))
    }).pipe(Effect.provide(processOf(handler, memory)))
  })
})
