import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import process from "node:process"
import type { CallUsage } from "../src/Budget.ts"
import type { Recorded, RunEvent } from "../src/RunEvent.ts"
import type { RunState, RunStatus } from "../src/RunState.ts"
import {
  comparePositions,
  evolve,
  fold,
  initial,
  isEnded,
  kindOf,
  openPlaces,
  pendingApprovals,
  placeAt,
  status,
  wakeAt
} from "../src/RunState.ts"
import {
  and,
  approvalAt,
  awaitedAt,
  completedOf,
  dana,
  failedOf,
  given,
  Logs,
  modelAt,
  plain,
  received,
  recordedOf,
  requestOf,
  runId,
  started,
  stepAt,
  timerAt,
  toolAt,
  Traces
} from "./generators.ts"

const any = { arbitrary: { size: 60, runs: 60 } }

type Asked = ReturnType<typeof stepAt>

const requested = (
  operation: Asked,
  attempt = 1,
  reserve?: { readonly tokens: number; readonly costUsd: string }
): RunEvent =>
  requestOf(operation, reserve === undefined ? {} : { reserve }).requested({
    key: operation.key,
    attempt,
    idempotencyKey: `key of ${operation.key}`
  })

const granted = (key: string): RunEvent => ({ _tag: "ApprovalGranted", key, actor: dana })
const cancelRequested: RunEvent = { _tag: "RunCancelRequested", actor: dana, reason: "enough" }
const completed = (state: RunState): RunEvent => ({ _tag: "RunCompleted", output: null, usage: state.usage })
const chosen = (winner: string, key = "race"): RunEvent => ({ _tag: "BranchDecided", key, winner })
const keysOf = (state: RunState) => openPlaces(state).map(({ key }) => key)
const operationAt = (state: RunState, key: string) => {
  const place = placeAt(state, key)
  return place?._tag === "Operation" ? place : assert.fail(`no operation at ${key}`)
}

describe("RunState.fold", () => {
  it.prop("reads any log, whatever is in it, and gives everything that is asked of a state (check 3)", {
    log: Logs
  }, ({ log }) => {
    for (let length = 0; length <= log.length; length += 7) {
      const state = fold(initial(runId), log.slice(0, length))
      assert.isString(status(state))
      assert.isAtMost(openPlaces(state).length, log.length)
      assert.isAtMost(pendingApprovals(state).length, openPlaces(state).length)
      assert.isTrue(wakeAt(state) === undefined || !isEnded(state))
    }
  }, any)

  it.prop("gives the same state for the same log", { log: Logs }, ({ log }) => {
    assert.deepStrictEqual(plain(fold(initial(runId), log)), plain(fold(initial(runId), structuredClone(log))))
  }, any)

  it.prop("does not depend on where a log is split", { log: Logs, at: Schema.Natural }, ({ at, log }) => {
    const split = log.length === 0 ? 0 : at % (log.length + 1)
    assert.deepStrictEqual(
      plain(fold(fold(initial(runId), log.slice(0, split)), log.slice(split))),
      plain(fold(initial(runId), log))
    )
  }, any)

  it.prop("leaves the state that it begins with as it was", { log: Logs, more: Logs }, ({ log, more }) => {
    const state = fold(initial(runId), log)
    const before = plain(state)
    fold(state, more)
    assert.deepStrictEqual(plain(state), before)
  }, any)

  it.prop("keeps the first outcome, the first choice and the first answer of every key", { log: Logs }, ({ log }) => {
    let state = initial(runId)
    for (const recorded of log) {
      const next = evolve(state, recorded)
      for (const place of plain(state).places.map(([, place]) => place)) {
        const later = placeAt(next, place.key)
        assert.strictEqual(later?._tag, place._tag)
        assert.strictEqual(later?.seq, place.seq)
        if (place._tag === "Operation") {
          if (place.outcome !== undefined) assert.strictEqual(later, place)
        } else if (place.position !== undefined) assert.strictEqual(later, place)
      }
      state = next
    }
  }, any)

  it.prop("changes nothing but the length of the log and its time after the end", { log: Logs }, ({ log }) => {
    const end = log.findIndex((_, index) => isEnded(fold(initial(runId), log.slice(0, index))))
    if (end === -1) return
    const ended = fold(initial(runId), log.slice(0, end))
    const { epoch: _, problem, seq: __, updatedAt: ___, ...then } = plain(fold(ended, log.slice(end)))
    const { epoch: ____, problem: before, seq: _____, updatedAt: ______, ...now } = plain(ended)
    assert.deepStrictEqual(then, now)
    assert.isDefined(end < log.length ? problem : before ?? "none")
    assert.deepStrictEqual(openPlaces(ended), [])
  }, any)

  it.prop("holds every place open exactly once, and never one that has its answer", { log: Logs }, ({ log }) => {
    const state = fold(initial(runId), log)
    for (const place of openPlaces(state)) {
      assert.isTrue(place._tag === "Operation"
        ? place.outcome === undefined
        : place.position === undefined && !place.closed)
    }
    const seqs = openPlaces(state).map(({ seq }) => seq)
    assert.deepStrictEqual(seqs, seqs.toSorted((a, b) => a - b))
    for (const [, place] of plain(state).places) {
      if (place._tag === "Operation" && place.inFlight && !isEnded(state)) assert.include(keysOf(state), place.key)
    }
  }, any)

  it.prop("notes nothing of a log that was decided, from any prefix on", { trace: Traces }, ({ trace }) => {
    let state = initial(runId)
    for (const recorded of trace.log) {
      state = evolve(state, recorded)
      assert.isUndefined(state.problem)
      assert.strictEqual(state.seq, recorded.seq + 1)
    }
    assert.deepStrictEqual(plain(state), plain(trace.state))
  }, any)
})

