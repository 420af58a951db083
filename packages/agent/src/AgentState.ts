/**
 * The protocol of turns, pure: what is known of a conversation, and what is to be done next.
 *
 * Everything that enters was recorded before, so the same log always leads to the same state, whatever the code around it
 * does. Nothing here acts: `next` says what should be under way, and whoever interprets it starts what is not yet.
 */
import type { Approval, GuardrailBlocked, RunEventOf } from "@durable-agents/core"
import { HashMap, Option } from "effect"
import type { Schema } from "effect"
import { Prompt } from "effect/ai"
import type { AgentError } from "./AgentError.ts"
import { CompactionFailed, ModelFailed, NoAnswer, TranscriptTooLong } from "./AgentError.ts"
import type { Change } from "./Changes.ts"
import type { Compaction } from "./Compaction.ts"
import { compact } from "./Compaction.ts"
import type { Framing } from "./Framing.ts"
import { instruct } from "./Framing.ts"
import type { Recorded } from "./Guardrails.ts"
import * as ModelError from "./ModelError.ts"
import { identity } from "./Rules.ts"
import type { Answer, Call, CallOutcome, Conversation } from "./Transcript.ts"
import * as Transcript from "./Transcript.ts"

/**
 * What a conversation begins with.
 *
 * @category models
 * @since 0.1.0
 */
export interface Start {
  readonly goal: string
  readonly systemPrompt: string
  /** Bytes of one tool result that the model is shown. */
  readonly shownBytes: number
  /** The tool by which the answer is given, if the answer has a declared shape. */
  readonly answerTool?: string | undefined
  /** How results are set apart from instructions, if they are. */
  readonly framing?: Framing | undefined
}

/**
 * What was found out about a call before anything of it was done.
 *
 * **Details**
 *
 * `Refused`: it cannot be carried out, and if it `ends` the run, nothing else is. `Gated`: a person has to allow it. `Free`: it
 * may begin. `Accepted`: it is the answer. `alone`: it has an effect, so it waits for the ones before it. `begun`: the log holds
 * it already. `asked`: the log holds the question. `forced`: nobody but a person may allow it. `verdicts`: what guardrails said, to be recorded with what comes of it.
 *
 * @category models
 * @since 0.1.0
 */
export type Plan =
  | {
    readonly _tag: "Refused"
    readonly problem: string
    readonly ends: boolean
    readonly begun: boolean
    readonly verdicts: ReadonlyArray<Recorded>
  }
  | {
    readonly _tag: "Gated"
    readonly arguments: Schema.Json
    readonly reason: string
    readonly asked: boolean
    readonly forced: boolean
  } & Order
  | { readonly _tag: "Free"; readonly arguments: Schema.Json } & Order
  | { readonly _tag: "Accepted"; readonly answer: Schema.Json }

interface Order {
  readonly alone: boolean
  readonly begun: boolean
  readonly verdicts: ReadonlyArray<Recorded>
}

/**
 * One call of the current turn.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallState {
  readonly call: Call
  readonly plan: Plan | undefined
  readonly decision: Approval.Decision | undefined
  readonly underWay: boolean
  readonly outcome: CallOutcome | undefined
  /** With which arguments it was carried out. */
  readonly arguments: Schema.Json | undefined
  /** Why the model is not shown the result. */
  readonly withheld: string | undefined
  /** What it is shown in the place of passages of the result. */
  readonly changes: ReadonlyArray<Change> | undefined
  /** What it is shown in the place of the whole result. */
  readonly shown: Schema.Json | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export interface AgentState {
  readonly goal: string
  /** As the model is shown it. */
  readonly systemPrompt: string
  readonly shownBytes: number
  readonly answerTool: string | undefined
  readonly framing: Framing | undefined
  /** Up to the end of the last turn whose calls all have outcomes. */
  readonly conversation: Conversation
  /** What stands in it for turns that are not shown any more. */
  readonly summary: string | undefined
  /** The turn before which it was last summarised, 0 if never. */
  readonly compacted: number
  /** The last turn whose prompt the provider found too long, so that the next one begins with a summary; 0 if there is none. */
  readonly refused: number
  /** The last turn that was answered, 0 before the first. */
  readonly turn: number
  readonly answer: Answer | undefined
  readonly calls: ReadonlyArray<CallState>
  readonly ids: ReadonlySet<string>
  /** How often calls with an effect were made, by their identity; those that failed or were refused were not. */
  readonly made: HashMap.HashMap<string, number>
  readonly end: Extract<Action, { readonly _tag: "Complete" | "Fail" | "Exceed" }> | undefined
}

