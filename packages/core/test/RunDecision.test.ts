import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { idempotencyKey } from "../src/Digest.ts"
import { type Actor, RunId } from "../src/Ids.ts"
import type { Decision } from "../src/RunDecision.ts"
import * as RunDecision from "../src/RunDecision.ts"
import * as RunError from "../src/RunError.ts"
import type { Recorded, RunEvent } from "../src/RunEvent.ts"
import type { RunState } from "../src/RunState.ts"
import { fold, initial, isEnded, openPlaces, pendingApprovals, placeAt, status } from "../src/RunState.ts"
import {
  and,
  approvalAt,
  awaitedAt,
  BudgetedTraces,
  type Command,
  Commands,
  completedOf,
  dana,
  decisionOf,
  erik,
  failedOf,
  given,
  Logs,
  maxRecoveries,
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
  traceOf,
  Traces
} from "./generators.ts"

const any = { arbitrary: { size: 60, runs: 60 } }

const when = <E>(state: RunState, decision: Decision<E>): ReadonlyArray<RunEvent> => {
  const decided = decision(state)
  return Result.isSuccess(decided) ? decided.success : assert.fail(`refused: ${String(decided.failure)}`)
}

const refusal = <E>(state: RunState, decision: Decision<E>): E => {
  const decided = decision(state)
  return Result.isFailure(decided) ? decided.failure : assert.fail(`accepted: ${JSON.stringify(decided.success)}`)
}

const after = <E>(state: RunState, decision: Decision<E>): RunState => and(state, ...when(state, decision))

const isEnd = ({ event }: Recorded): boolean =>
  event._tag === "RunCompleted" || event._tag === "RunFailed" || event._tag === "RunCancelled"

const isRequest = (event: RunEvent) =>
  event._tag === "LLMCallRequested" || event._tag === "ToolCallRequested" || event._tag === "StepRequested"

const isCompleted = (event: RunEvent) =>
  event._tag === "LLMCallCompleted" || event._tag === "ToolCallCompleted" || event._tag === "StepCompleted"

const isFailed = (event: RunEvent) =>
  event._tag === "LLMCallFailed" || event._tag === "ToolCallFailed" || event._tag === "StepFailed"

const now = 1_000_000
const charge = stepAt("charge")
const ask = (operation = charge, more: Parameters<typeof requestOf>[1] = {}, at = now) =>
  RunDecision.request(requestOf(operation, more), at)
const inFlight = after(given(started()), ask())
const paused: RunEvent = { _tag: "RunPaused", actor: dana }
const stuck: RunEvent = { _tag: "RunStuck", reason: "replay", detail: "the code has changed" }
const cancelRequested: RunEvent = { _tag: "RunCancelRequested", actor: dana, reason: "enough" }
const ended = after(given(started()), RunDecision.end({ _tag: "RunCompleted", output: "done" }))
const unknownOutcome = (key: string): RunEvent => ({
  _tag: "StepFailed",
  key,
  attempt: 1,
  reason: "Interrupted",
  error: "the run ended while this was in flight",
  final: true,
  outcome: "unknown"
})

