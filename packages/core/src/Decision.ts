/**
 * What a decision is, and what all of them have in common.
 */
import { Result } from "effect"
import { RunClosed } from "./RunError.ts"
import type { RunEvent } from "./RunEvent.ts"
import type { RunState } from "./RunState.ts"
import { isEnded, status } from "./RunState.ts"

/**
 * A pure function from what is known to what is to be appended (all or none), or to the reason why not.
 *
 * @category models
 * @since 0.1.0
 */
export type Decision<E = never> = (state: RunState) => Result.Result<ReadonlyArray<RunEvent>, E>

/**
 * Yes, with these events.
 *
 * @category answers
 * @since 0.1.0
 */
export const events = (...list: ReadonlyArray<RunEvent>): Result.Result<ReadonlyArray<RunEvent>, never> =>
  Result.succeed(list)

/**
 * No: the run does not take this now.
 *
 * @category answers
 * @since 0.1.0
 */
export const closed = (state: RunState) => Result.fail(new RunClosed({ runId: state.runId, status: status(state) }))

/**
 * Only for a run that has begun and not ended.
 *
 * @category combinators
 * @since 0.1.0
 */
export const whileOpen = <E>(decision: Decision<E>): Decision<E | RunClosed> => (state) =>
  state.started === undefined || isEnded(state) ? closed(state) : decision(state)