/**
 * What is to be done next.
 *
 * **Details**
 *
 * `Prepare`: find out about the calls of an answer. `Work`: all of these should be under way; continue with the first outcome.
 * `Exceed`: let the calls under way end, then give up; `refusal` is the limit, as recorded.
 *
 * @category models
 * @since 0.1.0
 */
export type Action =
  | { readonly _tag: "CallModel"; readonly turn: number }
  | { readonly _tag: "Prepare"; readonly turn: number; readonly calls: ReadonlyArray<Call> }
  | { readonly _tag: "Work"; readonly turn: number; readonly moves: ReadonlyArray<Move> }
  | { readonly _tag: "Complete"; readonly answer: Schema.Json }
  | { readonly _tag: "Fail"; readonly error: AgentError }
  | { readonly _tag: "Exceed"; readonly refusal: Schema.Json | undefined }

/**
 * One thing that should be under way: asking a person about a call, or carrying it out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Move {
  readonly _tag: "Ask" | "Run"
  readonly state: CallState
}

/**
 * What happened, as recorded.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome =
  | {
    readonly _tag: "Answered"
    readonly event: RunEventOf<"LLMCallCompleted" | "LLMCallFailed">
    /** The guardrail that did not let the call be made. */
    readonly blocked?: GuardrailBlocked | undefined
  }
  | { readonly _tag: "TooLong"; readonly allowed: number; readonly detail?: string }
  | {
    readonly _tag: "Compacted"
    readonly event: RunEventOf<"LLMCallCompleted" | "LLMCallFailed">
    readonly compaction: Compaction
    /** The guardrail that ends the run over the summary. */
    readonly blocked?: GuardrailBlocked | undefined
  }
  | { readonly _tag: "Prepared"; readonly plans: ReadonlyArray<Plan> }
  | { readonly _tag: "Decided"; readonly index: number; readonly decision: Approval.Decision }
  | {
    readonly _tag: "Called"
    readonly index: number
    readonly event: RunEventOf<"ToolCallCompleted" | "ToolCallFailed">
    /** As recorded, which is not what was asked for if an approver changed them. */
    readonly arguments?: Schema.Json
    /** The guardrail that ends the run over this call. */
    readonly blocked?: GuardrailBlocked | undefined
    readonly withheld?: string | undefined
    readonly changes?: ReadonlyArray<Change> | undefined
    readonly shown?: Schema.Json | undefined
  }

/**
 * The state before the first turn.
 *
 * @category folds
 * @since 0.1.0
 */
export const initial = (start: Start): AgentState => {
  const { framing, goal } = start
  const systemPrompt = framing === undefined ? start.systemPrompt : instruct(framing, start.systemPrompt)
  return { ...blank, ...start, framing, systemPrompt, conversation: Transcript.begin(systemPrompt, goal) }
}

const blank: Omit<AgentState, "goal" | "systemPrompt" | "shownBytes" | "conversation"> = {
  answerTool: undefined,
  framing: undefined,
  summary: undefined,
  compacted: 0,
  refused: 0,
  turn: 0,
  answer: undefined,
  calls: [],
  ids: new Set(),
  made: HashMap.empty(),
  end: undefined
}

/**
 * What the model is shown in its next call.
 *
 * @category folds
 * @since 0.1.0
 */
export const transcript = (state: AgentState): Prompt.Prompt => Prompt.fromMessages(state.conversation.messages)

/**
 * What is to be done now, by what is known.
 *
 * @category folds
 * @since 0.1.0
 */
export const next = (state: AgentState): Action => {
  const { calls, end, turn } = state
  if (end !== undefined) return end
  if (calls.length === 0) return { _tag: "CallModel", turn: turn + 1 }
  if (calls.some(({ plan }) => plan === undefined)) {
    return { _tag: "Prepare", turn, calls: calls.map(({ call }) => call) }
  }
  const moves = calls.flatMap((call): ReadonlyArray<Move> =>
    call.outcome !== undefined
      ? []
      : call.underWay
      ? [{ _tag: "Run", state: call }]
      : isAwaited(call) && (!isEnding(state) || isAsked(call))
      ? [{ _tag: "Ask", state: call }]
      : []
  )
  return { _tag: "Work", turn, moves }
}

/** A call will end the run, so no other one begins; what is in the log goes on, or it could not be replayed. */
const isEnding = ({ calls }: AgentState): boolean => calls.some(ends)

const isAwaited = (call: CallState): boolean => call.plan?._tag === "Gated" && call.decision === undefined