describe("RunDecision", () => {
  it.prop("lets nothing follow the end of a run", { trace: Traces }, ({ trace }) => {
    const end = trace.log.findIndex(isEnd)
    assert.isTrue(end === -1 || end === trace.log.length - 1)
  }, any)

  it.prop("gives every operation at most one outcome, and tries again after every attempt at most once", {
    trace: Traces
  }, ({ trace }) => {
    const settled = new Set<string>()
    const failed = new Set<string>()
    for (const { event } of trace.log) {
      if (!isCompleted(event) && !isFailed(event)) continue
      assert.isFalse(settled.has(event.key), `${event.key} has two outcomes`)
      if (isCompleted(event) || event.final) settled.add(event.key)
      else {
        const attempt = `${event.key} ${event.attempt}`
        assert.isFalse(failed.has(attempt), `${attempt} failed twice`)
        failed.add(attempt)
      }
    }
  }, any)

  it.prop("has a request before every outcome, unless the budget or the program did not let it", {
    trace: Traces
  }, ({ trace }) => {
    const requested = new Map<string, number>()
    for (const { event } of trace.log) {
      if (isRequest(event)) {
        assert.strictEqual(event.attempt, (requested.get(event.key) ?? 0) + 1)
        requested.set(event.key, event.attempt)
      }
      if (isCompleted(event)) assert.strictEqual(event.attempt, requested.get(event.key))
      if (!isFailed(event)) continue
      assert.strictEqual(event.attempt, requested.get(event.key) ?? 0)
      if (event.attempt === 0) assert.oneOf(event.reason, ["BudgetExceeded", "Refused"])
    }
  }, any)

  it.prop("gives all attempts of an operation one idempotency key, and no two operations the same (31, 32)", {
    trace: Traces
  }, ({ trace }) => {
    const keys = new Map<string, string>()
    for (const { event, seq } of trace.log) {
      if (!isRequest(event)) continue
      const known = keys.get(event.key)
      const name = event._tag === "ToolCallRequested" ? event.tool : event.key
      const args = event._tag === "ToolCallRequested" ? event.arguments : {}
      assert.strictEqual(event.idempotencyKey, known ?? idempotencyKey(runId, seq, name, args))
      keys.set(event.key, event.idempotencyKey)
    }
    assert.strictEqual(new Set(keys.values()).size, keys.size)
  }, any)

  it.prop("is a pure function: the same answer again, and a state left as it was", { trace: Traces }, ({ trace }) => {
    let [clock, epoch] = [1_000_000, 1]
    for (const { before, command, decided } of trace.steps) {
      if (command._tag === "Pass") clock += command.millis
      if (command._tag === "TakeOver") epoch += 1 + command.skipped
      const snapshot = plain(before)
      assert.deepStrictEqual(decisionOf(command, { now: clock, epoch })(before), decided)
      assert.deepStrictEqual(plain(before), snapshot)
    }
  }, { arbitrary: { size: 60, runs: 30 } })

  it.prop("answers in every state that a log can have, also of a damaged log", {
    log: Logs,
    commands: Commands
  }, ({ commands, log }) => {
    const state = fold(initial(runId), log)
    for (const command of commands) {
      const decided = decisionOf(command, { now, epoch: 5 })(state)
      if (Result.isFailure(decided)) {
        assert.instanceOf(decided.failure, Error)
        continue
      }
      fold(state, recordedOf(decided.success, { from: state.seq }))
      if (isEnded(state)) assert.deepStrictEqual(decided.success, [])
    }
  }, any)

  it.prop("refuses everything but a start before there is one, and everything after the end", {
    trace: Traces,
    commands: Commands
  }, ({ commands, trace }) => {
    assert.deepStrictEqual(traceOf(undefined, commands).log, [])
    if (!isEnded(trace.state)) return
    for (const command of commands) {
      const decided = decisionOf(command, { now, epoch: 5 })(trace.state)
      assert.isTrue(Result.isFailure(decided) || decided.success.length === 0)
    }
  }, any)

  it.prop("gives every wait and every choice at most one answer", { trace: Traces }, ({ trace }) => {
    const answered = new Set<string>()
    const opened = new Set<string>()
    for (const { event } of trace.log) {
      switch (event._tag) {
        case "TimerStarted":
        case "SignalAwaited":
        case "ApprovalRequested":
        case "BranchDecided":
          assert.isFalse(opened.has(event.key))
          opened.add(event.key)
          break
        case "TimerFired":
        case "ApprovalGranted":
        case "ApprovalDenied":
        case "WaitAbandoned":
          assert.isTrue(opened.has(event.key))
          assert.isFalse(answered.has(event.key))
          answered.add(event.key)
      }
    }
  }, any)

  it.prop("leaves no wait open once a cancel is requested", { trace: Traces }, ({ trace }) => {
    for (const { after } of trace.steps) {
      if (after.cancel === undefined) continue
      assert.isTrue(openPlaces(after).every(({ _tag }) => _tag === "Operation"))
      assert.deepStrictEqual(pendingApprovals(after), [])
    }
  }, any)

  it.prop("ends a run with the totals of its log", { trace: Traces }, ({ trace }) => {
    const last = trace.log.at(-1)?.event
    if (last !== undefined && "usage" in last && last._tag !== "LLMCallCompleted") {
      assert.deepStrictEqual(last.usage, trace.state.usage)
    }
  }, any)

  it.prop("never passes a limit on turns or tool calls, and permits all of it (check 101)", {
    trace: BudgetedTraces
  }, ({ trace }) => {
    const { budget, usage } = trace.state
    for (const limit of ["turns", "toolCalls"] as const) {
      const cap = budget[limit]
      if (cap === undefined) continue
      assert.isAtMost(usage[limit], cap)
      for (const { after, before, decided } of trace.steps) {
        const refused = Result.isSuccess(decided) &&
          decided.success.some((event) =>
            isFailed(event) && event.reason === "BudgetExceeded" &&
            event.error.includes(limit === "turns" ? " turns," : " tool ")
          )
        if (refused) assert.deepStrictEqual([before.usage[limit], after.usage[limit]], [cap, cap])
      }
    }
  }, any)
})

describe("RunDecision.start", () => {
  const event = started({ startKey: "order-1", inputDigest: "sha256:1" })

  it("begins a log", () => {
    assert.deepStrictEqual(when(given(), RunDecision.start(event)), [event])
  })

  it("changes nothing with the same key and input (EO-3)", () => {
    for (const state of [given(event), given(event, timerAt("nap", 5)), and(given(event), cancelRequested)]) {
      assert.deepStrictEqual(when(state, RunDecision.start({ ...event, labels: { a: "b" } })), [])
    }
  })

  it("refuses another input, another program, another content, and a second start without a key (D36)", () => {
    const others = [
      { ...event, inputDigest: "sha256:2" },
      { ...event, program: "other" },
      { ...event, startKey: "order-2" },
      { ...event, contentDigest: "sha256:2" },
      started({ inputDigest: "sha256:1" })
    ]
    for (const other of others) {
      const failure = refusal(given(event), RunDecision.start(other))
      assert.deepInclude(failure, { _tag: "StartConflict", runId, startKey: other.startKey ?? "" })
    }
    assert.strictEqual(refusal(given(started()), RunDecision.start(started()))._tag, "StartConflict")
  })
})

