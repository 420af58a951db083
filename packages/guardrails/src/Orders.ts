/**
 * Passages of results that tell their reader to do what a call does, wherever its values come from.
 */
import type { Schema } from "effect"
import { Effect } from "effect"
import * as Actions from "./Actions.ts"
import * as Imperatives from "./Imperatives.ts"
import type * as Origins from "./Origins.ts"
import * as Passages from "./Passages.ts"
import type * as Policy from "./Policy.ts"
import * as Requests from "./Requests.ts"
import * as Sinks from "./Sinks.ts"
import type { Source } from "./Sources.ts"
import type { Signal } from "./TextSignal.ts"

/**
 * What a place in results says about a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Weighed {
  readonly place: Origins.Place | undefined
  /** The passage tells its reader to do what the call does. */
  readonly told: boolean
  /** The sentence orders something, whatever it is. */
  readonly ordered: boolean
  /** How many words the sentence has. */
  readonly words: number
  readonly level: Policy.Facts["signal"]
}

/** Orders beyond these say nothing more. */
const most = 8

/**
 * The passages of what others wrote that order such a call: with one of its verbs, and with what it is done to or a value that it has; or,
 * for a call as a whole with all its values, with any verb that orders, in one sentence with a value of the call that is not in the
 * request; a call that has no values is ordered by any verb in a sentence that speaks of what it is done to.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (
  action: Actions.Action,
  { arguments: args, goal, sources }: {
    readonly arguments: Schema.Json
    readonly goal: string
    readonly sources: ReadonlyArray<Source>
  },
  signal: Signal,
  traced?: ReadonlyArray<Origins.Traced>
): Effect.Effect<ReadonlyArray<Weighed>> =>
  Effect.suspend(() => {
    const values = Sinks.scalars(args).map(([, value]) => String(value).toLowerCase()).filter((value) =>
      value.length > 2
    )
    const request = goal.toLowerCase()
    const foreign = traced !== undefined ? values.filter((value) => !request.includes(value)) : []
    const found: Array<Origins.Place> = []
    const within = (text: string, [from, until]: readonly [number, number], of: ReadonlyArray<string>): boolean => {
      const lower = text.slice(from, until).toLowerCase()
      return of.some((value) => lower.includes(value))
    }
    for (const source of sources) {
      if (source.origin !== "third_party" && source.origin !== "open_world") continue
      for (const { path, text } of source.texts) {
        const own = Imperatives.of(action, text, source.imperatives).filter(({ end, start }) => {
          const around = Passages.around(text, start, end)
          return Actions.namesThing(action, text.slice(...around)) || within(text, around, values)
        })
        const any = foreign.length === 0 ? [] : beside(text, foreign, source.imperatives)
        const near = traced?.length === 0 && own.length === 0 ? about(action, text, source.imperatives) : []
        const meant = [...own, ...any, ...near].filter(({ end, start }) =>
          traced === undefined || !isOfAnother(traced, text.slice(...Passages.statement(text, start, end)), values)
        )
        for (const { end, start } of meant.slice(0, most - found.length)) {
          found.push({ source, path, text, start, end })
        }
        if (found.length >= most) break
      }
    }
    return Effect.forEach(
      found,
      (place) =>
        Effect.map(levelOf(place, signal), (level) => ({ place, told: true, ordered: true, words: Infinity, level }))
    )
  })

/** A sentence that has a value of the shape of one of the call's, and none that the call has, orders another call. */
const isOfAnother = (
  traced: ReadonlyArray<Origins.Traced>,
  sentence: string,
  values: ReadonlyArray<string>
): boolean => {
  const lower = sentence.toLowerCase()
  return !values.some((value) => lower.includes(value)) &&
    traced.some(({ origin, sink }) => origin !== "nowhere" && origin !== "model" && Requests.hasOther(sink, sentence))
}

/** The orders of whatever kind that speak of what the call is done to in their own sentence. */
const about = (
  action: Actions.Action,
  text: string,
  imperatives: Source["imperatives"]
): ReadonlyArray<Imperatives.Imperative> =>
  imperatives(text).slice(0, looked).filter(({ end, start }) =>
    Actions.namesThing(action, text.slice(...Passages.statement(text, start, end)))
  )

/** Of the orders of one text, what the others speak of is not looked at. */
const looked = 200

/** The orders that stand in one sentence with one of these values. */
const beside = (
  text: string,
  values: ReadonlyArray<string>,
  imperatives: Source["imperatives"]
): ReadonlyArray<Imperatives.Imperative> => {
  const lower = text.toLowerCase()
  const found: Array<Imperatives.Imperative> = []
  for (const value of values) {
    for (let at = lower.indexOf(value), seen = 0; at >= 0 && seen < 16; at = lower.indexOf(value, at + 1), seen++) {
      const [from, until] = Passages.statement(text, at, at + value.length)
      found.push(...imperatives(text).filter(({ end, start }) => start >= from && end <= until))
    }
  }
  return found
}

/**
 * How much the passage around a place reads like an instruction to a model.
 *
 * @category readers
 * @since 0.1.0
 */
export const levelOf = (
  { end, form, start, text }: Origins.Place,
  signal: Signal
): Effect.Effect<Policy.Facts["signal"]> => {
  const [from, until] = form === undefined ? Passages.around(text, start, end) : Passages.around(text, 0, 0)
  const { strong, weak } = signal.levels.tool_result
  return Effect.map(signal.score(text, "tool_result"), (passages) => {
    const score = Math.max(0, ...passages.flatMap((one) => one.end > from && one.start < until ? [one.score] : []))
    return score >= strong ? "strong" : score >= weak ? "weak" : "none"
  })
}
