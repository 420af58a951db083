/**
 * The typed answers to decisions that cannot be taken.
 */
import { Schema } from "effect"
import { Actor, OperationKey, RunId, Seq } from "./Ids.ts"

/**
 * No run has this id.
 *
 * @category errors
 * @since 0.1.0
 */
export class RunNotFound extends Schema.TaggedError<RunNotFound>("@durable-agents/core/RunNotFound")("RunNotFound", {
  runId: RunId
}) {
  override get message() {
    return `There is no run \`${this.runId}\``
  }

  /** Says it of anything that was given in the place of an id. */
  static of(runId: unknown): RunNotFound {
    return new RunNotFound({ runId: String(runId) as RunId }, { disableChecks: true })
  }
}

/**
 * What came in does not fit: an input, a name, a text that is too long.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequest
  extends Schema.TaggedError<InvalidRequest>("@durable-agents/core/InvalidRequest")("InvalidRequest", {
    field: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `\`${this.field}\` ${this.detail}`
  }
}

/**
 * The run has ended, or its status does not allow this.
 *
 * @category errors
 * @since 0.1.0
 */
export class RunClosed extends Schema.TaggedError<RunClosed>("@durable-agents/core/RunClosed")("RunClosed", {
  runId: RunId,
  status: Schema.String
}) {
  override get message() {
    return `Run \`${this.runId}\` does not take this now (status ${this.status})`
  }
}

/**
 * The same start key was used before, with other content.
 *
 * @category errors
 * @since 0.1.0
 */
export class StartConflict
  extends Schema.TaggedError<StartConflict>("@durable-agents/core/StartConflict")("StartConflict", {
    runId: RunId,
    startKey: Schema.String
  })
{
  override get message() {
    return `Start key \`${this.startKey}\` belongs to run \`${this.runId}\`, which was started with other content`
  }
}

/**
 * The same id was used before, at this position, for a signal of another name or with another payload.
 *
 * @category errors
 * @since 0.1.0
 */
export class SignalConflict
  extends Schema.TaggedError<SignalConflict>("@durable-agents/core/SignalConflict")("SignalConflict", {
    runId: RunId,
    id: Schema.String,
    seq: Seq
  })
{
  override get message() {
    return `Signal id \`${this.id}\` belongs to another signal of run \`${this.runId}\`, at position ${this.seq}`
  }
}

/**
 * No approval with this key waits for a decision. If there was one, `decision` is what stands.
 *
 * @category errors
 * @since 0.1.0
 */
export class ApprovalNotPending
  extends Schema.TaggedError<ApprovalNotPending>("@durable-agents/core/ApprovalNotPending")("ApprovalNotPending", {
    runId: RunId,
    approval: Schema.String,
    status: Schema.String,
    decision: Schema.optionalKey(Schema.Struct({
      decision: Schema.Literals(["granted", "denied"]),
      actor: Actor,
      reason: Schema.optionalKey(Schema.String)
    }))
  })
{
  override get message() {
    const stands = this.decision
    return stands === undefined
      ? `Run \`${this.runId}\` does not wait for approval \`${this.approval}\` (status ${this.status})`
      : `Approval \`${this.approval}\` of run \`${this.runId}\` was already ${stands.decision} by \`${stands.actor.id}\``
  }
}

/**
 * Nobody waits for this any more: the branch lost, or the program went on without it.
 *
 * @category errors
 * @since 0.1.0
 */
export class WaitClosed extends Schema.TaggedError<WaitClosed>("@durable-agents/core/WaitClosed")("WaitClosed", {
  runId: RunId,
  key: Schema.String
}) {
  override get message() {
    return `Run \`${this.runId}\` does not wait for \`${this.key}\``
  }
}

/**
 * The approval names who may decide, and this actor is not among them.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotAnApprover
  extends Schema.TaggedError<NotAnApprover>("@durable-agents/core/NotAnApprover")("NotAnApprover", {
    runId: RunId,
    approval: Schema.String,
    actor: Schema.String,
    approvers: Schema.Array(Schema.String)
  })
{
  override get message() {
    return `\`${this.actor}\` may not decide approval \`${this.approval}\`; asked are ${this.approvers.join(", ")}`
  }
}

/**
 * Somebody else has to allow this: it is asked of others than whoever started the run.
 *
 * @category errors
 * @since 0.1.0
 */
export class OwnRequest extends Schema.TaggedError<OwnRequest>("@durable-agents/core/OwnRequest")("OwnRequest", {
  runId: RunId,
  approval: Schema.String,
  actor: Schema.String
}) {
  override get message() {
    return `\`${this.actor}\` started run \`${this.runId}\`, so somebody else has to allow \`${this.approval}\``
  }
}

/**
 * A run cannot be forked there.
 *
 * @category errors
 * @since 0.1.0
 */
export class ForkRefused extends Schema.TaggedError<ForkRefused>("@durable-agents/core/ForkRefused")("ForkRefused", {
  runId: RunId,
  at: Schema.Number,
  detail: Schema.String
}) {
  override get message() {
    return `Run \`${this.runId}\` cannot be forked at ${this.at}: that ${this.detail}`
  }
}

/**
 * The code asks for one thing where the log holds another: its keys changed their meaning.
 *
 * @category errors
 * @since 0.1.0
 */
export class KeyMismatch extends Schema.TaggedError<KeyMismatch>("@durable-agents/core/KeyMismatch")("KeyMismatch", {
  runId: RunId,
  key: OperationKey,
  recorded: Schema.String,
  asked: Schema.String
}) {
  override get message() {
    return `The log of run \`${this.runId}\` holds ${this.recorded} at \`${this.key}\`, and the program asks for ${this.asked}`
  }
}

/**
 * The operation has its outcome; the first one counts.
 *
 * @category errors
 * @since 0.1.0
 */
export class AlreadySettled
  extends Schema.TaggedError<AlreadySettled>("@durable-agents/core/AlreadySettled")("AlreadySettled", {
    runId: RunId,
    key: OperationKey
  })
{
  override get message() {
    return `Operation \`${this.key}\` of run \`${this.runId}\` has its outcome already`
  }
}

/**
 * A guardrail ended the run. What it found is in the log, with the verdict.
 *
 * @category errors
 * @since 0.1.0
 */
export class GuardrailBlocked
  extends Schema.TaggedError<GuardrailBlocked>("@durable-agents/core/GuardrailBlocked")("GuardrailBlocked", {
    layer: Schema.String,
    rule: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `A guardrail ended the run (${this.rule}): ${this.detail}`
  }
}
