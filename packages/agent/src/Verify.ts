/**
 * Builds the prompts of a log anew, and compares them with the digests that were recorded when they were sent. Pure: it needs
 * neither models nor tools nor the code that made the log.
 */
import { type Approval, Limits, type Recorded, type RunEventOf, RunState } from "@durable-agents/core"
import { Context, Option, Schema } from "effect"
import type { AgentState, Move, Outcome, Plan } from "./AgentState.ts"
import { evolve, initial, next } from "./AgentState.ts"
import { compactionOf } from "./Compacting.ts"
import type { Compaction } from "./Compaction.ts"
import * as Framing from "./Framing.ts"
import * as GoalCheck from "./GoalCheck.ts"
import * as ModelCall from "./ModelCall.ts"
import * as Screening from "./Screening.ts"
import * as SummaryPrompt from "./SummaryPrompt.ts"
import { startOf, Told } from "./Told.ts"
import { approvalOf, keyOf } from "./ToolCheck.ts"
import * as Verdicts from "./Verdicts.ts"

/**
 * One request to a model, and the digest of the prompt that the log before it leads to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Prompt {
  readonly key: string
  /** The position of the request. */
  readonly seq: number
  readonly attempt: number
  readonly recorded: string
  /** Undefined if the log does not lead to this request. */
  readonly rebuilt: string | undefined
}

/**
 * Every request to a model that an agent of this package made, in the order of the log, with its prompt built anew from what is
 * recorded before it. The log is whole if `recorded` and `rebuilt` are equal in all of them.
 *
 * **Details**
 *
 * `shownBytes` is that of the `Limits` under which the run was executed, which its log does not hold; the default is theirs. The
 * events must begin at 0.
 *
 * @category folds
 * @since 0.1.0
 */
export const prompts = (
  events: ReadonlyArray<Recorded>,
  options: { readonly shownBytes?: number } = {}
): ReadonlyArray<Prompt> => {
  const { shownBytes = Context.get(Context.empty(), Limits).shownBytes } = options
  const requests = events.flatMap(({ event, seq }) => event._tag === "LLMCallRequested" ? [{ event, seq }] : [])
  const [first] = events
  if (first === undefined || requests.length === 0) return []
  const state = RunState.fold(RunState.initial(first.runId), events)
  const paths = new Set(requests.flatMap(({ event }) => Option.toArray(pathOf(event))))
  const built = new Map(Array.from(paths).flatMap((path) => Array.from(conversation(state, path, shownBytes))))
  return requests.flatMap(({ event, seq }) => {
    const { attempt, key, promptDigest } = event
    const found = built.get(key)
    const rebuilt = found === undefined || found.after >= seq ? undefined : found.digest
    return Option.isNone(pathOf(event)) ? [] : [{ key, seq, attempt, recorded: promptDigest, rebuilt }]
  })
}

/** The digest of a prompt, and the position of the last event that it is made of. */
interface Built {
  readonly digest: string
  readonly after: number
}

/** The scopes around the agent that makes this call; none for a call that only looks like one. */
const pathOf = ({ key, turn }: RunEventOf<"LLMCallRequested">): Option.Option<string> => {
  for (const purpose of ["answer", "compaction"] as const) {
    const path = key.slice(0, -ModelCall.keyOf({ path: "", purpose, turn }).length - 1)
    if (key === ModelCall.keyOf({ path, purpose, turn })) return Option.some(path)
  }
  return Option.none()
}

/** All prompts of one conversation, by the keys of their model calls. */
const conversation = (log: RunState.RunState, path: string, shownBytes: number): ReadonlyMap<string, Built> => {
  const built = new Map<string, Built>()
  const start = startAt(log, path)
  if (start === undefined) return built
  let { after } = start
  let state = initial({
    goal: start.goal,
    systemPrompt: start.systemPrompt,
    shownBytes,
    answerTool: answerToolAt(log, path),
    framing: Framing.recorded(log.verdicts, ModelCall.keyOf({ path, turn: 1 }))
  })
  while (true) {
    const action = next(state)
    if (action._tag === "CallModel") {
      const { turn } = action
      const compaction = compactionAt(log, path, state)
      if (compaction === undefined) {
        built.set(ModelCall.keyOf({ path, turn }), { digest: state.conversation.digest, after })
      } else {
        const { digest } = SummaryPrompt.make(state, compaction)
        built.set(ModelCall.keyOf({ path, turn, purpose: "compaction" }), { digest, after })
      }
    }
    const found = recorded(log, path, state)
    if (found === undefined) return built
    after = Math.max(after, found.seq)
    state = evolve(state, found.outcome)
  }
}

