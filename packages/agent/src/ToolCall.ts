/**
 * One recorded tool call: checked, allowed where a person has to, carried out, its outcome written down.
 */
import type { RunEventOf, RunId, RunState } from "@durable-agents/core"
import { Approval, CurrentStep, Journal, Operation, Payload, Progress } from "@durable-agents/core"
import type { Schema } from "effect"
import { Context, Effect } from "effect"
import type { Tool } from "effect/ai"
import * as AgentSpan from "./AgentSpan.ts"
import type { CallState, Outcome } from "./AgentState.ts"
import type * as Guardrails from "./Guardrails.ts"
import type { Recorded } from "./Guardrails.ts"
import type { Found } from "./Rules.ts"
import * as Rules from "./Rules.ts"
import * as Screening from "./Screening.ts"
import type { Turn } from "./ToolCheck.ts"
import { approvalOf, check, gate, judgeArguments, keyOf, putBack, refusalOf, unknownTool } from "./ToolCheck.ts"
import * as ToolResult from "./ToolResult.ts"
import type { AgentTool } from "./Tools.ts"
import { absent } from "./Tools.ts"
import type { Call } from "./Transcript.ts"
import * as Verdicts from "./Verdicts.ts"
import { excerpt } from "./Words.ts"

/**
 * What a tool's handler can know about the call that it carries out.
 *
 * @category services
 * @since 0.1.0
 */
export class ToolCall extends Context.Service<ToolCall, {
  readonly runId: RunId
  /** Names the call in its run, such as `turn-3/call-2`. */
  readonly key: string
  /** Counts from 1. */
  readonly attempt: number
  /** The same for all attempts of this call; give it to the outside world. */
  readonly idempotencyKey: string
  /** Tells whoever listens to `Progress.reports` what the call is doing. Never recorded, and never waits. */
  readonly progress: (value: unknown) => Effect.Effect<void>
}>()("@durable-agents/agent/ToolCall") {}

/**
 * Asks a person to allow a call, and waits for the decision.
 *
 * @category operations
 * @since 0.1.0
 */
