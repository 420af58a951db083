import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { RunEvent } from "../src/RunEvent.ts"
import { RunSummary, summarize, waits, WaitSummary } from "../src/RunIndex.ts"
import { fold, initial, openPlaces, status, wakeAt } from "../src/RunState.ts"
import {
  and,
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
  toolAt,
  Traces
} from "./generators.ts"

const any = { arbitrary: { size: 60, runs: 60 } }

const requested = (operation: ReturnType<typeof stepAt>): RunEvent =>
  requestOf(operation).requested({ key: operation.key, attempt: 1, idempotencyKey: "" })

const { usage } = given()

describe("RunIndex.waits", () => {
  it("shows everything that keeps a run from going on, oldest first", () => {
    const state = given(
      started(),
      requested(modelAt("turn-1/model")),
      requested(toolAt("turn-1/call-1")),
      requested(stepAt("charge")),
      failedOf(stepAt("charge"), { final: false, error: "not yet", wakeAtMillis: 60_000 }),
      timerAt("nap", 90_000),
      awaitedAt("answer", "go"),
      approvalAt("ship", { reason: "it costs", tool: "ship", arguments: { id: 1 } })
    )
    assert.deepStrictEqual(waits(state), [
      { kind: "operation", key: "turn-1/model", since: 1000, subject: "the model" },
      { kind: "operation", key: "turn-1/call-1", since: 2000, subject: "ship" },
      { kind: "retry", key: "charge", since: 3000, subject: "charge", until: 60_000, reason: "not yet" },
      { kind: "timer", key: "nap", since: 5000, until: 90_000, subject: "a timer" },
      { kind: "signal", key: "answer", since: 6000, subject: "go" },
      {
        kind: "approval",
        key: "ship",
        since: 7000,
        subject: "ship?",
        reason: "it costs",
        tool: "ship",
        arguments: { id: 1 }
      }
    ])
  })

  it("gives an approval an end only if something happens then", () => {
    const until = (onExpiry?: "deny") =>
      waits(given(started(), approvalAt("a", { expiresAtMillis: 5, ...(onExpiry === undefined ? {} : { onExpiry }) })))[
        0
      ]
        ?.until
    assert.strictEqual(until("deny"), 5)
    assert.isUndefined(until())
  })

  it.prop("fits its schema, and is empty once the run has ended", { log: Logs }, ({ log }) => {
    const state = fold(initial(runId), log)
    assert.isTrue(Schema.is(Schema.Array(WaitSummary))(waits(state)))
    assert.strictEqual(waits(state).length, openPlaces(state).length)
    if (state.end !== undefined) assert.deepStrictEqual(waits(state), [])
  }, any)
})

describe("RunIndex.summarize", () => {
  it("shows nothing of a log without a start", () => {
    assert.isUndefined(summarize(given()))
    assert.isUndefined(summarize(given(timerAt("nap", 5))))
  })

  it("shows what lists show", () => {
    const state = given(started({ labels: { team: "a" }, requestedBy: dana }), timerAt("nap", 90_000))
    assert.deepStrictEqual(summarize(state), {
      runId,
      namespace: "default",
      program: "support",
      programVersion: "1",
      status: "Sleeping",
      labels: { team: "a" },
      requestedBy: dana,
      startedAt: 0,
      updatedAt: 1000,
      seq: 2,
      wakeAt: 90_000,
      waits: waits(state),
      usage
    })
  })

  it.prop("fits its schema, and agrees with the fold", { trace: Traces }, ({ trace }) => {
    for (const { after } of trace.steps) {
      const summary = summarize(after)
      assert.isTrue(Schema.is(RunSummary)(summary))
      assert.deepInclude(summary, { status: status(after), wakeAt: wakeAt(after) ?? null, seq: after.seq })
    }
  }, any)

  it("says why a run is stuck, has failed, was cancelled, or was put back", () => {
    const reasonOf = (...events: ReadonlyArray<RunEvent>) => summarize(given(started(), ...events))?.reason
    const stuck: RunEvent = { _tag: "RunStuck", reason: "poison", detail: "taken over 6 times" }
    assert.isUndefined(reasonOf())
    assert.strictEqual(reasonOf(stuck), "taken over 6 times")
    assert.isUndefined(reasonOf(stuck, { _tag: "RunReleased", actor: dana }))
    assert.strictEqual(reasonOf({ _tag: "RunFailed", reason: "Error", error: "no money", usage }), "no money")
    const cancelled: RunEvent = { _tag: "RunCancelled", reason: "enough", actor: dana, usage }
    assert.strictEqual(reasonOf(stuck, cancelled), "enough")
    assert.isUndefined(reasonOf(stuck, { _tag: "RunCompleted", output: null, usage }))
    assert.strictEqual(
      summarize(given(started()), "the program is not registered")?.reason,
      "the program is not registered"
    )
  })

  it("follows a run from list to list", () => {
    const waiting = given(started(), approvalAt("ship"))
    assert.strictEqual(summarize(waiting)?.status, "AwaitingApproval")
    const decided = and(waiting, { _tag: "ApprovalGranted", key: "ship", actor: dana })
    assert.deepInclude(summarize(decided), { status: "Running", waits: [] })
  })
})
