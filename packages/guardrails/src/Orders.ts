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
  readonly level: Policy.Facts["signal"]
}

/** Orders beyond these say nothing more. */
const most = 8

/**
 * The passages of what others wrote that order such a call: with one of its verbs, and with what it is done to or a value that it has.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (
  action: Actions.Action,
  { arguments: args, sources }: { readonly arguments: Schema.Json; readonly sources: ReadonlyArray<Source> },
  signal: Signal
): Effect.Effect<ReadonlyArray<Weighed>> =>
  Effect.suspend(() => {
    const values = Sinks.scalars(args).map(([, value]) => String(value).toLowerCase()).filter((value) =>
      value.length > 2
    )
    const found: Array<Origins.Place> = []
    for (const source of sources) {
      if (source.origin !== "third_party" && source.origin !== "open_world") continue
      for (const { path, text } of source.texts) {
        for (const { end, start } of Imperatives.of(action, text, source.imperatives)) {
          const [from, until] = Passages.around(text, start, end)
          const passage = text.slice(from, until)
          const lower = passage.toLowerCase()
          if (!Actions.namesThing(action, passage) && !values.some((value) => lower.includes(value))) continue
          found.push({ source, path, text, start, end })
          if (found.length >= most) break
        }
      }
    }
    return Effect.forEach(
      found,
      (place) => Effect.map(levelOf(place, signal), (level) => ({ place, told: true, level }))
    )
  })

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
