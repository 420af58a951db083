/**
 * Texts in the form in which they are compared: compatibility forms folded, case folded, nothing unseen, one space for any run of
 * white space. Each place knows where it was in the original.
 */

/**
 * A text to compare, and where its characters come from.
 *
 * @category models
 * @since 0.1.0
 */
export interface CanonicalText {
  readonly text: string
  /** Where the character at this index was in the original; its length for what is behind the last one. */
  readonly at: (index: number) => number
}

/**
 * Reads a text in one pass.
 *
 * **Details**
 *
 * NFKC, one base character with its marks at a time; lower case; curly quotes become straight, dashes hyphens. Characters that are
 * not shown (zero width, direction, variation, soft hyphens, tags) are left out.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (original: string): CanonicalText => {
  if (!changing.test(original)) {
    return { text: simple(original), at: (place) => Math.min(place, original.length) }
  }
  const pieces: Array<string> = []
  // Where a piece begins, in the canonical text and in the original; within a piece both count alike.
  const places: Array<number> = []
  const from: Array<number> = []
  let length = 0
  let blank = false
  const put = (piece: string, at: number) => {
    // What was not shown may have kept two spaces apart.
    const text = blank && piece.startsWith(" ") ? piece.slice(1) : piece
    if (text === "") return
    pieces.push(text)
    places.push(length)
    from.push(at + piece.length - text.length)
    length += text.length
    blank = text.endsWith(" ")
  }
  const plain = (start: number, end: number) => {
    let done = start
    for (const { 0: run, index } of original.slice(start, end).matchAll(blanks)) {
      put(simple(original.slice(done, start + index)), done)
      put(" ", start + index)
      done = start + index + run.length
    }
    put(simple(original.slice(done, end)), done)
  }
  let done = 0
  for (const { 0: run, index } of original.matchAll(foreign)) {
    // A mark changes what it stands on, whatever that is.
    const start = index > done && leadingMark.test(run) ? index - 1 : index
    plain(done, start)
    done = index + run.length
    const whole = original.slice(start, done)
    if (isOrdinary(whole)) put(whole.toLowerCase(), start)
    else {
      for (const { 0: cluster, index } of whole.matchAll(clusters)) {
        for (const one of folded(cluster)) put(one, start + index)
      }
    }
  }
  plain(done, original.length)
  return {
    text: pieces.join(""),
    at: (place) => {
      if (place >= length) return original.length
      const piece = last(places, place)
      return (from[piece] ?? 0) + place - (places[piece] ?? 0)
    }
  }
}

/**
 * The text alone, without white space around it: how a value is looked for.
 *
 * @category constructors
 * @since 0.1.0
 */
export const value = (original: string): string => of(original).text.trim()

/** What makes the canonical text longer or shorter. */
const changing = /\P{ASCII}|[\p{Cc} ]{2}/u

const foreign = /\P{ASCII}+/gu
const blanks = /(?:\p{Cc}| ){2,}/gu
const leadingMark = /^\p{M}/u

/** One character with its marks. */
const clusters = /[^]\p{M}*/gu

const simple = (text: string): string => text.toLowerCase().replace(/\p{Cc}/gu, " ")

/** Nothing of it is written in another way, so every character stays where it is. */
const isOrdinary = (text: string): boolean =>
  !special.test(text) && text.normalize("NFKC") === text && text.toLowerCase().length === text.length

const special = /[\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Pd}\p{Pi}\p{Pf}\u2032\u2033\u00b4\u201a\u201e\u2212]/u

/** Texts are made of few different characters. */
const folded = (cluster: string): ReadonlyArray<string> => {
  const known = folds.get(cluster)
  if (known !== undefined) return known
  const made = fold(cluster)
  if (folds.size < 10_000 && cluster.length < 8) folds.set(cluster, made)
  return made
}

const folds = new Map<string, ReadonlyArray<string>>()

const fold = (special: string): ReadonlyArray<string> => {
  const folded = special.replace(unseen, "").normalize("NFKC").toLowerCase().replace(unseen, "")
  return Array.from(folded, (one) => twins.get(one) ?? (/\s/u.test(one) || one < " " ? " " : one))
}

const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** Characters that are typed for others, without being a compatibility form of them. */
const twins = new Map(([
  ["\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"],
  ["\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", "\""],
  ["\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"]
] as const).flatMap(([all, one]) => Array.from(all, (character) => [character, one] as const)))

/**
 * The index of the last of ascending numbers that is not above this one.
 *
 * @category getters
 * @since 0.1.0
 */
export const last = (numbers: ReadonlyArray<number>, most: number): number => {
  let low = 0
  let high = numbers.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= most) low = middle
    else high = middle
  }
  return low
}
