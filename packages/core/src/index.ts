/**
 * The engine: log, decisions, operations, runs, workers.
 */

// What is written down
export * as ArgumentsSchema from "./ArgumentsSchema.ts"
export * as Budget from "./Budget.ts"
export { BudgetExceeded } from "./Budget.ts"
export * as Digest from "./Digest.ts"
export { Actor, type ActorInput, Namespace, NextRunId, OperationKey, RunId, Seq } from "./Ids.ts"
export * as IsoTime from "./IsoTime.ts"
export * as Json from "./Json.ts"
export * as RunDecision from "./RunDecision.ts"
export {
  AlreadySettled,
  ApprovalNotPending,
  ForkRefused,
  GuardrailBlocked,
  InvalidRequest,
  KeyMismatch,
  NotAnApprover,
  OwnRequest,
  RunClosed,
  RunNotFound,
  SignalConflict,
  StartConflict,
  WaitClosed
} from "./RunError.ts"
export * as RunEvent from "./RunEvent.ts"
export type { Recorded, RunEventOf, Span, ToolDescription, ToolLabels } from "./RunEvent.ts"
export * as RunState from "./RunState.ts"
export { type PendingApproval, RunStatus } from "./RunState.ts"
export * as Spending from "./Spending.ts"
export * as Usd from "./Usd.ts"

// What programs are made of
export * as Approval from "./Approval.ts"
export * as Branch from "./Branch.ts"
export { CurrentStep, NestedOperation } from "./CurrentStep.ts"
export { Allowances, below, Journal, LeaseLost, Path } from "./Journal.ts"
export { KeyReused, NotRecordable } from "./JournalService.ts"
export { MaxOutputTokens } from "./MaxOutputTokens.ts"
export * as Operation from "./Operation.ts"
export * as Payload from "./Payload.ts"
export * as Program from "./Program.ts"
export { DuplicateProgram, NoOutput, Programs } from "./Program.ts"
export * as Progress from "./Progress.ts"
export * as Signal from "./Signal.ts"
export * as Step from "./Step.ts"
export { OperationFailed } from "./Step.ts"
export * as Timer from "./Timer.ts"

// Starting, deciding, executing
export type { By } from "./Border.ts"
export { NotExecutable, RuntimeSettings } from "./Executor.ts"
export * as Explain from "./Explain.ts"
export * as Fork from "./Fork.ts"
export { Health } from "./Health.ts"
export type { Instrument } from "./Instrument.ts"
export * as Metrics from "./Metrics.ts"
export { type ForkOptions, Runs, type StartOptions } from "./Runs.ts"
export { Runtime } from "./Runtime.ts"
export { type RunView, view } from "./RunView.ts"
export * as StoreMetrics from "./StoreMetrics.ts"
export * as Telemetry from "./Telemetry.ts"
export * as Worker from "./Worker.ts"

// Stores
export * as AccessToken from "./AccessTokens.ts"
export { AccessTokens } from "./AccessTokens.ts"
export type { NewToken, Role } from "./AccessTokens.ts"
export { EventStore, follow, SequenceConflict, StoreError } from "./EventStore.ts"
export type { Append, Next } from "./EventStore.ts"
export { Limits } from "./Limits.ts"
export * as MemoryStore from "./MemoryStore.ts"
export * as Paging from "./Paging.ts"
export type { Page } from "./Paging.ts"
export { PayloadCodec } from "./PayloadCodec.ts"
export * as Quota from "./Quotas.ts"
export { Quotas } from "./Quotas.ts"
export { approvalEntries, RunIndex, RunSummary, summarize, waits, WaitSummary, whileLeased } from "./RunIndex.ts"
export type { ApprovalEntry, ListOptions } from "./RunIndex.ts"
export { NextOwner, RunQueue } from "./RunQueue.ts"
export type { Claim, Holder, Owner } from "./RunQueue.ts"
