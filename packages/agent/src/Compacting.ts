/**
 * Asks a model for the summary of a conversation that has become too long: a recorded model call of its own, before the turn's.
 */
import type { Journal, Limits, RunId, RunState } from "@durable-agents/core"
import { Effect, type Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import type { AgentState, Outcome } from "./AgentState.ts"
import * as Compaction from "./Compaction.ts"
import type { Recorded } from "./Guardrails.ts"
import * as ModelCall from "./ModelCall.ts"
import type { Rules } from "./Rules.ts"
import { askAll } from "./Rules.ts"
import * as SummaryPrompt from "./SummaryPrompt.ts"
import * as Transcript from "./Transcript.ts"
import * as Verdicts from "./Verdicts.ts"

/**
 * What a compaction is made with.
 *
 * @category models
 * @since 0.1.0
 */
export interface Around {
  readonly definition: ModelCall.Options & { readonly compaction: Compaction.Settings | undefined }
  readonly journal: Journal["Service"]
  readonly limits: Limits
  readonly path: string
  readonly rules: Rules
}

/**
 * What has to be done about the length of a conversation before the model is asked for a turn; undefined if nothing has.
 *
 * **Details**
 *
 * What is recorded counts, whatever the settings have become: a turn that was asked for without a summary goes on without one,
 * and a summary that was asked for is taken.
 *
 * @category operations
 * @since 0.1.0
 */
export const before = (
  around: Around,
  state: AgentState,
  turn: number
): Effect.Effect<Outcome | undefined, never, Journal | LanguageModel.LanguageModel> => {
  if (state.compacted === turn) return Effect.undefined
  const { definition: { compaction: settings }, journal, limits, path } = around
  const place = journal.recorded(ModelCall.keyOf({ path, turn, purpose: "compaction" }))
  if (place !== undefined) return ask(around, state, turn, compactionOf(place) ?? nothing)
  if (wasRefused(state)) {
    return ask(around, state, turn, Compaction.shorten(state, settings ?? {}) ?? nothing)
  }
  if (settings === undefined || journal.recorded(ModelCall.keyOf({ path, turn })) !== undefined) return Effect.undefined
  const allowed = Compaction.boundOf(settings, limits.transcriptLength)
  if (state.conversation.characters <= allowed) return Effect.undefined
  const chosen = Compaction.choose(state, allowed, settings)
  return chosen === undefined
    ? Effect.succeed({ _tag: "TooLong", allowed, detail: hopeless })
    : ask(around, state, turn, chosen)
}

/**
 * Whether a turn that the provider refuses as too long can be followed by one that begins with a summary. Not twice in a row: the
 * first summary has not helped.
 *
 * @category operations
 * @since 0.1.0
 */
export const canShorten = (settings: Compaction.Settings | undefined, state: AgentState): boolean =>
  settings !== undefined && !wasRefused(state) && Compaction.shorten(state, settings) !== undefined

/** Whether the last turn was refused as too long, so that this one begins with a summary. */
const wasRefused = ({ refused, turn }: AgentState): boolean => refused > 0 && refused === turn

/**
 * What a summary was asked to do, if it was asked for.
 *
 * @category readers
 * @since 0.1.0
 */
export const compactionOf = (place: RunState.Place | undefined): Compaction.Compaction | undefined =>
  place?._tag === "Operation" && place.request?._tag === "LLMCallRequested" ? place.request.compaction : undefined

/** Of a request that the budget refused there is no more than that. */
const nothing: Compaction.Compaction = { replaces: 0, summaryLength: 0 }

const hopeless =
  "a summary cannot make it short enough, since the instructions and the goal alone take more than half of that"

const ask = Effect.fnUntraced(function*(
  { definition, journal, limits: { outputBytes }, path, rules }: Around,
  state: AgentState,
  turn: number,
  compaction: Compaction.Compaction
) {
  const key = ModelCall.keyOf({ path, turn, purpose: "compaction" })
  let found: ReadonlyArray<Recorded> | undefined
  const judge = (parts: ReadonlyArray<Schema.Json>) =>
    Effect.map(
      check(definition.agent, rules, { runId: journal.runId, key, turn }, shownOf(state, compaction, turn, parts)),
      (verdicts) => {
        found = verdicts
        return verdicts
      }
    )
  const event = yield* ModelCall.perform(
    { ...definition, stream: false, tools: { ...definition.tools, toolkit: noTools, descriptions: [] } },
    { path, turn, purpose: "compaction", outputBytes, compaction, judge },
    SummaryPrompt.make(state, compaction)
  )
  // What was found just now may not be stored yet.
  const { blocked } = Verdicts.consequences(found ?? Verdicts.at(journal, key))
  return { _tag: "Compacted", event, compaction, blocked } satisfies Outcome
})

/** The summary in an answer, as it will be shown. */
const shownOf = (
  state: AgentState,
  compaction: Compaction.Compaction,
  turn: number,
  parts: ReadonlyArray<Schema.Json>
): string => Compaction.compact(state, compaction, Transcript.read(parts, turn, state.ids).text).summary

/** What guardrails say about a summary. Without it the run has nothing to go on with, so a block ends it. */
const check = (
  agent: string,
  { profile, settings }: Rules,
  about: { readonly runId: RunId; readonly key: string; readonly turn: number },
  summary: string
): Effect.Effect<ReadonlyArray<Recorded>> =>
  profile === "off" || settings.guardrails.length === 0 || summary === "" ? Effect.succeed([]) : Effect.map(
    askAll({ ...about, when: "L2_summary" }, settings, ({ summary }) => summary, { ...about, agent, profile, summary }),
    (found) => found.map(({ event }) => event.action === "BLOCK" ? { ...event, ends: true } : event)
  )

const noTools: ModelCall.Options["tools"]["toolkit"] = {
  tools: {},
  handle: () => Effect.die("a summary is written without tools")
}
