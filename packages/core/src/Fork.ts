/**
 * Forks: a new run that begins with the first events of another one, and goes on by itself from there.
 */
import { HashSet, Result } from "effect"
import { idempotencyKey, noArguments } from "./Digest.ts"
import type { Actor, RunId, Seq } from "./Ids.ts"
import { failureOf } from "./OperationDecision.ts"
import { ForkRefused } from "./RunError.ts"
import type { Recorded, RunEvent, RunEventOf } from "./RunEvent.ts"
import type { Operation, RunState } from "./RunState.ts"
import { fold, initial, openPlaces, placeAt } from "./RunState.ts"

/**
 * The lease under which copied events stand in the log of a fork: no worker of that run wrote them.
 *
 * @category constants
 * @since 0.1.0
 */
export const copiedEpoch = 0

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The new run. */
  readonly runId: RunId
  /** How many events are taken: those before this position. */
  readonly at: Seq
  readonly actor: Actor
  readonly now: number
  /** What the beginning of the new run says instead of the original's. */
  readonly started: Partial<
    Pick<RunEventOf<"RunStarted">, "labels" | "startKey" | "startKeyScope" | "contentDigest" | "traceparent">
  >
  readonly reason?: string
  /** Limits that replace those at the cut. */
  readonly budget?: RunEventOf<"BudgetChanged">["budget"]
}

/**
 * The log of the new run: the first `at` events of the original, at the positions that they have there, and what has to follow
 * so that the run can go on.
 *
 * **Details**
 *
 * Operations that have their outcome keep it, and are not carried out again. Those without one are tried again, under idempotency
 * keys of the new run: whatever the original does or did about them has no part in it. An approval that was not decided yet asks
 * again, with all of its time. A pause ends, and a stuck run is released. A run that had ended by then, or was asked to stop,
 * cannot be gone on with.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  log: ReadonlyArray<Recorded>,
  options: Options
): Result.Result<ReadonlyArray<RunEvent>, ForkRefused> => {
  const { actor, at, now, runId } = options
  const prefix = Number.isSafeInteger(at) && at > 0 ? log.slice(0, at) : []
  const [first] = prefix
  const refuse = (detail: string) => Result.fail(new ForkRefused({ runId: log[0]?.runId ?? runId, at, detail }))
  if (first?.event._tag !== "RunStarted") return refuse("takes no event, and the first has to be taken")
  if (prefix.length < at) return refuse(`is past the end of the log, which has ${log.length} events`)
  const original = fold(initial(first.runId), prefix)
  if (original.end !== undefined) return refuse("is after the end of the run, from where nothing goes on")
  if (original.cancel !== undefined) return refuse("is after the run was asked to stop, from where nothing goes on")
  const copied = prefix.map((recorded) => copy(original, recorded, options))
  const state = fold(
    initial(runId),
    copied.map((event, seq): Recorded => ({ runId, seq, at: now, epoch: copiedEpoch, event }))
  )
  const { budget, reason } = options
  const why = reason === undefined ? {} : { reason }
  return Result.succeed([
    ...copied,
    ...interrupted(state, first.runId, now),
    ...(state.stuck === undefined ? [] : [{ _tag: "RunReleased", actor, ...why } as const]),
    ...(state.paused ? [{ _tag: "RunResumed", actor, ...why } as const] : []),
    ...(budget === undefined
      ? []
      : [{ _tag: "BudgetChanged", budget: { ...state.budget, ...budget }, actor, ...why } as const])
  ])
}

const copy = (original: RunState, { at, event, runId }: Recorded, options: Options): RunEvent => {
  switch (event._tag) {
    case "RunStarted":
      return begin(event, runId, options)
    case "RunRecovered":
      return { ...event, epoch: copiedEpoch }
    case "StepRequested":
    case "ToolCallRequested":
    case "LLMCallRequested": {
      const open = openAt(original, event.key)
      return open?._tag === "Operation" ? { ...event, idempotencyKey: keyIn(options.runId, open) } : event
    }
    case "ToolCallFailed": {
      const open = openAt(original, event.key)
      return open?._tag === "Operation" && event.idempotencyKey !== undefined
        ? { ...event, idempotencyKey: keyIn(options.runId, open) }
        : event
    }
    case "ApprovalRequested":
      return openAt(original, event.key) === undefined || event.expiresAtMillis === undefined
        ? event
        : { ...event, expiresAtMillis: event.expiresAtMillis + options.now - at }
    default:
      return event
  }
}

/** A fork is nobody's child, and has a start of its own. */
const begin = (event: RunEventOf<"RunStarted">, from: RunId, options: Options): RunEvent => {
  const {
    contentDigest: _content,
    parent: _parent,
    startKey: _key,
    startKeyScope: _scope,
    traceparent: _trace,
    ...kept
  } = event
  const { actor, at, reason, started } = options
  return {
    ...kept,
    ...started,
    requestedBy: actor,
    forkedFrom: { runId: from, seq: at, ...(reason === undefined ? {} : { reason }) }
  }
}

const openAt = (state: RunState, key: string) => HashSet.has(state.open, key) ? placeAt(state, key) : undefined

/** By the same formula as any other; its position is the same in both logs. */
const keyIn = (runId: RunId, { key, request, seq }: Operation): string =>
  request?._tag === "ToolCallRequested"
    ? idempotencyKey(runId, seq, request.tool, request.arguments)
    : idempotencyKey(runId, seq, key, noArguments)

/** What was in flight is in flight in the original. Here it has not been tried, so the next attempt is due at once. */
const interrupted = (state: RunState, from: RunId, now: number): ReadonlyArray<RunEvent> =>
  openPlaces(state).flatMap((place) =>
    place._tag === "Operation" && place.inFlight
      ? [failureOf(place, {
        key: place.key,
        attempt: place.attempt,
        reason: "Interrupted",
        error: `run \`${from}\` was forked while this was in flight`,
        final: false,
        wakeAtMillis: now
      })]
      : []
  )