describe("RunState.evolve", () => {
  /** How much more of the processor an event takes at the end of a log than in its first 2,000 events, measured until it is `enough`. */
  const growth = (log: ReadonlyArray<Recorded>, enough: number): number => {
    const perEvent = (state: RunState, events: ReadonlyArray<Recorded>): number => {
      const begun = process.cpuUsage()
      fold(state, events)
      const { system, user } = process.cpuUsage(begun)
      return Math.max(1, user + system) / events.length
    }
    const start = initial(runId)
    const late = fold(start, log.slice(0, -2_000))
    let [first, last] = [Infinity, Infinity]
    for (let round = 0; round < 60 && (round < 5 || last / first > enough); round++) {
      first = Math.min(first, perEvent(start, log.slice(0, 2_000)))
      last = Math.min(last, perEvent(late, log.slice(-2_000)))
    }
    return last / first
  }

  const many = Array.from({ length: 10_000 }, (_, index) => `orders/order-${index}/charge`)

  it("costs the same at the 20,000th step of a run as at its first", () => {
    const more = many.map((key) => `more/${key}`)
    const log = recordedOf([
      started(),
      ...[...many, ...more].map(stepAt).flatMap((step) => [requested(step), completedOf(step)])
    ])
    assert.isAtMost(growth(log, 1.5), 1.5)
  })

  it("costs no more for each of 10,000 signals that wait for their awaits, or awaits for their signals", () => {
    const awaits = many.map((key) => awaitedAt(key, "go"))
    const signals = many.map((id) => received("go", null, id))
    assert.isAtMost(growth(recordedOf([started(), ...signals, ...awaits]), 5), 5)
    assert.isAtMost(growth(recordedOf([started(), ...awaits, ...signals]), 5), 5)
  })

  it("notes a gap, goes on after it, and keeps the first problem", () => {
    const [first, , third, fifth] = recordedOf([started(), timerAt("a", 1), timerAt("b", 2), timerAt("c", 3)])
    assert.isDefined(third)
    if (first === undefined || third === undefined || fifth === undefined) return
    const state = fold(initial(runId), [first, third, { ...fifth, seq: 9 }])
    assert.deepStrictEqual(state.problem, { seq: 2, detail: "expected event 1 here" })
    assert.deepStrictEqual(keysOf(state), ["b", "c"])
    assert.strictEqual(state.seq, 10)
  })

  it("notes a second start and keeps the first", () => {
    const state = given(started({ program: "one" }), started({ program: "two" }))
    assert.strictEqual(state.started?.program, "one")
    assert.deepStrictEqual(state.problem, { seq: 1, detail: "the run starts twice" })
  })

  it("notes an event that this build does not know, and stays readable", () => {
    const state = given(
      started(),
      { _tag: "UnknownEvent", type: "SomethingNew", payload: {}, problem: "not known" },
      timerAt("a", 1)
    )
    assert.deepStrictEqual(state.problem, { seq: 1, detail: "not known" })
    assert.deepStrictEqual(keysOf(state), ["a"])
  })

  it("notes what follows the end", () => {
    const state = and(given(started()), completed(given(started())), requested(stepAt("a")))
    assert.strictEqual(status(state), "Completed")
    assert.deepStrictEqual(state.problem, { seq: 2, detail: "the log goes on after the end of the run" })
    assert.isUndefined(placeAt(state, "a"))
  })

  it("keeps the first of two ends, two cancels, two choices and two signals with one id", () => {
    const state = given(
      started(),
      cancelRequested,
      { ...cancelRequested, reason: "again" },
      chosen("left"),
      chosen("right"),
      received("go", 1, "same"),
      received("go", 2, "same"),
      { _tag: "RunCancelled", reason: "enough", actor: dana, usage: given().usage },
      completed(given())
    )
    assert.strictEqual(state.cancel?.reason, "enough")
    assert.deepInclude(placeAt(state, "race"), { winner: "left" })
    assert.deepStrictEqual(plain(state).signals.map(({ received }) => received.length), [1])
    assert.strictEqual(status(state), "Cancelled")
  })

  it("takes time, lease and length of the log from the envelope", () => {
    const state = fold(initial(runId), recordedOf([started(), timerAt("a", 1)], { epoch: 4 }))
    assert.deepInclude(state, { seq: 2, startedAt: 0, updatedAt: 1000, epoch: 4 })
    assert.strictEqual(fold(state, recordedOf([timerAt("b", 1)], { from: 2, epoch: 3 })).epoch, 4)
  })
})

