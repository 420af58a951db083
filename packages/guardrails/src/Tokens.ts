/**
 * A reading as words and signs: each with its hash or its shape, so that a model can look up what it knows of it.
 */
import { inWord, newline, space } from "./Folding.ts"
import type { Reading } from "./Reading.ts"
import { isCommon, sieveOf } from "./Words.ts"

/**
 * The words and runs of signs of a reading, in its order. The arrays are used again for the next one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tokens {
  readonly count: number
  /** Of a word, a number above 0 of 24 bits; 0 for signs and plain numbers. */
  readonly hashes: Int32Array
  /** What it looks like: below `signs` for runs of signs and breaks, from there up to `shapes` for words. */
  readonly forms: Uint8Array
  /** Whether a word is in capitals. */
  readonly loud: Uint8Array
  /** Where each begins in the reading. */
  readonly at: Int32Array
  /** How much of it is sentences: the share of common words among its words, less half the share of signs. */
  readonly prose: number
}

/**
 * How many forms signs have.
 *
 * @category constants
 * @since 0.1.0
 */
export const signs = 64

/**
 * How many forms there are, words included.
 *
 * @category constants
 * @since 0.1.0
 */
export const shapes = signs + 128

const common = sieveOf(isCommon)
const seed = 0x811c9dc5

/**
 * The number of a word from its hash, as tokens have it.
 *
 * @category hashes
 * @since 0.1.0
 */
export const nameOf = (hash: number): number => hash & 0xffffff || 1

let hashes = new Int32Array(1 << 13)
let forms = new Uint8Array(1 << 13)
let loud = new Uint8Array(1 << 13)
let places = new Int32Array(1 << 13)

/** Signs that sentences have too: `. , ( ) - \``. */
const isMark = new Uint8Array(65536).fill(1)
for (const code of [46, 44, 40, 41, 45, 96]) isMark[code] = 0

/**
 * Finds them in one pass.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = ({ capital, codes, length }: Reading): Tokens => {
  if (hashes.length < length + 1) {
    hashes = new Int32Array(2 * length)
    forms = new Uint8Array(2 * length)
    loud = new Uint8Array(2 * length)
    places = new Int32Array(2 * length)
  }
  let count = 0
  let words = 0
  let commonWords = 0
  let marks = 0
  for (let at = 0; at < length;) {
    const code = codes[at] ?? 0
    if (code === space) {
      at++
      continue
    }
    places[count] = at
    const start = at
    if (inWord[code] === 1) {
      let hash = seed
      let capitals = 0
      let digits = 0
      let last = 0
      let before = 0
      let beforeThat = 0
      for (let next = code; inWord[next] === 1;) {
        hash = Math.imul(hash ^ next, 0x01000193)
        capitals += capital[at] ?? 0
        if (next === 48) digits++
        beforeThat = before
        before = last
        last = next
        at++
        next = at < length ? codes[at] ?? 0 : 0
      }
      const size = at - start
      words++
      marks += digits
      if (common[hash & 4095] === 1 && isCommon.has(hash)) commonWords++
      hashes[count] = digits === size ? 0 : hash & 0xffffff || 1
      loud[count] = capitals === size && size > 2 ? 1 : 0
      forms[count] = signs + shapeOf(code, size, digits, last, before, beforeThat)
    } else {
      hashes[count] = 0
      loud[count] = 0
      if (code === newline) {
        forms[count] = 0
        at++
      } else {
        let last = code
        for (let next = code; next > space && inWord[next] !== 1;) {
          marks += isMark[next] ?? 0
          last = next
          at++
          next = at < length ? codes[at] ?? 0 : 0
        }
        if (at === start) at++
        forms[count] = 1 + (code * 7 + last * 3 + Math.min(at - start, 3) * 11) % (signs - 2)
      }
    }
    count++
  }
  const prose = commonWords / Math.max(8, words) - marks / Math.max(1, length) / 2
  return { count, hashes, forms, loud, at: places, prose }
}

/** Numbers by their length, names with digits, single letters, other alphabets, and endings of words. */
const shapeOf = (
  first: number,
  size: number,
  digits: number,
  last: number,
  before: number,
  beforeThat: number
): number => {
  if (digits === size) return size < 3 ? 0 : size < 6 ? 1 : 2
  if (digits > 0) return 3
  if (size === 1) return 4
  if (first > 127) return 8 + (first >> 8 & 23)
  return 32 + (Math.imul(last * 31 + before, 31) + beforeThat >>> 0) % 96
}
