/**
 * Words that stand in a text in disguise: whoever reads closely finds them, and they are not what is written there. Letters of
 * another alphabet, characters of no width, tags, digits for letters, letters apart, words backwards or shifted.
 */
import { folded, inWord } from "./Folding.ts"
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

/** So many words that are not known, each masked letter by letter, are no chance either: other languages have a disguise too. */
const many = 4

/**
 * Where two different ones stand near each other, or four different words that are not known.
 *
 * **Details**
 *
 * A word that is not known has to be masked by its letters alone: of two alphabets, in tags, in full width, or with characters of no
 * width between them; with `encoded` they may be percent signs. Accents and soft hyphens disguise nothing. What is encoded, such
 * as base64, is looked at with `encoded` only: machines write that every day, and people who ask for something do not.
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
  const isMaskedAnywhere = encoded || masks.test(text)
  const row = new Set<number>()
  let masked: { readonly token: number; readonly place: Place } | undefined
  for (let token = 0; token < count; token++) {
    const name = hashes[token] ?? 0
    if (isMaskedAnywhere && name !== 0) {
      const place = maskedAt(text, reading, at[token] ?? 0, encoded)
      if (place !== undefined) {
        if (masked === undefined || token - masked.token > near) row.clear()
        row.add(name)
        const start = row.size > 1 ? Math.min(masked?.place.start ?? place.start, place.start) : place.start
        if (row.size >= many) found.push({ start, end: place.end })
        masked = { token, place: { start, end: place.end } }
      }
    }
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

/** What letters can be masked with. */
const masks = /[\u0400-\u04ff\u0500-\u058f\u180e\u200b-\u200d\u2060-\u2064\ufeff\uff21-\uff5a\udb40]/

/** Where the word that begins here is written, if its letters are masked, whatever it says. */
const maskedAt = (text: string, { codes, from, length }: Reading, first: number, encoded: boolean) => {
  let size = 0
  while (first + size < length && inWord[codes[first + size] ?? 0] === 1) size++
  if (size < least) return undefined
  const start = from[first] ?? 0
  const end = (from[first + size - 1] ?? 0) + 1
  const place: Place = { start, end }
  // What is decoded stands in one place. Letters have no reason to be written as percent signs.
  if (end === start + 1) {
    return encoded && text.charCodeAt(start) === 37 && isLetter(codes[first] ?? 0)
      ? place
      : undefined
  }
  // What is turned ends before it begins.
  if (end - start < size) return undefined
  let plain = 0
  let wide = 0
  let tags = 0
  let lookalikes = 0
  let gaps = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code < 128) {
      if (!isLatin(code)) return undefined
      plain++
    } else if (code >= 0x400 && code < 0x590) {
      // A letter of a word that is written in that alphabet, and only has the wrong key hit once.
      if (!isLetter(folded[code] ?? 0)) return undefined
      lookalikes++
    } else if (code >= 0xff21 && code <= 0xff5a) wide++
    else if (code === 0xdb40) tags++
    else if (isGap(code)) gaps++
  }
  // The flag of a country's part is written in tags too.
  const isFlag = text.charCodeAt(start - 1) === 0xdff4
  return gaps > 1 || wide >= least || (tags >= least && !isFlag) || (plain > 0 && lookalikes > 0) ? place : undefined
}

const isLatin = (code: number): boolean => isLetter(code | 32)

/** Characters of no width. */
const isGap = (code: number): boolean =>
  (code >= 0x200b && code <= 0x200d) || (code >= 0x2060 && code <= 0x2064) || code === 0xfeff || code === 0x180e

const isLetter = (code: number): boolean => code >= 97 && code <= 122

/** A soft hyphen, and what is written above or below a letter. */
const isMark = (code: number): boolean => code === 0xad || (code >= 0x300 && code <= 0x36f)

/** A letter as itself, in capitals, or with an accent. */
const isWritten = (code: number, read: number): boolean =>
  code < 128 ? (code | 32) === read : (code >= 0xc0 && code < 0x250) || (code >= 0x1e00 && code <= 0x1eff)
