/**
 * Who may do what, beyond roles. Provide another value as a layer to decide otherwise.
 */
import type { PendingApproval, RunView } from "@durable-agents/core"
import { Context, Effect, Option } from "effect"
import type { Definition } from "./Definitions.ts"
import type { Identity } from "./Identity.ts"

/**
 * Why something is not permitted, in one sentence; none: it is.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = Effect.Effect<Option.Option<string>>

/**
 * Whether somebody with the role `approver` may decide this approval. The default says yes; an approval that names its approvers,
 * or keeps out who requested the run, holds whatever is said here.
 *
 * @category references
 * @since 0.1.0
 */
export const ApprovalPolicy = Context.Reference<
  (question: {
    readonly identity: Identity
    readonly run: RunView
    readonly approval: PendingApproval
    readonly decision: "approve" | "deny"
  }) => Verdict
>("@durable-agents/server/ApprovalPolicy", { defaultValue: () => () => Effect.succeedNone })

/**
 * Whether somebody with the role `starter` may start a run in this way. By default, what the model is told and weaker guardrails
 * than the program's own want the role `operator`; the profiles of a program go from the weakest to the strongest.
 *
 * @category references
 * @since 0.1.0
 */
export const StartPolicy = Context.Reference<
  (question: {
    readonly identity: Identity
    readonly program: Definition
    readonly systemPrompt: string | undefined
    readonly guardrailProfile: string | undefined
  }) => Verdict
>("@durable-agents/server/StartPolicy", {
  defaultValue: () => ({ guardrailProfile, identity, program: { description }, systemPrompt }) => {
    if (identity.roles.includes("operator")) return Effect.succeedNone
    if (systemPrompt !== undefined) return Effect.succeedSome("`systemPrompt` wants the role `operator`")
    const order = description.guardrailProfiles ?? []
    const own = description.guardrailProfile === undefined ? -1 : order.indexOf(description.guardrailProfile)
    return Effect.succeed(guardrailProfile !== undefined && order.indexOf(guardrailProfile) < own
      ? Option.some("a weaker `guardrailProfile` than that of the program wants the role `operator`")
      : Option.none())
  }
})
