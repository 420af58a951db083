/**
 * How the state follows operations: attempts, outcomes, and what they cost or may yet cost.
 */
import { HashMap, HashSet } from "effect"
import type { Allowance, CallUsage, Spend } from "./Budget.ts"
import { addCall, addSpend, nothing, subtractSpend, unaccounted } from "./Budget.ts"
import type { Seq } from "./Ids.ts"
import type { CompletedEvent, FailedEvent, Operation, OperationKind, RequestEvent } from "./Place.ts"
import { placeAt, withPlace } from "./Place.ts"
import type { RunState } from "./RunState.ts"

/**
 * Whether an event speaks of a model call, a tool call or a step.
 *
 * @category folds
 * @since 0.1.0
 */
export const kindOf = (event: RequestEvent | CompletedEvent | FailedEvent): OperationKind =>
  event._tag.startsWith("LLM") ? "model" : event._tag.startsWith("Tool") ? "tool" : "step"

const reserveOf = (request: RequestEvent | undefined): Spend =>
  request?._tag === "LLMCallRequested" ? request.reserve ?? nothing : nothing

/**
 * The state after an attempt was announced.
 *
 * @category folds
 * @since 0.1.0
 */
export const request = (state: RunState, event: RequestEvent, at: number, seq: Seq): RunState => {
  const known = placeAt(state, event.key)
  if (known !== undefined && (known._tag !== "Operation" || known.outcome !== undefined)) return state
  const reserve = reserveOf(event)
  const before = known ?? unasked(state, event, at, seq)
  const operation: Operation = {
    ...before,
    idempotencyKey: known?.idempotencyKey ?? event.idempotencyKey,
    request: event,
    attempt: event.attempt,
    inFlight: true,
    possible: reserve === nothing ? before.possible : addSpend(before.possible, reserve),
    doubtful: before.doubtful + (before.inFlight ? 1 : 0),
    wakeAt: undefined
  }
  const usage = state.usage
  return {
    ...state,
    places: HashMap.set(state.places, operation.key, operation),
    open: HashSet.add(state.open, event.key),
    inFlight: state.inFlight + (before.inFlight ? 0 : 1),
    allowances: event.within === undefined ? state.allowances : allowed(state.allowances, event.within),
    usage: operation.kind === "step" ? usage : {
      ...usage,
      turns: usage.turns + (known === undefined && operation.kind === "model" ? 1 : 0),
      toolCalls: usage.toolCalls + (known === undefined && operation.kind === "tool" ? 1 : 0),
      possible: reserve === nothing ? usage.possible : addSpend(usage.possible, reserve)
    }
  }
}

const allowed = (before: RunState["allowances"], within: ReadonlyArray<Allowance>): RunState["allowances"] =>
  within.reduce((known, { budget, path }) => HashMap.set(known, path, budget), before)

/** An operation of which nothing is recorded yet. */
const unasked = (
  state: RunState,
  event: RequestEvent | CompletedEvent | FailedEvent,
  at: number,
  seq: Seq
): Operation => ({
  _tag: "Operation",
  key: event.key,
  kind: kindOf(event),
  name: "tool" in event ? event.tool : "",
  seq,
  since: at,
  activeBefore: state.activeMillis,
  idempotencyKey: "",
  request: undefined,
  attempt: 0,
  inFlight: false,
  possible: nothing,
  doubtful: 0,
  failures: [],
  wakeAt: undefined,
  outcome: undefined
})

/**
 * The state after an attempt; the first outcome counts.
 *
 * @category folds
 * @since 0.1.0
 */
export const settle = (
  state: RunState,
  event: CompletedEvent | FailedEvent,
  at: number,
  seq: Seq,
  epoch: number | undefined
): RunState => {
  const found = placeAt(state, event.key)
  const failed = event._tag === "LLMCallFailed" || event._tag === "ToolCallFailed" || event._tag === "StepFailed"
  if (found === undefined && !(failed && event.final)) return state
  if (found !== undefined && (found._tag !== "Operation" || found.outcome !== undefined)) return state
  const known = found ?? unasked(state, event, at, seq)
  const reserve = known.inFlight ? reserveOf(known.request) : nothing
  const possible = (before: Spend): Spend =>
    reserve === nothing ? before : addSpend(subtractSpend(before, reserve), leftOf(reserve, event))
  const unspent = reserve === nothing ? state.usage : { ...state.usage, possible: possible(state.usage.possible) }
  const paid = paidOf(event)
  const usage = paid === undefined ? unspent : addCall(unspent, paid)
  const inFlight = state.inFlight - (known.inFlight ? 1 : 0)
  const undigested = state.undigested || (epoch === undefined && event.actor !== undefined)
  if (failed && !event.final) {
    return withPlace({ ...state, undigested, usage, inFlight }, {
      ...known,
      inFlight: false,
      possible: possible(known.possible),
      failures: [...known.failures, { at, event }],
      wakeAt: event.wakeAtMillis ?? at
    })
  }
  const refused = known.request === undefined
  return {
    ...state,
    undigested,
    inFlight,
    usage,
    places: HashMap.set(state.places, event.key, {
      ...known,
      inFlight: false,
      possible: possible(known.possible),
      wakeAt: undefined,
      outcome: { event, position: { shown: event.shown ?? (refused ? seq : seq - 1), seq } }
    }),
    open: HashSet.remove(state.open, event.key),
    recoveries: 0
  }
}

/**
 * What an attempt of a model call is reported to have used; undefined if there was no answer.
 *
 * @category folds
 * @since 0.1.0
 */
export const paidOf = (event: CompletedEvent | FailedEvent): CallUsage | undefined =>
  event._tag === "LLMCallCompleted" || event._tag === "LLMCallFailed" ? event.usage : undefined

/** What is still possible of a reservation once its attempt is over. */
const leftOf = (reserve: Spend, event: CompletedEvent | FailedEvent): Spend => {
  const paid = paidOf(event)
  if (paid !== undefined) return unaccounted(reserve, paid)
  return "outcome" in event && event.outcome === "unknown" ? reserve : nothing
}