describe("RunDecision.request", () => {
  it("records a request with a key that covers its own place", () => {
    const state = given(started(), timerAt("nap", 5))
    assert.deepStrictEqual(when(state, ask()), [
      { _tag: "StepRequested", key: "charge", attempt: 1, idempotencyKey: idempotencyKey(runId, 2, "charge", {}) }
    ])
  })

  it("covers the tool and its arguments, after what is recorded before it", () => {
    const before: RunEvent = { _tag: "GuardrailTriggered", layer: "L3", rule: "r", action: "ALLOW", detail: {} }
    const [first, second] = when(given(started()), ask(toolAt("t"), { before: [before], arguments: { b: 1, a: 2 } }))
    assert.deepStrictEqual(first, before)
    assert.deepInclude(second, { idempotencyKey: idempotencyKey(runId, 2, "ship", { a: 2, b: 1 }) })
  })

  it("derives the key again on a longer log, until the first request is stored", () => {
    const early = when(given(started()), ask())
    const late = when(given(started(), received("go", 1)), ask())
    assert.notDeepEqual(early, late)
    assert.deepInclude(late[0], { idempotencyKey: idempotencyKey(runId, 2, "charge", {}) })
    const again = and(inFlight, received("go", 1), failedOf(charge, { final: false }))
    assert.deepInclude(when(again, ask())[0], { attempt: 2, idempotencyKey: idempotencyKey(runId, 1, "charge", {}) })
  })

  it("records what comes before it once, not with every attempt", () => {
    const before: RunEvent = { _tag: "GuardrailTriggered", layer: "L3", rule: "r", action: "ALLOW", detail: {} }
    const state = and(inFlight, failedOf(charge, { final: false }))
    assert.deepStrictEqual(when(state, ask(charge, { before: [before] })).map(({ _tag }) => _tag), ["StepRequested"])
  })

  it("refuses an operation that has its outcome", () => {
    const state = and(inFlight, completedOf(charge))
    assert.deepInclude(refusal(state, ask()), { _tag: "AlreadySettled", runId, key: "charge" })
  })

  it("refuses another kind or name at a key, and says what is there and what is asked", () => {
    const tool = after(given(started()), ask(toolAt("x")))
    const failure = refusal(tool, ask(stepAt("x")))
    assert.deepInclude(failure, { _tag: "KeyMismatch", recorded: "a tool named `ship`", asked: "a step" })
    assert.strictEqual(
      failure.message,
      `The log of run \`${runId}\` holds a tool named \`ship\` at \`x\`, and the program asks for a step`
    )
    assert.deepInclude(refusal(given(started(), timerAt("x", 5)), ask(stepAt("x"))), { recorded: "a timer" })
    const open = RunDecision.open(awaitedAt("s", "stop"))
    assert.deepInclude(refusal(given(started(), awaitedAt("s", "go")), open), {
      recorded: "a signal named `go`",
      asked: "a signal named `stop`"
    })
  })

  it("records a refusal of the program as the outcome, without a request and without a claim on the budget", () => {
    const state = after(given(started({ budget: { toolCalls: 0 } })), ask(toolAt("t"), { refusal: "not allowed" }))
    const place = placeAt(state, "t")
    assert.deepInclude(place?._tag === "Operation" ? place.outcome?.event : undefined, {
      _tag: "ToolCallFailed",
      attempt: 0,
      reason: "Refused",
      error: "not allowed",
      final: true
    })
    assert.strictEqual(state.usage.toolCalls, 0)
  })

  it("records a refusal of the budget as the outcome, with the limit", () => {
    const state = given(started({ budget: { turns: 0 } }))
    assert.deepStrictEqual(when(state, ask(modelAt("m"))), [{
      _tag: "LLMCallFailed",
      key: "m",
      attempt: 0,
      turn: 1,
      reason: "BudgetExceeded",
      error: "The run's budget allows 0 turns, and 0 are used",
      failure: { limit: "turns", allowed: "0", used: "0" },
      final: true
    }])
  })

  it("lets a counted operation be tried again, and keeps an attempt unknown that a later refusal ends", () => {
    const call = modelAt("m")
    const reserve = { tokens: 10, costUsd: "0.1" }
    const asked = after(given(started({ budget: { turns: 1, tokens: 15 } })), ask(call, { reserve }))
    const failed = and(asked, failedOf(call, { final: false }))
    assert.deepInclude(when(failed, ask(call, { reserve }))[0], { _tag: "LLMCallRequested", attempt: 2 })
    const [refused] = when(asked, ask(call, { reserve }))
    assert.deepInclude(refused, { reason: "BudgetExceeded", attempt: 1, outcome: "unknown", shown: asked.seq })
    assert.deepStrictEqual(and(asked, refused ?? cancelRequested).usage.possible, reserve)
  })

  it.prop("permits exactly N turns and N tool calls, however many are decided at once (check 101)", {
    cap: Schema.Literals([0, 1, 2, 5]),
    kind: Schema.Literals(["model", "tool"])
  }, ({ cap, kind }) => {
    let state = given(started({ budget: kind === "model" ? { turns: cap } : { toolCalls: cap } }))
    const answers = Array.from({ length: cap + 3 }, (_, index) => {
      const [event] = when(state, ask({ key: `call-${index}`, kind }))
      state = and(state, event ?? cancelRequested)
      return event !== undefined && isRequest(event)
    })
    assert.deepStrictEqual(answers, answers.map((_, index) => index < cap))
  })

  it("counts wall time from when the run began, or was to begin", () => {
    const budget = { wallMillis: 1_000 }
    const reasonAt = (startAtMillis: number | undefined, at: number) => {
      const more = startAtMillis === undefined ? {} : { startAtMillis }
      const [event] = when(given(started({ budget, ...more })), ask(charge, {}, at))
      return event !== undefined && "reason" in event ? event.reason : undefined
    }
    assert.isUndefined(reasonAt(undefined, 999))
    assert.strictEqual(reasonAt(undefined, 1_000), "BudgetExceeded")
    assert.isUndefined(reasonAt(50_000, 50_999))
    assert.strictEqual(reasonAt(50_000, 51_000), "BudgetExceeded")
  })
})

