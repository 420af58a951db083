/**
 * The text signal of this package: weights that were learned from public corpora, without a model call and without a network.
 */
import { Digest } from "@durable-agents/core"
import { Effect, Layer } from "effect"
import * as Detector from "./Detector.ts"
import { base64 } from "./Folding.ts"
import type { Linear } from "./Linear.ts"
import * as Patterns from "./Patterns.ts"
import type { Channel, Signal } from "./TextSignal.ts"
import { TextSignal } from "./TextSignal.ts"
import * as goal from "./weights/goal.ts"
import * as toolArgs from "./weights/toolArgs.ts"
import * as toolResult from "./weights/toolResult.ts"

/**
 * Weights as `scripts/train.ts` writes them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Weights {
  /** Names what they were learned from. */
  readonly data: string
  readonly machine: ReadonlyArray<number>
  readonly prose: ReadonlyArray<number>
  /** `words` are three bytes each, in base64; `rows` a character each, whose value in base64 says which of the levels. */
  readonly patterns: Omit<Patterns.Patterns, "words" | "rows"> & { readonly words: string; readonly rows: string }
  /** `weights` are signed bytes, in base64. */
  readonly linear?: Omit<Linear, "weights"> & { readonly share: number; readonly weights: string }
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

const opened = (channel: Channel, { linear, machine, patterns, prose }: Omit<Weights, "data">): Detector.Model => {
  const words = bytesOf(patterns.words)
  return {
    machine,
    prose,
    encoded: Detector.isEncodingOdd(channel),
    patterns: {
      ...patterns,
      words: Array.from(
        { length: words.length / 3 },
        (_, at) => (words[3 * at] ?? 0) << 16 | (words[3 * at + 1] ?? 0) << 8 | (words[3 * at + 2] ?? 0)
      ),
      rows: Int8Array.from(patterns.rows, (character) => Patterns.levels[base64[character.charCodeAt(0)] ?? 0] ?? 0)
    },
    ...(linear === undefined ? {} : {
      linear: { share: linear.share, model: { ...linear, weights: new Int8Array(bytesOf(linear.weights).buffer) } }
    })
  }
}

const stored: { readonly [Name in Channel]: Weights } = { goal, tool_args: toolArgs, tool_result: toolResult }
const models = new Map<Channel, Detector.Model>()

/**
 * The model of a channel.
 *
 * @category models
 * @since 0.1.0
 */
export const modelOf = (channel: Channel): Detector.Model => {
  const known = models.get(channel) ?? opened(channel, stored[channel])
  models.set(channel, known)
  return known
}

/** From three in a hundred benign texts on, and from one in a thousand on. */
const levels = { weak: Detector.levelOf(0.03), strong: Detector.levelOf(0.001) }

const signalOf = (model: (channel: Channel) => Detector.Model, name: string): Signal => ({
  version: `learned-4-${name}`,
  levels: { goal: levels, tool_args: levels, tool_result: levels },
  score: (text, channel) => Effect.map(judgedBy(model(channel), text, channel, levels.weak), ({ passages }) => passages)
})

/**
 * Scores texts by windows of what they say when they are read: encodings undone, characters folded.
 *
 * **Details**
 *
 * A score of a half says that, in sources that were not learned from, one in a hundred benign texts had as much; three quarters, one
 * in a thousand. Texts above 16 KB are scored in pieces, between which other fibers run.
 *
 * **Gotchas**
 *
 * Who looks at the weights can write what has no score. It is one layer, and promises nothing.
 *
 * @category models
 * @since 0.1.0
 */
export const signal: Signal = signalOf(modelOf, toolResult.data.slice(0, 12))

/**
 * The same with other weights, as they are in files.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (weights: { readonly [Name in Channel]: Weights }): Signal => {
  const own = {
    goal: opened("goal", weights.goal),
    tool_args: opened("tool_args", weights.tool_args),
    tool_result: opened("tool_result", weights.tool_result)
  }
  return signalOf((channel) => own[channel], Digest.digest(weights.tool_result.patterns.rows).slice(7, 19))
}

/**
 * The passages of a text from a score on, whether it is prose, and whether words in disguise are in it.
 *
 * @category scoring
 * @since 0.1.0
 */
export const judged = (text: string, channel: Channel, least: number) =>
  judgedBy(modelOf(channel), text, channel, least)

const judgedBy = (model: Detector.Model, text: string, channel: Channel, least: number) =>
  Effect.map(run(model, text), (scored) => ({
    isProse: scored.isProse,
    disguised: scored.disguised,
    score: Detector.scoreOf(model, scored.margin, isProseOf(channel, scored)),
    passages: Detector.passages(model, text, { ...scored, isProse: isProseOf(channel, scored) }, least)
  }))

/** Only results come in two kinds. */
const isProseOf = (channel: Channel, { isProse }: Detector.Scored): boolean => channel === "tool_result" && isProse

const run = (model: Detector.Model, text: string): Effect.Effect<Detector.Scored> =>
  Effect.gen(function*() {
    const steps = Detector.pieces(model, text)
    for (let step = steps.next();; step = steps.next()) {
      if (step.done === true) return step.value
      yield* Effect.yieldNow
    }
  })

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never> = Layer.succeed(TextSignal, signal)
