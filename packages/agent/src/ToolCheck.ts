/**
 * What the tool calls of a turn are about, before anything of them is done: what the log holds of them, whether they fit their
 * tools and keep to the guardrails, and whether a person has to allow them.
 */
import { below, type BudgetExceeded, Journal, Payload } from "@durable-agents/core"
import { Effect, Exit, HashMap, Option, Result } from "effect"
import type { Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Plan } from "./AgentState.ts"
import type { FinalAnswer } from "./FinalAnswer.ts"
import type * as Guardrails from "./Guardrails.ts"
import type { Recorded } from "./Guardrails.ts"
import * as Past from "./Past.ts"
import type { Found, Rules } from "./Rules.ts"
import * as Rules_ from "./Rules.ts"
import * as Screening from "./Screening.ts"
import type { AgentTool, Tools } from "./Tools.ts"
import type { Call } from "./Transcript.ts"
import { isArguments } from "./Transcript.ts"
import * as Verdicts from "./Verdicts.ts"
import { describe, excerpt } from "./Words.ts"

/**
 * The turn that a call belongs to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Turn {
  readonly agent: string
  readonly tools: Tools
  /** The tools that the conversation began with, by name; some may not be in this process. */
  readonly began: ReadonlySet<string>
  readonly rules: Rules
  /** How the agent answers, if its answer has a declared shape. */
  readonly finalAnswer: FinalAnswer | undefined
  /** The scopes around the agent. */
  readonly path: string
  readonly turn: number
  /** What the conversation began with, as it was given. */
  readonly goal: string
  readonly instructions: string
  /** The conversation that led to the calls. */
  readonly messages: () => ReadonlyArray<Prompt.Message>
  /** How often calls with an effect were made before, by their identity. */
  readonly made: HashMap.HashMap<string, number>
  /** Bytes of JSON of a call's arguments, or of its result, that can be recorded. */
  readonly outputBytes: number
}

/**
 * Names a call in its run, such as `turn-3/call-2`; an answer in text that is read as one is `turn-3/answer`.
 *
 * @category keys
 * @since 0.1.0
 */
export const keyOf = ({ path, turn }: Pick<Turn, "path" | "turn">, { index }: Pick<Call, "index">): string =>
  below(path, index === 0 ? `turn-${turn}/answer` : `turn-${turn}/call-${index}`)

/**
 * Names the approval of the call with this key.
 *
 * @category keys
 * @since 0.1.0
 */
export const approvalOf = (key: string): string => `${key}/approval`

/**
 * Names the call that an approval with this key is about.
 *
 * @category keys
 * @since 0.1.0
 */
export const callOf = (approval: string): string => approval.replace(/\/approval$/, "")

/**
 * Names the step that records the answer of an agent inside another program.
 *
 * @category keys
 * @since 0.1.0
 */
export const answerOf = ({ path }: Pick<Turn, "path">): string => below(path, answerStep)

/**
 * @category keys
 * @since 0.1.0
 */
export const answerStep = "answer"

/** What was found out about the calls before this one in the same turn. */
interface Batch {
  readonly made: Map<string, number>
  readonly planned: Array<Past.Planned>
  readonly verdicts: Array<Recorded>
  readonly size: number
}

/**
 * Finds out what the calls of a turn are about: what the log holds of them if it does, otherwise by schemas, guardrails and
 * approval rules, in the order of the calls.
 *
 * @category operations
 * @since 0.1.0
 */
export const prepare: (
  journal: Journal["Service"],
  turn: Turn,
  calls: ReadonlyArray<Call>
) => Effect.Effect<ReadonlyArray<Plan>, BudgetExceeded> = Effect.fnUntracedEager(function*(journal, turn, calls) {
  const batch: Batch = { made: new Map(), planned: [], verdicts: [], size: calls.length }
  const plans: Array<Plan> = []
  for (const call of calls) {
    const key = keyOf(turn, call)
    const tool = turn.tools.byName.get(call.tool)
    const known = recorded(journal, key, tool)
    if (known !== undefined) yield* askedAgain(journal, turn, key)
    const plan = known ?? (yield* screened(journal, turn, call, key, batch))
    if (plan._tag === "Free" || plan._tag === "Gated") {
      note(turn, batch, call, plan)
      batch.planned.push({ key, turn: turn.turn, tool: call.tool, arguments: plan.arguments })
    }
    if (plan._tag !== "Accepted") batch.verdicts.push(...plan.verdicts)
    plans.push(plan)
  }
  return plans
})

