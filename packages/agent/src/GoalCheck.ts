/**
 * What guardrails say about a goal, before the model sees it.
 */
import { Approval, below, type BudgetExceeded, Journal } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import * as ModelCall from "./ModelCall.ts"
import type { Found } from "./Rules.ts"
import * as Rules_ from "./Rules.ts"
import * as Screening from "./Screening.ts"
import { excerpt } from "./Words.ts"

/**
 * What became of a goal: the one that the conversation begins with, and what the first model call is asked with.
 *
 * @category models
 * @since 0.1.0
 */
export interface CheckedGoal {
  readonly goal: string
  readonly checked: ModelCall.Checked
}

/**
 * Checks a goal once, and asks a person about it if a guardrail wants that: the approval is called `goal/approval`. A goal that
 * the person puts in its place is checked in the same way.
 *
 * @category operations
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*(
  around: Screening.Around,
  goal: string,
  maxLength: number
): Effect.fn.Return<CheckedGoal, BudgetExceeded, Journal> {
  const { agent, path, rules: { profile, settings } } = around
  const journal = yield* Journal
  const key = ModelCall.keyOf({ path, turn: 1 })
  const approval = approvalOf(path)
  const known = journal.recorded(approval) !== undefined
  const begun = journal.recorded(key) !== undefined
  const at = below(path, "goal")
  const unasked = profile === "off" || settings.guardrails.length === 0 || begun
  const about = { key, turn: 1, when: "L1_input" as const }
  if (unasked || known) yield* Screening.again(around, about, at)
  // A question that is in the log is asked again, so that its answer is given in its turn, whatever guardrails say now.
  if (unasked && !known) return { goal, checked: {} }
  const judge = (goal: string): Effect.Effect<ReadonlyArray<Found>> =>
    Effect.suspend(() => {
      if (profile === "off") return Effect.succeed([])
      const done = journal.acting(key)
      const subject = { runId: journal.runId, agent, profile, goal }
      return Effect.ensuring(Rules_.askAll(about, settings, ({ goal }) => goal, subject), Effect.sync(done))
    })
  const checked = known ? [] : yield* judge(goal)
  if (!known && isBlocked(checked)) yield* Screening.again(around, about, at)
  // What was stopped already is not shown to a model.
  const found = known || profile === "off" || isBlocked(checked)
    ? checked
    : [
      ...checked,
      ...yield* Screening.ask(
        around,
        about,
        at,
        ({ goal: ask }) => ask?.({ runId: journal.runId, agent, profile, goal })
      )
    ]
  if (isBlocked(found)) return { goal, checked: blockedBy(found) }
  const doubts = found.filter(({ event }) => event.action === "ESCALATE")
  if (!known && doubts.length === 0) return { goal, checked: { before: found.map(({ event }) => event) } }
  const decision = yield* Approval.ask({
    key: approval,
    subject: `The agent \`${agent}\` was given this goal: ${excerpt(goal)}`,
    reason: doubts.map(({ message }) => message).join("; "),
    turn: 1,
    arguments: { goal },
    argumentsSchema: schemaOf(maxLength)
  }, found.map(({ event }) => event))
  const refused = (message: string): ModelCall.Checked => ({
    before: [Rules_.found(about, { rule: "goal_denied", action: "BLOCK", ends: true, message }).event],
    refusal: message
  })
  if (decision._tag === "Denied") {
    const reason = decision.reason.trim() === "" ? "" : `: ${decision.reason}`
    return { goal, checked: refused(`a person did not allow the goal${reason}`) }
  }
  if (decision.arguments === undefined) return { goal, checked: {} }
  const edited = editedOf(decision.arguments)
  if (edited === undefined) {
    return { goal, checked: refused("what a person put in the place of the goal is no goal") }
  }
  // That a person has to look at it was done by the one who changed it.
  const again = begun ? [] : yield* judge(edited)
  return {
    goal: edited,
    checked: isBlocked(again) ? blockedBy(again) : { before: again.map(({ event }) => event) }
  }
})

/**
 * Names the approval of a goal.
 *
 * @category keys
 * @since 0.1.0
 */
export const approvalOf = (path: string): string => below(path, "goal/approval")

/**
 * The goal that a person put in the place of another one, if the arguments of a decision are one.
 *
 * @category readers
 * @since 0.1.0
 */
export const editedOf = (args: Schema.Json | undefined): string | undefined =>
  args === undefined ? undefined : Option.getOrUndefined(decodeEdited(args))?.goal

const decodeEdited = Schema.decodeUnknownOption(
  Schema.Struct({ goal: Schema.String.check(Schema.isPattern(/\S/)) }),
  { onExcessProperty: "error" }
)

const schemaOf = (maxLength: number): Schema.Json => ({
  type: "object",
  properties: { goal: { type: "string", pattern: "\\S", maxLength } },
  required: ["goal"],
  additionalProperties: false
})

const isBlocked = (found: ReadonlyArray<Found>): boolean => found.some(({ event }) => event.action === "BLOCK")

/** Without a model call there is nothing that a run could go on with. */
const blockedBy = (found: ReadonlyArray<Found>): ModelCall.Checked => ({
  before: found.map(({ event }) => event.action === "BLOCK" ? { ...event, ends: true } : event),
  refusal: found.flatMap(({ event, message }) => event.action === "BLOCK" ? [message] : []).join("; ")
})