describe("RunDecision.settle", () => {
  const settle = (event: Parameters<typeof RunDecision.settle>[0], shown: number) =>
    RunDecision.settle(event, { shown })

  it("records the first outcome and refuses every other", () => {
    const state = after(inFlight, settle(completedOf(charge), 1))
    for (const event of [completedOf(charge), failedOf(charge), failedOf(charge, { final: false })]) {
      assert.deepInclude(refusal(state, settle(event, 2)), { _tag: "AlreadySettled", key: "charge" })
    }
  })

  it("refuses the outcome of an attempt that a later one has replaced, and of nothing", () => {
    const later = after(inFlight, ask())
    assert.strictEqual(refusal(later, settle(completedOf(charge, 1), 1))._tag, "AlreadySettled")
    assert.deepStrictEqual(when(later, settle(completedOf(charge, 2), 2)), [completedOf(charge, 2)])
    assert.strictEqual(refusal(given(started()), settle(completedOf(charge), 0))._tag, "AlreadySettled")
    assert.strictEqual(
      refusal(given(started(), timerAt("charge", 5)), settle(completedOf(charge), 0))._tag,
      "AlreadySettled"
    )
  })

  it("records one failure for an attempt, and a final one between two", () => {
    const failed = after(inFlight, settle(failedOf(charge, { final: false }), 1))
    assert.strictEqual(refusal(failed, settle(failedOf(charge, { final: false }), 2))._tag, "AlreadySettled")
    assert.deepStrictEqual(when(failed, settle(failedOf(charge), 2)), [failedOf(charge)])
  })

  it("writes down up to where the program had been shown the log only if that is not the event before", () => {
    const state = and(inFlight, received("go", 1), received("go", 2))
    assert.deepStrictEqual(when(state, settle(completedOf(charge), 3)), [completedOf(charge)])
    assert.deepStrictEqual(when(state, settle(completedOf(charge), 1)), [{ ...completedOf(charge), shown: 1 }])
    const before: RunEvent = { _tag: "GuardrailTriggered", layer: "L2", rule: "r", action: "ALLOW", detail: {} }
    assert.deepStrictEqual(
      when(state, RunDecision.settle(completedOf(charge), { shown: 3, before: [before] })),
      [before, { ...completedOf(charge), shown: 3 }]
    )
  })

  it("puts an outcome at the same place of a longer log", () => {
    const outcome = (state: RunState) => {
      const place = placeAt(after(state, settle(completedOf(charge), 1)), "charge")
      return place?._tag === "Operation" ? place.outcome?.position.shown : undefined
    }
    assert.strictEqual(outcome(inFlight), 1)
    assert.strictEqual(outcome(and(inFlight, received("go", 1))), 1)
  })
})

describe("RunDecision.settleStored", () => {
  const settled = RunDecision.settleStored((operation) => failedOf(charge, { attempt: operation.attempt }), "charge")

  it("puts an outcome where it is stored", () => {
    const state = after(inFlight, settled)
    const place = placeAt(state, "charge")
    assert.deepStrictEqual(place?._tag === "Operation" ? place.outcome?.position : undefined, { shown: 2, seq: 2 })
  })

  it("refuses an operation that has its outcome, and a key without one", () => {
    assert.strictEqual(refusal(and(inFlight, completedOf(charge)), settled)._tag, "AlreadySettled")
    assert.strictEqual(refusal(given(started()), settled)._tag, "WaitClosed")
    assert.strictEqual(refusal(ended, settled)._tag, "RunClosed")
  })
})

describe("RunDecision.open", () => {
  it("opens a wait once", () => {
    const state = after(given(started()), RunDecision.open(timerAt("nap", 5)))
    assert.deepStrictEqual(when(state, RunDecision.open(timerAt("nap", 9))), [])
  })

  it("lets the first choice stand", () => {
    const choose = (winner: string) => RunDecision.open({ _tag: "BranchDecided", key: "race", winner })
    const state = after(given(started()), choose("left"))
    assert.deepStrictEqual(when(state, choose("right")), [])
  })

  it("opens no wait for a run that is being cancelled, but records a choice", () => {
    const state = given(started(), cancelRequested)
    for (const wait of [timerAt("t", 5), awaitedAt("s", "go"), approvalAt("a")]) {
      assert.deepStrictEqual(when(state, RunDecision.open(wait)), [])
    }
    const choice: RunEvent = { _tag: "BranchDecided", key: "race", winner: "left" }
    assert.deepStrictEqual(when(state, RunDecision.open(choice)), [choice])
  })

  it("puts what comes before in front, only if it opens", () => {
    const before: RunEvent = { _tag: "GuardrailTriggered", layer: "L3", rule: "r", action: "ESCALATE", detail: {} }
    const decision = RunDecision.open(approvalAt("a"), [before])
    assert.deepStrictEqual(when(given(started()), decision), [before, approvalAt("a")])
    assert.deepStrictEqual(when(given(started(), approvalAt("a")), decision), [])
  })
})

describe("RunDecision.abandon", () => {
  it("closes a wait that is open, and says nothing of any other", () => {
    const abandon = RunDecision.abandon("nap")
    const open = given(started(), timerAt("nap", 5))
    assert.deepStrictEqual(when(open, abandon), [{ _tag: "WaitAbandoned", key: "nap" }])
    for (
      const state of [
        given(started()),
        after(open, abandon),
        and(open, { _tag: "TimerFired", key: "nap" }),
        after(given(started()), ask(stepAt("nap"))),
        after(open, RunDecision.end({ _tag: "RunCompleted", output: null }))
      ]
    ) assert.deepStrictEqual(when(state, abandon), [])
  })
})

