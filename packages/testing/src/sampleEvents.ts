/**
 * One event of every type, with texts and values that stores have been known to damage.
 */
import type { RunEvent, RunEventOf } from "@durable-agents/core"
import { RunId } from "@durable-agents/core"
import { Schema } from "effect"

/**
 * Text that databases, JSON and UTF-8 treat in different ways: U+0000, lone surrogates, a family of emoji, right-to-left marks,
 * line separators, and text that only spells out escapes.
 *
 * @category samples
 * @since 0.1.0
 */
export const oddText = "nul \u0000 high \ud83d low \ude00 family \u{1F468}\u200d\u{1F469}\u200d\u{1F467} mark \u202e " +
  "lines \u2028\u2029\r\n\t spelled \\u0000 \\\\u0000 \\ud83d \\n quotes \"'` percent %s %00 end"

/**
 * `oddText` as every store gives it back: what a database cannot hold is replaced, the rest is untouched.
 *
 * @category samples
 * @since 0.1.0
 */
export const cleanOddText = oddText
  .replace("\u0000", "\u2400")
  .replace("high \ud83d", "high \ufffd")
  .replace("low \ude00", "low \ufffd")

/**
 * A JSON value with keys that mean something to JavaScript objects, deep nesting, and numbers at the edges.
 *
 * @category samples
 * @since 0.1.0
 */
export const oddJson: Schema.Json = Schema
  .decodeSync(Schema
    .fromJsonString(Schema
      .Json))(`{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"text","":"empty","hasOwnProperty":null,` +
      `"numbers":[0,-0.5,1e21,1e-7,9007199254740991,0.1],"deep":[[[[[[[[{"__proto__":[]}]]]]]]]],"emoji 👩‍👩‍👧 key":"ключ"}`)

const actor = { kind: "person", id: "dana@example.com" } as const
const usage = {
  turns: 2,
  toolCalls: 1,
  inputTokens: 1200,
  cachedInputTokens: 0,
  outputTokens: 80,
  costUsd: "0.0123",
  unreportedCalls: 0,
  unpricedCalls: 0,
  possible: { tokens: 0, costUsd: "0" }
}
const requested = {
  key: "turn-1/model",
  attempt: 1,
  idempotencyKey: "a".repeat(64),
  within: [{ path: "research", budget: { turns: 5, costUsd: "0.20", unpriced: "refuse" as const } }]
}
const failed = { key: "charge", attempt: 2, error: "card \"refused\"", final: false, wakeAtMillis: 1_700_000_000_123 }
const call = { turn: 1, tool: "issue_refund", toolCallId: "call_1" }

/**
 * One event of every type that is ever written, by type.
 *
 * @category samples
 * @since 0.1.0
 */
