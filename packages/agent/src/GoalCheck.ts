/**
 * What guardrails say about a goal, before the model sees it.
 */
import { Approval, below, Journal } from "@durable-agents/core"
import { Effect } from "effect"
import * as ModelCall from "./ModelCall.ts"
import type { Found, Rules } from "./Rules.ts"
import * as Rules_ from "./Rules.ts"
import { excerpt } from "./Words.ts"

/**
 * Checks a goal once, and asks a person about it if a guardrail wants that: the approval is called `goal/approval`.
 *
 * @category operations
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*(
  agent: string,
  { profile, settings }: Rules,
  path: string,
  goal: string
): Effect.fn.Return<ModelCall.Checked, never, Journal> {
  const journal = yield* Journal
  const key = ModelCall.keyOf({ path, turn: 1 })
  const approval = below(path, "goal/approval")
  const known = journal.recorded(approval) !== undefined
  const unasked = profile === "off" || settings.guardrails.length === 0 || journal.recorded(key) !== undefined
  // A question that is in the log is asked again, so that its answer is given in its turn, whatever guardrails say now.
  if (unasked && !known) return {}
  const about = { key, turn: 1, when: "L1_input" as const }
  const found: ReadonlyArray<Found> = known || profile === "off" ? [] : yield* Effect.suspend(() => {
    const done = journal.acting(key)
    const subject = { runId: journal.runId, agent, profile, goal }
    return Effect.ensuring(Rules_.askAll(about, settings, ({ goal }) => goal, subject), Effect.sync(done))
  })
  const verdicts = found.map(({ event }) => event)
  const blocking = found.filter(({ event }) => event.action === "BLOCK")
  if (blocking.length > 0) {
    return {
      // Without a model call there is nothing that a run could go on with.
      before: verdicts.map((event) => event.action === "BLOCK" ? { ...event, ends: true } : event),
      refusal: blocking.map(({ message }) => message).join("; ")
    }
  }
  const doubts = found.filter(({ event }) => event.action === "ESCALATE")
  if (!known && doubts.length === 0) return { before: verdicts }
  const decision = yield* Approval.ask({
    key: approval,
    subject: `The agent \`${agent}\` was given this goal: ${excerpt(goal)}`,
    reason: doubts.map(({ message }) => message).join("; "),
    turn: 1
  }, verdicts)
  if (decision._tag === "Granted") return {}
  const message = `a person did not allow the goal${decision.reason.trim() === "" ? "" : `: ${decision.reason}`}`
  const { event } = Rules_.found(about, { rule: "goal_denied", action: "BLOCK", ends: true, message })
  return { before: [event], refusal: message }
})
