/**
 * Scores texts with weights that were learned: how much a passage reads like an instruction to a model. One pass, linear time.
 */
import * as Features from "./Features.ts"
import * as Reading from "./Reading.ts"
import type { Channel, Passage } from "./TextSignal.ts"

/**
 * What was learned of one channel.
 *
 * @category models
 * @since 0.1.0
 */
export interface Model {
  /** One weight for each feature; their number is a power of two. */
  readonly weights: Int8Array
  /** What one unit of a weight is worth. */
  readonly step: number
  readonly bias: number
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

/**
 * Windows, in characters as they are read. Each looks at what is about as long.
 *
 * @category constants
 * @since 0.1.0
 */
export const windows = [160, 448]

/** Above this share of common words, less what is written in signs, a text is prose. */
const proseFrom = 0.12

/** Below this many characters a window counts as if it had as many. */
const least = 48

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
  let margin = -Infinity
  let prose = 0
  let length = 0
  const hits: Array<Hit> = []
  const floor = Math.min(model.machine[2] ?? 0, model.prose[2] ?? 0)
  for (let from = 0; from === 0 || from < text.length;) {
    const to = endOfPiece(text, from)
    const part = from === 0 && to === text.length ? text : text.slice(from, to)
    const reading = Reading.read(part)
    const features = Features.of(reading)
    prose += features.prose * part.length
    length += part.length
    margin = Math.max(margin, scan(model, reading, features, part.length, from, floor, hits))
    if (to >= text.length) break
    from = to - shared
    yield
  }
  return { margin, isProse: prose / Math.max(1, length) > proseFrom, hits }
}

/** Where a piece ends: not inside a token, if one ends near. */
const endOfPiece = (text: string, from: number): number => {
  const end = from + piece
  if (end >= text.length) return text.length
  for (let at = end; at > end - 4096; at--) if (text.charCodeAt(at) <= 32) return at
  return end
}

let sums = new Float64Array(1 << 14)

const scan = (
  { bias, step, weights }: Model,
  reading: Reading.Reading,
  { ends, hashes, length }: Features.Features,
  partLength: number,
  offset: number,
  floor: number,
  hits: Array<Hit>
): number => {
  const mask = weights.length - 1
  if (sums.length < length + 1) sums = new Float64Array(2 * length + 2)
  let sum = 0
  let feature = 0
  for (let at = 0; at < length; at++) {
    const end = ends[at] ?? 0
    for (; feature < end; feature++) sum += weights[(hashes[feature] ?? 0) & mask] ?? 0
    sums[at + 1] = sum
  }
  let best = -Infinity
  for (const size of windows) {
    const stride = size / 8
    for (let start = 0;; start += stride) {
      const from = length <= size ? 0 : Math.min(start, length - size)
      const to = Math.min(length, from + size)
      const margin = ((sums[to] ?? 0) - (sums[from] ?? 0)) * step / Math.sqrt(Math.max(least, to - from)) + bias
      if (margin > best) best = margin
      if (margin > floor && length > 0) {
        const first = reading.from[from] ?? 0
        const last = reading.from[to - 1] ?? 0
        const next = to < length ? reading.from[to] ?? 0 : partLength
        const end = Math.max(first, last, next >= first ? next : 0)
        hits.push({
          start: offset + Math.min(first, last),
          end: offset + Math.min(partLength, end + (next > last ? 0 : 1)),
          margin
        })
      }
      if (to >= length) break
    }
    if (length <= size) break
  }
  return best
}

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