describe("RunState.evolve of operations", () => {
  const charge = stepAt("charge")

  it("follows an operation from its request to its outcome", () => {
    const asked = given(started(), requested(charge))
    assert.deepInclude(operationAt(asked, "charge"), {
      kind: "step",
      seq: 1,
      since: 1000,
      attempt: 1,
      inFlight: true,
      doubtful: 0,
      idempotencyKey: "key of charge",
      outcome: undefined
    })
    const done = and(asked, completedOf(charge))
    assert.deepInclude(operationAt(done, "charge"), { inFlight: false, attempt: 1 })
    assert.deepStrictEqual(operationAt(done, "charge").outcome, {
      event: completedOf(charge),
      position: { shown: 1, seq: 2 }
    })
    assert.deepStrictEqual(keysOf(done), [])
  })

  it("puts an outcome where the program was shown it", () => {
    const state = given(
      started(),
      requested(charge),
      timerAt("nap", 5),
      { ...completedOf(charge), shown: 1 }
    )
    assert.deepStrictEqual(operationAt(state, "charge").outcome?.position, { shown: 1, seq: 3 })
  })

  it("waits between two attempts, and keeps every failure and its time", () => {
    const failed = failedOf(charge, { final: false, wakeAtMillis: 9_000 })
    const waiting = given(started(), requested(charge), failed)
    assert.deepInclude(operationAt(waiting, "charge"), { inFlight: false, wakeAt: 9_000, outcome: undefined })
    assert.deepStrictEqual(operationAt(waiting, "charge").failures, [{ at: 2000, event: failed }])
    const again = and(waiting, requested(charge, 2), failedOf(charge, { attempt: 2, final: false }))
    assert.deepInclude(operationAt(again, "charge"), { attempt: 2, wakeAt: 4000, doubtful: 0 })
    assert.strictEqual(operationAt(again, "charge").failures.length, 2)
    assert.strictEqual(operationAt(again, "charge").idempotencyKey, "key of charge")
  })

  it("counts an attempt as doubtful when the next one begins without its outcome", () => {
    const state = given(started(), requested(charge), requested(charge, 2))
    assert.deepInclude(operationAt(state, "charge"), { attempt: 2, inFlight: true, doubtful: 1 })
  })

  it("records a refusal as an outcome without a request, given to the program once it is stored", () => {
    const refused = failedOf(charge, { attempt: 0, reason: "BudgetExceeded" })
    const state = given(started(), refused)
    assert.deepInclude(operationAt(state, "charge"), { attempt: 0, request: undefined, idempotencyKey: "" })
    assert.deepStrictEqual(operationAt(state, "charge").outcome, { event: refused, position: { shown: 1, seq: 1 } })
  })

  it("ignores outcomes of nothing, second outcomes, and requests after the outcome or at a wait", () => {
    const state = given(started(), timerAt("nap", 5), requested(charge), completedOf(charge))
    for (
      const event of [
        completedOf(stepAt("other")),
        failedOf(stepAt("other"), { final: false }),
        completedOf(charge, 1),
        failedOf(charge),
        requested(charge, 2),
        requested(stepAt("nap")),
        completedOf(stepAt("nap")),
        timerAt("charge", 1)
      ]
    ) {
      assert.deepStrictEqual(plain(and(state, event)).places, plain(state).places)
      assert.deepStrictEqual(keysOf(and(state, event)), keysOf(state))
    }
  })

  it("knows kinds by the events", () => {
    for (const operation of [stepAt("a"), toolAt("a"), modelAt("a")]) {
      const request = requestOf(operation).requested({ key: "a", attempt: 1, idempotencyKey: "" })
      assert.deepStrictEqual(
        [kindOf(request), kindOf(completedOf(operation)), kindOf(failedOf(operation))],
        [operation.kind, operation.kind, operation.kind]
      )
    }
    assert.strictEqual(operationAt(given(started(), requested(toolAt("a"))), "a").name, "ship")
  })
})