/** What models were asked about a call is asked of the log again, wherever the call stands. */
const askedAgain = (journal: Journal["Service"], turn: Turn, key: string) =>
  Effect.provideService(Screening.again(turn, about(turn, key), key), Journal, journal)

/** A call that nothing else has stopped is shown to the guardrails that ask a model. */
const screened = (
  journal: Journal["Service"],
  turn: Turn,
  call: Call,
  key: string,
  batch: Batch
): Effect.Effect<Plan, BudgetExceeded> =>
  Effect.flatMapEager(underWay(journal, key, find(journal, turn, call, key, batch)), (plan) => {
    if ((plan._tag !== "Free" && plan._tag !== "Gated") || !Screening.isAsked(turn)) {
      return Effect.as(askedAgain(journal, turn, key), plan)
    }
    const subject = subjectOf(journal, turn, key, plan.arguments, call.tool, batch.planned)
    const asked = Screening.ask(
      turn,
      about(turn, key),
      key,
      ({ call }) => subject === undefined ? undefined : call?.(subject)
    )
    return Effect.map(Effect.provideService(asked, Journal, journal), (found) => doubted(plan, found))
  })

const about = ({ turn }: Turn, key: string): Rules_.About => ({ key, turn, when: "L3_output" })

/** A plan with what more was found about its call. */
const doubted = (plan: Extract<Plan, { _tag: "Free" | "Gated" }>, found: ReadonlyArray<Found>): Plan => {
  const verdicts = [...plan.verdicts, ...found.map(({ event }) => event)]
  if (found.some(({ event }) => event.action === "BLOCK")) {
    return { _tag: "Refused", ...refusalOf(found), begun: false, verdicts }
  }
  const doubts = found.flatMap(({ event, message }) => event.action === "ESCALATE" ? [message] : [])
  const { alone, arguments: args, begun } = plan
  if (doubts.length === 0) return { ...plan, verdicts }
  const reasons = plan._tag === "Gated" ? [plan.reason, ...doubts] : doubts
  return {
    _tag: "Gated",
    arguments: args,
    reason: reasons.join("; "),
    asked: false,
    forced: true,
    alone,
    begun,
    verdicts
  }
}