describe("RunDecision.fireDue", () => {
  const state = given(
    started(),
    timerAt("early", 1_000),
    timerAt("late", 3_000),
    approvalAt("denied", { expiresAtMillis: 2_000, onExpiry: "deny" }),
    approvalAt("granted", { expiresAtMillis: 2_000, onExpiry: "approve" }),
    approvalAt("patient", { expiresAtMillis: 2_000 })
  )

  it("fires what is due, not before its time, and decides what has expired by its declared default", () => {
    assert.deepStrictEqual(when(state, RunDecision.fireDue(999)), [])
    assert.deepStrictEqual(when(state, RunDecision.fireDue(1_000)), [{ _tag: "TimerFired", key: "early" }])
    const policy = { kind: "policy", id: "expiry" } as const
    assert.deepStrictEqual(when(state, RunDecision.fireDue(2_000)), [
      { _tag: "TimerFired", key: "early" },
      { _tag: "ApprovalDenied", key: "denied", actor: policy, reason: "nobody decided in time" },
      { _tag: "ApprovalGranted", key: "granted", actor: policy }
    ])
    assert.strictEqual(when(state, RunDecision.fireDue(3_000)).length, 4)
  })

  it("fires nothing twice, and nothing once the run is being cancelled or has ended", () => {
    assert.deepStrictEqual(when(after(state, RunDecision.fireDue(2_000)), RunDecision.fireDue(2_000)), [])
    assert.deepStrictEqual(when(and(state, cancelRequested), RunDecision.fireDue(9_000)), [])
    assert.deepStrictEqual(when(ended, RunDecision.fireDue(9_000)), [])
  })
})

describe("RunDecision.approve", () => {
  const approve = (key: string, actor = dana, at = now) => RunDecision.approve(key, actor, at)
  const deny = (key: string, actor = dana, at = now) => RunDecision.deny(key, actor, at, "too much")
  const waiting = given(started(), approvalAt("ship"))

  it("accepts the first decision, with what goes with it", () => {
    assert.deepStrictEqual(when(waiting, approve("ship")), [{ _tag: "ApprovalGranted", key: "ship", actor: dana }])
    assert.deepStrictEqual(
      when(waiting, RunDecision.approve("ship", dana, now, { comment: "fine", arguments: { cents: 5 } })),
      [{ _tag: "ApprovalGranted", key: "ship", actor: dana, comment: "fine", arguments: { cents: 5 } }]
    )
    assert.deepStrictEqual(when(waiting, deny("ship")), [
      { _tag: "ApprovalDenied", key: "ship", actor: dana, reason: "too much" }
    ])
  })

  it("refuses every later decision and names the one that stands (AP-1, AP-2, 51)", () => {
    const granted = after(waiting, approve("ship"))
    for (const decision of [approve("ship", erik), deny("ship", erik), approve("ship")]) {
      assert.deepInclude(refusal(granted, decision), {
        _tag: "ApprovalNotPending",
        approval: "ship",
        status: "Running",
        decision: { decision: "granted", actor: dana }
      })
    }
    const denied = after(waiting, deny("ship"))
    const failure = refusal(denied, approve("ship", erik))
    assert.deepInclude(failure, { decision: { decision: "denied", actor: dana, reason: "too much" } })
    assert.strictEqual(failure.message, `Approval \`ship\` of run \`${runId}\` was already denied by \`dana\``)
  })

  it("decides exactly the request that it names, also when the run has moved on (AP-3, AP-5, 52, 53)", () => {
    const both = and(after(waiting, approve("ship")), approvalAt("ship-again"), approvalAt("other"))
    assert.deepInclude(refusal(both, approve("ship")), { _tag: "ApprovalNotPending" })
    assert.deepStrictEqual(pendingApprovals(both).map(({ key }) => key), ["ship-again", "other"])
    assert.deepStrictEqual(pendingApprovals(after(both, deny("other"))).map(({ key }) => key), ["ship-again"])
  })

  it("refuses with the actual status on a run that does not wait (AP-4, 49, 50)", () => {
    const { usage } = waiting
    for (
      const [state, expected] of [
        [given(), "NotStarted"],
        [given(started()), "Pending"],
        [inFlight, "Running"],
        [given(started(), timerAt("ship", 5)), "Sleeping"],
        [and(waiting, cancelRequested), "Cancelling"],
        [and(waiting, { _tag: "RunCompleted", output: null, usage }), "Completed"],
        [and(waiting, { _tag: "RunFailed", reason: "Error", error: "", usage }), "Failed"],
        [and(waiting, { _tag: "RunCancelled", reason: "", actor: dana, usage }), "Cancelled"]
      ] as const
    ) {
      for (const decision of [approve("ship"), deny("ship")]) {
        const failure = refusal(state, decision)
        assert.deepInclude(failure, { _tag: "ApprovalNotPending", approval: "ship", status: expected })
        assert.include(failure.message, `(status ${expected})`)
      }
    }
  })

  it("still names the decision that stands once the run has ended", () => {
    const state = after(after(waiting, approve("ship")), RunDecision.end({ _tag: "RunCompleted", output: null }))
    assert.deepInclude(refusal(state, deny("ship")), {
      status: "Completed",
      decision: { decision: "granted", actor: dana }
    })
  })

  it("refuses a wait that nobody waits for any more", () => {
    const state = after(waiting, RunDecision.abandon("ship"))
    assert.deepInclude(refusal(state, approve("ship")), { _tag: "WaitClosed", key: "ship" })
    const lost = given(started(), approvalAt("race/left/ship"), { _tag: "BranchDecided", key: "race", winner: "right" })
    assert.strictEqual(refusal(lost, deny("race/left/ship"))._tag, "WaitClosed")
  })

  it("takes a request whose time is over for decided by its declared default", () => {
    for (const [onExpiry, decision] of [["deny", "denied"], ["approve", "granted"]] as const) {
      const state = given(started(), approvalAt("ship", { expiresAtMillis: 500, onExpiry }))
      assert.strictEqual(when(state, approve("ship", dana, 499)).length, 1)
      assert.deepInclude(refusal(state, approve("ship", dana, 500)), {
        _tag: "ApprovalNotPending",
        decision: { decision, actor: { kind: "policy", id: "expiry" } }
      })
    }
    const patient = given(started(), approvalAt("ship", { expiresAtMillis: 500 }))
    assert.strictEqual(when(patient, approve("ship", dana, 501)).length, 1)
  })

  it("takes decisions of named approvers only", () => {
    const state = given(started(), approvalAt("ship", { approvers: ["dana", "frida"] }))
    const failure = refusal(state, approve("ship", erik))
    assert.deepInclude(failure, { _tag: "NotAnApprover", actor: "erik", approvers: ["dana", "frida"] })
    assert.strictEqual(failure.message, "`erik` may not decide approval `ship`; asked are dana, frida")
    assert.strictEqual(refusal(state, deny("ship", erik))._tag, "NotAnApprover")
    const program: Actor = { kind: "program", id: "dana" }
    assert.strictEqual(refusal(state, approve("ship", program))._tag, "NotAnApprover")
    assert.strictEqual(when(state, approve("ship")).length, 1)
    assert.strictEqual(
      refusal(given(started(), approvalAt("ship", { approvers: [] })), approve("ship"))._tag,
      "NotAnApprover"
    )
  })

  it("is for somebody else than who started the run, where the request says so; that one may deny (D32)", () => {
    const own = given(
      started({ requestedBy: { kind: "person", id: "dana" } }),
      approvalAt("ship", { notByRequester: true }),
      approvalAt("any")
    )
    const failure = refusal(own, approve("ship"))
    assert.deepInclude(failure, { _tag: "OwnRequest", approval: "ship", actor: "dana" })
    assert.include(failure.message, "somebody else has to allow `ship`")
    assert.strictEqual(when(own, deny("ship", dana)).length, 1)
    assert.strictEqual(when(own, approve("any")).length, 1)
    assert.strictEqual(when(own, approve("ship", erik)).length, 1)
    assert.strictEqual(when(own, approve("ship", { kind: "program", id: "dana" })).length, 1)
  })

  it("may be made while the run is paused or stuck, and is acted on later", () => {
    for (const event of [paused, stuck]) {
      const state = after(and(waiting, event), approve("ship"))
      assert.deepStrictEqual(pendingApprovals(state), [])
      assert.strictEqual(status(state), event._tag === "RunPaused" ? "Paused" : "Stuck")
    }
  })
})

