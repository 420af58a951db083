/**
 * What of a reading is looked at: runs of three, four and five characters, words alone, in pairs and in threes, words in
 * capitals, and the order of classes of words. Each is a number; its weight is found at that number.
 */
import { inWord, newline } from "./Folding.ts"
import type { Reading } from "./Reading.ts"
import { classOf, sieveOf } from "./Words.ts"

/**
 * The features of a reading, in its order. The arrays are used again for the next one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Features {
  readonly hashes: Int32Array
  /** How many features there are up to and with each position of the reading. */
  readonly ends: Int32Array
  readonly length: number
}

const classed = sieveOf(classOf.keys())

let hashes = new Int32Array(1 << 16)
let ends = new Int32Array(1 << 13)

/** Up to three for each character, and up to seven where a word ends. */
const most = 10

const seed = 0x811c9dc5

/**
 * Finds the features in one pass.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = ({ capital, codes, length }: Reading): Features => {
  if (hashes.length < length * most + most) hashes = new Int32Array(length * most * 2)
  if (ends.length < length + 1) ends = new Int32Array(length * 2)
  let count = 0
  let word = 0
  let letters = 0
  let capitals = 0
  let before = 0
  let beforeThat = 0
  let kind = 0
  let kindBefore = 0
  let sinceKind = 99
  let sinceKindBefore = 99
  let c1 = newline
  let c2 = newline
  let c3 = newline
  let c4 = newline
  for (let at = 0; at <= length; at++) {
    const code = at < length ? codes[at] ?? 0 : 0
    if (inWord[code] === 1) {
      word = Math.imul((letters === 0 ? seed : word) ^ code, 0x01000193)
      letters++
      capitals += capital[at] ?? 0
    } else if (letters > 0) {
      const twisted = Math.imul(word, 0x2545f491) ^ before
      hashes[count++] = mix(word ^ 0x1234567)
      hashes[count++] = mix(twisted)
      hashes[count++] = mix(Math.imul(twisted, 0x3c6ef372) ^ beforeThat)
      hashes[count++] = mix(Math.imul(word, 0x5bd1e995) ^ beforeThat ^ 0x777)
      if (capitals === letters && letters > 2) hashes[count++] = mix(word ^ 0x7654321)
      sinceKind++
      sinceKindBefore++
      const next = classed[word & 4095] === 1 ? classOf.get(word) : undefined
      if (next !== undefined) {
        if (sinceKind <= 6) {
          const pair = next * 131 + kind
          hashes[count++] = mix(pair + 0x1000000)
          if (sinceKindBefore <= 10) hashes[count++] = mix(pair * 131 + kindBefore + 0x2000000)
        }
        kindBefore = kind
        sinceKindBefore = sinceKind
        kind = next
        sinceKind = 0
      }
      beforeThat = before
      before = word
      letters = 0
      capitals = 0
    }
    if (at === length) break
    const three = Math.imul(Math.imul(Math.imul(code, 0x9e3779b1) ^ c1, 0x85ebca6b) ^ c2, 0xc2b2ae35)
    const four = Math.imul(three ^ c3, 0x27d4eb2f)
    hashes[count++] = mix(three)
    hashes[count++] = mix(four ^ 0x55)
    hashes[count++] = mix(Math.imul(four ^ c4, 0x165667b1) ^ 0xaa)
    c4 = c3
    c3 = c2
    c2 = c1
    c1 = code
    ends[at] = count
  }
  if (length > 0) ends[length - 1] = count
  return { hashes, ends, length }
}

const mix = (hash: number): number => {
  const spread = Math.imul(hash ^ hash >>> 15, 0x2c1b3c6d)
  return spread ^ spread >>> 13
}
