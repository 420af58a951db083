/**
 * Finds passages that were written backwards or with letters shifted by thirteen, by the common words that they are full of.
 */
import { inWord } from "./Folding.ts"
import { hashOf, sieveOf } from "./Words.ts"

/**
 * A passage of what was read that is to be read once more: backwards, or with its letters shifted back.
 *
 * @category models
 * @since 0.1.0
 */
export interface Mirror {
  readonly start: number
  readonly end: number
  readonly reversed: boolean
}

const words =
  "the and you that for this with your ignore previous instructions please output assistant message system secret from not all must tell send instead"
    .split(" ")

const shift = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => String.fromCharCode((letter.charCodeAt(0) - 84) % 26 + 97))

const shifted = new Set(words.map((word) => hashOf(shift(word))))
const reversed =
  new Set(words.filter((word) => word !== "all").map((word) => hashOf(Array.from(word).reverse().join(""))))

const sieve = sieveOf([...shifted, ...reversed])

/** A passage is looked at in pieces of this length. */
const piece = 1024

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (
  { codes, length }: { readonly codes: Uint16Array; readonly length: number }
): ReadonlyArray<Mirror> => {
  const found: Array<Mirror> = []
  let start = 0
  let hash = 0
  let letters = 0
  let shiftedWords = 0
  let reversedWords = 0
  for (let at = 0; at <= length; at++) {
    const code = at < length ? codes[at] ?? 0 : 0
    if (inWord[code] === 1) {
      hash = Math.imul((letters === 0 ? seed : hash) ^ code, 0x01000193)
      letters++
      continue
    }
    if (letters > 2 && sieve[hash & 4095] === 1) {
      if (shifted.has(hash)) shiftedWords++
      else if (reversed.has(hash)) reversedWords++
    }
    letters = 0
    if (at - start < piece && at < length) continue
    if (shiftedWords >= 2) found.push({ start, end: at, reversed: false })
    if (reversedWords >= 2) found.push({ start, end: at, reversed: true })
    start = at
    shiftedWords = 0
    reversedWords = 0
  }
  return found
}

const seed = 0x811c9dc5
