import { Budget, type RunEvent, type RunId, type Seq } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import type { Recorded } from "../src/page/Entry.ts"
import { add, empty } from "../src/page/Timeline.ts"

const operation = { key: "turn-1/call-1", attempt: 1, turn: 1, tool: "pay", toolCallId: "call-1" }
const dana = { kind: "person", id: "dana" } as const

const log = (...events: ReadonlyArray<RunEvent.RunEvent>): ReadonlyArray<Recorded> =>
  events.map((event, seq) => ({ runId: "0" as RunId, seq: seq as Seq, at: seq * 1000, event }))

const requested = (attempt: number) =>
  ({ _tag: "ToolCallRequested", ...operation, attempt, idempotencyKey: "k", arguments: { cents: 5 } }) as const

const whole = log(
  requested(1),
  { _tag: "ToolCallFailed", ...operation, reason: "Error", error: "busy", final: false },
  { _tag: "GuardrailTriggered", layer: "result", rule: "secret", action: "REDACT", detail: {} },
  { _tag: "ApprovalRequested", key: "ask", subject: "Pay?", reason: "over the limit" },
  requested(2),
  { _tag: "ApprovalGranted", key: "ask", actor: dana, arguments: { cents: 4 } },
  { _tag: "ToolCallCompleted", ...operation, attempt: 2, recovered: true, result: "paid" },
  { _tag: "UnknownEvent", type: "Later", payload: {}, problem: "new" },
  { _tag: "RunCompleted", output: "done", usage: Budget.noUsage }
)

describe("Timeline.add", () => {
  it("puts what belongs together together, where it began", () => {
    const { entries } = add(empty, whole)
    assert.deepStrictEqual(entries.map(({ state, title }) => [title, state]), [
      ["Call pay", "done, recovered"],
      ["Taken out of what the model is shown: secret", ""],
      ["Asked for approval: Pay?", "approved by dana"],
      ["An event of type Later that this page does not know", ""],
      ["Run completed", ""]
    ])
    assert.deepStrictEqual(entries[0]?.lines.map(({ text }) => text), [
      "Attempt 1 failed: busy",
      "Attempt 2",
      "Recovered: an earlier attempt ended with its worker, so the effect may have been asked for more than once.",
      "Result"
    ])
    assert.deepStrictEqual(entries[0]?.input, { cents: 5 })
    assert.deepStrictEqual(entries[2]?.lines.at(-1), {
      at: 5000,
      tone: "care",
      text: "With these arguments instead",
      value: { cents: 4 }
    })
  })

  it("keeps steps apart from what has no key, whatever their keys are", () => {
    const { entries } = add(
      empty,
      log(
        { _tag: "RunPaused", actor: dana },
        { _tag: "StepRequested", key: "event 0", attempt: 1, idempotencyKey: "k" }
      )
    )
    assert.deepStrictEqual(entries.map(({ title }) => title), ["Paused by dana", "Step event 0"])
  })

  it("says what each model is asked for", () => {
    const call = {
      attempt: 1,
      turn: 1,
      model: "m",
      idempotencyKey: "k",
      promptDigest: "d",
      messageCount: 2,
      estimatedTokens: 9
    }
    const asked = (key: string) => ({ _tag: "LLMCallRequested", key, ...call } as const)
    const { entries } = add(
      empty,
      log(asked("turn-1/model"), asked("turn-1/call-1/result/screening/classifier"), {
        _tag: "LLMCallFailed",
        key: "goal/screening/classifier",
        attempt: 1,
        turn: 1,
        reason: "Timeout",
        error: "late",
        final: false
      })
    )
    assert.deepStrictEqual(entries.map(({ title }) => title), [
      "Turn 1: ask the model",
      "Turn 1: ask a model for the guardrail classifier",
      "Turn 1: ask a model for the guardrail classifier"
    ])
  })

  it("numbers events, says of each what it was, and where a fork may be at most", () => {
    const { entries, open, points } = add(empty, whole)
    assert.deepStrictEqual(entries.map(({ from, to }) => [from, to]), [[0, 6], [2, 2], [3, 5], [7, 7], [8, 8]])
    assert.deepStrictEqual(points.slice(0, 4), [
      "Call pay: runs",
      "Call pay: failed, tries again",
      "Taken out of what the model is shown: secret",
      "Asked for approval: Pay?: waits for a decision"
    ])
    assert.strictEqual(open, 8)
    assert.strictEqual(add(empty, log(requested(1), { _tag: "RunCancelRequested", actor: dana, reason: "" })).open, 1)
  })

  it("says of an operation that nobody knows the end of that somebody has to find out", () => {
    const stuck = { _tag: "RunStuck", reason: "unknownOutcome", detail: "?", key: operation.key } as const
    const [call] = add(empty, log(requested(1), stuck)).entries
    assert.strictEqual(call?.state, "outcome unknown, a person has to say it")
    const unasked = add(empty, log({ ...stuck, reason: "budget" }))
    assert.deepStrictEqual(unasked.entries.map(({ title }) => title), ["Run is stuck"])
  })

  it("says who decided, and of nobody that it was nobody", () => {
    const { entries } = add(
      empty,
      log(
        { _tag: "ApprovalRequested", key: "ask", subject: "Pay?", reason: "" },
        { _tag: "ApprovalDenied", key: "ask", actor: { kind: "policy", id: "expiry" }, reason: "" }
      )
    )
    assert.strictEqual(entries[0]?.state, "denied, since nobody decided in time")
  })

  it("always says the same, in whatever pieces events come, also twice", () => {
    const expected = add(empty, whole)
    for (let first = 0; first <= whole.length; first++) {
      for (let second = first; second <= whole.length; second++) {
        const pieces = [whole.slice(0, first), whole.slice(0, second), whole.slice(first)]
        assert.deepStrictEqual(pieces.reduce(add, empty), expected)
      }
    }
  })
})
