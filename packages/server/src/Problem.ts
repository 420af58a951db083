/**
 * What the API answers when it cannot do what it is asked: problem details by RFC 9457, `application/problem+json`.
 */
import { Actor, Seq } from "@durable-agents/core"
import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

const type = <const Name extends string>(name: Name) => `urn:durable-agents:problem:${name}` as const

/**
 * The request does not fit: a field, an id, a header or the body as a whole.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequestProblem extends HttpApiError.Problem<InvalidRequestProblem>()("InvalidRequestProblem", {
  type: type("invalid-request"),
  status: 422,
  title: "The request does not fit"
}, {
  errors: Schema.optionalKey(Schema.Array(HttpApiError.ProblemIssue))
}) {}

/**
 * There is no valid credential.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnauthenticatedProblem extends HttpApiError.Problem<UnauthenticatedProblem>()("UnauthenticatedProblem", {
  type: type("unauthenticated"),
  status: 401,
  title: "A valid bearer token is needed"
}) {}

/**
 * The credential is valid and does not permit this.
 *
 * @category errors
 * @since 0.1.0
 */
export class ForbiddenProblem extends HttpApiError.Problem<ForbiddenProblem>()("ForbiddenProblem", {
  type: type("forbidden"),
  status: 403,
  title: "This is not permitted"
}) {}

/**
 * No run has this id, or it belongs to another namespace.
 *
 * @category errors
 * @since 0.1.0
 */
export class RunNotFoundProblem extends HttpApiError.Problem<RunNotFoundProblem>()("RunNotFoundProblem", {
  type: type("run-not-found"),
  status: 404,
  title: "There is no such run"
}, {
  runId: Schema.String
}) {}

/**
 * The run has ended, or its status does not allow this.
 *
 * @category errors
 * @since 0.1.0
 */
export class RunClosedProblem extends HttpApiError.Problem<RunClosedProblem>()("RunClosedProblem", {
  type: type("run-closed"),
  status: 409,
  title: "The run does not take this now"
}, {
  runId: Schema.String,
  runStatus: Schema.String
}) {}

/**
 * The approval that was named does not wait for a decision. If it had one, `decision` is what stands.
 *
 * @category errors
 * @since 0.1.0
 */
export class ApprovalNotPendingProblem
  extends HttpApiError.Problem<ApprovalNotPendingProblem>()("ApprovalNotPendingProblem", {
    type: type("approval-not-pending"),
    status: 409,
    title: "This approval does not wait for a decision"
  }, {
    runId: Schema.String,
    approval: Schema.String,
    runStatus: Schema.String,
    decision: Schema.optionalKey(Schema.Struct({
      decision: Schema.Literals(["granted", "denied"]),
      actor: Actor,
      reason: Schema.optionalKey(Schema.String)
    }))
  })
{}

/**
 * Nobody waits for this any more.
 *
 * @category errors
 * @since 0.1.0
 */
export class WaitClosedProblem extends HttpApiError.Problem<WaitClosedProblem>()("WaitClosedProblem", {
  type: type("wait-closed"),
  status: 409,
  title: "Nobody waits for this any more"
}, {
  runId: Schema.String,
  key: Schema.String
}) {}

/**
 * The operation has its outcome; the first one stands.
 *
 * @category errors
 * @since 0.1.0
 */
export class AlreadySettledProblem extends HttpApiError.Problem<AlreadySettledProblem>()("AlreadySettledProblem", {
  type: type("already-settled"),
  status: 409,
  title: "The operation has its outcome already"
}, {
  runId: Schema.String,
  key: Schema.String
}) {}

/**
 * The same `Idempotency-Key`, or `startKey`, was used before, with other content.
 *
 * @category errors
 * @since 0.1.0
 */
export class StartConflictProblem extends HttpApiError.Problem<StartConflictProblem>()("StartConflictProblem", {
  type: type("start-conflict"),
  status: 409,
  title: "This key was used with other content"
}, {
  runId: Schema.String
}) {}

/**
 * The same `Idempotency-Key`, or `id`, was used before for another signal: at `seq` of the log.
 *
 * @category errors
 * @since 0.1.0
 */
export class SignalConflictProblem extends HttpApiError.Problem<SignalConflictProblem>()("SignalConflictProblem", {
  type: type("signal-conflict"),
  status: 409,
  title: "This key was used for another signal"
}, {
  runId: Schema.String,
  seq: Seq
}) {}

/**
 * The request is not what it says it is: its body ends early, or is no UTF-8.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadRequestProblem extends HttpApiError.Problem<BadRequestProblem>()("BadRequestProblem", {
  type: type("bad-request"),
  status: 400,
  title: "The request cannot be read"
}) {}

/**
 * The body is not JSON by its `Content-Type`, or is compressed.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedProblem extends HttpApiError.Problem<UnsupportedProblem>()("UnsupportedProblem", {
  type: type("unsupported"),
  status: 415,
  title: "The body must be JSON in UTF-8, not compressed"
}) {}

/**
 * The run cannot be forked at this position.
 *
 * @category errors
 * @since 0.1.0
 */
export class ForkRefusedProblem extends HttpApiError.Problem<ForkRefusedProblem>()("ForkRefusedProblem", {
  type: type("fork-refused"),
  status: 409,
  title: "The run cannot be forked there"
}, {
  runId: Schema.String
}) {}

/**
 * The body has more bytes than the server takes.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooLargeProblem extends HttpApiError.Problem<TooLargeProblem>()("TooLargeProblem", {
  type: type("too-large"),
  status: 413,
  title: "The body is too large"
}) {}

/**
 * The store cannot be reached, or the server is about to end. Safe to try again.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnavailableProblem extends HttpApiError.Problem<UnavailableProblem>()("UnavailableProblem", {
  type: type("unavailable"),
  status: 503,
  title: "The server cannot do this at the moment"
}) {}

/**
 * A bug. What happened is in the server's log.
 *
 * @category errors
 * @since 0.1.0
 */
export class InternalProblem extends HttpApiError.Problem<InternalProblem>()("InternalProblem", {
  type: type("internal"),
  status: 500,
  title: "The server failed"
}) {}
