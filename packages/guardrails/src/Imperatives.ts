/**
 * Where a text orders something: verbs as they stand at the beginning of an instruction, and what must be done.
 */
import type { Action } from "./Actions.ts"
import * as Asking from "./Asking.ts"
import { families, nouns } from "./Verbs.ts"

/**
 * A verb that orders, with what it may be a form of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Imperative {
  readonly start: number
  readonly end: number
  /** English verbs that it is, or is a form of; none of one that is told by how it is said. */
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
  new Set([...families.flatMap(({ english }) => [...english]), ...Asking.english].filter((verb) => !seeking.has(verb)))
const others = new Set([...families.flatMap((family) => [...family.others]), ...Asking.others])
/** Words of other languages that are words of English too, or names of things: they order where an instruction begins. */
const ambiguous = new Set([
  ...known,
  ..."change marque lance active execute invite copie règle compra carica marca boek teile label retire verse base resume informe plane note mail plan programme agenda cambia cuenta paga pide envie reporte publique consulta pas"
    .split(" ")
])
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

/** The words that tell an order by how it is said. */
const asks = new Uint8Array(size)
for (const [bit, words] of [[1, Asking.behind], [2, Asking.saying]] as const) {
  for (const word of words) {
    let hash = seed
    for (let at = 0; at < word.length; at++) hash = step(hash, word.charCodeAt(at))
    asks[hash & size - 1] = (asks[hash & size - 1] ?? 0) | bit
  }
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
  let before = -1
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
    if (start >= 0) {
      const isKnown = sieve[hash & size - 1] === 1
      const imperative = isKnown ? read(text, start, at) : undefined
      if (imperative !== undefined) found.push(imperative)
      const bits = asks[hash & size - 1] ?? 0
      if (bits > 1 || (bits === 1 && before >= 0 && opens(text, before)) || isForm(text, start, at)) {
        const other = said(text, before, start, at)
        if (other !== undefined && other.start !== found.at(-1)?.start) found.push(other)
      }
      before = start
    }
    start = -1
    // A line break, as it is written in a text in quotes.
    if (code === 92 && /[nrt]/.test(text.charAt(at + 1))) at++
  }
  return found
}

/** Whether a place begins a text, a line, or what stands behind a sign that ends something. */
const opens = (text: string, at: number): boolean => {
  let end = at
  while (end > 0) {
    const code = text.charCodeAt(end - 1)
    if (code === 10 || code === 13) return true
    if (code > 32 && code !== 160) break
    end--
  }
  if (end === 0) return true
  const code = text.charCodeAt(end - 1)
  return !(code === 44 || code === 39 || code === 8217 || (code > 47 && code < 58)) &&
    (code < folded.length ? folded[code] === 0 : false)
}

/** Two letters tell most words that are looked at for their form. */
const isForm = (text: string, start: number, end: number): boolean => {
  const last = text.charCodeAt(end - 1)
  if (last === 122 || last === 90) return end - start > 4
  const second = text.charCodeAt(start + 1)
  return second === 39 || second === 8217
}

