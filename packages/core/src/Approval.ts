/**
 * Approvals: a person says yes or no to exactly what was shown, while nothing of the run is in memory.
 */
import { Effect } from "effect"
import type { Duration, Schema } from "effect"
import type { Actor } from "./Ids.ts"
import { below, Journal, Path } from "./Journal.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import * as Timer from "./Timer.ts"

/**
 * What was decided, and by whom.
 *
 * @category models
 * @since 0.1.0
 */
export type Decision =
  | {
    readonly _tag: "Granted"
    readonly actor: Actor
    readonly comment: string | undefined
    /** The arguments as the approver changed them; absent if they were approved as shown. */
    readonly arguments: Schema.Json | undefined
  }
  | { readonly _tag: "Denied"; readonly actor: Actor; readonly reason: string }

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What is asked, in plain words. */
  readonly subject: string
  /** Why it is asked. */
  readonly reason?: string
  /** The values that the person decides about. */
  readonly arguments?: Schema.Json
  /** The JSON schema of what the person may put in their place. Without it anything may be. */
  readonly argumentsSchema?: Schema.Json
  /** Ids of the people who may decide; absent: anyone who can reach the run. */
  readonly approvers?: ReadonlyArray<string>
  /** Whether somebody else than who started the run has to allow it. Default false. */
  readonly notByRequester?: boolean
  /** After this, by the store's clock, `onExpiry` is the decision. Without `onExpiry` it keeps waiting. */
  readonly expiresIn?: Duration.Input
  /** Default `deny`, if `expiresIn` is given. */
  readonly onExpiry?: "deny" | "approve" | "wait"
}

/**
 * Asks for a decision and waits for it. The key is the reference under which it is decided.
 *
 * @category approvals
 * @since 0.1.0
 */
export const request = (key: string, options: Options): Effect.Effect<Decision, never, Journal> =>
  Effect.flatMap(Path, (path) => ask({ key: below(path, key), ...approvalFields(options) }))

/**
 * Asks with an event that the caller built, for programs with approvals of their own kind. `before` is stored with it, ahead of
 * it: the verdicts that led to it.
 *
 * @category approvals
 * @since 0.1.0
 */
export const ask = (
  event: Omit<RunEventOf<"ApprovalRequested">, "_tag" | "expiresAtMillis"> & { readonly expiresInMillis?: number },
  before: ReadonlyArray<RunEvent> = []
): Effect.Effect<Decision, never, Journal> =>
  Effect.flatMap(Journal, (journal) => {
    const { expiresInMillis, ...fields } = event
    return Effect.map(
      Effect.suspend(() =>
        journal.wait({
          _tag: "ApprovalRequested",
          ...fields,
          ...(expiresInMillis === undefined ? {} : { expiresAtMillis: Math.ceil(journal.now() + expiresInMillis) })
        }, before)
      ),
      (wait): Decision => {
        const decision = wait._tag === "Approval" ? wait.decision : undefined
        return decision?._tag === "ApprovalGranted"
          ? { _tag: "Granted", actor: decision.actor, comment: decision.comment, arguments: decision.arguments }
          : {
            _tag: "Denied",
            actor: decision?.actor ?? { kind: "system", id: "unknown" },
            reason: decision?.reason ?? ""
          }
      }
    )
  })

const approvalFields = (options: Options) => ({
  subject: options.subject,
  reason: options.reason ?? "",
  ...(options.arguments === undefined ? {} : { arguments: options.arguments }),
  ...(options.argumentsSchema === undefined ? {} : { argumentsSchema: options.argumentsSchema }),
  ...(options.approvers === undefined ? {} : { approvers: options.approvers }),
  ...(options.notByRequester === true ? { notByRequester: true } : {}),
  ...(options.expiresIn === undefined ? {} : {
    expiresInMillis: Timer.millis(options.expiresIn),
    ...(options.onExpiry === "wait" ? {} : { onExpiry: options.onExpiry ?? ("deny" as const) })
  })
})