/** While somebody else is asked about a call nothing is suspended, and a drain or a cancel waits. */
const underWay = <A, E>(journal: Journal["Service"], key: string, asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Exit.isExit(asked) ? asked : Effect.suspend(() => Effect.ensuring(asked, Effect.sync(journal.acting(key))))

/** A call that is likely to be made counts for those that follow in the same turn. */
const note = ({ rules }: Turn, { made }: Batch, { tool }: Call, plan: Extract<Plan, { _tag: "Free" | "Gated" }>) => {
  if (!plan.alone || rules.profile === "off") return
  const identity = Rules_.identity(tool, plan.arguments)
  made.set(identity, (made.get(identity) ?? 0) + 1)
}

/** What was decided about a call is in the log and is not decided again. */
const recorded = (journal: Journal["Service"], key: string, tool: AgentTool | undefined): Plan | undefined => {
  const operation = journal.recorded(key)
  const approval = journal.recorded(approvalOf(key))
  if (approval === undefined && operation === undefined) return undefined
  const verdicts = Verdicts.at(journal, key).filter(({ layer }) => layer !== "L2_tool_result")
  const order = { alone: tool?.effect !== "readonly", begun: operation !== undefined }
  if (approval?._tag === "Approval") {
    const { arguments: args = {}, reason } = approval.request
    // What blocked it was found after the question, about what the approver had put in.
    const asked = verdicts.filter(({ action }) => action !== "BLOCK")
    return { _tag: "Gated", arguments: args, reason, asked: true, forced: false, verdicts: asked, ...order }
  }
  if (operation?._tag !== "Operation") return undefined
  return operation.request?._tag === "ToolCallRequested"
    ? { _tag: "Free", arguments: operation.request.arguments, verdicts, ...order }
    : { _tag: "Refused", problem: "", ends: verdicts.some(({ ends }) => ends === true), begun: true, verdicts }
}

const find = (
  journal: Journal["Service"],
  turn: Turn,
  call: Call,
  key: string,
  batch: Batch
): Effect.Effect<Plan> => {
  const { finalAnswer, rules } = turn
  const refuse = ({ detail, problem, rule }: Misfit): Plan => ({
    _tag: "Refused",
    problem,
    ends: false,
    begun: false,
    verdicts: rules.profile === "off" ? [] : [
      Rules_.found({ key, turn: turn.turn, when: "L3_output" }, {
        rule,
        action: "BLOCK",
        message: rule === "schema_invalid" ? "the arguments do not fit" : "there is no such tool",
        detail,
        counts: false
      }).event
    ]
  })
  if (finalAnswer !== undefined && call.tool === finalAnswer.name) {
    if (batch.size > 1) return Effect.succeed(refuse(misfit(call.tool, "schema_invalid", alone)))
    // Code after the agent has this answer already, whatever the declared shape is now.
    if (journal.recorded(answerOf(turn)) !== undefined) {
      return Effect.succeed({ _tag: "Accepted", answer: call.params })
    }
    return Effect.match(finalAnswer.read(call.params), {
      onFailure: (problem) => refuse(misfit(call.tool, "schema_invalid", problem)),
      onSuccess: (answer): Plan => ({ _tag: "Accepted", answer })
    })
  }
  const checked = check(turn, call.tool, call.params)
  const allowed = Effect.flatMapEager(
    isElsewhere(turn, call) ? Effect.andThen(putBack(journal, call, key), checked) : checked,
    (checked) => allow(journal, turn, call, key, checked, batch)
  )
  return Effect.catchEager(allowed, (found) => Effect.succeed(refuse(found)))
}

/** What becomes of a call that fits its tool. */
const allow = (
  journal: Journal["Service"],
  turn: Turn,
  call: Call,
  key: string,
  checked: Checked,
  batch: Batch
): Effect.Effect<Plan> =>
  Effect.flatMapEager(judge(journal, turn, key, checked, batch), (found) => {
    const { json, tool, value } = checked
    const verdicts = found.map(({ event }) => event)
    if (verdicts.some(({ action }) => action === "BLOCK")) {
      return Effect.succeed({ _tag: "Refused", ...refusalOf(found), begun: false, verdicts })
    }
    return Effect.mapEager(gate(tool, value, call, turn), (rule): Plan => {
      const doubts = found.flatMap(({ event, message }) => event.action === "ESCALATE" ? [message] : [])
      const reasons = [...(rule === undefined ? [] : [rule.reason]), ...doubts]
      // An approval that is given by itself is for calls that are as the tool expects them.
      const forced = doubts.length > 0 || rule?.failed === true
      const order = { arguments: json, alone: tool.effect !== "readonly", begun: false, verdicts }
      return reasons.length === 0
        ? { _tag: "Free", ...order }
        : { _tag: "Gated", reason: reasons.join("; "), asked: false, forced, ...order }
    })
  })

/**
 * Another worker has the tool: the model was told of it when the conversation began, and would not be told here. What is told
 * here and has no handler is run by the provider, and never by a worker.
 */
const isElsewhere = ({ began, tools }: Turn, { tool }: Call): boolean =>
  began.has(tool) && !tools.descriptions.some(({ name }) => name === tool)

/**
 * Leaves the run to a worker that has the tool of a call. Returns only while the run is being cancelled.
 *
 * @category operations
 * @since 0.1.0
 */
export const putBack = (journal: Journal["Service"], { tool }: Call, key: string): Effect.Effect<void> =>
  journal.putBack(`the tool \`${tool}\` is not available here (\`${key}\`)`)

const alone = "it must be the only call of its turn, made when the results of all others are known"

/**
 * Why verdicts that block a call do, in words for the model, and whether the run ends.
 *
 * @category words
 * @since 0.1.0
 */
export const refusalOf = (found: ReadonlyArray<Found>) => {
  const blocking = found.filter(({ event }) => event.action === "BLOCK")
  return {
    problem: blocking.map(({ message }) => message).join("; "),
    ends: blocking.some(({ event }) => event.ends === true)
  }
}

/** What guardrails say about a call that fits its tool. */
const judge = (
  journal: Journal["Service"],
  turn: Turn,
  key: string,
  checked: Checked,
  batch: Batch
): Effect.Effect<ReadonlyArray<Found>> => {
  const { rules, turn: number } = turn
  if (rules.profile === "off") return Effect.succeed([])
  const { json, tool } = checked
  const own = about(turn, key)
  const hasEffect = tool.effect !== "readonly"
  return Effect.mapEager(judgeArguments(journal, turn, key, checked, batch.planned), (found) => {
    if (!hasEffect) return found
    const identity = Rules_.identity(tool.tool.name, json)
    const before = Option.getOrElse(HashMap.get(turn.made, identity), () => 0) + (batch.made.get(identity) ?? 0)
    const threshold = tool.policy.loopThreshold ?? rules.settings.loopThreshold
    const all = [...found, ...Rules_.loop(own, tool.tool.name, before, threshold)]
    if (all.some(({ event }) => event.action === "BLOCK")) return all
    const turnKey = below(turn.path, `turn-${number}/`)
    return [...all, ...Rules_.escalation(own, tool.tool.name, rules, journal, turnKey, batch.verdicts)]
  })
}

/**
 * What guardrails say about a call by its arguments and what was before it: caps, and the checks of others. Without `planned`, the
 * calls before it in the same turn, its arguments are those of a person.
 *
 * @category operations
 * @since 0.1.0
 */
export const judgeArguments = (
  journal: Journal["Service"],
  turn: Turn,
  key: string,
  { json, tool }: Checked,
  planned?: ReadonlyArray<Past.Planned>
): Effect.Effect<ReadonlyArray<Found>> => {
  const { profile, settings } = turn.rules
  if (profile === "off") return Effect.succeed([])
  const name: string = tool.tool.name
  const caps = Rules_.overCap(about(turn, key), name, [tool.policy.caps ?? {}, settings.caps[name] ?? {}], json)
  const call = settings.guardrails.length === 0 ? undefined : subjectOf(journal, turn, key, json, name, planned)
  return call === undefined
    ? Effect.succeed(caps)
    : Effect.map(Rules_.askAll(about(turn, key), settings, ({ call }) => call, call), (found) => [...caps, ...found])
}

/** A call as guardrails are told of it; undefined if nothing is checked, or the tool is not here. */
const subjectOf = (
  journal: Journal["Service"],
  { agent, goal, instructions, messages, rules: { profile }, tools, turn }: Turn,
  key: string,
  json: Schema.Json,
  name: string,
  planned?: ReadonlyArray<Past.Planned>
): Guardrails.Call | undefined => {
  const tool = tools.byName.get(name)
  return profile === "off" || tool === undefined ? undefined : {
    runId: journal.runId,
    agent,
    profile,
    key,
    turn,
    tool: name,
    effect: tool.effect,
    labels: tool.labels,
    arguments: json,
    messages: messages(),
    goal,
    instructions,
    by: planned === undefined ? "person" : "model",
    past: Past.of(journal, tools, key, planned),
    verdicts: Array.from(journal.verdicts()),
    now: journal.now(),
    run: journal.started
  }
}

/**
 * A call that its tool takes: the arguments as the handler gets them, and as they are recorded.
 *
 * @category models
 * @since 0.1.0
 */
export interface Checked {
  readonly tool: AgentTool
  readonly value: unknown
  readonly json: Schema.Json
}

/**
 * Why a call cannot be carried out, in words for the model, and without its values for the log.
 *
 * @category models
 * @since 0.1.0
 */
export interface Misfit {
  readonly rule: "schema_invalid" | "allowlist_violation"
  readonly problem: string
  readonly detail: Readonly<Record<string, Schema.Json>>
}

const misfit = (tool: string, rule: Misfit["rule"], problem: string): Misfit => ({
  rule,
  problem,
  // What cannot be the name of a tool is whatever the model wrote there.
  detail: { tool: /^[\w-]{1,64}$/.test(tool) ? tool : `${tool.length} characters that are no name` }
})

/**
 * Reads the arguments of a call with its tool's schema.
 *
 * @category operations
 * @since 0.1.0
 */
export const check = (
  { outputBytes, tools }: Turn,
  name: string,
  params: Schema.Json
): Effect.Effect<Checked, Misfit> => {
  const tool = tools.byName.get(name)
  if (tool === undefined) return Effect.fail(misfit(name, "allowlist_violation", unknownTool(tools, name)))
  const invalid = (problem: string) => misfit(name, "schema_invalid", problem)
  const args = typeof params === "string" && params.trim() === "" ? {} : params
  if (!isArguments(args)) {
    const problem = `the arguments must be a JSON object, and these are not: ${excerpt(JSON.stringify(args))}`
    return Effect.fail(invalid(problem))
  }
  const decoded = Effect.mapErrorEager(tool.decode(args), (problem) => invalid(`its arguments do not fit: ${problem}`))
  return Effect.flatMapEager(
    decoded,
    (value) =>
      Effect.mapBothEager(Effect.flatMapEager(tool.encode(value, args), (json) => Payload.clean(json, outputBytes)), {
        onSuccess: (json) => ({ tool, value, json }),
        onFailure: ({ error }) => invalid(`its arguments cannot be recorded: ${error}`)
      })
  )
}

/**
 * Says that there is no such tool, and which ones there are.
 *
 * @category words
 * @since 0.1.0
 */
export const unknownTool = ({ byName }: Tools, name: string): string =>
  `there is no tool named \`${excerpt(name)}\`. ${
    byName.size === 0 ? "There are no tools." : `The tools are: ${Array.from(byName.keys()).join(", ")}.`
  }`

/**
 * Why a person has to allow a call; undefined if nobody has to. A rule that fails lets nothing through.
 *
 * @category operations
 * @since 0.1.0
 */
export const gate = (
  { policy, tool }: AgentTool,
  value: unknown,
  { id }: Call,
  { messages, rules: { settings } }: Turn
): Effect.Effect<{ readonly reason: string; readonly failed: boolean } | undefined> => {
  const rule = tool.needsApproval
  if (rule === undefined || rule === false) return Effect.undefined
  const why = (standard: string) => {
    const words = Result.try((): unknown => policy.reason?.(value as never))
    const reason = Result.isSuccess(words) && typeof words.success === "string"
      ? excerpt(words.success, 2000)
      : standard
    return { reason, failed: false }
  }
  if (rule === true) return Effect.succeed(why(`every call of \`${tool.name}\` needs approval`))
  const asked = Effect.suspend(() => {
    const answer: unknown = rule(value, { toolCallId: id, messages: messages() })
    return Effect.isEffect(answer)
      ? Rules_.limited(answer as Effect.Effect<unknown>, settings.timeout)
      : Effect.succeed(answer)
  })
  return Effect.matchCause(asked, {
    onSuccess: (needed) => needed === false ? undefined : why(`\`${tool.name}\` needs approval with these arguments`),
    onFailure: (cause) => ({
      reason: `the rule that says whether \`${tool.name}\` needs approval failed (${
        excerpt(describe(cause))
      }), so a person has to decide`,
      failed: true
    })
  })
}