/** An order that is told by how it is said, whatever its verb is: it and the word before it. */
const said = (text: string, before: number, start: number, end: number): Imperative | undefined => {
  const word = text.slice(start, end).toLowerCase()
  const order = (from: number, until: number): Imperative => ({
    start: from,
    end: until,
    english: [],
    other: undefined
  })
  if (Asking.isOnlyOrder(word)) return begins(text, start) ? order(start, end) : undefined
  if (Asking.isMust(word, /^\s+([\p{L}’']+)/u.exec(text.slice(end, end + 24))?.[1]?.toLowerCase() ?? "")) {
    return order(start, end)
  }
  if (before < 0 || (word === "sie" && text.charCodeAt(start) !== 83)) return undefined
  const [first = "", between = "x"] = /^([\p{L}’'-]+)(.*)$/su.exec(text.slice(before, start))?.slice(1) ?? []
  return between.trim() === "" && !between.includes("\n") && Asking.isOrder(first.toLowerCase(), word) &&
      opens(text, before)
    ? order(before, before + first.length)
    : undefined
}

/** "Order 12 was sent" orders nothing. */
const isNoun = (word: string, text: string, end: number): boolean =>
  nouns.has(word) && (asNoun.test(text.slice(end, end + 8)) ||
    (numbered.has(word) && /^\s+[\d#№]/.test(text.slice(end, end + 8))))

const asNoun = /^\s+(?:is|are|was|were|has|have|had|will|of|du|de|des|vom|von|del|della)(?!\p{L})/u

const numbered = new Set([
  "order",
  "file",
  "record",
  "note",
  "log",
  "report",
  "post",
  "message",
  "mail",
  "email",
  "issue"
])

const read = (text: string, start: number, end: number): Imperative | undefined => {
  const word = text.slice(start, end)
  const own = word.toLowerCase()
  // The name of a member, or a part of a longer name.
  if (
    /^(?:['"]?\s*[:=]|[_@/]|\.[\p{L}\p{N}_])/u.test(text.slice(end, end + 2)) ||
    /[_@./-]$/.test(text.slice(Math.max(0, start - 1), start))
  ) return undefined
  if (states.has(own) && label.test(text.slice(end, end + 40))) return undefined
  const english =
    known.has(own) && !isNoun(own, text, end) && (begins(text, start) || (own !== word && isAfterSigns(text, start)))
      ? [own]
      : done.has(own) && mustBe.test(text.slice(Math.max(0, start - 24), start))
      ? done.get(own) ?? []
      : []
  const other = others.has(own) && (!ambiguous.has(own) || begins(text, start)) ? own : undefined
  return english.length === 0 && other === undefined ? undefined : { start, end, english, other }
}

/** "Open amount: 12" is the name of a field. */
const states =
  new Set("open clean clear complete correct direct live close double separate lower free plain total".split(" "))
const label = /^\s+\p{L}+(?: \p{L}+)?\s*:(?!\/)/u

/**
 * The verbs of a text that order what a call does; `find` may remember those of the text. Verbs that no family has are those that begin
 * like a word of the tool's name.
 *
 * @category filters
 * @since 0.1.0
 */
export const of = (
  { english, others, stems }: Action,
  text: string,
  find: (text: string) => ReadonlyArray<Imperative>
): ReadonlyArray<Imperative> => [
  ...find(text).filter((one) =>
    one.english.some((verb) => english.has(verb)) || (one.other !== undefined && others.has(one.other))
  ),
  ...(stems.length === 0 ? [] : beginning(text, stems))
]

/** Words that begin so, where an instruction begins, or as what must be done. */
const beginning = (text: string, stems: ReadonlyArray<string>): ReadonlyArray<Imperative> =>
  Array
    .from(text
      .matchAll(new RegExp(`(?<![\\p{L}\\p{N}_@./-])(?:${stems.join("|")})\\p{L}*(?![\\p{L}\\p{N}_@/:=])`, "giu")))
    .flatMap(({ 0: word, index }): ReadonlyArray<Imperative> =>
      (/(?:ed|en|t)$/i.test(word) && mustBe.test(text.slice(Math.max(0, index - 24), index))) || begins(text, index)
        ? [{ start: index, end: index + word.length, english: [word.toLowerCase()], other: undefined }]
        : []
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
    if (code === 44) {
      // The next value of a row.
      if (end === at && end > 1) return true
      comma = true
    } else if (code > 32 && code !== 160) break
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
  // "…, use it".
  if (comma && pronoun.test(text.slice(at, at + 40))) return true
  if (isPurpose(text, at)) return true
  return (comma || word === "please") && condition.test(text.slice(Math.max(0, at - 160), at))
}

/** "To fix it run …". */
const isPurpose = (text: string, at: number): boolean => {
  const window = Math.max(0, at - 100)
  const found = text.slice(window, at).lastIndexOf("To ")
  const from = window + found
  return found >= 0 && /^To \p{Ll}[^.!?\n,]+\s$/u.test(text.slice(from, at)) &&
    (from === 0 || /[^\p{L}\p{N},\s]\s*$|\n\s*$/u.test(text.slice(Math.max(0, from - 4), from)))
}

const pronoun = /^\p{L}+ (?:it|this|that|them|these|those)(?!\p{L})/u

const leading =
  new Set(("please kindly bitte to must should shall then and or first also just now do don't don’t not never always could can will would you immediately " +
    "instead next finally simply him her them me").split(" "))

/** After the time and level of a line of a log. */
const isAfterSigns = (text: string, at: number): boolean =>
  /(?:^|\s)(?:\p{Lu}{3,8}|[\d:.TZ-]+)\s+$/u.test(text.slice(Math.max(0, at - 24), at))

const mustBe =
  /(?<![\p{L}])(?:must|should|shall|has to|have to|needs? to|is to|are to)\s+(?:\p{L}+ly\s+)?be\s+(?:\p{L}+ly\s+)?$/iu

/** After a condition: "if it fails, restart it". */
const condition =
  /(?:^|[.!?\n]\s*)(?:if|when|once|before|after|in case|to|for|until|whenever)\s[^.!?\n]{1,150},\s*(?:please\s+)?$/iu
