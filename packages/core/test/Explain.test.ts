import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import type { Explanation } from "../src/Explain.ts"
import { explain } from "../src/Explain.ts"
import * as Fork from "../src/Fork.ts"
import * as RunDecision from "../src/RunDecision.ts"
import type { RunEvent } from "../src/RunEvent.ts"
import type { Holder } from "../src/RunQueue.ts"
import type { RunState } from "../src/RunState.ts"
import { fold, initial, pendingApprovals } from "../src/RunState.ts"
import { view } from "../src/RunView.ts"
import {
  approvalAt,
  awaitedAt,
  dana,
  failedOf,
  given,
  Logs,
  modelAt,
  requestOf,
  runId,
  started,
  stepAt,
  timerAt,
  toolAt
} from "./generators.ts"

const { usage } = given()

const requested = (operation: ReturnType<typeof stepAt>): RunEvent =>
  requestOf(operation).requested({ key: operation.key, attempt: 1, idempotencyKey: "" })

const cases: ReadonlyArray<
  readonly [
    expected: Pick<Explanation, "status" | "mover" | "headline" | "next">,
    events: ReadonlyArray<RunEvent>
  ]
> = [
  [{ status: "NotStarted", mover: "nobody", headline: "There is no such run.", next: "Start it." }, []],
  [{
    status: "Pending",
    mover: "worker",
    headline: "No worker has begun this run.",
    next: "A worker with the program `support` takes it."
  }, [started()]],
  [{
    status: "Pending",
    mover: "worker",
    headline: "No worker has begun this run.",
    next: "A worker with the program `support` takes it, not before 1970-01-02T00:00:00.000Z."
  }, [started({ startAtMillis: 86_400_000 })]],
  [{
    status: "Running",
    mover: "worker",
    headline: "The run is working on the model (`turn-1`), ship (`call-1`), `charge`.",
    next: "The worker that holds it goes on, or the next free one takes it."
  }, [started(), requested(modelAt("turn-1")), requested(toolAt("call-1")), requested(stepAt("charge"))]],
  [{
    status: "Running",
    mover: "worker",
    headline: "The run is due.",
    next: "The worker that holds it goes on, or the next free one takes it."
  }, [started(), approvalAt("ship"), { _tag: "ApprovalGranted", key: "ship", actor: dana }]],
  [{
    status: "AwaitingApproval",
    mover: "approver",
    headline: "The run waits for a decision on `ship`, `keep`.",
    next: "Approve or deny it; then a worker goes on."
  }, [started(), approvalAt("ship"), approvalAt("keep"), timerAt("nap", 5)]],
  [{
    status: "AwaitingSignal",
    mover: "sender",
    headline: "The run waits for the signal go (`answer`), `stop`.",
    next: "When the signal is sent, a worker goes on."
  }, [started(), awaitedAt("answer", "go"), awaitedAt("stop", "stop")]],
  [{
    status: "Sleeping",
    mover: "clock",
    headline: "The run sleeps until 1970-01-02T00:00:00.000Z.",
    next: "A worker takes it then."
  }, [started(), timerAt("nap", 86_400_000)]],
  [{
    status: "Cancelling",
    mover: "worker",
    headline: "The run is being cancelled: enough.",
    next: "A worker ends it: operations in flight get the grace time, then finalizers run."
  }, [started(), requested(stepAt("charge")), { _tag: "RunCancelRequested", actor: dana, reason: "enough." }]],
  [{
    status: "Paused",
    mover: "operator",
    headline: "The run is paused.",
    next: "It goes on when it is resumed."
  }, [started(), { _tag: "RunPaused", actor: dana }]],
  [{
    status: "Stuck",
    mover: "operator",
    headline: "The run is stuck: taken over 6 times without a new outcome.",
    next: "Mend the cause, then release it, or cancel it. No worker takes it by itself."
  }, [started(), { _tag: "RunStuck", reason: "poison", detail: "taken over 6 times without a new outcome" }]],
  [
    { status: "Completed", mover: "nobody", headline: "The run has completed.", next: "Nothing." },
    [started(), { _tag: "RunCompleted", output: null, usage }]
  ],
  [{
    status: "Failed",
    mover: "nobody",
    headline: "The run has failed: no money.",
    next: "Nothing; start a new run."
  }, [started(), { _tag: "RunFailed", reason: "Error", error: "no money.", usage }]],
  [
    { status: "Cancelled", mover: "nobody", headline: "The run was cancelled: enough.", next: "Nothing." },
    [started(), { _tag: "RunCancelled", reason: "enough", actor: dana, usage }]
  ],
  [
    { status: "Cancelled", mover: "nobody", headline: "The run was cancelled.", next: "Nothing." },
    [started(), { _tag: "RunCancelled", reason: "", actor: dana, usage }]
  ]
]

