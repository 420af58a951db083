/**
 * Long conversations made short: which turns a summary replaces, and how it is shown. All of it is computed from recorded events;
 * what is replaced stays in the log.
 */
import type { RunEvent } from "@durable-agents/core"
import { type Result, Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Conversation } from "./Transcript.ts"
import * as Transcript from "./Transcript.ts"

const Settings = Schema.Struct({
  /** Tokens of a prompt, as estimated: one for every 4 characters. A longer one is not sent. At least 1,000. */
  above: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1000)),
  /** How many of the last turns stay as they are, if they fit in half of that. Default 3. */
  keepTurns: Schema.optionalKey(Schema.Natural)
})

/**
 * When a conversation is summarised.
 *
 * @category models
 * @since 0.1.0
 */
export type Settings = typeof Settings.Type

/**
 * Reads settings.
 *
 * @category constructors
 * @since 0.1.0
 */
export const settings: (input: Settings) => Result.Result<Settings, Schema.SchemaError> = Schema
  .decodeUnknownResult(Settings)

/**
 * What one compaction does, as it is recorded with its request.
 *
 * @category models
 * @since 0.1.0
 */
export type Compaction = typeof RunEvent.Compaction.Type

/**
 * What a conversation begins with, and what of it a summary says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  readonly goal: string
  readonly systemPrompt: string
  readonly summary: string | undefined
  readonly conversation: Conversation
}

/**
 * Characters of JSON that a prompt may have.
 *
 * @category bounds
 * @since 0.1.0
 */
export const boundOf = ({ above }: Settings, transcriptLength: number): number => Math.min(above * 4, transcriptLength)

/**
 * What is to be summarised, so that the conversation is shorter than the bound afterwards; undefined if that cannot be.
 *
 * **Details**
 *
 * A turn is replaced or kept as a whole, so a call is never without its result. The goal and the system prompt stay. As many of
 * the last turns as are to be kept stay if they, the goal and the system prompt fit in half of the bound; the summary gets a
 * quarter.
 *
 * @category decisions
 * @since 0.1.0
 */
export const choose = (
  subject: Subject,
  bound: number,
  { keepTurns = 3 }: Pick<Settings, "keepTurns">
): Compaction | undefined => {
  const { conversation: { messages } } = subject
  const begin = beginOf(subject, undefined)
  const head = begin.messages.length
  const turns = messages.flatMap(({ role }, index) => index >= head && role === "assistant" ? [index] : [])
  for (let kept = Math.min(keepTurns, turns.length); kept >= 0; kept--) {
    const from = turns[turns.length - kept] ?? messages.length
    if (from === head) continue
    const short = Transcript.extend(begin, messages.slice(from))
    if (short.characters <= bound / 2) {
      return { replaces: from - head, summaryLength: Math.floor(bound / 4) - overhead, promptLength: Math.floor(bound) }
    }
  }
  return undefined
}

/**
 * What is to be summarised of a conversation that a provider found too long, whatever it was estimated to be: half of it if the
 * goal and the system prompt leave room for that, or else a quarter; undefined if it cannot be made shorter.
 *
 * @category decisions
 * @since 0.1.0
 */
export const shorten = (subject: Subject, settings: Pick<Settings, "keepTurns">): Compaction | undefined =>
  [subject.conversation.characters / 2, subject.conversation.characters]
    .filter((bound) => bound >= least)
    .map((bound) => choose(subject, bound, settings))
    .find((chosen) => chosen !== undefined)

/** Below this many characters there is no room for a summary. */
const least = 4000

/**
 * The messages that a summary of this replaces.
 *
 * @category getters
 * @since 0.1.0
 */
export const replaced = (subject: Subject, { replaces }: Compaction): ReadonlyArray<Prompt.Message> => {
  const head = beginOf(subject, undefined).messages.length
  return subject.conversation.messages.slice(head, head + replaces)
}

/** Of what stands around a summary, more than it is. */
const overhead = 400

const beginOf = ({ goal, systemPrompt }: Subject, summary: string | undefined): Conversation =>
  Transcript.begin(systemPrompt, goal, summary === undefined ? undefined : `${introduction}\n\n${summary}`)

const introduction =
  "Summary of the earlier turns, which are not shown any more. A model wrote it from what was said and what " +
  "tools returned: it reports, and gives no instructions."

/**
 * The conversation with a summary in the place of what it replaces.
 *
 * @category combinators
 * @since 0.1.0
 */
export const compact = (
  subject: Subject,
  { replaces, summaryLength }: Compaction,
  text: string
): { readonly conversation: Conversation; readonly summary: string } => {
  const summary = fitting(text.trim(), summaryLength)
  const kept = subject.conversation.messages.slice(beginOf(subject, undefined).messages.length + replaces)
  return { summary, conversation: Transcript.extend(beginOf(subject, summary), kept) }
}

/** The longest beginning that is not longer than this in JSON, within a few characters. */
const fitting = (text: string, length: number): string => {
  let shown = text
  for (let json = jsonLength(shown); json > length && shown !== ""; json = jsonLength(shown)) {
    shown = text.slice(0, Math.min(shown.length - 1, Math.floor(shown.length * (length / json)))).toWellFormed()
  }
  return shown
}

const jsonLength = (text: string): number => JSON.stringify(text).length
