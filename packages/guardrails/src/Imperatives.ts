/**
 * Where a text orders something: verbs as they stand at the beginning of an instruction, and what must be done.
 */
import type { Action } from "./Actions.ts"
import { families } from "./Verbs.ts"

/**
 * A verb that orders, with what it may be a form of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Imperative {
  readonly start: number
  readonly end: number
  /** English verbs that it is, or is a form of. */
  readonly english: ReadonlyArray<string>
  /** In another language, as it stands. */
  readonly other: string | undefined
}

/** "You can find it there" orders nothing. */
const seeking = new Set(["find", "see", "look", "search", "summarize", "summarise"])

/**
 * Participles that do not end in `ed`, with their verbs.
 *
 * @category constants
 * @since 0.1.0
 */
export const irregular: ReadonlyArray<readonly [form: string, verb: string]> = [
  ["sent", "send"],
  ["paid", "pay"],
  ["made", "make"],
  ["written", "write"],
  ["given", "give"],
  ["told", "tell"],
  ["bought", "buy"],
  ["taken", "take"],
  ["bound", "bind"],
  ["brought", "bring"],
  ["kept", "keep"],
  ["withdrawn", "withdraw"]
]

/** All verbs, and of English ones the forms by which something is said to be done to something. */
const known: ReadonlySet<string> =
  new Set(families.flatMap(({ english }) => [...english]).filter((verb) => !seeking.has(verb)))
const others = new Set(families.flatMap((family) => [...family.others]))
const done = new Map<string, ReadonlyArray<string>>()
for (const verb of known) {
  const last = verb.charAt(verb.length - 1)
  for (const form of [`${verb}ed`, `${verb}d`, `${verb}${last}ed`, `${verb.slice(0, -1)}ied`, verb]) {
    if (form !== verb || /(?:t|en)$/.test(verb)) done.set(form, [...done.get(form) ?? [], verb])
  }
}
for (const [form, verb] of irregular) done.set(form, [verb])

const size = 1 << 16
const sieve = new Uint8Array(size)
const seed = 0x811c9dc5 | 0
const step = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)
for (const word of [...known, ...others, ...done.keys()]) {
  let hash = seed
  for (let at = 0; at < word.length; at++) hash = step(hash, word.charCodeAt(at))
  sieve[hash & size - 1] = 1
}

/** Of characters that words are made of the lower-case one, 0 of others. What is beyond this is taken as it is. */
const folded = new Uint16Array(0x3040)
for (let code = 0; code < folded.length; code++) {
  const character = String.fromCharCode(code)
  if (/[\p{L}\p{M}'’-]/u.test(character)) folded[code] = character.toLowerCase().charCodeAt(0)
}

/**
 * The verbs of a text that order, in one pass.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Imperative> => {
  const found: Array<Imperative> = []
  let start = -1
  let hash = seed
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    const letter = code < folded.length ? folded[code] ?? 0 : code
    // A word begins with a letter.
    if (letter !== 0 && (start >= 0 || letter > 64)) {
      if (start < 0) {
        start = at
        hash = seed
      }
      hash = step(hash, letter)
      continue
    }
    if (start >= 0 && sieve[hash & size - 1] === 1) {
      const imperative = read(text, start, at)
      if (imperative !== undefined) found.push(imperative)
    }
    start = -1
    // A line break, as it is written in a text in quotes.
    if (code === 92 && /[nrt]/.test(text.charAt(at + 1))) at++
  }
  return found
}

/**
 * The same for words that no language has as verbs: those of the name of a tool that says nothing else.
 *
 * @category finders
 * @since 0.1.0
 */
export const findWords = (text: string, words: ReadonlySet<string>): ReadonlyArray<Imperative> =>
  Array.from(text.matchAll(/[a-z]{4,40}/gi)).flatMap(({ 0: word, index }) => {
    const one = words.has(word.toLowerCase()) ? read(text, index, index + word.length, words) : undefined
    return one === undefined ? [] : [one]
  })

const read = (text: string, start: number, end: number, verbs = known): Imperative | undefined => {
  const word = text.slice(start, end)
  const own = word.toLowerCase()
  // The name of a member, or a part of a longer name.
  if (
    /^(?:['"]?\s*[:=]|[_@/]|\.\S)/.test(text.slice(end, end + 2)) ||
    /[_@./-]$/.test(text.slice(Math.max(0, start - 1), start))
  ) return undefined
  const english = verbs.has(own) && (begins(text, start) || (own !== word && isAfterSigns(text, start)))
    ? [own]
    : done.has(own) && mustBe.test(text.slice(Math.max(0, start - 24), start))
    ? done.get(own) ?? []
    : []
  const other = others.has(own) ? own : undefined
  return english.length === 0 && other === undefined ? undefined : { start, end, english, other }
}

/**
 * The verbs of a text that order what a call does; `find` may remember those of the text.
 *
 * @category filters
 * @since 0.1.0
 */
export const of = (
  { english, isKnown, others }: Action,
  text: string,
  find: (text: string) => ReadonlyArray<Imperative>
): ReadonlyArray<Imperative> =>
  (isKnown ? find(text) : findWords(text, english)).filter((one) =>
    one.english.some((verb) => english.has(verb)) || (one.other !== undefined && others.has(one.other))
  )

/**
 * Whether an instruction begins at a place: at the beginning, after what ends a sentence, a heading or a line, after a word that
 * leads to an instruction, or after a condition: "if it fails, restart it".
 *
 * @category predicates
 * @since 0.1.0
 */
export const begins = (text: string, at: number): boolean => {
  let end = at
  let comma = false
  while (end > 0) {
    const code = text.charCodeAt(end - 1)
    if (code === 10 || code === 13) return true
    if (code === 44) comma = true
    else if (code > 32 && code !== 160) break
    end--
  }
  if (end === 0) return true
  const last = folded[text.charCodeAt(end - 1)] ?? 1
  // What is no letter: a sign that ends something, unless it is a digit or an apostrophe.
  if (last < 64) return !comma && last !== 39 && !/[\p{N}’]/u.test(text.charAt(end - 1))
  let start = end
  while (start > 0 && end - start < 16 && (folded[text.charCodeAt(start - 1)] ?? 1) > 38) start--
  const word = text.slice(start, end).toLowerCase()
  // A line break, as it is written in a text in quotes.
  if (word.length === 1 && text.charCodeAt(start - 1) === 92 && /[nrt]/.test(word)) return true
  if (end < at && leading.has(word)) return true
  return (comma || word === "please") && condition.test(text.slice(Math.max(0, at - 160), at))
}

const leading =
  new Set(("please kindly to must should shall then and or first also just now do don't don’t not never always could can will would you immediately " +
    "instead next finally simply him her them me").split(" "))

/** After the time and level of a line of a log. */
const isAfterSigns = (text: string, at: number): boolean =>
  /(?:^|\s)(?:\p{Lu}{3,8}|[\d:.TZ-]+)\s+$/u.test(text.slice(Math.max(0, at - 24), at))

const mustBe =
  /(?<![\p{L}])(?:must|should|shall|has to|have to|needs? to|is to|are to)\s+(?:\p{L}+ly\s+)?be\s+(?:\p{L}+ly\s+)?$/iu

/** After a condition: "if it fails, restart it". */
const condition =
  /(?:^|[.!?\n]\s*)(?:if|when|once|before|after|in case|to|for|until|whenever)\s[^.!?\n]{1,150},\s*(?:please\s+)?$/iu