/** What the conversation began with: what the run was started with, or what the agent inside a program was told. */
const startAt = (log: RunState.RunState, path: string) => {
  const asked = RunState.placeAt(log, GoalCheck.approvalOf(path))
  const decision = asked?._tag === "Approval" && asked.decision?._tag === "ApprovalGranted" ? asked : undefined
  const edited = decision?.decision?._tag === "ApprovalGranted"
    ? GoalCheck.editedOf(decision.decision.arguments)
    : undefined
  const decided = edited === undefined ? 0 : decision?.position?.seq ?? 0
  if (path === "") {
    const { goal = "", systemPrompt = "" } = log.started ?? {}
    return { goal: edited ?? goal, systemPrompt, after: decided }
  }
  const { event, position } = outcomeAt(log, startOf(path)) ?? {}
  const told = event?._tag === "StepCompleted" ? Option.getOrUndefined(decodeTold(event.output)) : undefined
  return told === undefined || position === undefined
    ? undefined
    : { goal: edited ?? told.goal, systemPrompt: told.systemPrompt, after: Math.max(decided, position.seq) }
}

const decodeTold = Schema.decodeUnknownOption(Told)

/** The tool that stands for an answer in text, which shows only where such an answer was not accepted. */
const answerToolAt = (log: RunState.RunState, path: string): string | undefined => {
  for (let turn = 1;; turn++) {
    if (RunState.placeAt(log, ModelCall.keyOf({ path, turn })) === undefined) return undefined
    const place = RunState.placeAt(log, keyOf({ path, turn }, { index: 0 }))
    if (place?._tag === "Operation") return place.name
  }
}

interface Found {
  readonly outcome: Outcome
  readonly seq: number
}

/** The next outcome that the log holds; undefined at its end, and where it does not say how it goes on. */
const recorded = (log: RunState.RunState, path: string, state: AgentState): Found | undefined => {
  const action = next(state)
  switch (action._tag) {
    case "CallModel": {
      const compaction = compactionAt(log, path, state)
      if (compaction !== undefined) {
        const { event, position } =
          outcomeAt(log, ModelCall.keyOf({ path, turn: action.turn, purpose: "compaction" })) ?? {}
        return position !== undefined && (event?._tag === "LLMCallCompleted" || event?._tag === "LLMCallFailed")
          ? { outcome: { _tag: "Compacted", event, compaction }, seq: position.seq }
          : undefined
      }
      const { event, position } = outcomeAt(log, ModelCall.keyOf({ path, turn: action.turn })) ?? {}
      return position !== undefined && (event?._tag === "LLMCallCompleted" || event?._tag === "LLMCallFailed")
        ? { outcome: { _tag: "Answered", event }, seq: position.seq }
        : undefined
    }
    case "Prepare": {
      const plans = action.calls.map((call) => planOf(log, keyOf({ path, turn: state.turn }, call)))
      return { outcome: { _tag: "Prepared", plans }, seq: 0 }
    }
    case "Work":
      for (const move of action.moves) {
        const found = outcomeOf(log, keyOf({ path, turn: state.turn }, move.state.call), move)
        if (found !== undefined) return found
      }
      return undefined
    default:
      return undefined
  }
}

/** The summary that the log asks for before the next turn, if it has not been taken into account. */
const compactionAt = (log: RunState.RunState, path: string, { compacted, turn }: AgentState): Compaction | undefined =>
  compacted === turn + 1
    ? undefined
    : compactionOf(RunState.placeAt(log, ModelCall.keyOf({ path, turn: turn + 1, purpose: "compaction" })))

const outcomeAt = (log: RunState.RunState, key: string) => {
  const place = RunState.placeAt(log, key)
  return place?._tag === "Operation" ? place.outcome : undefined
}

/** Whether a person was asked about a call; in which order calls were made is not part of a prompt. */
const planOf = (log: RunState.RunState, key: string): Plan => {
  const order = { alone: false, begun: false, verdicts: [] }
  const approval = RunState.placeAt(log, approvalOf(key))
  return approval?._tag === "Approval"
    ? {
      _tag: "Gated",
      arguments: approval.request.arguments ?? {},
      reason: approval.request.reason,
      asked: true,
      forced: false,
      ...order
    }
    : { _tag: "Free", arguments: {}, ...order }
}

const outcomeOf = (log: RunState.RunState, key: string, { _tag, state }: Move): Found | undefined => {
  const { index } = state.call
  if (_tag === "Ask") {
    const place = RunState.placeAt(log, approvalOf(key))
    if (place?._tag !== "Approval" || place.decision === undefined || place.position === undefined) return undefined
    return { outcome: { _tag: "Decided", index, decision: decisionOf(place.decision) }, seq: place.position.seq }
  }
  const { event, position } = outcomeAt(log, key) ?? {}
  if (position === undefined || (event?._tag !== "ToolCallCompleted" && event?._tag !== "ToolCallFailed")) {
    return undefined
  }
  const verdicts = Array.from(log.verdicts).filter((verdict) => verdict.key === key)
  const shown = Screening.shownBy(verdicts, (key) => Screening.completedAt(RunState.placeAt(log, key)))
  return { outcome: { _tag: "Called", index, event, shown, ...Verdicts.consequences(verdicts) }, seq: position.seq }
}

const decisionOf = (event: RunEventOf<"ApprovalGranted" | "ApprovalDenied">): Approval.Decision => {
  const { actor } = event
  return event._tag === "ApprovalDenied"
    ? { _tag: "Denied", actor, reason: event.reason }
    : { _tag: "Granted", actor, comment: event.comment, arguments: event.arguments }
}
