/**
 * Adds up what runs of characters and words are worth, window by window: what a long text is full of, a little everywhere.
 */
import type { Features } from "./Features.ts"

/**
 * What was learned of runs of characters and words.
 *
 * @category models
 * @since 0.1.0
 */
export interface Linear {
  /** One weight for each feature; their number is a power of two. */
  readonly weights: Int8Array
  /** What one unit of a weight is worth. */
  readonly step: number
  readonly bias: number
}

/**
 * Windows, in characters as they are read.
 *
 * @category constants
 * @since 0.1.0
 */
export const windows = [160, 448]

/** Below this many characters a window counts as if it had as many. */
const least = 48

let sums = new Int32Array(1 << 14)

/**
 * How much the window that stands out most does.
 *
 * @category scoring
 * @since 0.1.0
 */
export const highest = ({ bias, step, weights }: Linear, { ends, hashes, length }: Features): number => {
  const mask = weights.length - 1
  if (sums.length < length + 1) sums = new Int32Array(2 * length + 2)
  let sum = 0
  let feature = 0
  for (let at = 0; at < length; at++) {
    const end = ends[at] ?? 0
    for (; feature < end; feature++) sum += weights[(hashes[feature] ?? 0) & mask] ?? 0
    sums[at + 1] = sum
  }
  let best = -Infinity
  for (const size of windows) {
    for (let start = 0;; start += size / 8) {
      const from = length <= size ? 0 : Math.min(start, length - size)
      const to = Math.min(length, from + size)
      const margin = ((sums[to] ?? 0) - (sums[from] ?? 0)) * step / Math.sqrt(Math.max(least, to - from)) + bias
      if (margin > best) best = margin
      if (to >= length) break
    }
    if (length <= size) break
  }
  return best
}
