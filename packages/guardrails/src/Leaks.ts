/**
 * Whether a value that must stay in the house is in what would leave: as it is, encoded, backwards, or in two parts.
 */
import type { Schema } from "effect"
import * as CanonicalText from "./CanonicalText.ts"
import * as Encodings from "./Encodings.ts"
import * as Sinks from "./Sinks.ts"

/**
 * A text of arguments, as it is or as it reads when it is decoded, made ready to look in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Leaving {
  readonly path: string
  readonly text: string
  /** How it was hidden; absent if it was not. */
  readonly form: string | undefined
  /** Its letters and digits alone. */
  readonly letters: string
}

/** Encodings inside encodings. */
const depth = 3

/** More texts than these are not told apart. */
const most = 200

/** Less than this much of a value says nothing of the rest. */
const part = 4

/** A shorter value is in many a text by chance, once the text is read backwards or put together. */
const short = 8

/**
 * All texts of arguments with what stands encoded in them, also in all of them together.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (args: Schema.Json): ReadonlyArray<Leaving> => {
  const found: Array<Leaving> = []
  const add = (path: string, text: string, form: string | undefined, left: number): void => {
    if (found.length >= most) return
    found.push({ path, text, form, letters: lettersOf(text) })
    if (left === 0) return
    for (const { form: own, text: hidden } of Encodings.decoded(text)) add(path, hidden, own, left - 1)
  }
  const all = Sinks.scalars(args)
  for (const [path, value] of all) add(path, String(value), undefined, depth)
  if (all.length > 1 && all.length <= 32) {
    const paths = Array.from(new Set(all.map(([path]) => path))).join(", ")
    for (const { form, text } of Encodings.decoded(all.map(([, value]) => String(value)).join(""))) {
      add(paths, text, form, depth - 1)
    }
  }
  return found
}

/**
 * How a value would leave.
 *
 * @category models
 * @since 0.1.0
 */
export interface Leak {
  readonly path: string
  /** `base64` and the like, `backwards`, `split`; absent if it would leave as it is. */
  readonly form: string | undefined
}

/**
 * Finds a value in what would leave. Of a value that is none of words (`isCode`) also what stands spread, backwards, or in two parts, of
 * which one may have left before.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (
  { isCode, value }: { readonly value: string; readonly isCode: boolean },
  leaving: ReadonlyArray<Leaving>,
  left: ReadonlyArray<Leaving> = []
): Leak | undefined => {
  const letters = lettersOf(value)
  if (letters.length < part) return undefined
  const whole = leaving.find((one) => one.letters.includes(letters) && holds(one.text, value))
  if (whole !== undefined) return { path: whole.path, form: whole.form }
  if (letters.length < short || !isCode) return undefined
  const spread = leaving.find((one) => one.letters.includes(letters))
  if (spread !== undefined) return { path: spread.path, form: spread.form ?? "spread" }
  const reversed = Array.from(letters).reverse().join("")
  const backwards = leaving.find((one) => one.letters.includes(reversed))
  if (backwards !== undefined) return { path: backwards.path, form: "backwards" }
  return split(letters, leaving, left)
}

/** A value of two parts, one of which is in this call. */
const split = (letters: string, now: ReadonlyArray<Leaving>, before: ReadonlyArray<Leaving>): Leak | undefined => {
  const all = [...now, ...before]
  const fits = (length: number, of: (length: number) => string, texts: ReadonlyArray<Leaving>) =>
    texts.some((one) => one.letters.includes(of(length)))
  const longest = (of: (length: number) => string, texts: ReadonlyArray<Leaving>): number => {
    let low = part - 1
    let high = letters.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (fits(middle, of, texts)) low = middle
      else high = middle
    }
    return low < part ? 0 : low
  }
  const head = (length: number) => letters.slice(0, length)
  const tail = (length: number) => letters.slice(letters.length - length)
  const parts = [
    [longest(head, now), longest(tail, all), head],
    [longest(head, all), longest(tail, now), tail]
  ] as const
  for (const [first, second, of] of parts) {
    if (first === 0 || second === 0 || first + second < letters.length) continue
    const length = of === head ? first : second
    return { path: now.find((one) => one.letters.includes(of(length)))?.path ?? "", form: "split" }
  }
  return undefined
}

/** A short value stands by itself, not in the middle of a longer one. */
const holds = (text: string, value: string): boolean => {
  const canonical = CanonicalText.value(text)
  const own = CanonicalText.value(value)
  for (let at = canonical.indexOf(own); at >= 0; at = canonical.indexOf(own, at + 1)) {
    if (!isWord(canonical.charAt(at - 1)) && !isWord(canonical.charAt(at + own.length))) return true
  }
  return false
}

const isWord = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)

const lettersOf = (text: string): string => CanonicalText.value(text).replace(/[^\p{L}\p{N}]+/gu, "")