describe("RunState.evolve of usage", () => {
  const call = modelAt("turn-1")
  const reserve = { tokens: 100, costUsd: "0.5" }

  it("counts an operation once, however often it is tried, and steps not at all", () => {
    const state = given(
      started(),
      ...[modelAt("m"), toolAt("t"), stepAt("s")].flatMap((operation) => [
        requested(operation),
        failedOf(operation, { final: false }),
        requested(operation, 2)
      ])
    )
    assert.deepInclude(state.usage, { turns: 1, toolCalls: 1 })
  })

  it("adds what an answer reports and gives its reservation back", () => {
    const asked = given(started(), requested(call, 1, reserve))
    assert.deepStrictEqual(asked.usage.possible, reserve)
    const answered = and(
      asked,
      completedOf(call, 1, { inputTokens: 7, cachedInputTokens: 9, outputTokens: 3, costUsd: "0.1" })
    )
    assert.deepStrictEqual(answered.usage, {
      turns: 1,
      toolCalls: 0,
      inputTokens: 7,
      cachedInputTokens: 9,
      outputTokens: 3,
      costUsd: "0.1",
      unreportedCalls: 0,
      unpricedCalls: 0,
      possible: { tokens: 0, costUsd: "0" }
    })
  })

  it("gives the reservation of a failed attempt back", () => {
    for (const final of [true, false]) {
      const state = given(started(), requested(call, 1, reserve), failedOf(call, { final }))
      assert.deepStrictEqual(state.usage.possible, { tokens: 0, costUsd: "0" })
    }
  })

  it("gives a reservation back once, also if an operation ends between two attempts", () => {
    const state = given(
      started(),
      requested(call, 1, reserve),
      failedOf(call, { final: false }),
      requested(modelAt("turn-2"), 1, reserve),
      failedOf(call, { reason: "Interrupted" })
    )
    assert.deepStrictEqual(state.usage.possible, reserve)
  })

  it("keeps the reservation of an attempt whose outcome stays unknown, also of one that is tried again", () => {
    const lost = given(
      started(),
      requested(call, 1, reserve),
      failedOf(call, { outcome: "unknown", reason: "Timeout" })
    )
    assert.deepStrictEqual(lost.usage.possible, reserve)
    const twice = given(
      started(),
      requested(call, 1, reserve),
      requested(call, 2, { tokens: 1, costUsd: "0.25" }),
      completedOf(call, 2, { inputTokens: 1, outputTokens: 0, costUsd: "0.2" })
    )
    assert.deepStrictEqual(twice.usage.possible, reserve)
    assert.deepInclude(twice.usage, { turns: 1, unreportedCalls: 0, inputTokens: 1, costUsd: "0.2" })
  })

  it("keeps of a reservation what an answer does not report (MR-11)", () => {
    const possible = (usage: CallUsage) =>
      given(started(), requested(call, 1, { tokens: 100, costUsd: "0.5" }), completedOf(call, 1, usage)).usage.possible
    assert.deepStrictEqual(possible({}), { tokens: 100, costUsd: "0.5" })
    assert.deepStrictEqual(possible({ inputTokens: 30 }), { tokens: 70, costUsd: "0.5" })
    assert.deepStrictEqual(possible({ inputTokens: 30, outputTokens: 5 }), { tokens: 0, costUsd: "0.5" })
    assert.deepStrictEqual(possible({ inputTokens: 30, outputTokens: 500, costUsd: "9" }), { tokens: 0, costUsd: "0" })
  })

  it.prop("never falls, and never below what is possible, whatever is decided", { trace: Traces }, ({ trace }) => {
    let before = initial(runId)
    for (const { after } of trace.steps) {
      const { usage } = after
      for (const count of ["turns", "toolCalls", "inputTokens", "outputTokens", "unreportedCalls"] as const) {
        assert.isAtLeast(usage[count], before.usage[count])
      }
      assert.isAtLeast(Number(usage.costUsd), Number(before.usage.costUsd))
      assert.isAtLeast(usage.possible.tokens, 0)
      assert.isAtLeast(Number(usage.possible.costUsd), 0)
      before = after
    }
    const firsts = trace.log.filter(({ event }) =>
      "attempt" in event && "idempotencyKey" in event && event.attempt === 1
    )
    assert.strictEqual(before.usage.turns, firsts.filter(({ event }) => event._tag === "LLMCallRequested").length)
    assert.strictEqual(before.usage.toolCalls, firsts.filter(({ event }) => event._tag === "ToolCallRequested").length)
  }, any)
})

