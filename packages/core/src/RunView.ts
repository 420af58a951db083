/**
 * A run as its users see it: computed from its state, never stored.
 */
import type { Schema } from "effect"
import type { Budget, Usage } from "./Budget.ts"
import type { RunId } from "./Ids.ts"
import type { WaitSummary } from "./RunIndex.ts"
import { waits } from "./RunIndex.ts"
import type { PendingApproval, RunState, RunStatus } from "./RunState.ts"
import { goesOnAt, isEnded, pendingApprovals, status } from "./RunState.ts"

/**
 * A run as its users see it.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunView {
  readonly runId: RunId
  readonly status: RunStatus
  readonly program: string
  /** The length of the log. */
  readonly seq: number
  /** What the program returned, as recorded; undefined unless completed. */
  readonly output: Schema.Json | undefined
  /** Why it failed, is stuck or was cancelled. */
  readonly reason: string | undefined
  /** The program's typed failure, as recorded. */
  readonly failure: Schema.Json | undefined
  readonly waits: ReadonlyArray<WaitSummary>
  readonly pendingApprovals: ReadonlyArray<PendingApproval>
  /** When it goes on by itself, in milliseconds since 1970. */
  readonly wakeAt: number | undefined
  readonly budget: Budget
  readonly usage: Usage
  readonly state: RunState
}

/**
 * @category folds
 * @since 0.1.0
 */
export const view = (state: RunState): RunView => ({
  runId: state.runId,
  status: status(state),
  program: state.started?.program ?? "",
  seq: state.seq,
  output: state.end?._tag === "RunCompleted" ? state.end.output : undefined,
  reason: state.end?._tag === "RunFailed"
    ? state.end.error
    : state.end?._tag === "RunCancelled"
    ? state.end.reason
    : state.stuck?.detail ?? state.problem?.detail,
  failure: state.end?._tag === "RunFailed" ? state.end.failure : undefined,
  waits: waits(state),
  pendingApprovals: pendingApprovals(state),
  wakeAt: isEnded(state) ? undefined : goesOnAt(state),
  budget: state.budget,
  usage: state.usage,
  state
})
