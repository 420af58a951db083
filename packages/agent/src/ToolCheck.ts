/**
 * What a tool call of the model is about, before anything of it is done: what the log holds of it, whether it fits its tool, and
 * whether a person has to allow it.
 */
import { below, Journal, Limits, Payload } from "@durable-agents/core"
import { Cause, Effect, Result } from "effect"
import type { Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Plan } from "./AgentState.ts"
import { cut } from "./ToolResult.ts"
import type { AgentTool, Tools } from "./Tools.ts"
import type { Call } from "./Transcript.ts"
import { isArguments } from "./Transcript.ts"

/**
 * The turn that a call belongs to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Turn {
  readonly agent: string
  readonly tools: Tools
  /** The scopes around the agent. */
  readonly path: string
  readonly turn: number
  /** The conversation that led to the calls. */
  readonly messages: ReadonlyArray<Prompt.Message>
}

/**
 * Names a call in its run, such as `turn-3/call-2`.
 *
 * @category keys
 * @since 0.1.0
 */
export const keyOf = ({ path, turn }: Turn, { index }: Call): string => below(path, `turn-${turn}/call-${index}`)

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
 * Finds out what a call is about: what the log holds of it if it does, otherwise by the tool's schema and approval rule.
 *
 * @category operations
 * @since 0.1.0
 */
export const prepare = (turn: Turn, call: Call): Effect.Effect<Plan, never, Journal> =>
  Effect.flatMap(Journal, (journal) => {
    const key = keyOf(turn, call)
    const tool = turn.tools.byName.get(call.tool)
    const known = recorded(journal, key, tool)
    if (known !== undefined) return Effect.succeed(known)
    const done = journal.acting(key)
    return Effect.ensuring(
      Effect.match(
        Effect.flatMap(
          check(turn, call.tool, call.params),
          (checked) =>
            Effect.map(gate(checked.tool, checked.value, call, turn.messages), (reason): Plan => {
              const order = { arguments: checked.json, alone: checked.tool.effect !== "readonly", begun: false }
              return reason === undefined ? { _tag: "Free", ...order } : { _tag: "Gated", reason, ...order }
            })
        ),
        { onFailure: (problem): Plan => ({ _tag: "Refused", problem }), onSuccess: (plan) => plan }
      ),
      Effect.sync(done)
    )
  })

/** What was decided about a call is in the log and is not decided again. */
const recorded = (journal: Journal["Service"], key: string, tool: AgentTool | undefined): Plan | undefined => {
  const operation = journal.recorded(key)
  const approval = journal.recorded(approvalOf(key))
  const order = { alone: tool?.effect !== "readonly", begun: operation !== undefined }
  if (approval?._tag === "Approval") {
    const { arguments: args = {}, reason } = approval.request
    return { _tag: "Gated", arguments: args, reason, ...order }
  }
  if (operation?._tag !== "Operation") return undefined
  return operation.request?._tag === "ToolCallRequested"
    ? { _tag: "Free", arguments: operation.request.arguments, ...order }
    : { _tag: "Refused", problem: "" }
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
 * Reads the arguments of a call with its tool's schema; fails with why it cannot be carried out, in words for the model.
 *
 * @category operations
 * @since 0.1.0
 */
export const check = ({ tools }: Turn, name: string, params: Schema.Json): Effect.Effect<Checked, string> => {
  const tool = tools.byName.get(name)
  if (tool === undefined) return Effect.fail(unknownTool(tools, name))
  const args = typeof params === "string" && params.trim() === "" ? {} : params
  if (!isArguments(args)) {
    return Effect.fail(`the arguments must be a JSON object, and these are not: ${excerpt(JSON.stringify(args))}`)
  }
  return Effect.gen(function*() {
    const { outputBytes } = yield* Limits
    const value = yield* Effect.mapError(tool.decode(args), (problem) => `its arguments do not fit: ${problem}`)
    const json = yield* Effect.mapError(
      Effect.flatMap(tool.encode(value, args), (json) => Payload.clean(json, outputBytes)),
      ({ error }) => `its arguments cannot be recorded: ${error}`
    )
    return { tool, value, json }
  })
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
 * The beginning of a text that may be long.
 *
 * @category words
 * @since 0.1.0
 */
export const excerpt = (text: string): string => {
  const shown = cut(text, 300)
  return shown.length === text.length ? text : `${shown} …`
}

/** Why a person has to allow a call; undefined if nobody has to. A rule that fails lets nothing through. */
const gate = (
  { policy, tool }: AgentTool,
  value: unknown,
  { id }: Call,
  messages: ReadonlyArray<Prompt.Message>
): Effect.Effect<string | undefined> => {
  const rule = tool.needsApproval
  if (rule === undefined || rule === false) return Effect.undefined
  const why = (standard: string) =>
    Result.getOrElse(Result.try(() => policy.reason?.(value as never) ?? standard), () => standard)
  if (rule === true) return Effect.succeed(why(`every call of \`${tool.name}\` needs approval`))
  const asked = Effect.suspend(() => {
    const answer: unknown = rule(value, { toolCallId: id, messages })
    return Effect.isEffect(answer) ? answer as Effect.Effect<unknown> : Effect.succeed(answer)
  })
  return Effect.matchCauseEffect(asked, {
    onSuccess: (needed) =>
      Effect.succeed(needed === false ? undefined : why(`\`${tool.name}\` needs approval with these arguments`)),
    onFailure: (cause) =>
      Cause.hasInterruptsOnly(cause) ?
        Effect.interrupt :
        Effect
          .succeed(`the rule that says whether \`${tool.name}\` needs approval failed (${
            excerpt(textOf(Cause.squash(cause)))
          }), so a person has to decide`)
  })
}

/**
 * An error as text, without its stack.
 *
 * @category words
 * @since 0.1.0
 */
export const textOf = (error: unknown): string =>
  error instanceof Error
    ? error.message || error.name
    : typeof error === "string"
    ? error
    : JSON.stringify(error) ?? "?"