describe("RunState.evolve of waits", () => {
  const received1 = (state: RunState, key: string) => {
    const place = placeAt(state, key)
    return place?._tag === "Signal" ? place.received?.payload : undefined
  }

  it("gives signals to their awaits in the order of the log, early ones too", () => {
    const state = given(
      started(),
      received("go", 1),
      received("other", "x"),
      received("go", 2),
      awaitedAt("a", "go"),
      awaitedAt("b", "go"),
      awaitedAt("c", "go"),
      awaitedAt("d", "go"),
      received("go", 3),
      received("go", 4),
      received("go", 5)
    )
    assert.deepStrictEqual(["a", "b", "c", "d"].map((key) => received1(state, key)), [1, 2, 3, 4])
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((key) => {
        const place = placeAt(state, key)
        return place?._tag === "Signal" ? place.position?.seq : undefined
      }),
      [4, 5, 8, 9]
    )
    assert.deepStrictEqual(plain(state).signals.map(({ name, received }) => [name, received.length]), [
      ["go", 1],
      ["other", 1]
    ])
  })

  it.prop("gives every signal to at most one await, by name and in order, with nobody left waiting for one", {
    trace: Traces
  }, ({ trace }) => {
    const { places, signals } = plain(trace.state)
    for (const queue of signals) {
      const { name } = queue
      assert.isTrue(queue.received.length === 0 || queue.awaiting.length === 0)
      const sent = trace.log.flatMap(({ event }) =>
        event._tag === "SignalReceived" && event.name === name ? [event] : []
      )
      const met = places.flatMap(([, place]) =>
        place._tag === "Signal" && place.name === name && place.received !== undefined ? [place] : []
      ).toSorted((left, right) => left.seq - right.seq)
      const closedEarlier = places.some(([, place]) => place._tag === "Signal" && place.closed)
      assert.strictEqual(met.length + queue.received.length, sent.length)
      if (!closedEarlier) assert.deepStrictEqual([...met.map(({ received }) => received), ...queue.received], sent)
    }
  }, any)

  it("skips an await that nobody waits for any more", () => {
    const state = given(
      started(),
      awaitedAt("a", "go"),
      awaitedAt("b", "go"),
      { _tag: "WaitAbandoned", key: "a" },
      received("go", 1)
    )
    assert.deepStrictEqual([received1(state, "a"), received1(state, "b")], [undefined, 1])
  })

  it("closes, by a choice, the waits of the branches that lost, at every depth, and no other", () => {
    const keys = ["race/left/a", "race/left/deep/b", "race/right/c", "race/righter/d", "race2/left/e", "race", "left/f"]
    const open = given(started(), ...keys.filter((key) => key !== "race").map((key) => timerAt(key, 5)))
    assert.deepStrictEqual(keysOf(and(open, chosen("right"))), ["race/right/c", "race2/left/e", "left/f"])
    assert.deepStrictEqual(keysOf(and(open, chosen("left"))), [
      "race/left/a",
      "race/left/deep/b",
      "race2/left/e",
      "left/f"
    ])
  })

  it("leaves operations of the branches that lost in flight", () => {
    const state = given(started(), requested(stepAt("race/left/a")), timerAt("race/left/b", 5), chosen("right"))
    assert.deepStrictEqual(keysOf(state), ["race/left/a"])
  })

  it("lets a closed wait have no answer any more", () => {
    const closed = given(
      started(),
      timerAt("t", 5),
      approvalAt("a"),
      awaitedAt("s", "go"),
      ...["t", "a", "s"].map((key): RunEvent => ({ _tag: "WaitAbandoned", key }))
    )
    const state = and(closed, { _tag: "TimerFired", key: "t" }, granted("a"), received("go", 1))
    for (const key of ["t", "a", "s"]) assert.deepInclude(placeAt(state, key), { closed: true, position: undefined })
    assert.strictEqual(wakeAt(closed), undefined)
    assert.deepStrictEqual(pendingApprovals(closed), [])
  })

  it("closes every wait when a cancel is requested, and no operation", () => {
    const state = given(
      started(),
      timerAt("t", 5),
      approvalAt("a", { expiresAtMillis: 5, onExpiry: "deny" }),
      awaitedAt("s", "go"),
      requested(stepAt("o")),
      cancelRequested
    )
    assert.deepStrictEqual(keysOf(state), ["o"])
    assert.deepStrictEqual(pendingApprovals(state), [])
    assert.strictEqual(wakeAt(state), undefined)
  })

  it("gives every answer its place in the log", () => {
    const state = given(
      started(),
      timerAt("t", 5),
      approvalAt("a"),
      { _tag: "TimerFired", key: "t" },
      granted("a"),
      chosen("left")
    )
    const positions = ["t", "a", "race"].map((key) => {
      const place = placeAt(state, key)
      return place === undefined || place._tag === "Operation" ? undefined : place.position
    })
    assert.deepStrictEqual(positions, [{ shown: 3, seq: 3 }, { shown: 4, seq: 4 }, { shown: 5, seq: 5 }])
  })
})

