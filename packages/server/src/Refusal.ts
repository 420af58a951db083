/**
 * The typed refusals of core as the problems that the API answers with.
 */
import type {
  AlreadySettled,
  ApprovalNotPending,
  ForkRefused,
  InvalidRequest,
  NotAnApprover,
  OwnRequest,
  RunClosed,
  RunNotFound,
  SignalConflict,
  StartConflict,
  StoreError,
  WaitClosed
} from "@durable-agents/core"
import { Effect } from "effect"
import {
  AlreadySettledProblem,
  ApprovalNotPendingProblem,
  ForbiddenProblem,
  ForkRefusedProblem,
  InvalidRequestProblem,
  RunClosedProblem,
  RunNotFoundProblem,
  SignalConflictProblem,
  StartConflictProblem,
  UnavailableProblem,
  WaitClosedProblem
} from "./Problem.ts"

/**
 * A field that does not fit.
 *
 * @category constructors
 * @since 0.1.0
 */
export const invalid = (path: ReadonlyArray<string | number>, message: string): InvalidRequestProblem => {
  const short = message.length > 400 ? `${message.slice(0, 400).toWellFormed()}…` : message
  return new InvalidRequestProblem({
    detail: `\`${path.slice(1).join(".") || path.join(".")}\` ${short}`,
    errors: [{ path, message: short }]
  })
}

/** What a store says may name machines and tables, so it goes to the log. */
const storeFailed = (error: StoreError) =>
  Effect.andThen(
    Effect.logError(error),
    Effect.fail(new UnavailableProblem({ detail: "The store failed. What it said is in the server's log" }))
  )

/**
 * Answers a failure of the store with 503, and leaves other failures as they are.
 *
 * @category combinators
 * @since 0.1.0
 */
export const unavailable = <A, E, R>(
  effect: Effect.Effect<A, E | StoreError, R>
): Effect.Effect<A, Exclude<E, StoreError> | UnavailableProblem, R> =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E | StoreError, StoreError> => isStoreError(error),
    storeFailed
  ) as Effect.Effect<A, Exclude<E, StoreError> | UnavailableProblem, R>

const isStoreError = (error: unknown): error is StoreError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "StoreError"

/**
 * What can go wrong with a run that is read, for `Effect.catchTags`.
 *
 * @category handlers
 * @since 0.1.0
 */
export const ofReading = {
  StoreError: storeFailed,
  RunNotFound: ({ message, runId }: RunNotFound) => Effect.fail(new RunNotFoundProblem({ runId, detail: message }))
}

/**
 * What can go wrong with any decision.
 *
 * @category handlers
 * @since 0.1.0
 */
export const ofRun = {
  ...ofReading,
  InvalidRequest: ({ detail, field }: InvalidRequest) => Effect.fail(invalid(["payload", field], detail))
}

/**
 * @category handlers
 * @since 0.1.0
 */
export const RunClosedRefusal = ({ message, runId, status }: RunClosed) =>
  Effect.fail(new RunClosedProblem({ runId, runStatus: status, detail: message }))

/**
 * @category handlers
 * @since 0.1.0
 */
export const WaitClosedRefusal = ({ key, message, runId }: WaitClosed) =>
  Effect.fail(new WaitClosedProblem({ runId, key, detail: message }))

/**
 * What can go wrong with a decision about an approval, for `Effect.catchTags`.
 *
 * @category handlers
 * @since 0.1.0
 */
export const ofDecision = {
  ...ofRun,
  WaitClosed: WaitClosedRefusal,
  NotAnApprover: ({ message }: NotAnApprover) => Effect.fail(new ForbiddenProblem({ detail: message })),
  OwnRequest: ({ message }: OwnRequest) => Effect.fail(new ForbiddenProblem({ detail: message })),
  ApprovalNotPending: ({ approval, decision, message, runId, status }: ApprovalNotPending) =>
    Effect.fail(new ApprovalNotPendingProblem({
      runId,
      approval,
      runStatus: status,
      detail: message,
      ...(decision === undefined ? {} : { decision })
    }))
}

/**
 * @category handlers
 * @since 0.1.0
 */
export const AlreadySettledRefusal = ({ key, message, runId }: AlreadySettled) =>
  Effect.fail(new AlreadySettledProblem({ runId, key, detail: message }))

/**
 * @category handlers
 * @since 0.1.0
 */
export const ForkRefusedRefusal = ({ message, runId }: ForkRefused) =>
  Effect.fail(new ForkRefusedProblem({ runId, detail: message }))

/**
 * @category handlers
 * @since 0.1.0
 */
export const StartConflictRefusal = ({ message, runId }: StartConflict) =>
  Effect.fail(new StartConflictProblem({ runId, detail: message }))

/**
 * @category handlers
 * @since 0.1.0
 */
export const SignalConflictRefusal = ({ message, runId, seq }: SignalConflict) =>
  Effect.fail(new SignalConflictProblem({ runId, seq, detail: message }))
