/**
 * Logs to print: one with every type of event, and the run of the front page.
 */
import { type Recorded, RunEvent, RunId } from "@durable-agents/core"

/**
 * Dates and numbers events: seconds after the start, lease (0 for none), event.
 */
export const log = (
  ...rows: ReadonlyArray<readonly [seconds: number, epoch: number, event: RunEvent.RunEvent]>
): ReadonlyArray<Recorded> =>
  rows.map(([seconds, epoch, event], seq): Recorded => ({
    runId,
    seq,
    at: start + seconds * 1000,
    ...(epoch === 0 ? {} : { epoch }),
    event
  }))

export const runId = RunId.make("0198c0de-7a3b-7c4d-8e5f-0123456789ab")
const start = 1_767_606_131_120

const dana = { kind: "person", id: "dana@example.com" } as const
const operator = { kind: "person", id: "olu" } as const
const policy = { kind: "policy", id: "expiry" } as const
const key = (digit: string) => digit.repeat(64)

const usage = {
  turns: 2,
  toolCalls: 2,
  inputTokens: 1500,
  cachedInputTokens: 300,
  outputTokens: 90,
  costUsd: "0.0123",
  unreportedCalls: 1,
  unpricedCalls: 0,
  possible: { tokens: 0, costUsd: "0" }
}

const { cases } = RunEvent.RunEvent