describe("RunState.evolve of takeovers", () => {
  const recovered = (epoch: number): RunEvent => ({ _tag: "RunRecovered", epoch, owner: "w" })
  const takeOvers = (...events: ReadonlyArray<readonly [number, RunEvent]>) =>
    events.reduce(
      (state, [epoch, event]) => fold(state, recordedOf([event], { from: state.seq, epoch, outside: [] })),
      given(started())
    ).recoveries

  it("counts them until the next outcome", () => {
    const charge = stepAt("charge")
    assert.strictEqual(takeOvers([1, requested(charge)], [2, recovered(2)], [3, recovered(3)]), 2)
    assert.strictEqual(
      takeOvers([1, requested(charge)], [2, recovered(2)], [2, completedOf(charge)], [3, recovered(3)]),
      1
    )
    assert.strictEqual(
      takeOvers([1, requested(charge)], [2, recovered(2)], [2, failedOf(charge)]),
      0
    )
  })

  it("does not take a failure that is tried again for an outcome", () => {
    const charge = stepAt("charge")
    assert.strictEqual(
      takeOvers([1, requested(charge)], [2, recovered(2)], [2, failedOf(charge, { final: false })], [3, recovered(3)]),
      2
    )
  })

  it("does not count one from a worker that had not begun (WR-4)", () => {
    assert.strictEqual(takeOvers([2, recovered(2)]), 0)
    assert.strictEqual(takeOvers([1, timerAt("nap", 5)], [3, recovered(3)]), 0)
    assert.strictEqual(takeOvers([1, timerAt("nap", 5)], [2, recovered(2)]), 1)
  })

  it("counts one as long as something is in flight, however many have tried to take over", () => {
    assert.strictEqual(takeOvers([1, requested(stepAt("charge"))], [9, recovered(9)]), 1)
  })

  it("begins again when an operator releases the run", () => {
    assert.strictEqual(
      takeOvers(
        [1, requested(stepAt("charge"))],
        [2, recovered(2)],
        [2, { _tag: "RunStuck", reason: "poison", detail: "" }],
        [2, { _tag: "RunReleased", actor: dana }]
      ),
      0
    )
  })
})

