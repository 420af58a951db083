/**
 * What can stand at a key of a log: operations, waits and choices, and the order in which a program got their answers.
 */
import { HashMap, Option } from "effect"
import type { Spend } from "./Budget.ts"
import type { OperationKey, Seq } from "./Ids.ts"
import type { RunEventOf } from "./RunEvent.ts"
import type { RunState } from "./RunState.ts"

/**
 * Where an outcome stands in the order in which the program got it: up to where it had been shown the log, then its own
 * place. Everything that a program gets after it was stored stands at its own place.
 *
 * @category models
 * @since 0.1.0
 */
export interface Position {
  readonly shown: Seq
  readonly seq: Seq
}

/**
 * The order in which a program was given what it asked for.
 *
 * @category models
 * @since 0.1.0
 */
export const comparePositions = (left: Position, right: Position): number =>
  left.shown - right.shown || left.seq - right.seq

/**
 * @category models
 * @since 0.1.0
 */
export type OperationKind = "model" | "tool" | "step"

/**
 * @category models
 * @since 0.1.0
 */
export type RequestEvent = RunEventOf<"LLMCallRequested" | "ToolCallRequested" | "StepRequested">

/**
 * @category models
 * @since 0.1.0
 */
export type CompletedEvent = RunEventOf<"LLMCallCompleted" | "ToolCallCompleted" | "StepCompleted">

/**
 * @category models
 * @since 0.1.0
 */
export type FailedEvent = RunEventOf<"LLMCallFailed" | "ToolCallFailed" | "StepFailed">

/**
 * Something done outside the log: a model call, a tool call or a step, with all its attempts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operation {
  readonly _tag: "Operation"
  readonly key: OperationKey
  readonly kind: OperationKind
  /** The tool of a tool call; empty otherwise. */
  readonly name: string
  readonly seq: Seq
  readonly since: number
  /** How long the run had been active before it. */
  readonly activeBefore: number
  readonly idempotencyKey: string
  /** The latest request; absent if the budget refused the first. */
  readonly request: RequestEvent | undefined
  /** The latest attempt that was requested, 0 if none was. */
  readonly attempt: number
  readonly inFlight: boolean
  /** What its attempts may have spent beyond what is reported. */
  readonly possible: Spend
  /** Attempts that ended with their worker. */
  readonly doubtful: number
  /** Failures that were not final, oldest first. */
  readonly failures: ReadonlyArray<{ readonly at: number; readonly event: FailedEvent }>
  /** While it waits for its next attempt: when that is due. */
  readonly wakeAt: number | undefined
  readonly outcome: { readonly position: Position; readonly event: CompletedEvent | FailedEvent } | undefined
}

/**
 * What all waits have.
 *
 * @category models
 * @since 0.1.0
 */
export interface WaitFields {
  readonly key: OperationKey
  readonly seq: Seq
  readonly since: number
  /** How long the run had been active before it. */
  readonly activeBefore: number
  /** Where the program gets the answer. */
  readonly position: Position | undefined
  /** Nobody waits for it any more: its branch lost, the program went on without it, or the run is being cancelled. */
  readonly closed: boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export interface TimerWait extends WaitFields {
  readonly _tag: "Timer"
  readonly until: number
}

/**
 * @category models
 * @since 0.1.0
 */
export interface SignalWait extends WaitFields {
  readonly _tag: "Signal"
  readonly name: string
  readonly received: RunEventOf<"SignalReceived"> | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export interface ApprovalWait extends WaitFields {
  readonly _tag: "Approval"
  readonly request: RunEventOf<"ApprovalRequested">
  readonly decision: RunEventOf<"ApprovalGranted" | "ApprovalDenied"> | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export type Wait = TimerWait | SignalWait | ApprovalWait

/**
 * A recorded choice between branches.
 *
 * @category models
 * @since 0.1.0
 */
export interface Choice {
  readonly _tag: "Branch"
  readonly key: OperationKey
  readonly seq: Seq
  readonly winner: string
  readonly position: Position
}

/**
 * What can stand at a key.
 *
 * @category models
 * @since 0.1.0
 */
export type Place = Operation | Wait | Choice

/**
 * What the log holds at a key.
 *
 * @category folds
 * @since 0.1.0
 */
export const placeAt = (state: RunState, key: OperationKey): Place | undefined =>
  Option.getOrUndefined(HashMap.get(state.places, key))

/**
 * The state with another place, instead of the one with its key if there is one.
 *
 * @category folds
 * @since 0.1.0
 */
export const withPlace = (state: RunState, place: Place): RunState => ({
  ...state,
  places: HashMap.set(state.places, place.key, place)
})
