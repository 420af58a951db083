/**
 * Decisions about waits: opening, answering and closing them; timers, signals, approvals, choices.
 */
import type { Schema } from "effect"
import { HashMap, Result } from "effect"
import type { Decision } from "./Decision.ts"
import { closed, events, whileOpen } from "./Decision.ts"
import type { Actor, OperationKey } from "./Ids.ts"
import { matches } from "./OperationDecision.ts"
import type { KeyMismatch, RunClosed } from "./RunError.ts"
import { ApprovalNotPending, NotAnApprover, OwnRequest, WaitClosed } from "./RunError.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import type { RunState } from "./RunState.ts"
import { isEnded, openPlaces, placeAt, status } from "./RunState.ts"

/**
 * Opens a wait, or makes a choice, unless it is in the log. A run that is being cancelled opens no wait any more.
 *
 * @category waits
 * @since 0.1.0
 */
export const open = (
  event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested" | "BranchDecided">,
  before: ReadonlyArray<RunEvent> = []
): Decision<RunClosed | KeyMismatch> =>
  whileOpen((state) => {
    const mismatch = matches(state, { key: event.key, ...waitKind(event) })
    if (Result.isFailure(mismatch)) return Result.fail(mismatch.failure)
    const useless = state.cancel !== undefined && event._tag !== "BranchDecided"
    return placeAt(state, event.key) !== undefined || useless ? events() : events(...before, event)
  })

/**
 * What a wait or a choice is called in `matches`.
 *
 * @category waits
 * @since 0.1.0
 */
export const waitKind = (
  event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested" | "BranchDecided">
): { readonly kind: string; readonly name: string } =>
  event._tag === "TimerStarted"
    ? { kind: "Timer", name: "" }
    : event._tag === "SignalAwaited"
    ? { kind: "Signal", name: event.name }
    : event._tag === "ApprovalRequested"
    ? { kind: "Approval", name: "" }
    : { kind: "Branch", name: "" }

const openWait = (state: RunState, key: OperationKey) => {
  const place = placeAt(state, key)
  return place === undefined || place._tag === "Operation" || place._tag === "Branch" || place.closed ||
      place.position !== undefined
    ? undefined
    : place
}

/**
 * The program went on without this wait.
 *
 * @category waits
 * @since 0.1.0
 */
export const abandon = (key: OperationKey): Decision => (state) =>
  isEnded(state) || openWait(state, key) === undefined ? events() : events({ _tag: "WaitAbandoned", key })

/**
 * Records what has come due at `now`: timers, and approvals whose expiry has a declared default.
 *
 * @category waits
 * @since 0.1.0
 */
export const fireDue = (now: number): Decision => (state) => {
  if (state.started === undefined || isEnded(state) || state.cancel !== undefined) return events()
  const policy: Actor = { kind: "policy", id: "expiry" }
  return events(...openPlaces(state).flatMap((place): ReadonlyArray<RunEvent> => {
    if (place._tag === "Timer" && place.until <= now) return [{ _tag: "TimerFired", key: place.key }]
    if (place._tag !== "Approval" || !(expired(place.request, now))) return []
    return place.request.onExpiry === "approve"
      ? [{ _tag: "ApprovalGranted", key: place.key, actor: policy }]
      : [{ _tag: "ApprovalDenied", key: place.key, actor: policy, reason: "nobody decided in time" }]
  }))
}

const expired = (request: RunEventOf<"ApprovalRequested">, now: number): boolean =>
  request.onExpiry !== undefined && request.expiresAtMillis !== undefined && request.expiresAtMillis <= now

/**
 * A person allows exactly one request. Only the first decision counts; a request whose time is over has been decided by its
 * declared default.
 *
 * @category approvals
 * @since 0.1.0
 */
export const approve = (
  approval: OperationKey,
  actor: Actor,
  now: number,
  extra: { readonly comment?: string; readonly arguments?: Schema.Json } = {}
): Decision<ApprovalNotPending | WaitClosed | NotAnApprover | OwnRequest> =>
  decideApproval(approval, actor, now, { _tag: "ApprovalGranted", key: approval, actor, ...extra })

/**
 * A person refuses exactly one request.
 *
 * @category approvals
 * @since 0.1.0
 */
export const deny = (
  approval: OperationKey,
  actor: Actor,
  now: number,
  reason: string
): Decision<ApprovalNotPending | WaitClosed | NotAnApprover | OwnRequest> =>
  decideApproval(approval, actor, now, { _tag: "ApprovalDenied", key: approval, actor, reason })

const decideApproval = (
  approval: OperationKey,
  actor: Actor,
  now: number,
  decision: RunEvent
): Decision<ApprovalNotPending | WaitClosed | NotAnApprover | OwnRequest> =>
(state) => {
  const runId = state.runId
  const place = placeAt(state, approval)
  if (place?._tag !== "Approval") {
    return Result.fail(new ApprovalNotPending({ runId, approval, status: status(state) }))
  }
  const stands = place.decision
  if (stands !== undefined) {
    return Result.fail(new ApprovalNotPending({
      runId,
      approval,
      status: status(state),
      decision: stands._tag === "ApprovalGranted"
        ? { decision: "granted", actor: stands.actor }
        : { decision: "denied", actor: stands.actor, reason: stands.reason }
    }))
  }
  if (isEnded(state) || state.cancel !== undefined) {
    return Result.fail(new ApprovalNotPending({ runId, approval, status: status(state) }))
  }
  if (place.closed) return Result.fail(new WaitClosed({ runId, key: approval }))
  if (expired(place.request, now)) {
    return Result.fail(new ApprovalNotPending({
      runId,
      approval,
      status: status(state),
      decision: {
        decision: place.request.onExpiry === "approve" ? "granted" : "denied",
        actor: { kind: "policy", id: "expiry" }
      }
    }))
  }
  const approvers = place.request.approvers
  // The approvers are people; another kind of actor may have any id.
  if (approvers !== undefined && !(actor.kind === "person" && approvers.includes(actor.id))) {
    return Result.fail(new NotAnApprover({ runId, approval, actor: actor.id, approvers }))
  }
  const isOwn = state.started?.requestedBy.kind === actor.kind && state.started.requestedBy.id === actor.id
  return place.request.notByRequester === true && isOwn && decision._tag === "ApprovalGranted"
    ? Result.fail(new OwnRequest({ runId, approval, actor: actor.id }))
    : events(decision)
}

/**
 * Something from outside for the program. A second one with the same `signalId` changes nothing, also when the run takes no
 * signals any more: whoever sends it again may not have heard that it arrived.
 *
 * @category signals
 * @since 0.1.0
 */
export const receive = (event: RunEventOf<"SignalReceived">): Decision<RunClosed> => (state) =>
  event.signalId !== undefined && HashMap.has(state.signalIds, event.signalId)
    ? events()
    : whileOpen((open) => open.cancel === undefined ? events(event) : closed(open))(state)