describe("RunState.status", () => {
  const paused: RunEvent = { _tag: "RunPaused", actor: dana }
  const stuck: RunEvent = { _tag: "RunStuck", reason: "replay", detail: "" }
  const everything: ReadonlyArray<readonly [RunStatus, RunEvent]> = [
    ["Sleeping", timerAt("t", 5)],
    ["AwaitingSignal", awaitedAt("s", "go")],
    ["AwaitingApproval", approvalAt("a")],
    ["Running", requested(stepAt("o"))],
    ["Cancelling", cancelRequested],
    ["Paused", paused],
    ["Stuck", stuck],
    ["Completed", { _tag: "RunCompleted", output: null, usage: given().usage }]
  ]

  it("is the first that applies of ended, stuck, paused, cancelling, running, waiting", () => {
    let state = given()
    assert.strictEqual(status(state), "NotStarted")
    state = and(state, started())
    assert.strictEqual(status(state), "Pending")
    for (const [expected, event] of everything) {
      state = and(state, event)
      assert.strictEqual(status(state), expected)
    }
  })

  it("does not depend on the order in which that came about", () => {
    for (const [index, [expected]] of everything.entries()) {
      if (expected === "Completed") continue
      const events = everything.slice(0, index + 1).map(([, event]) => event)
      assert.strictEqual(status(given(started(), ...events.toReversed())), expected)
    }
  })

  it("names every end", () => {
    const { usage } = given()
    assert.strictEqual(status(given(started(), { _tag: "RunFailed", reason: "Error", error: "", usage })), "Failed")
    assert.strictEqual(status(given(started(), { _tag: "RunCancelled", reason: "", actor: dana, usage })), "Cancelled")
  })

  it("says that a decided run is due to continue until a worker has written (HC-3)", () => {
    const waiting = given(started(), timerAt("patience", 5), approvalAt("a"))
    assert.strictEqual(status(waiting), "AwaitingApproval")
    const decided = and(waiting, granted("a"))
    assert.strictEqual(status(decided), "Running")
    assert.deepStrictEqual(pendingApprovals(decided), [])
    assert.strictEqual(status(and(decided, awaitedAt("s", "go"))), "AwaitingSignal")
    const signalled = and(waiting, awaitedAt("s", "go"), received("go", 1))
    assert.strictEqual(status(signalled), "Running")
    assert.strictEqual(status(and(waiting, received("go", 1))), "AwaitingApproval")
  })

  it("takes a decision that nobody waits for for none", () => {
    const waiting = given(started(), approvalAt("a"))
    assert.strictEqual(status(and(waiting, granted("other"))), "AwaitingApproval")
  })

  it("is Sleeping between two attempts, and Running when one is in flight beside a wait", () => {
    const failed = given(started(), requested(stepAt("o")), failedOf(stepAt("o"), { final: false, wakeAtMillis: 9 }))
    assert.strictEqual(status(failed), "Sleeping")
    assert.strictEqual(status(and(failed, requested(stepAt("o"), 2), timerAt("t", 5))), "Running")
  })

  it("is Running, not Pending, once a worker has begun", () => {
    assert.strictEqual(status(given(started(), { _tag: "RunRecovered", epoch: 1, owner: "w" })), "Running")
    assert.strictEqual(status(given(started(), chosen("left"))), "Running")
  })
})

