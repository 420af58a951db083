/**
 * Everything that may be written into a log, each as a pure function from the state to the events to append, or to a typed no.
 *
 * Whoever writes runs a decision on the state that it knows and appends the events under that state's sequence number. Lost
 * the race? Read the tail, fold, decide again.
 */
import { HashMap, Result } from "effect"
import type { Budget } from "./Budget.ts"
import type { Decision } from "./Decision.ts"
import { closed, events, whileOpen } from "./Decision.ts"
import type { Actor } from "./Ids.ts"
import { failureOf } from "./OperationDecision.ts"
import type { RunClosed } from "./RunError.ts"
import { StartConflict } from "./RunError.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import type { RunState } from "./RunState.ts"
import { openPlaces, recoveriesWith } from "./RunState.ts"

export type { Decision } from "./Decision.ts"
export * from "./OperationDecision.ts"
export * from "./WaitDecision.ts"

/**
 * Begins a log. Starting again with the same start key, input and digest of the content changes nothing.
 *
 * @category runs
 * @since 0.1.0
 */
export const start = (event: RunEventOf<"RunStarted">): Decision<StartConflict> => (state) => {
  if (state.started === undefined) return events(event)
  return event.startKey !== undefined && state.started.startKey === event.startKey &&
      state.started.program === event.program && state.started.inputDigest === event.inputDigest &&
      state.started.contentDigest === event.contentDigest
    ? events()
    : Result.fail(new StartConflict({ runId: state.runId, startKey: event.startKey ?? "" }))
}

/**
 * A worker takes over a run whose lease was not released. More than `maxRecoveries` takeovers without an outcome between
 * them park the run; one from a worker that had not begun does not count.
 *
 * @category runs
 * @since 0.1.0
 */
export const recover = (
  epoch: number,
  owner: string,
  maxRecoveries: number,
  traceparent?: string
): Decision<RunClosed> =>
  whileOpen((state) => {
    const recovered: RunEvent = {
      _tag: "RunRecovered",
      epoch,
      owner,
      ...(traceparent === undefined ? {} : { traceparent })
    }
    const recoveries = recoveriesWith(state, epoch)
    if (state.stuck !== undefined || recoveries <= maxRecoveries) return events(recovered)
    const suspect = openPlaces(state).find((place) => place._tag === "Operation" && place.inFlight)
    return events(recovered, {
      _tag: "RunStuck",
      reason: "poison",
      detail: `taken over ${recoveries} times without a new outcome`,
      ...(suspect === undefined ? {} : { key: suspect.key })
    })
  })

/**
 * Parks the run until an operator releases it.
 *
 * @category runs
 * @since 0.1.0
 */
export const stick = (stuck: Omit<RunEventOf<"RunStuck">, "_tag">): Decision<RunClosed> =>
  whileOpen((state) => state.stuck === undefined ? events({ _tag: "RunStuck", ...stuck }) : events())

/**
 * An operator lets a stuck run go on.
 *
 * @category runs
 * @since 0.1.0
 */
export const release = (actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) =>
    state.stuck === undefined ? closed(state) : events({ _tag: "RunReleased", actor, ...withReason(reason) })
  )

/**
 * Takes the run out of work until it is resumed. Pausing twice changes nothing.
 *
 * @category runs
 * @since 0.1.0
 */
export const pause = (actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) => state.paused ? events() : events({ _tag: "RunPaused", actor, ...withReason(reason) }))

/**
 * Lets a paused run go on; any other is left as it is.
 *
 * @category runs
 * @since 0.1.0
 */
export const resume = (actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) => state.paused ? events({ _tag: "RunResumed", actor, ...withReason(reason) }) : events())

/**
 * Replaces the limits that are named; the others stay.
 *
 * @category runs
 * @since 0.1.0
 */
export const changeBudget = (budget: Budget, actor: Actor, reason?: string): Decision<RunClosed> =>
  whileOpen((state) =>
    events({ _tag: "BudgetChanged", budget: { ...state.budget, ...budget }, actor, ...withReason(reason) })
  )

/**
 * Asks a run to stop. A run that has not done anything yet, or that is stuck, stops at once: its program has nothing to undo,
 * or cannot. A second request changes nothing, unless the run has become stuck since the first.
 *
 * @category runs
 * @since 0.1.0
 */
export const cancel = (actor: Actor, reason: string): Decision<RunClosed> =>
  whileOpen((state) => {
    const atOnce = state.stuck !== undefined || (state.epoch === 0 && HashMap.isEmpty(state.places))
    const { cancel: standing = { actor, reason }, usage } = state
    return events(
      ...(state.cancel === undefined ? [{ _tag: "RunCancelRequested", actor, reason } as const] : []),
      ...(atOnce
        ? [
          ...inFlight(state),
          { _tag: "RunCancelled", actor: standing.actor, reason: standing.reason, usage } as const
        ]
        : [])
    )
  })

const withReason = (reason: string | undefined) => reason === undefined ? {} : { reason }

/**
 * How a program ended.
 *
 * @category models
 * @since 0.1.0
 */
export type End =
  | Omit<RunEventOf<"RunCompleted">, "usage">
  | Omit<RunEventOf<"RunFailed">, "usage">
  | { readonly _tag: "RunCancelled" }

/**
 * Ends a run. Operations still in flight are recorded with an unknown outcome. A run that was asked to stop ends as cancelled,
 * however its program ended.
 *
 * @category runs
 * @since 0.1.0
 */
export const end = (event: End): Decision<RunClosed> =>
  whileOpen((state) => {
    const usage = state.usage
    const left = inFlight(state)
    if (state.cancel !== undefined) {
      const { actor, reason } = state.cancel
      return events(...left, { _tag: "RunCancelled", actor, reason, usage })
    }
    return event._tag === "RunCancelled" ? events() : events(...left, { ...event, usage })
  })

const inFlight = (state: RunState): ReadonlyArray<RunEvent> =>
  openPlaces(state).flatMap((place) =>
    place._tag === "Operation" && place.inFlight
      ? [failureOf(place, {
        key: place.key,
        attempt: place.attempt,
        reason: "Interrupted",
        error: "the run ended while this was in flight",
        final: true,
        outcome: "unknown"
      })]
      : []
  )