describe("RunDecision.cancel", () => {
  const cancel = RunDecision.cancel(dana, "enough")

  it("asks a run to stop, once", () => {
    const state = after(inFlight, cancel)
    assert.deepStrictEqual(when(inFlight, cancel), [cancelRequested])
    assert.deepStrictEqual(when(state, RunDecision.cancel(erik, "again")), [])
  })

  it("stops a run at once that has not done anything", () => {
    const cancelled: RunEvent = { _tag: "RunCancelled", actor: dana, reason: "enough", usage: ended.usage }
    assert.deepStrictEqual(when(given(started()), cancel), [cancelRequested, cancelled])
    assert.deepStrictEqual(when(given(started(), paused), cancel), [cancelRequested, cancelled])
    assert.deepStrictEqual(when(given(started(), received("go", 1)), cancel), [cancelRequested, cancelled])
    const taken = given(started(), { _tag: "RunRecovered", epoch: 1, owner: "w" })
    for (const state of [taken, given(started(), timerAt("nap", 5))]) {
      assert.deepStrictEqual(when(state, cancel), [cancelRequested])
    }
  })

  it("stops a stuck run at once, and records what was in flight as unknown", () => {
    const state = and(inFlight, stuck)
    assert.deepStrictEqual(when(state, cancel), [
      cancelRequested,
      unknownOutcome("charge"),
      { _tag: "RunCancelled", actor: dana, reason: "enough", usage: state.usage }
    ])
    assert.strictEqual(status(after(state, cancel)), "Cancelled")
  })

  it("stops a run that became stuck while it was being cancelled, as the first request said", () => {
    const state = and(inFlight, cancelRequested, stuck)
    assert.deepStrictEqual(when(state, RunDecision.cancel(erik, "again")).at(-1), {
      _tag: "RunCancelled",
      actor: dana,
      reason: "enough",
      usage: state.usage
    })
  })

  it("refuses a run that has ended, with its status", () => {
    assert.deepInclude(refusal(ended, cancel), { _tag: "RunClosed", runId, status: "Completed" })
    assert.deepInclude(refusal(given(), cancel), { _tag: "RunClosed", status: "NotStarted" })
  })

  it("ends with the run cancelled, however its program ends", () => {
    const state = after(inFlight, cancel)
    for (
      const end of [
        { _tag: "RunCompleted", output: "done" },
        { _tag: "RunFailed", reason: "Error", error: "no" },
        { _tag: "RunCancelled" }
      ] as const
    ) {
      assert.deepStrictEqual(when(state, RunDecision.end(end)), [
        unknownOutcome("charge"),
        { _tag: "RunCancelled", actor: dana, reason: "enough", usage: state.usage }
      ])
    }
  })
})

