/**
 * Fits the model of one channel to texts.
 */
import * as Detector from "../../src/Detector.ts"
import type { Channel } from "../../src/TextSignal.ts"
import * as Examples from "./Examples.ts"
import * as Learning from "./Learning.ts"
import * as PatternLearning from "./PatternLearning.ts"

export interface Settings {
  readonly patterns: PatternLearning.Settings
  readonly linear?: Learning.Settings & { readonly share: number }
}

export const settings: { readonly [Name in Channel]: Settings } = {
  tool_result: { patterns: { sets: 2, filters: 24, reach: 4, words: 560, epochs: 14, seed: 25, excuses: false } },
  goal: {
    patterns: { sets: 1, filters: 24, reach: 6, words: 600, epochs: 12, seed: 6, excuses: true },
    linear: { bits: 15, epochs: 5, most: 0.1, seed: 778, share: 1 }
  },
  tool_args: {
    patterns: { sets: 1, filters: 12, reach: 4, words: 36, epochs: 12, seed: 7, excuses: true },
    linear: { bits: 13, epochs: 8, most: 0.15, seed: 779, share: 1 }
  }
}

/** Texts with what is looked at of them, made once. */
export type Known = ReadonlyMap<string, Examples.Featured>

export const known = (lines: ReadonlyArray<Examples.Line>): Known =>
  new Map(lines.map((line) => [line.id, Examples.featured(line)]))

/** The model of a channel from lines of all channels, without thresholds. */
export const fit = (
  channel: Channel,
  from: ReadonlyArray<Examples.Line>,
  known: Known,
  seed: number
): Detector.Model => {
  const { linear, patterns } = settings[channel]
  const made = Array.from(
    { length: patterns.sets },
    (_, set) => Examples.made(from, channel, seed + 1000 * set)
  )
  const own = from.flatMap(({ channel: other, id }) => {
    const example = other === channel ? known.get(id) : undefined
    return example === undefined ? [] : [example]
  })
  const none = { machine: [], prose: [], encoded: Detector.isEncodingOdd(channel) }
  if (linear === undefined) {
    return {
      ...none,
      patterns: PatternLearning.learn(own, (set) => (made[set] ?? []).map(Examples.example), patterns)
    }
  }
  const featured = made.map((some) => some.map(Examples.featured))
  return {
    ...none,
    patterns: PatternLearning.learn(own, (set) => featured[set] ?? [], patterns),
    linear: { model: Learning.learn([...own, ...(featured[0] ?? [])], linear), share: linear.share }
  }
}

/** The margin of a text, and whether it is prose. */
export const judge = (
  model: Detector.Model,
  { channel, text }: Examples.Line
): readonly [margin: number, isProse: boolean] => {
  const { isProse, margin } = Detector.scored(model, text)
  return [margin, channel === "tool_result" && isProse]
}
