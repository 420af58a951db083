/**
 * Scores texts with weights that were learned: how much a passage reads like an instruction to a model. Linear time.
 */
import * as Disguise from "./Disguise.ts"
import * as Features from "./Features.ts"
import * as Linear from "./Linear.ts"
import * as Patterns from "./Patterns.ts"
import * as Reading from "./Reading.ts"
import type { Channel, Passage } from "./TextSignal.ts"
import * as Tokens from "./Tokens.ts"

/**
 * What was learned of one channel.
 *
 * @category models
 * @since 0.1.0
 */
export interface Model {
  readonly patterns: Patterns.Patterns
  /** What is added for runs of characters and words, and how much it counts. Results do without. */
  readonly linear?: { readonly model: Linear.Linear; readonly share: number }
  /** Whether what stands there encoded is a disguise as well. */
  readonly encoded: boolean
  /** The margins that a share of benign texts is above, for each of `shares`: of machine output, and of prose. */
  readonly machine: ReadonlyArray<number>
  readonly prose: ReadonlyArray<number>
}

/**
 * The shares of benign texts for which margins are known.
 *
 * @category constants
 * @since 0.1.0
 */
export const shares = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]

/** The margin of words in disguise: whatever they say, they were to be read by a model and by nobody else. */
const sure = 99

/** Above this share of common words, less what is written in signs, a text is prose. */
const proseFrom = 0.12

/** A text is scored in pieces of this length, which have some characters in common. */
const piece = 16_384
const shared = 512

/**
 * What stands out in a text.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scored {
  /** The highest margin of its windows. */
  readonly margin: number
  readonly isProse: boolean
  /** Whether words in disguise are among what stands out. */
  readonly disguised: boolean
  readonly hits: ReadonlyArray<Hit>
}

interface Hit {
  readonly start: number
  readonly end: number
  readonly margin: number
}

/**
 * Scores a text piece by piece; between two pieces others may have their turn.
 *
 * @category scoring
 * @since 0.1.0
 */
export function* pieces(model: Model, text: string): Generator<void, Scored> {
  const { encoded, linear, machine, patterns, prose: sentences } = model
  let margin = -Infinity
  let prose = 0
  let length = 0
  let disguised = false
  const hits: Array<Hit> = []
  const floor = Math.min(machine[2] ?? 0, sentences[2] ?? 0)
  for (let from = 0; from === 0 || from < text.length;) {
    const to = endOfPiece(text, from)
    const part = from === 0 && to === text.length ? text : text.slice(from, to)
    const reading = Reading.read(part)
    const tokens = Tokens.of(reading)
    prose += tokens.prose * part.length
    length += part.length
    const added = linear === undefined ? 0 : linear.share * Linear.highest(linear.model, Features.of(reading))
    Patterns.scan(patterns, tokens, (first, last, found) => {
      const own = found + added
      if (own > margin) margin = own
      if (own > floor && last > first) {
        hits.push({ ...placeOf(reading, tokens, first, last, part.length, from), margin: own })
      }
    })
    for (const { end, start } of Disguise.find(part, reading, tokens, encoded)) {
      margin = sure
      disguised = true
      hits.push({ start: from + start, end: from + end, margin })
    }
    if (to >= text.length) break
    from = to - shared
    yield
  }
  return { margin, isProse: prose / Math.max(1, length) > proseFrom, disguised, hits }
}

/** Where a piece ends: not inside a token, if one ends near. */
const endOfPiece = (text: string, from: number): number => {
  const end = from + piece
  if (end >= text.length) return text.length
  for (let at = end; at > end - 4096; at--) if (text.charCodeAt(at) <= 32) return at
  return end
}

/** Where a window of words stands in the text. */
const placeOf = (
  { from: places, length }: Reading.Reading,
  { at, count }: Tokens.Tokens,
  first: number,
  last: number,
  partLength: number,
  offset: number
): { readonly start: number; readonly end: number } => {
  const begin = at[first] ?? 0
  const stop = last < count ? at[last] ?? length : length
  const start = places[begin] ?? 0
  const end = places[stop - 1] ?? 0
  const next = stop < length ? places[stop] ?? 0 : partLength
  return {
    start: offset + Math.min(start, end),
    end: offset + Math.min(partLength, Math.max(start, end, next >= start ? next : 0) + (next > end ? 0 : 1))
  }
}

/**
 * Whether texts of a channel have no reason to be encoded.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isEncodingOdd = (channel: Channel): boolean => channel === "goal"

/**
 * Scores a text at once.
 *
 * @category scoring
 * @since 0.1.0
 */
export const scored = (model: Model, text: string): Scored => {
  const steps = pieces(model, text)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * A margin as a score: a half says that one in a hundred benign texts of its kind stands out as much, three quarters one in a thousand.
 *
 * @category scoring
 * @since 0.1.0
 */
export const scoreOf = ({ machine, prose }: Model, margin: number, isProse: boolean): number => {
  const known = isProse ? prose : machine
  let at = 1
  while (at < known.length - 1 && margin > (known[at] ?? 0)) at++
  const low = known[at - 1] ?? 0
  const high = known[at] ?? 0
  const from = levelOf(shares[at - 1] ?? 1)
  const to = levelOf(shares[at] ?? 1)
  const level = from + (margin - low) / Math.max(0.05, high - low) * (to - from)
  return Math.max(0, Math.min(1, level))
}

/**
 * The score that this share of benign texts is above.
 *
 * @category scoring
 * @since 0.1.0
 */
export const levelOf = (share: number): number => -Math.log10(share) / 4

/**
 * The passages that stand out, widened to the lines or values that they are in, the strongest score of each.
 *
 * @category scoring
 * @since 0.1.0
 */
export const passages = (
  model: Model,
  text: string,
  { hits, isProse }: Scored,
  level: number
): ReadonlyArray<Passage> => {
  const found: Array<Passage> = []
  const strong = hits
    .map(({ end, margin, start }) => ({ start, end, score: scoreOf(model, margin, isProse) }))
    .filter(({ score }) => score >= level)
    .sort((a, b) => a.start - b.start || a.end - b.end)
  for (const hit of strong) {
    const last = found.at(-1)
    if (last !== undefined && hit.start <= last.end) {
      found[found.length - 1] = {
        start: last.start,
        end: Math.max(last.end, hit.end),
        score: Math.max(last.score, hit.score)
      }
    } else found.push(hit)
  }
  return found.map((passage, at) => widen(text, passage, found[at - 1]?.end ?? 0, found[at + 1]?.start ?? text.length))
}

const reach = 200

const widen = (text: string, { end, score, start }: Passage, from: number, to: number): Passage => {
  let first = start
  while (first > from && start - first < reach && !isEdge(text.charCodeAt(first - 1))) first--
  let last = end
  while (last < to && last - end < reach && !isEdge(text.charCodeAt(last))) last++
  const edge = isEdge(text.charCodeAt(first - 1)) || first === from
  return { start: edge ? first : start, end: last < to && last - end >= reach ? end : last, score }
}

const isEdge = (code: number): boolean => code === 10 || code === 13 || code === 34

/**
 * The channels, in the order of the file of weights.
 *
 * @category constants
 * @since 0.1.0
 */
export const channels: ReadonlyArray<Channel> = ["tool_result", "goal", "tool_args"]