describe("RunDecision.end", () => {
  it("records what is still in flight as unknown, of every kind, and keeps its reservation", () => {
    const reserve = { tokens: 10, costUsd: "0.1" }
    const state = [charge, toolAt("t")].reduce((so, operation) => after(so, ask(operation)), given(started()))
    const all = after(state, ask(modelAt("m"), { reserve }))
    const events = when(all, RunDecision.end({ _tag: "RunCompleted", output: "done" }))
    assert.deepStrictEqual(events.map(({ _tag }) => _tag), [
      "StepFailed",
      "ToolCallFailed",
      "LLMCallFailed",
      "RunCompleted"
    ])
    for (const event of events.slice(0, -1)) {
      assert.deepInclude(event, { reason: "Interrupted", final: true, outcome: "unknown" })
    }
    assert.deepStrictEqual(and(all, ...events).usage.possible, reserve)
  })

  it("says nothing of operations between two attempts, since nothing of them is unknown", () => {
    const state = and(inFlight, failedOf(charge, { final: false }))
    assert.deepStrictEqual(
      when(state, RunDecision.end({ _tag: "RunFailed", reason: "Error", error: "no" })).map(({ _tag }) => _tag),
      ["RunFailed"]
    )
  })

  it("does not cancel a run that nobody asked to stop", () => {
    assert.deepStrictEqual(when(inFlight, RunDecision.end({ _tag: "RunCancelled" })), [])
  })
})

describe("RunDecision.recover", () => {
  const recover = (epoch: number, max = 5) => RunDecision.recover(epoch, `w${epoch}`, max)
  const under = (state: RunState, epoch: number, events: ReadonlyArray<RunEvent>) =>
    fold(state, recordedOf(events, { from: state.seq, epoch, outside: [] }))
  const takeOver = (state: RunState, epoch: number, max = 5) => under(state, epoch, when(state, recover(epoch, max)))

  it.prop("parks the run at the takeover after the last that is allowed, and names what was in flight (WR-4)", {
    max: Schema.Literals([0, 1, 2, 5])
  }, ({ max }) => {
    let state = inFlight
    for (let takeovers = 1; takeovers <= max; takeovers++) {
      state = takeOver(state, takeovers + 1, max)
      assert.strictEqual(status(state), "Running")
    }
    assert.deepStrictEqual(when(state, recover(max + 2, max)), [
      { _tag: "RunRecovered", epoch: max + 2, owner: `w${max + 2}` },
      {
        _tag: "RunStuck",
        reason: "poison",
        detail: `taken over ${max + 1} times without a new outcome`,
        key: "charge"
      }
    ])
  })

  it("never parks a run that goes on in between", () => {
    let state = given(started())
    for (let epoch = 1; epoch < 50; epoch++) {
      const step = stepAt(`step-${epoch}`)
      state = under(state, epoch, when(state, ask(step)))
      state = takeOver(state, epoch + 1)
      state = under(state, epoch + 1, [completedOf(step)])
      assert.isUndefined(state.stuck)
    }
  })

  it("does not count attempts that never started (WR-4)", () => {
    let state = takeOver(given(started(), timerAt("nap", 5)), 2)
    for (let epoch = 4; epoch < 40; epoch += 2) state = takeOver(state, epoch)
    assert.strictEqual(state.recoveries, 1)
    assert.isUndefined(state.stuck)
  })

  it("is refused by a run that has ended, and does not park a stuck run again", () => {
    assert.deepInclude(refusal(ended, recover(2)), { _tag: "RunClosed", status: "Completed" })
    const state = and(inFlight, stuck)
    assert.deepStrictEqual(when(state, recover(2, 0)).map(({ _tag }) => _tag), ["RunRecovered"])
  })

  it.prop("counts from the log, whatever else is in it", { commands: Commands }, ({ commands }) => {
    const { steps } = traceOf(started(), commands.flatMap((command) => [command, takeover]))
    for (const { after, command } of steps) {
      if (command._tag !== "TakeOver") continue
      assert.isTrue(after.recoveries <= maxRecoveries || after.stuck !== undefined || isEnded(after))
    }
  }, any)

  const takeover: Command = { _tag: "TakeOver", skipped: 0 }
})

describe("RunDecision.stick", () => {
  it("parks a run once, with the first reason, and lets release undo it", () => {
    const stick = RunDecision.stick({ reason: "replay", detail: "the code has changed" })
    const state = after(inFlight, stick)
    assert.deepStrictEqual(when(inFlight, stick), [stuck])
    assert.deepStrictEqual(when(state, RunDecision.stick({ reason: "poison", detail: "" })), [])
    assert.strictEqual(status(after(state, RunDecision.release(erik, "mended"))), "Running")
  })

  it("refuses to release a run that is not stuck, with its status", () => {
    assert.deepInclude(refusal(inFlight, RunDecision.release(dana)), { _tag: "RunClosed", status: "Running" })
  })
})

describe("RunDecision.pause", () => {
  it("changes nothing the second time, and nor does resume", () => {
    const state = after(inFlight, RunDecision.pause(dana, "lunch"))
    assert.strictEqual(status(state), "Paused")
    assert.deepStrictEqual(when(state, RunDecision.pause(erik)), [])
    const resumed = after(state, RunDecision.resume(dana))
    assert.strictEqual(status(resumed), "Running")
    assert.deepStrictEqual(when(resumed, RunDecision.resume(dana)), [])
  })
})

describe("RunDecision.changeBudget", () => {
  it("replaces the limits that are named", () => {
    const state = after(
      given(started({ budget: { turns: 1, costUsd: "1.00" } })),
      RunDecision.changeBudget({ turns: 5, tokens: 100 }, dana, "more")
    )
    assert.deepStrictEqual(state.budget, { turns: 5, costUsd: "1.00", tokens: 100 })
  })

  it("lets a raised limit permit what the old one would not", () => {
    const used = after(given(started({ budget: { turns: 1 } })), ask(modelAt("one")))
    assert.deepInclude(when(used, ask(modelAt("two")))[0], { reason: "BudgetExceeded" })
    const raised = after(used, RunDecision.changeBudget({ turns: 2 }, dana))
    assert.deepInclude(when(raised, ask(modelAt("two")))[0], { _tag: "LLMCallRequested" })
  })
})

