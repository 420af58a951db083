/**
 * Words that stand in a text in disguise: whoever reads closely finds them, and they are not what is written there. Letters of
 * another alphabet, characters of no width, tags, digits for letters, letters apart, words backwards or shifted.
 */
import type { Reading } from "./Reading.ts"
import * as Tokens from "./Tokens.ts"
import { classOf, isCommon, sieveOf } from "./Words.ts"

/** Words that sentences and instructions have; others that come out of a reading may be chance. */
const known = new Set([...isCommon, ...classOf.keys()].map(Tokens.nameOf))
const sieve = sieveOf(known)

/** Shorter words may be chance as well. */
const least = 3

/** Two different words that are no further apart, in words and signs, are no chance. */
const near = 24

/**
 * Where two different ones stand near each other.
 *
 * **Details**
 *
 * Accents and soft hyphens disguise nothing. What is encoded, such as base64, is looked at with `encoded` only: machines write that
 * every day, and people who ask for something do not.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (
  text: string,
  reading: Reading,
  { at, count, hashes }: Tokens.Tokens,
  encoded: boolean
): ReadonlyArray<{ readonly start: number; readonly end: number }> => {
  const found: Array<{ readonly start: number; readonly end: number }> = []
  let last: { readonly token: number; readonly name: number; readonly place: Place } | undefined
  for (let token = 0; token < count; token++) {
    const name = hashes[token] ?? 0
    if (sieve[name & 4095] !== 1 || !known.has(name)) continue
    const place = disguised(text, reading, at[token] ?? 0, encoded)
    if (place === undefined) continue
    if (last !== undefined && last.name !== name && token - last.token <= near) {
      found.push({ start: Math.min(last.place.start, place.start), end: Math.max(last.place.end, place.end) })
    }
    last = { token, name, place }
  }
  return found
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Where the word that is read here is written, if that is another one. */
const disguised = (text: string, { codes, from, length }: Reading, first: number, encoded: boolean) => {
  let size = 0
  while (first + size < length && isLetter(codes[first + size] ?? 0)) size++
  if (size < least) return undefined
  const begin = from[first] ?? 0
  const finish = from[first + size - 1] ?? 0
  const place: Place = { start: Math.min(begin, finish), end: Math.max(begin, finish) + 1 }
  if (begin === finish) return encoded ? place : undefined
  let letter = 0
  for (let at = place.start; at < place.end; at++) {
    const code = text.charCodeAt(at)
    if (isMark(code)) continue
    if (letter >= size || !isWritten(code, codes[first + letter] ?? 0)) return place
    letter++
  }
  return letter < size ? place : undefined
}

const isLetter = (code: number): boolean => code >= 97 && code <= 122

/** A soft hyphen, and what is written above or below a letter. */
const isMark = (code: number): boolean => code === 0xad || (code >= 0x300 && code <= 0x36f)

/** A letter as itself, in capitals, or with an accent. */
const isWritten = (code: number, read: number): boolean =>
  code < 128 ? (code | 32) === read : (code >= 0xc0 && code < 0x250) || (code >= 0x1e00 && code <= 0x1eff)