describe("RunState.wakeAt", () => {
  it("is the earliest of timers, retries and expiries that count", () => {
    const none = given(started(), approvalAt("a", { expiresAtMillis: 1 }), awaitedAt("s", "go"), requested(stepAt("o")))
    assert.strictEqual(wakeAt(none), undefined)
    const timer = and(none, timerAt("t", 9_000))
    assert.strictEqual(wakeAt(timer), 9_000)
    const expiry = and(timer, approvalAt("b", { expiresAtMillis: 8_000, onExpiry: "approve" }))
    assert.strictEqual(wakeAt(expiry), 8_000)
    const retry = and(expiry, failedOf(stepAt("o"), { final: false, wakeAtMillis: 7_000 }))
    assert.strictEqual(wakeAt(retry), 7_000)
    assert.strictEqual(wakeAt(and(retry, requested(stepAt("o"), 2))), 8_000)
    assert.strictEqual(wakeAt(and(retry, requested(stepAt("o"), 2), granted("b"))), 9_000)
    assert.strictEqual(wakeAt(and(retry, completed(retry))), undefined)
  })

  it("is when the failure was stored if no time was chosen", () => {
    assert.strictEqual(wakeAt(given(started(), requested(stepAt("o")), failedOf(stepAt("o"), { final: false }))), 2000)
  })
})

describe("RunState.pendingApprovals", () => {
  it("shows what a person needs to decide, oldest first (AP-3, AP-5)", () => {
    const state = given(
      started(),
      approvalAt("one", { tool: "ship", arguments: { id: 1 }, reason: "it costs", approvers: ["dana"] }),
      approvalAt("two", { expiresAtMillis: 5, onExpiry: "approve" }),
      approvalAt("three"),
      granted("three")
    )
    assert.deepStrictEqual(pendingApprovals(state), [
      {
        key: "one",
        requestedAt: 1000,
        subject: "one?",
        reason: "it costs",
        tool: "ship",
        arguments: { id: 1 },
        expiresAt: undefined,
        onExpiry: undefined,
        approvers: ["dana"],
        notByRequester: false
      },
      {
        key: "two",
        requestedAt: 2000,
        subject: "two?",
        reason: "",
        tool: undefined,
        arguments: undefined,
        expiresAt: 5,
        onExpiry: "approve",
        approvers: undefined,
        notByRequester: false
      }
    ])
  })
})

describe("RunState.comparePositions", () => {
  const Position = Schema.Struct({ shown: Schema.Natural, seq: Schema.Natural })

  it.prop("is an order: first by what the program had been shown, then by the place in the log", {
    a: Position,
    b: Position,
    c: Position
  }, ({ a, b, c }) => {
    assert.strictEqual(Math.sign(comparePositions(a, b)), 0 - Math.sign(comparePositions(b, a)))
    assert.strictEqual(comparePositions(a, a), 0)
    const [x, y, z] = [a, b, c].toSorted(comparePositions)
    if (x !== undefined && y !== undefined && z !== undefined) {
      assert.isAtMost(comparePositions(x, z), 0)
      assert.isTrue(x.shown < y.shown || (x.shown === y.shown && x.seq <= y.seq))
    }
  })
})
