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
      ["Guardrail secret: masked", ""],
      ["Asked for approval: Pay?", "approved by dana"],
      ["An event of type Later that this page does not know", ""],
      ["Run completed", ""]
    ])
    assert.deepStrictEqual(entries[0]?.lines.map(({ text }) => text), [
      "Attempt 1 failed (error): busy",
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
