/**
 * The text signal of this package: weights that were learned from public corpora, without a model call and without a network.
 */
import { Effect, Layer } from "effect"
import * as Detector from "./Detector.ts"
import type { Channel, Signal } from "./TextSignal.ts"
import { TextSignal } from "./TextSignal.ts"
import * as goal from "./weights/goal.ts"
import * as toolArgs from "./weights/toolArgs.ts"
import * as toolResult from "./weights/toolResult.ts"

interface Stored {
  readonly bias: number
  readonly step: number
  readonly machine: ReadonlyArray<number>
  readonly prose: ReadonlyArray<number>
  readonly weights: string
}

const opened = ({ weights, ...rest }: Stored): Detector.Model => ({
  ...rest,
  weights: Int8Array.from(atob(weights), (character) => character.charCodeAt(0) << 24 >> 24)
})

const stored: { readonly [Name in Channel]: Stored } = { goal, tool_args: toolArgs, tool_result: toolResult }
const models = new Map<Channel, Detector.Model>()

/**
 * The model of a channel.
 *
 * @category models
 * @since 0.1.0
 */
export const modelOf = (channel: Channel): Detector.Model => {
  const known = models.get(channel) ?? opened(stored[channel])
  models.set(channel, known)
  return known
}

/** From one in twenty benign texts on, and from one in two hundred on. */
const levels = { weak: Detector.levelOf(0.05), strong: Detector.levelOf(0.005) }

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
export const signal: Signal = {
  version: `learned-1-${toolResult.data.slice(0, 12)}`,
  levels: { goal: levels, tool_args: levels, tool_result: levels },
  score: (text, channel) => scored(text, channel, levels.weak)
}

/**
 * The passages of a text from a score on, and whether the text is prose.
 *
 * @category scoring
 * @since 0.1.0
 */
export const judged = (text: string, channel: Channel, least: number) =>
  Effect.map(run(text, channel), (scored) => ({
    isProse: scored.isProse,
    score: Detector.scoreOf(modelOf(channel), scored.margin, isProseOf(channel, scored)),
    passages: Detector.passages(modelOf(channel), text, { ...scored, isProse: isProseOf(channel, scored) }, least)
  }))

/** Only results come in two kinds. */
const isProseOf = (channel: Channel, { isProse }: Detector.Scored): boolean => channel === "tool_result" && isProse

const scored = (text: string, channel: Channel, least: number) =>
  Effect.map(judged(text, channel, least), ({ passages }) => passages)

const run = (text: string, channel: Channel): Effect.Effect<Detector.Scored> =>
  Effect.gen(function*() {
    const steps = Detector.pieces(modelOf(channel), text)
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