export const ask = (turn: Turn, { call, plan }: CallState): Effect.Effect<Approval.Decision, never, Journal> => {
  const tool = turn.tools.byName.get(call.tool)
  const { approvers, expiresInMillis, notByRequester, onExpiry } = tool?.policy ?? {}
  const described = turn.tools.descriptions.find(({ name }) => name === call.tool)
  const what = tool === undefined ? undefined : tool.tool.description
  return Approval.ask({
    key: approvalOf(keyOf(turn, call)),
    subject: `The agent \`${turn.agent}\` wants to call \`${call.tool}\`${
      what === undefined ? "" : `: ${excerpt(what)}`
    }`,
    reason: plan?._tag === "Gated" ? plan.reason : "",
    turn: turn.turn,
    tool: call.tool,
    toolCallId: call.id,
    arguments: plan?._tag === "Gated" ? plan.arguments : {},
    // The log of a program does not begin with the tools of the agents inside it.
    ...(turn.path === "" || described === undefined ? {} : { argumentsSchema: described.parameters }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(notByRequester === true ? { notByRequester } : {}),
    ...(expiresInMillis === undefined ? {} : { expiresInMillis }),
    ...(onExpiry === undefined ? {} : { onExpiry: plan?._tag === "Gated" && plan.forced ? "deny" as const : onExpiry })
  }, plan?._tag === "Gated" ? plan.verdicts : [])
}

/**
 * Carries a call out, or records why not. Ends with the outcome that stands in the log, and what guardrails say about it.
 *
 * @category operations
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*(turn: Turn, state: CallState) {
  const journal = yield* Journal
  const key = keyOf(turn, state.call)
  const known = journal.recorded(key)
  if (isMissing(turn, state, known)) yield* putBack(journal, state.call, key)
  const order = yield* orderOf(journal, turn, state, known)
  const results: Array<Found> = []
  const event = yield* Effect.filterOrElse(
    Operation.perform(specOf(journal, turn, state, order, results)),
    (event) => event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed",
    (event) => Effect.die(event)
  )
  // Results are given before they are stored, so what was found about one now may not be in the log yet.
  const said = results.length > 0 ? results.map(({ event }) => event) : Verdicts.at(journal, key)
  const { index } = state.call
  const about = { key, turn: turn.turn, when: "L2_tool_result" as const }
  const { found, shown } = yield* Screening.ofResult(
    turn,
    about,
    () => resultOf(journal, turn, key, order, event),
    said
  )
  return {
    _tag: "Called",
    index,
    event,
    arguments: order.arguments,
    shown,
    ...Verdicts.consequences([...said, ...found.map(({ event }) => event)])
  } satisfies Outcome
})

/** The call was begun or allowed, has no outcome, and its tool is not here: another worker can carry it out. */
const isMissing = (
  { tools }: Turn,
  { call, plan }: CallState,
  place: RunState.Place | undefined
): boolean =>
  !tools.byName.has(call.tool) && (plan?._tag === "Free" || plan?._tag === "Gated") &&
  !(place?._tag === "Operation" && place.outcome !== undefined)

/** With which arguments a call is carried out, or why it is not, and what guardrails said. */
interface Order {
  readonly arguments: Schema.Json
  readonly refusal?: string
  readonly verdicts: ReadonlyArray<Recorded>
}

const orderOf = (
  journal: Journal["Service"],
  turn: Turn,
  { call, decision, plan }: CallState,
  place: RunState.Place | undefined
): Effect.Effect<Order> => {
  if (place?._tag === "Operation") {
    const requested = place.request
    // What was refused is recorded as its outcome, and is not decided again.
    return Effect.succeed(requested?._tag === "ToolCallRequested"
      ? { arguments: requested.arguments, verdicts: [] }
      : { arguments: call.params, refusal: "", verdicts: [] })
  }
  if (plan === undefined || plan._tag === "Refused" || plan._tag === "Accepted") {
    const refusal = plan?._tag === "Refused" ? plan : undefined
    return Effect.succeed({
      arguments: call.params,
      refusal: refusal?.problem ?? "",
      verdicts: refusal?.verdicts ?? []
    })
  }
  if (plan._tag === "Free") return Effect.succeed({ arguments: plan.arguments, verdicts: plan.verdicts })
  return Effect.suspend(() => {
    const done = journal.acting(keyOf(turn, call))
    const edited = decision?._tag === "Granted" ? decision.arguments : undefined
    const order = edited === undefined ? asShown(turn, call, plan.arguments) : asChanged(journal, turn, call, edited)
    return Effect.ensuring(order, Effect.sync(done))
  })
}

/** What a person allowed is carried out as it was shown, if it still can be. What was said about it is with the question. */
const asShown = ({ tools }: Turn, { tool: name }: Call, args: Schema.Json): Effect.Effect<Order> => {
  const tool = tools.byName.get(name)
  const unfit = (refusal: string): Order => ({ arguments: args, refusal, verdicts: [] })
  return tool === undefined
    ? Effect.succeed(unfit(unknownTool(tools, name)))
    : Effect.match(tool.decode(args), {
      onFailure: (problem) => unfit(`its arguments do not fit any more: ${problem}`),
      onSuccess: () => ({ arguments: args, verdicts: [] })
    })
}

/** What a person put in place of the arguments is checked like those of the model. */
const asChanged = (
  journal: Journal["Service"],
  turn: Turn,
  call: Call,
  edited: Schema.Json
): Effect.Effect<Order> =>
  Effect.matchEffect(Effect.suspend(() => check(turn, call.tool, edited)), {
    onFailure: ({ problem }) =>
      Effect.succeed<Order>({ arguments: edited, refusal: `after the change, ${problem}`, verdicts: [] }),
    onSuccess: (checked) =>
      Effect.flatMap(judgeArguments(journal, turn, keyOf(turn, call), checked), (found): Effect.Effect<Order> => {
        const order = { arguments: checked.json, verdicts: found.map(({ event }) => event) }
        const { problem } = refusalOf(found)
        if (problem !== "") return Effect.succeed({ ...order, refusal: `after the change, ${problem}` })
        // That a person has to allow it was done by the one who changed it. A rule that fails lets nothing through.
        return Effect.map(gate(checked.tool, checked.value, call, turn), (rule) =>
          rule?.failed === true
            ? {
              ...order,
              refusal: `after the change, the rule that says whether \`${call.tool}\` needs approval failed`
            }
            : order)
      })
  })

const specOf = (
  journal: Journal["Service"],
  turn: Turn,
  { call, plan }: CallState,
  order: Order,
  results: Array<Found>
): Operation.Spec<unknown, unknown, CurrentStep> => {
  const key = keyOf(turn, call)
  const tool = turn.tools.byName.get(call.tool) ?? absent(call.tool)
  const { attempts, onUnknown, retry, timeout } = tool.policy
  const common = { turn: turn.turn, tool: call.tool, toolCallId: call.id }
  const judged = (event: RunEventOf<"ToolCallCompleted">) =>
    Effect.mapEager(judgeResult(journal, turn, key, order, event), (found) => {
      results.push(...found)
      return event
    })
  return {
    request: requestOf(key, common, order, plan?._tag === "Gated"),
    act: AgentSpan.carriedOut(act(tool, call.id, order.arguments), order.arguments),
    span: AgentSpan.toolCall({ runId: journal.runId, agent: turn.agent, ...common }),
    completed: (value, fields) =>
      Effect.flatMapEager(
        ToolResult.encode(value, tool.encodeResult(value), turn.outputBytes),
        (encoded) => judged(completed(encoded, { ...fields, ...common }))
      ),
    failure: (error) => ({ reason: "Error", error: Payload.describe(error), failure: tool.encodeFailure(error).json }),
    answered: (error, fields) => {
      const encoded = tool.encodeFailure(error)
      return Effect.flatMapEager(
        Payload.clean(encoded.json, turn.outputBytes),
        (json) => judged({ ...completed({ ...encoded, json }, { ...fields, ...common }), isFailure: true })
      )
    },
    recovery: recoveryOf(tool, order.arguments),
    // The schedule is fed the failures of this very tool.
    retry: { schedule: retry as Operation.Retry<unknown>["schedule"], attempts, decode: tool.decodeFailure },
    timeout,
    onUnknown: onUnknown === "ask" ? "ask" : "record",
    beside: () => results.map(({ event }) => event)
  }
}

/** What guardrails say about a result, before anybody is shown it. */
const judgeResult = (
  journal: Journal["Service"],
  turn: Turn,
  key: string,
  order: Order,
  event: RunEventOf<"ToolCallCompleted">
): Effect.Effect<ReadonlyArray<Found>> => {
  const { rules: { settings } } = turn
  const about = { key, turn: turn.turn, when: "L2_tool_result" as const }
  const subject = settings.guardrails.length === 0 ? undefined : resultOf(journal, turn, key, order, event)
  if (subject === undefined) return Effect.succeed([])
  const found = Rules.askAll(about, settings, ({ result }) => result, subject)
  return Screening.isAsked(turn)
    ? Effect.zipWith(found, Screening.known(journal, turn, about, subject), (found, known) => [...found, ...known])
    : found
}

/** A result as guardrails are told of it; undefined if nothing is checked, or there is none. */
const resultOf = (
  journal: Journal["Service"],
  { agent, rules: { profile }, tools, turn }: Turn,
  key: string,
  { arguments: args }: Order,
  event: RunEventOf<"ToolCallCompleted" | "ToolCallFailed">
): Guardrails.ToolResult | undefined => {
  if (profile === "off" || event._tag !== "ToolCallCompleted") return undefined
  const { isFailure = false, result, tool: name } = event
  const { effect, labels, tool } = tools.byName.get(name) ?? absent(name)
  return {
    runId: journal.runId,
    agent,
    profile,
    key,
    turn,
    tool: name,
    effect,
    labels,
    arguments: args,
    result,
    isFailure,
    annotations: tool.annotations,
    verdicts: Array.from(journal.verdicts()),
    now: journal.now()
  }
}

const requestOf = (
  key: string,
  common: { readonly turn: number; readonly tool: string; readonly toolCallId: string },
  order: Order,
  gated: boolean
) =>
  Operation.request({
    key,
    kind: "tool",
    name: common.tool,
    arguments: order.arguments,
    ...(order.refusal === undefined ? {} : { refusal: order.refusal }),
    ...(order.verdicts.length === 0 ? {} : { before: order.verdicts }),
    requested: (attempt) => ({
      _tag: "ToolCallRequested",
      ...attempt,
      ...common,
      arguments: order.arguments,
      ...(gated ? { approval: approvalOf(key) } : {})
    }),
    failed: (fields) => ({
      _tag: "ToolCallFailed",
      ...fields,
      ...common,
      ...(fields.attempt === 0 ? { arguments: order.arguments } : {})
    })
  })

const completed = (
  { json, mismatch }: ToolResult.Encoded,
  fields: Omit<RunEventOf<"ToolCallCompleted">, "_tag" | "result">
): RunEventOf<"ToolCallCompleted"> => ({
  _tag: "ToolCallCompleted",
  ...fields,
  result: json,
  ...(mismatch === undefined ? {} : { mismatch })
})

/** What the effect class of a tool says about an attempt without a known outcome. */
const recoveryOf = (tool: AgentTool, args: Schema.Json): Operation.Recovery<unknown> => {
  const { lookup, recovery } = tool.policy
  if (recovery !== undefined) return recovery
  if (tool.effect === "lookup" && lookup !== undefined) {
    return { lookup: withCall(Effect.flatMap(decoded(tool, args), (value) => needsNothing(lookup(value as never)))) }
  }
  return tool.effect === "once" ? "fail" : "repeat"
}

const act = (tool: AgentTool, toolCallId: string, args: Schema.Json): Effect.Effect<unknown, unknown, CurrentStep> =>
  withCall(Effect.flatMap(
    tool.handler,
    (handler) =>
      Effect.flatMapEager(
        decoded(tool, args),
        (value) => Effect.flatMap(ToolCall, ({ progress }) => handle(handler, value, toolCallId, progress))
      )
  ))

const decoded = (tool: AgentTool, args: Schema.Json): Effect.Effect<unknown> =>
  Effect.orDie(Effect.mapError(tool.decode(args), (problem) => `its recorded arguments no longer fit: ${problem}`))

/** A handler that forgets to return an effect has acted all the same: what it returned is its result. */
const handle = (
  handler: Tool.Handler<string>,
  value: unknown,
  toolCallId: string,
  progress: (value: unknown) => Effect.Effect<void>
): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const answer: unknown = handler.handler(value, { toolCallId, preliminary: progress })
    return Effect.isEffect(answer)
      ? needsNothing(answer as Effect.Effect<unknown, unknown>)
      : Effect.promise(() => Promise.resolve(answer))
  }).pipe(Effect.updateContext((input: Context.Context<never>) => Context.merge(handler.context, input)))

/** What handlers and lookups need is a requirement of the agent's layer, so it is in the context in which they run. */
const needsNothing = <A, E>(effect: Effect.Effect<A, E, unknown>): Effect.Effect<A, E> => effect as Effect.Effect<A, E>

const withCall = <A, E>(effect: Effect.Effect<A, E, ToolCall>): Effect.Effect<A, E, CurrentStep> =>
  Effect.flatMap(CurrentStep, (step) =>
    Effect.provideService(effect, ToolCall, {
      ...step,
      progress: (value) =>
        Progress.report({
          runId: step.runId,
          key: step.key,
          attempt: step.attempt,
          value: ToolResult.toJson(value).json
        })
    }))