export const everyEvent: ReadonlyArray<Recorded> = log(
  [
    0,
    0,
    cases.RunStarted.make({
      schemaVersion: 1,
      namespace: "default",
      program: "support",
      programVersion: "3",
      input: "Refund order A-8891,\nitem arrived damaged.",
      inputDigest: key("a"),
      tools: [{
        name: "issue_refund",
        description: "Refund an order. Amounts are in cents.",
        parameters: {
          type: "object",
          properties: { orderId: { type: "string" }, cents: { type: "integer" } },
          required: ["orderId", "cents"]
        },
        effect: "idempotent",
        approval: true
      }],
      budget: { turns: 25, toolCalls: 100, tokens: 200_000, costUsd: "1.00", wallMillis: 3_600_000 },
      labels: { team: "support" },
      requestedBy: dana,
      priority: 0,
      startAtMillis: start,
      startKey: "ticket-17",
      parent: "0198c0de-0000-7000-8000-000000000000",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      goal: "Refund order A-8891,\nitem arrived damaged.",
      model: "gpt-x",
      systemPrompt: "You handle refunds.\tBe brief.",
      systemPromptHash: key("b"),
      guardrailProfile: "validation"
    })
  ],
  [
    0.02,
    1,
    cases.LLMCallRequested.make({
      key: "turn-1/model",
      attempt: 1,
      idempotencyKey: key("1"),
      turn: 1,
      model: "gpt-x",
      parameters: { temperature: 0 },
      promptDigest: key("c"),
      messageCount: 2,
      estimatedTokens: 512,
      reserve: { tokens: 4096, costUsd: "0.05" },
      compaction: { replaces: 4, summaryLength: 12_000 }
    })
  ],
  [
    0.5,
    1,
    cases.LLMCallFailed.make({
      key: "turn-1/model",
      attempt: 1,
      turn: 1,
      reason: "Error",
      error: "429 Too Many Requests",
      failure: { _tag: "RateLimitError", retryAfter: 1000 },
      final: false,
      durationMillis: 480,
      wakeAtMillis: start + 1500
    })
  ],
  [
    1.5,
    1,
    cases.LLMCallRequested.make({
      key: "turn-1/model",
      attempt: 2,
      idempotencyKey: key("1"),
      turn: 1,
      model: "gpt-x",
      promptDigest: key("c"),
      messageCount: 2,
      estimatedTokens: 512
    })
  ],
  [
    2.75,
    1,
    cases.LLMCallCompleted.make({
      key: "turn-1/model",
      attempt: 2,
      turn: 1,
      model: "gpt-x-2026-01-01",
      parts: [
        { type: "reasoning", text: "The item arrived damaged." },
        { type: "text", text: "I will refund the order:\n\n  6400 cents\n  to the card" },
        {
          type: "tool-call",
          id: "call_1",
          name: "issue_refund",
          params: { orderId: "A-8891", cents: 6400 },
          metadata: {}
        },
        { type: "source", sourceType: "url", id: "s1", url: "https://example.com/policy", title: "Refund policy" }
      ],
      stopReason: "tool-calls",
      usage: { inputTokens: 1500, cachedInputTokens: 300, outputTokens: 90, costUsd: "0.0123" },
      providerRequestId: "req_123",
      durationMillis: 1234,
      shown: 2
    })
  ],
  [
    2.75,
    1,
    cases.GuardrailTriggered.make({
      key: "turn-1/call-1",
      turn: 1,
      layer: "tool-call",
      rule: "amount-cap",
      action: "ESCALATE",
      detail: { cents: 6400, cap: 5000 },
      latencyMillis: 0.4
    })
  ],
  [
    2.75,
    1,
    cases.ApprovalRequested.make({
      key: "turn-1/call-1/approval",
      subject: "issue_refund of 6400 cents",
      reason: "The amount is above the cap of 5000 cents, so a person has to decide whether the refund is made at all.",
      turn: 1,
      tool: "issue_refund",
      toolCallId: "call_1",
      arguments: { orderId: "A-8891", cents: 6400 },
      expiresAtMillis: start + 259_200_000,
      onExpiry: "deny",
      approvers: ["dana@example.com", "support-leads"]
    })
  ],
  [
    54_000,
    0,
    cases.ApprovalGranted.make({
      key: "turn-1/call-1/approval",
      actor: dana,
      comment: "Seen the photo.",
      arguments: { orderId: "A-8891", cents: 6000 }
    })
  ],
  [
    54_001,
    2,
    cases.ToolCallRequested.make({
      key: "turn-1/call-1",
      attempt: 1,
      idempotencyKey: key("2"),
      turn: 1,
      tool: "issue_refund",
      toolCallId: "call_1",
      arguments: { orderId: "A-8891", cents: 6000 },
      approval: "turn-1/call-1/approval"
    })
  ],
  [54_010, 3, cases.RunRecovered.make({ epoch: 3, owner: "host-b/4711" })],
  [
    54_010.1,
    3,
    cases.ToolCallRequested.make({
      key: "turn-1/call-1",
      attempt: 2,
      idempotencyKey: key("2"),
      turn: 1,
      tool: "issue_refund",
      toolCallId: "call_1",
      arguments: { orderId: "A-8891", cents: 6000 },
      approval: "turn-1/call-1/approval"
    })
  ],
  [
    54_010.5,
    3,
    cases.ToolCallCompleted.make({
      key: "turn-1/call-1",
      attempt: 2,
      turn: 1,
      tool: "issue_refund",
      toolCallId: "call_1",
      result: { receipt: "RF-55012", note: "Erstattung fürs 破損した商品 👩‍👩‍👧 " + "x".repeat(90) },
      recovered: true,
      durationMillis: 400
    })
  ],
  [
    54_011,
    3,
    cases.ToolCallCompleted.make({
      key: "turn-2/call-1",
      attempt: 1,
      turn: 2,
      tool: "send_mail",
      toolCallId: "call_2",
      result: "no such address",
      isFailure: true,
      mismatch: "the result has no field `id`",
      actor: operator
    })
  ],
  [
    54_012,
    3,
    cases.ToolCallFailed.make({
      key: "turn-2/call-2",
      attempt: 1,
      turn: 2,
      tool: "lookup",
      toolCallId: "call_3",
      reason: "Crashed",
      error: "the worker died while the call was running",
      final: true,
      outcome: "unknown",
      arguments: { id: 1 },
      idempotencyKey: key("3")
    })
  ],
  [54_013, 3, cases.StepRequested.make({ key: "note", attempt: 1, idempotencyKey: key("4") })],
  [
    54_014,
    3,
    cases.StepFailed.make({
      key: "note",
      attempt: 1,
      reason: "Timeout",
      error: "took longer than 1 s",
      final: false,
      wakeAtMillis: start + 54_015_000
    })
  ],
  [54_015, 3, cases.StepRequested.make({ key: "note", attempt: 2, idempotencyKey: key("4") })],
  [54_016, 3, cases.StepCompleted.make({ key: "note", attempt: 2, output: ["a", 1, null], durationMillis: 61_500 })],
  [54_017, 3, cases.TimerStarted.make({ key: "wait/slow/grace", untilMillis: start + 90_000_000 })],
  [54_017, 3, cases.SignalAwaited.make({ key: "wait/fast/parcel", name: "parcel" })],
  [
    54_100,
    0,
    cases.SignalReceived.make({
      name: "parcel",
      payload: { arrived: true },
      actor: { kind: "program", id: "logistics" },
      signalId: "evt-9"
    })
  ],
  [54_100, 0, cases.SignalReceived.make({ name: "later", payload: "\u001b[31mred\u001b[0m \u202eevil\u202c \\t" })],
  [54_101, 3, cases.BranchDecided.make({ key: "wait", winner: "fast" })],
  [54_102, 3, cases.SignalAwaited.make({ key: "second", name: "later" })],
  [54_103, 3, cases.TimerStarted.make({ key: "nap", untilMillis: start + 54_104_000 })],
  [54_104, 3, cases.TimerFired.make({ key: "nap" })],
  [54_105, 3, cases.TimerStarted.make({ key: "over", untilMillis: start + 90_000_000 })],
  [54_105, 3, cases.WaitAbandoned.make({ key: "over" })],
  [
    54_106,
    3,
    cases.ApprovalRequested.make({ key: "close", subject: "Close the ticket", reason: "", expiresAtMillis: start })
  ],
  [54_107, 0, cases.ApprovalDenied.make({ key: "close", actor: policy, reason: "nobody answered in time" })],
  [54_108, 0, cases.RunPaused.make({ actor: operator, reason: "maintenance" })],
  [54_109, 0, cases.RunResumed.make({ actor: operator })],
  [54_110, 0, cases.BudgetChanged.make({ budget: { costUsd: "2.00" }, actor: operator, reason: "one more try" })],
  [54_111, 4, cases.RunStuck.make({ reason: "KeyMismatch", detail: "`note` was a step", key: "note", heldBy: "step" })],
  [54_112, 0, cases.RunReleased.make({ actor: operator, reason: "old build is back" })],
  [54_113, 0, {
    _tag: "UnknownEvent",
    type: "ChildStarted",
    payload: { key: "child", runId: "0198c0de-1111-7000-8000-000000000000" },
    problem: "this build does not know events of type `ChildStarted`"
  }],
  [54_114, 0, cases.RunCancelRequested.make({ actor: operator, reason: "customer took it back" })],
  [54_115, 4, cases.RunCancelled.make({ reason: "customer took it back", actor: operator, usage })],
  [
    54_116,
    4,
    cases.RunFailed.make({
      reason: "BudgetExceeded",
      error: "The run's budget allows 1.00 USD, and 1.01 are used",
      failure: { _tag: "BudgetExceeded", limit: "costUsd" },
      usage
    })
  ],
  [54_117, 4, cases.RunCompleted.make({ output: "Refund RF-55012 processed.", usage })]
)