const explained = (state: RunState, reason?: string) =>
  explain(view(state), reason === undefined ? undefined : { reason })

describe("Explain.explain", () => {
  it.each(cases)(
    "says where a run is, who can move it and what happens next: $status, $headline",
    (expected, events) => {
      const { headline, mover, next, status } = explained(given(...events))
      assert.deepStrictEqual({ status, mover, headline, next }, expected)
    }
  )

  it("says whether the worker that has the run is alive, and what to do if none is", () => {
    const running = given(started(), requested(stepAt("charge")))
    const next = (holder: Option.Option<Holder>) => explain(view(running), { holder }).next
    const holder = { owner: "w-1", epoch: 2, isAlive: true, aliveUntil: 86_400_000 }
    assert.strictEqual(next(Option.some(holder)), "The worker `w-1` has it and goes on.")
    assert.strictEqual(
      next(Option.some({ ...holder, isAlive: false })),
      "The worker `w-1` has it and has stopped; its lease was kept until 1970-01-02T00:00:00.000Z. The next free worker takes the run over. If none runs, start one."
    )
    assert.strictEqual(
      next(Option.none()),
      "No worker has it: the next free one takes it. If none runs, start one."
    )
    assert.strictEqual(
      explain(view(given(started())), { holder: Option.none() }).next,
      "A worker with the program `support` takes it. If none runs, start one."
    )
  })

  it("has a case for every status", () => {
    const all = new Set(cases.map(([{ status }]) => status))
    assert.strictEqual(all.size, 12)
  })

  it("says of every wait since when it is open, until when, and who ends it", () => {
    const state = given(
      started(),
      requested(toolAt("call-1")),
      requested(stepAt("charge")),
      failedOf(stepAt("charge"), { final: false, error: "not yet", wakeAtMillis: 60_000 }),
      timerAt("nap", 90_000),
      awaitedAt("answer", "go"),
      approvalAt("ship", { reason: "it costs", expiresAtMillis: 120_000, onExpiry: "deny" }),
      approvalAt("keep")
    )
    assert.deepStrictEqual(explained(state).waitsFor.map(({ mover, text }) => [mover, text]), [
      ["worker", "works on ship since 1970-01-01T00:00:01.000Z"],
      ["clock", "tries charge again at 1970-01-01T00:01:00.000Z, begun 1970-01-01T00:00:02.000Z; last time: not yet"],
      ["clock", "sleeps since 1970-01-01T00:00:04.000Z, until 1970-01-01T00:01:30.000Z"],
      ["sender", "waits for the signal `go` since 1970-01-01T00:00:05.000Z"],
      [
        "approver",
        "asks for a decision since 1970-01-01T00:00:06.000Z, until 1970-01-01T00:02:00.000Z: ship? (it costs)"
      ],
      ["approver", "asks for a decision since 1970-01-01T00:00:07.000Z: keep?"]
    ])
  })

  it("says who may decide, until when it is wanted, and what becomes of it if nobody does", () => {
    const state = given(
      started(),
      approvalAt("kept", { expiresAtMillis: 90_000, approvers: ["dana", "kim"], notByRequester: true }),
      approvalAt("later", { expiresAtMillis: 240_000, onExpiry: "deny" }),
      approvalAt("sooner", { expiresAtMillis: 120_000, onExpiry: "approve", approvers: [] })
    )
    const { next, since, waitsFor } = explained(state)
    assert.deepStrictEqual(waitsFor.map(({ text }) => text), [
      "asks for a decision since 1970-01-01T00:00:01.000Z, wanted by 1970-01-01T00:01:30.000Z: kept?; " +
      "may be decided by dana, kim; not to be allowed by who started the run",
      "asks for a decision since 1970-01-01T00:00:02.000Z, until 1970-01-01T00:04:00.000Z: later?",
      "asks for a decision since 1970-01-01T00:00:03.000Z, until 1970-01-01T00:02:00.000Z: sooner?; nobody may decide"
    ])
    assert.strictEqual(
      next,
      "Approve or deny it; then a worker goes on. If nobody does by 1970-01-01T00:02:00.000Z, it counts as approved, and the " +
        "run goes on by itself."
    )
    assert.strictEqual(since, 1_000)
  })

  it.prop("says what the run takes: what it names is not refused for the run's status, what it does not name is", {
    log: Logs
  }, ({ log }) => {
    const state = fold(initial(runId), log)
    const actions = new Set(explained(state).actions)
    const takes = (decision: RunDecision.Decision<unknown>) => Result.isSuccess(decision(state))
    assert.strictEqual(actions.has("release"), takes(RunDecision.release(dana)))
    const signal = { _tag: "SignalReceived", name: "go", payload: null } as const
    assert.strictEqual(actions.has("signal"), takes(RunDecision.receive(signal)))
    // A log without a start is no run, and nobody is let decide about it.
    for (const { key } of state.started === undefined ? [] : pendingApprovals(state)) {
      const decision = RunDecision.deny(key, dana, 0, "")(state)
      const refused = Result.isFailure(decision) && decision.failure._tag !== "NotAnApprover"
      assert.strictEqual(actions.has("deny"), !refused)
    }
    const forked = Fork.make(log, { runId, at: log.length, actor: dana, now: 0, started: {} })
    if (state.end === undefined && log[0]?.event._tag === "RunStarted") {
      assert.strictEqual(actions.has("fork"), Result.isSuccess(forked))
    }
  })

  it("says why a run was put back the last time, if the log itself gives no reason", () => {
    const why = "the program `support` is not registered"
    for (const events of [[started()], [started(), timerAt("nap", 5)], [started(), requested(stepAt("charge"))]]) {
      assert.include(explained(given(...events), why).next, `(put back last time: ${why})`)
    }
    const stuck: RunEvent = { _tag: "RunStuck", reason: "poison", detail: "it kills" }
    assert.include(explained(given(started(), stuck), why).headline, "it kills")
  })

  it("says what in the log this build cannot read", () => {
    const unknown: RunEvent = { _tag: "UnknownEvent", type: "SomethingNew", payload: {}, problem: "what is this?" }
    assert.include(explained(given(started(), unknown)).next, "what is this?")
  })

  it("explains a time that no calendar has", () => {
    assert.strictEqual(
      explained(given(started(), timerAt("nap", 1e300))).headline,
      "The run sleeps until the end of time."
    )
  })

  it.prop("has one sentence for any log", { log: Logs }, ({ log }) => {
    const state = fold(initial(runId), log)
    for (const { headline, next, waitsFor } of [explained(state), explained(state, "a reason")]) {
      assert.match(headline, /\.$/)
      assert.match(next, /\.$/)
      assert.strictEqual(waitsFor.length, view(state).waits.length)
    }
  }, { arbitrary: { size: 60 } })
})