const isAsked = ({ plan }: CallState): boolean => plan?._tag === "Gated" && plan.asked

/**
 * The state after one more outcome.
 *
 * @category folds
 * @since 0.1.0
 */
export const evolve = (state: AgentState, outcome: Outcome): AgentState => {
  switch (outcome._tag) {
    case "Answered":
      return answered(state, outcome)
    case "TooLong": {
      const { characters } = state.conversation
      const { allowed, detail } = outcome
      const why = detail === undefined ? {} : { detail }
      const error = new TranscriptTooLong({ turn: state.turn + 1, characters, allowed, ...why })
      return { ...state, end: { _tag: "Fail", error } }
    }
    case "Compacted":
      return compacted(state, outcome)
    case "Prepared": {
      const accepted = outcome.plans.find((plan) => plan._tag === "Accepted")
      if (accepted !== undefined) return { ...state, end: { _tag: "Complete", answer: accepted.answer } }
      return advance({
        ...state,
        calls: state.calls.map((call, at) => ({ ...call, plan: call.plan ?? outcome.plans[at] }))
      })
    }
    case "Decided": {
      const { decision, index } = outcome
      const refused: CallOutcome | undefined = decision._tag === "Denied" ? decision : undefined
      return advance(change(state, index, (call) => ({
        decision: call.decision ?? decision,
        outcome: call.outcome ?? refused
      })))
    }
    case "Called": {
      const { arguments: args, blocked, changes, event, index, shown, withheld } = outcome
      const called = change(state, index, (call) => ({
        outcome: call.outcome ?? event,
        arguments: args,
        withheld,
        changes,
        shown
      }))
      if (blocked !== undefined) return { ...called, end: called.end ?? { _tag: "Fail", error: blocked } }
      return event._tag === "ToolCallFailed" && event.reason === "BudgetExceeded"
        ? { ...called, end: called.end ?? { _tag: "Exceed", refusal: event.failure } }
        : advance(called)
    }
  }
}

const change = (
  state: AgentState,
  index: number,
  f: (call: CallState) => Partial<CallState>
): AgentState => {
  const at = state.calls.findIndex(({ call }) => call.index === index)
  const call = state.calls[at]
  return call === undefined ? state : { ...state, calls: state.calls.with(at, { ...call, ...f(call) }) }
}

const compacted = (
  state: AgentState,
  { blocked, compaction, event }: Extract<Outcome, { readonly _tag: "Compacted" }>
): AgentState => {
  const turn = state.turn + 1
  if (blocked !== undefined) return { ...state, end: { _tag: "Fail", error: blocked } }
  const without = (detail: string): AgentState => ({
    ...state,
    end: { _tag: "Fail", error: new CompactionFailed({ turn, detail }) }
  })
  if (event._tag === "LLMCallFailed") {
    return event.reason === "BudgetExceeded"
      ? { ...state, end: { _tag: "Exceed", refusal: event.failure } }
      : without(event.error)
  }
  const { text } = Transcript.read(event.parts, turn, state.ids)
  if (text.trim() === "" || event.stopReason === "content-filter") {
    return without(`the model gave no summary (\`${event.stopReason}\`)`)
  }
  return { ...state, compacted: turn, ...compact(state, compaction, text) }
}

const answered = (
  state: AgentState,
  { blocked, event }: Extract<Outcome, { readonly _tag: "Answered" }>
): AgentState => {
  const turn = state.turn + 1
  if (blocked !== undefined) return { ...state, turn, end: { _tag: "Fail", error: blocked } }
  if (event._tag === "LLMCallFailed") {
    return event.compacts === true
      ? { ...state, turn, refused: turn }
      : { ...state, turn, end: modelFailed(state, turn, event) }
  }
  const answer = Transcript.read(event.parts, turn, state.ids)
  const after: AgentState = {
    ...state,
    turn,
    answer,
    ids: new Set([...state.ids, ...answer.calls.map(({ id }) => id)])
  }
  const { stopReason } = event
  if (stopReason === "content-filter") return { ...after, end: noAnswer(turn, stopReason, answer) }
  if (answer.calls.length > 0) {
    // No call of an answer that was cut off runs, however complete it looks: the next one may be missing its half.
    const outcome: CallOutcome | undefined = stopReason === "length" ? { _tag: "CutOff" } : undefined
    const plan: Plan | undefined = outcome === undefined ? undefined : unmade
    return advance({ ...after, calls: answer.calls.map((call) => ({ ...callState(call), plan, outcome })) })
  }
  if (stopReason === "pause") return close(after)
  if (state.answerTool !== undefined && stopReason !== "length") {
    const asCall: Call = { index: 0, id: "", tool: state.answerTool, params: answer.text }
    return { ...after, calls: [callState(asCall)] }
  }
  return {
    ...after,
    end: stopReason === "length" || answer.text.trim() === ""
      ? noAnswer(turn, stopReason, answer)
      : { _tag: "Complete", answer: answer.text }
  }
}

