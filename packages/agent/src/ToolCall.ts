/**
 * One recorded tool call: checked, allowed where a person has to, carried out, its outcome written down.
 */
import type { RunEventOf, RunId, RunState } from "@durable-agents/core"
import { Approval, CurrentStep, Journal, Limits, Operation, Payload } from "@durable-agents/core"
import type { Schema } from "effect"
import { Context, Effect } from "effect"
import type { Tool } from "effect/ai"
import type { CallState } from "./AgentState.ts"
import type { Turn } from "./ToolCheck.ts"
import { approvalOf, check, excerpt, keyOf, textOf, unknownTool } from "./ToolCheck.ts"
import * as ToolResult from "./ToolResult.ts"
import type { AgentTool } from "./Tools.ts"
import { absent } from "./Tools.ts"

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
}>()("@durable-agents/agent/ToolCall") {}

/**
 * Asks a person to allow a call, and waits for the decision.
 *
 * @category operations
 * @since 0.1.0
 */
export const ask = (turn: Turn, { call, plan }: CallState): Effect.Effect<Approval.Decision, never, Journal> => {
  const tool = turn.tools.byName.get(call.tool)
  const { approvers, expiresInMillis, onExpiry } = tool?.policy ?? {}
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
    ...(approvers === undefined ? {} : { approvers }),
    ...(expiresInMillis === undefined ? {} : { expiresInMillis }),
    ...(onExpiry === undefined ? {} : { onExpiry })
  })
}

/**
 * Carries a call out, or records why not. Ends with the outcome that stands in the log.
 *
 * @category operations
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*(turn: Turn, state: CallState) {
  const journal = yield* Journal
  const order = yield* orderOf(turn, state, journal.recorded(keyOf(turn, state.call)))
  return yield* Effect.filterOrElse(
    Operation.perform(specOf(turn, state, order)),
    (event) => event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed",
    (event) => Effect.die(event)
  )
})

/** With which arguments a call is carried out, or why it is not. */
interface Order {
  readonly arguments: Schema.Json
  readonly refusal?: string
}

const orderOf = (
  turn: Turn,
  { call, decision, plan }: CallState,
  place: RunState.Place | undefined
): Effect.Effect<Order> => {
  const requested = place?._tag === "Operation" ? place.request : undefined
  if (requested?._tag === "ToolCallRequested") return Effect.succeed({ arguments: requested.arguments })
  if (plan === undefined || plan._tag === "Refused") {
    return Effect.succeed({ arguments: call.params, refusal: plan?.problem ?? "" })
  }
  const edited = decision?._tag === "Granted" ? decision.arguments : undefined
  if (edited === undefined) {
    const { tools } = turn
    const { arguments: args } = plan
    return Effect.succeed(tools.byName.has(call.tool)
      ? { arguments: args }
      : { arguments: args, refusal: unknownTool(tools, call.tool) })
  }
  return Effect.match(check(turn, call.tool, edited), {
    onFailure: (problem) => ({ arguments: edited, refusal: `after the change, ${problem}` }),
    onSuccess: ({ json }) => ({ arguments: json })
  })
}

const specOf = (
  turn: Turn,
  { call, plan }: CallState,
  order: Order
): Operation.Spec<unknown, unknown, CurrentStep> => {
  const key = keyOf(turn, call)
  const tool = turn.tools.byName.get(call.tool) ?? absent(call.tool)
  const { attempts, onUnknown, retry, timeout } = tool.policy
  const common = { turn: turn.turn, tool: call.tool, toolCallId: call.id }
  return {
    request: requestOf(key, common, order, plan?._tag === "Gated"),
    act: act(tool, call.id, order.arguments),
    completed: (value, fields) =>
      Effect.map(
        ToolResult.encode(value, tool.encodeResult(value)),
        (encoded) => completed(encoded, { ...fields, ...common })
      ),
    failure: (error) => ({ reason: "Error", error: textOf(error), failure: tool.encodeFailure(error).json }),
    answered: (error, fields) =>
      Effect.flatMap(Limits, ({ outputBytes }) => {
        const encoded = tool.encodeFailure(error)
        return Effect.map(
          Payload.clean(encoded.json, outputBytes),
          (json) => ({ ...completed({ ...encoded, json }, { ...fields, ...common }), isFailure: true })
        )
      }),
    recovery: recoveryOf(tool, order.arguments),
    // The schedule is fed the failures of this very tool.
    retry: { schedule: retry as Operation.Retry<unknown>["schedule"], attempts, decode: tool.decodeFailure },
    timeout,
    onUnknown: onUnknown === "ask" ? "ask" : "record"
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
  withCall(Effect.gen(function*() {
    const handler = yield* tool.handler
    const value = yield* decoded(tool, args)
    return yield* handle(handler, value, toolCallId)
  }))

const decoded = (tool: AgentTool, args: Schema.Json): Effect.Effect<unknown> =>
  Effect.orDie(Effect.mapError(tool.decode(args), (problem) => `its recorded arguments no longer fit: ${problem}`))

/** A handler that forgets to return an effect has acted all the same: what it returned is its result. */
const handle = (handler: Tool.Handler<string>, value: unknown, toolCallId: string): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const answer: unknown = handler.handler(value, { toolCallId, preliminary: () => Effect.void })
    return Effect.isEffect(answer)
      ? needsNothing(answer as Effect.Effect<unknown, unknown>)
      : Effect.promise(() => Promise.resolve(answer))
  }).pipe(Effect.updateContext((input: Context.Context<never>) => Context.merge(handler.context, input)))

/** What handlers and lookups need is a requirement of the agent's layer, so it is in the context in which they run. */
const needsNothing = <A, E>(effect: Effect.Effect<A, E, unknown>): Effect.Effect<A, E> => effect as Effect.Effect<A, E>

const withCall = <A, E>(effect: Effect.Effect<A, E, ToolCall>): Effect.Effect<A, E, CurrentStep> =>
  Effect.flatMap(CurrentStep, (step) => Effect.provideService(effect, ToolCall, step))
