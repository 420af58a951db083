/**
 * Scripted people: rules that decide about approvals, as values. The first rule that has an answer decides.
 */
import type { ActorInput, Payload, PendingApproval, RunView } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import { Clock, Duration, Effect, Result, Schema } from "effect"
import type { Outsider } from "./Outside.ts"

/**
 * What a person says to an approval. Without an actor it is the first of those who may decide, or `person@example.com`.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer =
  & { readonly actor: ActorInput | undefined; readonly afterMillis: number }
  & (
    | { readonly _tag: "Approve"; readonly comment: string | undefined; readonly arguments: Schema.Json | undefined }
    | { readonly _tag: "Deny"; readonly reason: string }
  )

/**
 * Somebody who decides about approvals: a script of its own, or a part of one.
 *
 * **Details**
 *
 * `act` decides about everything that waits in a run and that this person has an answer to, in the order of the log, if its time
 * has come by the clock. What it has no answer to is left to others.
 *
 * @category models
 * @since 0.1.0
 */
export interface Person extends Outsider {
  readonly act: (view: RunView) => Effect.Effect<void, Refusal, Runs>
  readonly dueAt: (view: RunView) => number | undefined
  /** What this person says; undefined: nothing. */
  readonly answer: (approval: PendingApproval) => Answer | undefined
}

type Refusal = Effect.Error<ReturnType<Runs["Service"]["approve"]>>

/**
 * Who decides about an approval, by what is asked. Undefined: somebody else.
 *
 * @category models
 * @since 0.1.0
 */
export type Rule = Person | ((approval: PendingApproval) => Person | undefined)

/**
 * Makes a person of any function from approvals to answers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (answer: Person["answer"]): Person => {
  const dueAt = (approval: PendingApproval): number =>
    approval.requestedAt + (answer(approval)?.afterMillis ?? Infinity)
  const act = Effect.fn("People.act")(function*(view: RunView) {
    const now = yield* Clock.currentTimeMillis
    for (const approval of view.pendingApprovals) {
      const said = answer(approval)
      if (said !== undefined && dueAt(approval) <= now) yield* tell(view, approval, said)
    }
  })
  return { answer, act, dueAt: (view) => earliest(view.pendingApprovals.map(dueAt)) }
}

const earliest = (times: ReadonlyArray<number>): number | undefined => {
  const first = Math.min(...times)
  return first === Infinity ? undefined : first
}

const tell = (view: RunView, { approvers, key }: PendingApproval, answer: Answer) =>
  Effect.flatMap(Runs, (runs) => {
    const who = { approval: key, actor: answer.actor ?? approvers?.[0] ?? "person@example.com" }
    return answer._tag === "Deny"
      ? runs.deny(view.runId, { ...who, reason: answer.reason })
      : runs.approve(view.runId, {
        ...who,
        ...(answer.comment === undefined ? {} : { comment: answer.comment }),
        ...(answer.arguments === undefined ? {} : { arguments: answer.arguments })
      })
  })

const always = (answer: Answer): Person => make(() => answer)

/**
 * Allows whatever is asked, as it was shown.
 *
 * @category people
 * @since 0.1.0
 */
export const approve: Person = always({
  _tag: "Approve",
  actor: undefined,
  afterMillis: 0,
  comment: undefined,
  arguments: undefined
})

/**
 * Refuses whatever is asked.
 *
 * @category people
 * @since 0.1.0
 */
export const deny = (reason = ""): Person => always({ _tag: "Deny", actor: undefined, afterMillis: 0, reason })

/**
 * Allows whatever is asked with other arguments: these, or what a function makes of those that were shown.
 *
 * @category people
 * @since 0.1.0
 */
export const edit = (args: Schema.Json | ((shown: Schema.Json) => Schema.Json)): Person =>
  make((approval) => ({
    _tag: "Approve",
    actor: undefined,
    afterMillis: 0,
    comment: undefined,
    arguments: typeof args === "function" ? args(approval.arguments ?? null) : args
  }))

/**
 * Decides by what is asked: who answers, or undefined for nobody.
 *
 * @category rules
 * @since 0.1.0
 */
export const decide = (...rules: ReadonlyArray<Rule>): Person =>
  make((approval) => {
    for (const rule of rules) {
      const answer = isPerson(rule) ? rule.answer(approval) : rule(approval)?.answer(approval)
      if (answer !== undefined) return answer
    }
    return undefined
  })

const isPerson = (rule: Rule): rule is Person => "answer" in rule

/**
 * Decides about tool calls, by the name of the tool.
 *
 * @category rules
 * @since 0.1.0
 */
export const byTool = (rules: Readonly<Record<string, Rule>>): Person =>
  decide((approval) => approval.tool === undefined ? undefined : chosen(rules, approval.tool, approval))

/**
 * Decides by the key of the approval, such as `disable` or `turn-1/call-2/approval`.
 *
 * @category rules
 * @since 0.1.0
 */
export const byKey = (rules: Readonly<Record<string, Rule>>): Person =>
  decide((approval) => chosen(rules, approval.key, approval))

const chosen = (rules: Readonly<Record<string, Rule>>, name: string, approval: PendingApproval): Person | undefined => {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  return rule === undefined || isPerson(rule) ? rule : rule(approval)
}

/**
 * Decides about calls of one tool, by its arguments as the tool gets them.
 *
 * **Gotchas**
 *
 * Arguments that do not fit the tool are a defect of the test: no such call ever asks for approval.
 *
 * @category rules
 * @since 0.1.0
 */
export const forTool = <A>(
  tool: { readonly name: string; readonly parametersSchema: Payload.PureSchema<A> },
  rule: (args: A, approval: PendingApproval) => Person | undefined
): Person => {
  const decode = Schema.decodeUnknownResult(Schema.toCodecJson(tool.parametersSchema))
  return byTool({ [tool.name]: (approval) => rule(Result.getOrThrow(decode(approval.arguments)), approval) })
}

/**
 * The same answers, from this actor.
 *
 * @category combinators
 * @since 0.1.0
 */
export const as = (actor: ActorInput, person: Person): Person =>
  change(person, (answer) => ({ ...answer, actor: answer.actor ?? actor }))

/**
 * The same answers, after the approval has waited for so long.
 *
 * @category combinators
 * @since 0.1.0
 */
export const after = (duration: Duration.Input, person: Person): Person => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(duration))
  return change(person, (answer) => ({ ...answer, afterMillis: answer.afterMillis + millis }))
}

const change = (person: Person, f: (answer: Answer) => Answer): Person =>
  make((approval) => {
    const answer = person.answer(approval)
    return answer === undefined ? undefined : f(answer)
  })