const unmade: Plan = { _tag: "Refused", problem: "", ends: false, begun: false, verdicts: [] }

const callState = (call: Call): CallState => ({
  call,
  plan: undefined,
  decision: undefined,
  underWay: false,
  outcome: undefined,
  arguments: undefined,
  withheld: undefined,
  changes: undefined,
  shown: undefined
})

const modelFailed = (
  { compacted, refused }: AgentState,
  turn: number,
  event: RunEventOf<"LLMCallFailed">
): AgentState["end"] => {
  if (event.reason === "BudgetExceeded") return { _tag: "Exceed", refusal: event.failure }
  const inVain = compacted === turn && refused === turn - 1 && ModelError.isTooLong(event)
  return {
    _tag: "Fail",
    error: inVain
      ? new CompactionFailed({ turn, detail: `with a summary it is still too long (${event.error})` })
      : ModelFailed.of(turn, event)
  }
}

const noAnswer = (turn: number, stopReason: string, { text }: Answer): AgentState["end"] => ({
  _tag: "Fail",
  error: new NoAnswer({ turn, stopReason, text })
})

/**
 * Lets begin what may: everything without an effect, and of the calls with one the first in order if none is under way. Ends
 * the turn when all calls have outcomes.
 */
const advance = (state: AgentState): AgentState => {
  const { calls } = state
  if (isEnding(state)) {
    const goesOn = (call: CallState): boolean => ends(call) || (isBegun(call) && !isAwaited(call))
    return { ...state, calls: calls.map((call) => ({ ...call, underWay: call.underWay || goesOn(call) })) }
  }
  if (calls.every(({ outcome }) => outcome !== undefined)) return close(state)
  let busy = calls.some((call) =>
    call.outcome === undefined && isAlone(call) && (call.underWay || (isBegun(call) && !isAwaited(call)))
  )
  return {
    ...state,
    calls: calls.map((call) => {
      if (call.underWay || call.outcome !== undefined || call.plan === undefined || isAwaited(call)) return call
      if (busy && isAlone(call) && !isBegun(call)) return call
      busy = busy || isAlone(call)
      return { ...call, underWay: true }
    })
  }
}

const ends = ({ plan }: CallState): boolean => plan?._tag === "Refused" && plan.ends

const isBegun = ({ plan }: CallState): boolean => plan !== undefined && plan._tag !== "Accepted" && plan.begun

const isAlone = ({ plan }: CallState): boolean => (plan?._tag === "Free" || plan?._tag === "Gated") && plan.alone

const close = (state: AgentState): AgentState => {
  const { answer, calls, conversation, framing, shownBytes } = state
  const answers = calls.flatMap((call) => {
    const { changes, decision, outcome, shown, withheld } = call
    return outcome === undefined
      ? []
      : [{ call: call.call, outcome, edited: editedBy(decision), withheld, changes, shown }]
  })
  return {
    ...state,
    answer: undefined,
    calls: [],
    made: calls.reduce(count, state.made),
    conversation: Transcript.extend(conversation, [
      ...(answer?.message === undefined ? [] : [answer.message]),
      ...Transcript.replies(answers, shownBytes, framing)
    ])
  }
}

const editedBy = (decision: Approval.Decision | undefined): Schema.Json | undefined =>
  decision?._tag === "Granted" ? decision.arguments : undefined

/** Counts a call with an effect that was made, or may have been. */
const count = (made: AgentState["made"], { arguments: args, call, outcome, plan }: CallState): AgentState["made"] => {
  if ((plan?._tag !== "Free" && plan?._tag !== "Gated") || !plan.alone || !wasMade(outcome)) return made
  const key = identity(call.tool, args ?? plan.arguments)
  return HashMap.set(made, key, Option.getOrElse(HashMap.get(made, key), () => 0) + 1)
}

const wasMade = (outcome: CallOutcome | undefined): boolean =>
  outcome?._tag === "ToolCallCompleted"
    ? outcome.isFailure !== true
    : outcome?._tag === "ToolCallFailed" &&
      (outcome.outcome === "unknown" || outcome.reason === "TooLarge" || outcome.reason === "Unencodable")
