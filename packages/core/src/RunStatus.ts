/**
 * What a state means to those who look at the run: its status, what is open, when it is due.
 */
import { HashMap, Schema } from "effect"
import type { OperationKey } from "./Ids.ts"
import type { Operation, Wait } from "./Place.ts"
import { placeAt } from "./Place.ts"
import type { RunState } from "./RunState.ts"

/**
 * An approval that waits for a decision, as shown to the person who decides. `key` is its reference.
 *
 * @category models
 * @since 0.1.0
 */
export interface PendingApproval {
  readonly key: OperationKey
  readonly requestedAt: number
  readonly subject: string
  readonly reason: string
  readonly tool: string | undefined
  readonly arguments: Schema.Json | undefined
  readonly expiresAt: number | undefined
  readonly onExpiry: "deny" | "approve" | undefined
  readonly approvers: ReadonlyArray<string> | undefined
  /** Whoever started the run may not allow it. */
  readonly notByRequester: boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export const RunStatus = Schema.Literals([
  "NotStarted",
  "Pending",
  "Running",
  "AwaitingApproval",
  "AwaitingSignal",
  "Sleeping",
  "Cancelling",
  "Paused",
  "Stuck",
  "Completed",
  "Failed",
  "Cancelled"
])

/**
 * @category models
 * @since 0.1.0
 */
export type RunStatus = typeof RunStatus.Type

/**
 * Everything that is open: operations in flight or between two attempts, and waits; oldest first.
 *
 * @category folds
 * @since 0.1.0
 */
export const openPlaces = (state: RunState): ReadonlyArray<Operation | Wait> =>
  Array.from(state.open, (key) => placeAt(state, key))
    .filter((place): place is Operation | Wait => place !== undefined && place._tag !== "Branch")
    .sort((left, right) => left.seq - right.seq)

/**
 * The approvals that a person can decide now, oldest first.
 *
 * @category folds
 * @since 0.1.0
 */
export const pendingApprovals = (state: RunState): ReadonlyArray<PendingApproval> =>
  openPlaces(state)
    .filter((place) => place._tag === "Approval")
    .map(({ key, request, since }) => ({
      key,
      requestedAt: since,
      subject: request.subject,
      reason: request.reason,
      tool: request.tool,
      arguments: request.arguments,
      expiresAt: request.expiresAtMillis,
      onExpiry: request.onExpiry,
      approvers: request.approvers,
      notByRequester: request.notByRequester === true
    }))

/**
 * The status of a run: the first that applies of ended, stuck, paused, cancelling, running (an operation in flight, or a
 * decision that no worker has acted on), waiting for a person, a signal, a time, and not begun.
 *
 * @category folds
 * @since 0.1.0
 */
export const status = (state: RunState): RunStatus => {
  if (state.started === undefined) return "NotStarted"
  if (state.end !== undefined) {
    return state.end._tag === "RunCompleted" ? "Completed" : state.end._tag === "RunFailed" ? "Failed" : "Cancelled"
  }
  if (state.stuck !== undefined) return "Stuck"
  if (state.paused) return "Paused"
  if (state.cancel !== undefined) return "Cancelling"
  const open = openPlaces(state)
  if (state.undigested || state.inFlight > 0) return "Running"
  if (open.some((place) => place._tag === "Approval")) return "AwaitingApproval"
  if (open.some((place) => place._tag === "Signal")) return "AwaitingSignal"
  if (open.length > 0) return "Sleeping"
  return hasNotBegun(state) ? "Pending" : "Running"
}

/**
 * When the run is next due by itself: the earliest of its timers, retries and expiries that count; undefined if none has a
 * time.
 *
 * @category folds
 * @since 0.1.0
 */
export const wakeAt = (state: RunState): number | undefined => {
  let earliest: number | undefined
  for (const key of state.open) {
    const place = placeAt(state, key)
    const due = place?._tag === "Timer"
      ? place.until
      : place?._tag === "Operation"
      ? place.wakeAt
      : place?._tag === "Approval" && place.request.onExpiry !== undefined
      ? place.request.expiresAtMillis
      : undefined
    if (due !== undefined && (earliest === undefined || due < earliest)) earliest = due
  }
  return earliest
}

/**
 * When the run goes on by itself: the same, and for a run that has not begun, when it is to begin.
 *
 * @category folds
 * @since 0.1.0
 */
export const goesOnAt = (state: RunState): number | undefined =>
  status(state) === "Pending" ? state.started?.startAtMillis : wakeAt(state)

/**
 * Whether the log has its last event.
 *
 * @category folds
 * @since 0.1.0
 */
export const isEnded = (state: RunState): boolean => state.end !== undefined

/**
 * Whether no worker has executed anything of the run.
 *
 * @category folds
 * @since 0.1.0
 */
export const hasNotBegun = (state: RunState): boolean => HashMap.isEmpty(state.places) && state.epoch === 0