describe("RunDecision.receive", () => {
  it("takes a signal, and one with the same id once", () => {
    const signal = received("go", 1, "id")
    const state = after(given(started()), RunDecision.receive(signal))
    assert.deepStrictEqual(when(state, RunDecision.receive(signal)), [])
    assert.deepStrictEqual(when(state, RunDecision.receive(received("go", 2, "other"))).length, 1)
    assert.deepStrictEqual(
      when(after(state, RunDecision.receive(received("go", 1))), RunDecision.receive(received("go", 1))).length,
      1
    )
  })

  it("refuses a run that is being cancelled or has ended, with its status", () => {
    const receive = RunDecision.receive(received("go", 1))
    assert.deepInclude(refusal(given(started(), cancelRequested), receive), { _tag: "RunClosed", status: "Cancelling" })
    assert.deepInclude(refusal(ended, receive), { status: "Completed" })
  })
})

describe("RunDecision.resolve", () => {
  const happened = (key: string) => RunDecision.resolve(key, { _tag: "Happened", output: { receipt: 1 } }, dana)
  const didNot = (key: string) => RunDecision.resolve(key, { _tag: "DidNotHappen", error: "no trace" }, dana)

  it("records what a person found out as the outcome of a step or a tool call", () => {
    assert.deepStrictEqual(when(inFlight, happened("charge")), [
      { _tag: "StepCompleted", key: "charge", attempt: 1, actor: dana, output: { receipt: 1 }, shown: 2 }
    ])
    assert.deepInclude(when(after(given(started()), ask(toolAt("t"))), happened("t"))[0], {
      _tag: "ToolCallCompleted",
      tool: "ship",
      toolCallId: "call-t",
      result: { receipt: 1 },
      actor: dana
    })
    assert.deepStrictEqual(when(inFlight, didNot("charge")), [{
      _tag: "StepFailed",
      key: "charge",
      attempt: 1,
      actor: dana,
      reason: "Resolved",
      error: "no trace",
      final: true,
      shown: 2
    }])
  })

  it("gives the reservation of a model call back that did not happen, and takes no answer for one that did", () => {
    const state = after(given(started()), ask(modelAt("m"), { reserve: { tokens: 10, costUsd: "0.1" } }))
    assert.deepInclude(refusal(state, happened("m")), { _tag: "InvalidRequest", field: "output" })
    assert.deepStrictEqual(after(state, didNot("m")).usage.possible, { tokens: 0, costUsd: "0" })
  })

  it("counts like any outcome: the first stands", () => {
    const state = after(inFlight, happened("charge"))
    assert.strictEqual(refusal(state, didNot("charge"))._tag, "AlreadySettled")
    assert.strictEqual(refusal(state, RunDecision.settle(completedOf(charge), { shown: 1 }))._tag, "AlreadySettled")
    assert.strictEqual(refusal(and(inFlight, completedOf(charge)), happened("charge"))._tag, "AlreadySettled")
  })

  it("refuses what is not there, and a run that has ended", () => {
    assert.strictEqual(refusal(inFlight, happened("other"))._tag, "WaitClosed")
    assert.strictEqual(refusal(given(started(), timerAt("nap", 5)), happened("nap"))._tag, "WaitClosed")
    assert.strictEqual(refusal(ended, happened("charge"))._tag, "RunClosed")
  })

  it("makes the run due, also while it is stuck", () => {
    const outside = (state: RunState, events: ReadonlyArray<RunEvent>) =>
      fold(state, recordedOf(events, { from: state.seq, outside: events.map(({ _tag }) => _tag) }))
    const parked = and(inFlight, timerAt("nap", 5), stuck)
    const resolved = outside(parked, when(parked, happened("charge")))
    assert.strictEqual(status(resolved), "Stuck")
    assert.strictEqual(status(outside(resolved, when(resolved, RunDecision.release(dana)))), "Running")
  })
})

describe("the errors of RunDecision", () => {
  it("say the run, the key and the status in one sentence", () => {
    const id = RunId.make("00000000-0000-4000-8000-0000000000aa")
    const messages = [
      new RunError.RunNotFound({ runId: id }),
      new RunError.RunClosed({ runId: id, status: "Completed" }),
      new RunError.StartConflict({ runId: id, startKey: "k" }),
      new RunError.WaitClosed({ runId: id, key: "k" }),
      new RunError.AlreadySettled({ runId: id, key: "k" }),
      new RunError.ApprovalNotPending({ runId: id, approval: "k", status: "Running" })
    ].map(({ message }) => message)
    for (const message of messages) {
      assert.include(message, id)
      assert.notInclude(message, "\n")
    }
    assert.strictEqual(new Set(messages).size, messages.length)
  })

  const Errors = Schema.Union([
    RunError.RunClosed,
    RunError.ApprovalNotPending,
    RunError.NotAnApprover,
    RunError.KeyMismatch
  ])
  const codec = Schema.toCodecJson(Errors)

  it.effect.prop(
    "go through JSON and come back the same",
    { failure: Errors },
    ({ failure }) =>
      Effect.gen(function*() {
        const json = yield* Schema.encodeEffect(codec)(failure)
        assert.deepStrictEqual(yield* Schema.decodeEffect(codec)(json), failure)
      })
  )
})