export const sampleEvents: {
  readonly [Tag in Exclude<RunEvent.RunEvent["_tag"], "UnknownEvent">]: RunEventOf<Tag>
} = {
  RunStarted: {
    _tag: "RunStarted",
    schemaVersion: 1,
    namespace: "default",
    program: "support",
    programVersion: "3",
    input: { order: "A-8891", nested: { "1.0": 1, ключ: [true, null] } },
    inputDigest: `sha256:${"0".repeat(64)}`,
    tools: [{ name: "issue_refund", parameters: { type: "object" }, effect: "idempotent", approval: true }],
    budget: {
      turns: 25,
      costUsd: "1.00",
      wallMillis: 60_000,
      activeMillis: 30_000,
      unpriced: "refuse",
      atLimit: "park"
    },
    labels: { team: "billing", "odd \u2028 label": "" },
    requestedBy: actor,
    priority: -3,
    startAtMillis: 1_700_000_000_000,
    startKey: "order/A-8891",
    startKeyScope: "namespace",
    contentDigest: `sha256:${"3".repeat(64)}`,
    parent: "none",
    forkedFrom: { runId: RunId.make("0198c0de-7a3b-7c4d-8e5f-0123456789ab"), seq: 7, reason: "another \u2028 try" },
    traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
    goal: "Refund order A-8891",
    model: "some-model",
    systemPrompt: "You handle refunds.",
    systemPromptHash: `sha256:${"1".repeat(64)}`,
    guardrailProfile: "validation"
  },
  RunRecovered: { _tag: "RunRecovered", epoch: 7, owner: "process/host/1/2" },
  RunStuck: { _tag: "RunStuck", reason: "poison", detail: "six takeovers", key: "charge", heldBy: "worker" },
  RunReleased: { _tag: "RunReleased", actor, reason: "fixed" },
  RunPaused: { _tag: "RunPaused", actor },
  RunResumed: { _tag: "RunResumed", actor, reason: "go on" },
  BudgetChanged: { _tag: "BudgetChanged", budget: { tokens: 1_000_000 }, actor },
  RunCancelRequested: { _tag: "RunCancelRequested", actor, reason: "wrong order" },
  RunCompleted: { _tag: "RunCompleted", output: ["done", 1.5, null], usage },
  RunFailed: { _tag: "RunFailed", reason: "Error", error: "no", failure: { _tag: "No" }, usage },
  RunCancelled: { _tag: "RunCancelled", reason: "wrong order", actor: { kind: "system", id: "runtime" }, usage },
  LLMCallRequested: {
    _tag: "LLMCallRequested",
    ...requested,
    turn: 1,
    model: "some-model",
    parameters: { temperature: 0.1 },
    promptDigest: `sha256:${"2".repeat(64)}`,
    messageCount: 3,
    estimatedTokens: 900,
    reserve: { tokens: 5000, costUsd: "0.05" },
    compaction: { replaces: 4, summaryLength: 8000, promptLength: 32_000 }
  },
  LLMCallCompleted: {
    _tag: "LLMCallCompleted",
    key: "turn-1/model",
    attempt: 1,
    turn: 1,
    model: "some-model-2",
    parts: [{ type: "text", text: "I will refund it." }, { type: "tool-call", id: "call_1", params: oddJson }],
    stopReason: "tool-calls",
    usage: {
      inputTokens: 900,
      cachedInputTokens: 300,
      cacheWriteTokens: 100,
      outputTokens: 20,
      reasoningTokens: 5,
      costUsd: "0.004"
    },
    priceVersion: "2026-11-30",
    durationMillis: 812.5,
    shown: 3,
    recovered: true,
    providerRequestId: "req_1"
  },
  LLMCallFailed: {
    _tag: "LLMCallFailed",
    ...failed,
    turn: 1,
    reason: "Timeout",
    outcome: "unknown",
    compacts: true,
    usage: { inputTokens: 900, costUsd: "0.003" },
    priceVersion: "2026-11-30"
  },
  ToolCallRequested: {
    _tag: "ToolCallRequested",
    ...requested,
    ...call,
    arguments: oddJson,
    approval: "turn-1/call-1"
  },
  ToolCallCompleted: {
    _tag: "ToolCallCompleted",
    key: "turn-1/call-1",
    attempt: 1,
    ...call,
    result: { receipt: "R-1" },
    isFailure: false,
    mismatch: "not a number",
    actor
  },
  ToolCallFailed: {
    _tag: "ToolCallFailed",
    ...failed,
    ...call,
    reason: "Crashed",
    arguments: { cents: 100 },
    idempotencyKey: "k"
  },
  StepRequested: { _tag: "StepRequested", ...requested },
  StepCompleted: { _tag: "StepCompleted", key: "charge", attempt: 3, output: oddJson },
  StepFailed: { _tag: "StepFailed", ...failed, reason: "Error", failure: [1, "two"] },
  BranchDecided: { _tag: "BranchDecided", key: "first", winner: "left" },
  ApprovalRequested: {
    _tag: "ApprovalRequested",
    key: "turn-1/call-1/approval",
    subject: "Refund 12000 cents",
    reason: "above 5000",
    ...call,
    arguments: oddJson,
    argumentsSchema: { type: "object", description: "odd \u2028" },
    expiresAtMillis: 1_700_000_100_000,
    onExpiry: "deny",
    approvers: ["dana@example.com", "lee@example.com"],
    notByRequester: true
  },
  ApprovalGranted: { _tag: "ApprovalGranted", key: "ship", actor, comment: "fine", arguments: { cents: 1 } },
  ApprovalDenied: { _tag: "ApprovalDenied", key: "ship", actor, reason: "too much" },
  GuardrailTriggered: {
    _tag: "GuardrailTriggered",
    key: "turn-1/model",
    turn: 1,
    layer: "L1_input",
    rule: "override",
    action: "REDACT",
    detail: { spans: [[0, 4]] },
    guardrail: "wording",
    version: "sha256:0f",
    shadow: "BLOCK",
    spans: [{ path: "items/0/text", start: 0, end: 4, replacement: "[removed]" }],
    counts: true,
    ends: true,
    latencyMillis: 0.25
  },
  TimerStarted: { _tag: "TimerStarted", key: "grace", untilMillis: 1_700_259_200_000 },
  TimerFired: { _tag: "TimerFired", key: "grace" },
  SignalAwaited: { _tag: "SignalAwaited", key: "paid", name: "payment" },
  SignalReceived: { _tag: "SignalReceived", name: "payment", payload: oddJson, actor, signalId: "s-1" },
  WaitAbandoned: { _tag: "WaitAbandoned", key: "paid" }
}