/** A run whose worker was killed after the refund was made and before that was recorded. */
export const crashed: ReadonlyArray<Recorded> = log(
  [
    0,
    0,
    cases.RunStarted.make({
      schemaVersion: 1,
      namespace: "default",
      program: "support",
      programVersion: "1",
      input: "Refund order A-8891, item arrived damaged.",
      inputDigest: key("a"),
      tools: [],
      budget: {},
      labels: {},
      requestedBy: dana,
      priority: 0,
      goal: "Refund order A-8891, item arrived damaged."
    })
  ],
  [
    1,
    1,
    cases.LLMCallRequested.make({
      key: "turn-1/model",
      attempt: 1,
      idempotencyKey: key("1"),
      turn: 1,
      model: "gpt-x",
      promptDigest: key("c"),
      messageCount: 1,
      estimatedTokens: 12
    })
  ],
  [
    2,
    1,
    cases.LLMCallCompleted.make({
      key: "turn-1/model",
      attempt: 1,
      turn: 1,
      parts: [{ type: "tool-call", id: "call_1", name: "issue_refund", params: { orderId: "A-8891", cents: 6400 } }],
      stopReason: "tool-calls",
      usage: {}
    })
  ],
  [
    2,
    1,
    cases.ToolCallRequested.make({
      key: "turn-1/call-1",
      attempt: 1,
      idempotencyKey: key("2"),
      turn: 1,
      tool: "issue_refund",
      toolCallId: "call_1",
      arguments: { orderId: "A-8891", cents: 6400 }
    })
  ]
)
