/**
 * Runs as the API shows them. Times are milliseconds since 1970 by the store's clock, money is a decimal in a string.
 */
import { Actor, Budget, OperationKey, RunId, type RunStatus, RunSummary, Seq, WaitSummary } from "@durable-agents/core"
import { Schema, Struct } from "effect"

const { Json, String: Text, optionalKey } = Schema

/** A record, so that a status that core gains is missed here by the compiler. */
const statuses: { readonly [Status in Exclude<RunStatus, "NotStarted">]: Status } = {
  Pending: "Pending",
  Running: "Running",
  AwaitingApproval: "AwaitingApproval",
  AwaitingSignal: "AwaitingSignal",
  Sleeping: "Sleeping",
  Cancelling: "Cancelling",
  Paused: "Paused",
  Stuck: "Stuck",
  Completed: "Completed",
  Failed: "Failed",
  Cancelled: "Cancelled"
}

/**
 * @category models
 * @since 0.1.0
 */
export const Status = Schema.Literals(Struct.keys(statuses)).annotate({ identifier: "RunStatus" })

/**
 * @category models
 * @since 0.1.0
 */
export const PendingApproval = Schema.Struct({
  /** Names this request; decisions carry it. */
  key: OperationKey,
  requestedAt: Schema.Finite,
  subject: Text,
  reason: Text,
  tool: optionalKey(Text),
  arguments: optionalKey(Json),
  /** The JSON schema of what may be put in place of the arguments. */
  argumentsSchema: optionalKey(Json),
  expiresAt: optionalKey(Schema.Finite),
  onExpiry: optionalKey(Schema.Literals(["deny", "approve"])),
  approvers: optionalKey(Schema.Array(Text)),
  /** Whoever started the run may not allow it. */
  notByRequester: Schema.Boolean
}).annotate({ identifier: "PendingApproval" })

/**
 * @category models
 * @since 0.1.0
 */
export type PendingApproval = typeof PendingApproval.Type

/**
 * A tool as the model was told about it when the run began; `parameters` is a JSON schema.
 *
 * @category models
 * @since 0.1.0
 */
export const Tool = Schema.Struct({
  name: Text,
  description: optionalKey(Text),
  parameters: Json,
  effect: Schema.Literals(["readonly", "idempotent", "lookup", "once"]),
  approval: Schema.Boolean
}).annotate({ identifier: "Tool" })

/**
 * How a run stands.
 *
 * @category models
 * @since 0.1.0
 */
export const Run = Schema.Struct({
  runId: RunId,
  program: Text,
  programVersion: Text,
  status: Status,
  /** The number of events in its log. */
  seq: Seq,
  startedAt: Schema.Finite,
  /** When it came into its status. */
  since: Schema.Finite,
  updatedAt: Schema.Finite,
  /** The store's time. */
  now: Schema.Finite,
  requestedBy: Actor,
  labels: Schema.Record(Text, Text),
  startKey: optionalKey(Text),
  parent: optionalKey(Text),
  /** The run whose first events this one began with, and how many. */
  forkedFrom: optionalKey(Schema.Struct({ runId: RunId, seq: Seq, reason: optionalKey(Text) })),
  input: Json,
  /** What the program returned; absent unless completed. */
  output: optionalKey(Json),
  /** Why it failed, is stuck or was cancelled. */
  reason: optionalKey(Text),
  /** The program's typed failure. */
  failure: optionalKey(Json),
  waits: Schema.Array(WaitSummary),
  pendingApprovals: Schema.Array(PendingApproval),
  /** When it goes on by itself. */
  wakeAt: optionalKey(Schema.Finite),
  budget: Budget.Budget,
  usage: Budget.Usage,
  model: optionalKey(Text),
  systemPrompt: optionalKey(Text),
  guardrailProfile: optionalKey(Text),
  tools: Schema.Array(Tool)
}).annotate({ identifier: "Run" })

/**
 * @category models
 * @since 0.1.0
 */
export type Run = typeof Run.Type

/**
 * A page of runs, newest first. `next` is the cursor of the page after it, absent on the last one.
 *
 * @category models
 * @since 0.1.0
 */
export const RunPage = Schema.Struct({
  items: Schema.Array(Schema.Struct({ ...RunSummary.fields, status: Status }).annotate({ identifier: "RunSummary" })),
  next: optionalKey(Text)
}).annotate({ identifier: "RunPage" })

/**
 * One approval that waits, with the run that asks. `approval.key` names the request.
 *
 * @category models
 * @since 0.1.0
 */
export const ApprovalEntry = Schema.Struct({
  runId: RunId,
  program: Text,
  requestedBy: Actor,
  approval: WaitSummary
}).annotate({ identifier: "ApprovalEntry" })

/**
 * A page of approvals, the oldest first.
 *
 * @category models
 * @since 0.1.0
 */
export const ApprovalPage = Schema.Struct({
  items: Schema.Array(ApprovalEntry),
  next: optionalKey(Text)
}).annotate({ identifier: "ApprovalPage" })

const Mover = Schema.Literals(["nobody", "worker", "approver", "sender", "clock", "operator"])

/**
 * Why a run does not move: what it waits for, since when, who can move it, what happens next.
 *
 * @category models
 * @since 0.1.0
 */
export const Explanation = Schema.Struct({
  runId: RunId,
  program: Text,
  status: Status,
  headline: Text,
  waitsFor: Schema.Array(Schema.Struct({ wait: WaitSummary, mover: Mover, text: Text })),
  mover: Mover,
  next: Text,
  /** Since when it has waited for what it waits for, or else when it last moved. */
  since: Schema.Finite,
  /** What the run takes now, from whoever may: first what moves it. */
  actions: Schema.Array(Text)
}).annotate({ identifier: "Explanation" })

/**
 * @category models
 * @since 0.1.0
 */
export type Explanation = typeof Explanation.Type

/**
 * A program that the server can start.
 *
 * @category models
 * @since 0.1.0
 */
export const ProgramInfo = Schema.Struct({
  name: Text,
  version: Text,
  /** A JSON schema of its input. */
  input: Json,
  budget: optionalKey(Budget.Budget),
  model: optionalKey(Text),
  guardrailProfile: optionalKey(Text),
  guardrailProfiles: Schema.Array(Text),
  tools: Schema.Array(Tool)
}).annotate({ identifier: "Program" })
