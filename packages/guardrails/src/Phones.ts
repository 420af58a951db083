/**
 * Phone numbers: international ones, national ones in the groups of some country, and whatever the text calls a phone number.
 */
import metadata from "libphonenumber-js/min/metadata"
import type { Group, Run } from "./Digits.ts"
import { isWordCode } from "./Digits.ts"
import * as NumberingPlans from "./NumberingPlans.ts"

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string, runs: ReadonlyArray<Run>): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  if (runs.length === 0) return found
  // Where no word for a phone stands at all, none stands before a number.
  speaks = anyWord.test(text)
  speaksOtherwise = anyOtherWord.test(text)
  known.clear()
  for (const run of runs) {
    const span = run.plus ? international(text, run) : national(text, run)
    if (span !== undefined) found.push(span)
  }
  // Nothing of a text is kept.
  known.clear()
  return found
}

const digitsOf = (text: string, groups: ReadonlyArray<Group>): string =>
  groups.map(({ end, start }) => text.slice(start, end)).join("")

/** From a plus sign on, as many groups as make a number. */
const international = (text: string, { end, groups, start }: Run): Span | undefined => {
  if (start > 0 && isWordCode(text.charCodeAt(start - 1))) return undefined
  const isCalled = isCalledBefore(text, start)
  for (let count = groups.length; count > 0 && count > groups.length - 4; count--) {
    const last = groups[count - 1]
    if (last === undefined) break
    const all = digitsOf(text, groups.slice(0, count))
    if (all.length < 7 || all.length > 16 || (count === groups.length && isWordCode(text.charCodeAt(end)))) continue
    const number = internationalOnce(all)
    // `+46 (0)179 …`: a trunk prefix that is not dialled from abroad.
    const grouped = count > 1 && all.length >= 9 && hasCallingCode(all)
    const trunk = /^\d{1,3}0\d{8}/.test(all)
    if (
      number === "valid" || (grouped && (trunk || number === "possible")) || isCalled || isCalledAfter(text, last.end)
    ) {
      return { start, end: last.end }
    }
  }
  return undefined
}

const hasCallingCode = (digits: string): boolean =>
  [1, 2, 3].some((length) => Object.hasOwn(metadata.country_calling_codes, digits.slice(0, length)))

const national = (text: string, run: Run): Span | undefined => {
  const { end, groups, start } = run
  const digits = digitsOf(text, groups)
  if (isWordCode(start > 0 ? text.charCodeAt(start - 1) : 32) || isWordCode(text.charCodeAt(end))) return undefined
  if (digits.length < 6 || digits.length > 15 || isDate(text, run) || isPartOfName(text, start, end)) return undefined
  if (called(text, start, end)) return { start, end }
  if (groups.length < 2 || digits.length < 7) return undefined
  if (digits.startsWith("00") && internationalOnce(digits.slice(2)) === "valid") {
    return { start, end }
  }
  const separators = new Set(groups.slice(1).map(({ separator }) => separator))
  const isBracketed = text[start] === "(" || groups.some(({ separator }) => /[()]/.test(separator))
  // Two numbers beside each other are two numbers, unless the first begins as only a phone number does.
  if ((separators.size > 1 || (groups.length < 3 && !digits.startsWith("0"))) && !isBracketed) return undefined
  if (groups.length < 3 && !isBracketed && /\d[.,]$/.test(text.slice(Math.max(0, start - 2), start))) return undefined
  // Groups joined by dots or slashes are versions, dates and fractions more often than numbers.
  if (separators.has("/") || (separators.has(".") && groups.length < 3) || notCalled(text, start)) return undefined
  const shape = shapeOf(groups, digits.startsWith("0"))
  const countries = shapes().get(shape)
  return countries !== undefined && someOf(countries, digits, shape) ? { start, end } : undefined
}

const someOf = (countries: ReadonlySet<string>, digits: string, shape: string): boolean =>
  once(`${shape} ${digits}`, () => {
    for (const country of countries) if (NumberingPlans.isNational(digits, country)) return "valid"
    return "neither"
  }) === "valid"

const internationalOnce = (digits: string) => once(`+${digits}`, () => NumberingPlans.international(digits))

type Answer = ReturnType<typeof NumberingPlans.international>

/** What was found out about the numbers of the text that is looked at, which often has one more than once. */
const known = new Map<string, Answer>()

const once = (number: string, find: () => Answer): Answer => {
  const before = known.get(number)
  if (before !== undefined) return before
  const answer = find()
  if (known.size < 4096) known.set(number, answer)
  return answer
}

/** `ORD-2020-579937`, and what is glued to more of a name. */
const isPartOfName = (text: string, start: number, end: number): boolean =>
  (/[\w][-/.:_]$/.test(text.slice(Math.max(0, start - 2), start)) &&
    !/\d:$/.test(text.slice(Math.max(0, start - 2), start))) ||
  (/^(?:[-_/][A-Za-z0-9]|\.[A-Za-z])/.test(text.slice(end, end + 2)) && !afterWords.test(text.slice(end, end + 12)))

const isDate = (text: string, { end, groups, start }: Run): boolean => {
  // An address or a mask.
  if (groups.length === 4 && groups.every((group) => group.start === start || group.separator === ".")) return true
  const lengths = groups.map((group) => group.end - group.start).join("-")
  const first = Number(text.slice(groups[0]?.start, groups[0]?.end))
  const isYear = first >= 1900 && first <= 2100
  return (isYear && /^4-[12]-[12](?:-|$)/.test(lengths)) || /^[12]-[12]-4(?:-|$)/.test(lengths) ||
    text[end] === ":" && /^\d/.test(text.slice(end + 1, end + 2)) ||
    (isYear && groups.length === 2 && lengths === "4-4") ||
    (start > 0 && text[start - 1] === ":" && /\d/.test(text.charAt(start - 2)))
}

const phoneWords =
  /(?:phone|mobile|\bcell(?:ular)?|\btel(?:efon|efono|éfono|\.|\b)|\bfax|\bsms\b|whatsapp|\bcall(?:\s+(?:me|us|him|her))?|contact[ _-]?(?:number|no)|registered|\bdial|handy|\bmsisdn|\bring\b|hotline|\btext\s+(?:me|us))[^\p{L}\d\n]{0,4}(?:(?:number|no|nr|is|at|on|to|me|us|num|office|home|work|the|my|:|=)[^\p{L}\d\n]{0,3}){0,3}$/iu
const afterWords = /^[\s\-–,(]{0,3}(?:office|fax|mobile|cell|home|work|phone|tel)\b/i

/** Whether the words around it call it a phone number. */
const called = (text: string, start: number, end: number): boolean =>
  isCalledBefore(text, start) || isCalledAfter(text, end)

/** Of the text that is looked at. */
let speaks = true

const anyWord =
  /phone|mobile|cell|tel|t\u00e9l|fax|sms|whatsapp|call|contact|registered|dial|handy|msisdn|ring|hotline|text|office|home|work/i

const isCalledBefore = (text: string, start: number): boolean =>
  speaks && phoneWords.test(text.slice(Math.max(0, start - 48), start))

const isCalledAfter = (text: string, end: number): boolean => speaks && afterWords.test(text.slice(end, end + 12))

const otherWords =
  /(?:isbn|issn|\bssn|\bid\b|_id|\bref|order|invoice|track|serial|amount|price|total|account|version|build|port|zip|date|time|\bat|code|\bpid|count|size|bytes|lat|lon|coord|meter|case|ticket|\brun|trace)\w{0,10}[^\p{L}\d\n]{0,4}$/iu

const anyOtherWord =
  /isbn|issn|ssn|id|ref|order|invoice|track|serial|amount|price|total|account|version|build|port|zip|date|time|at|code|pid|count|size|bytes|lat|lon|coord|meter|case|ticket|run|trace/i

/** Of the text that is looked at. */
let speaksOtherwise = true

const notCalled = (text: string, start: number): boolean =>
  speaksOtherwise && otherWords.test(text.slice(Math.max(0, start - 24), start))

const shapeOf = (groups: ReadonlyArray<Group>, trunk: boolean): string =>
  `${trunk ? "0:" : ""}${groups.map(({ end, start }) => end - start).join("-")}`

let written: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** In which groups which countries write their numbers. */
const shapes = (): ReadonlyMap<string, ReadonlySet<string>> => written ??= readShapes()

const readShapes = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  const add = (shape: string, country: string) => {
    const countries = found.get(shape)
    if (countries === undefined) found.set(shape, new Set([country]))
    else countries.add(country)
  }
  for (const [, countries] of Object.entries(metadata.country_calling_codes)) {
    for (const country of countries) {
      const own = formatsOf(country)
      // A country without formats of its own writes as the first of its calling code does.
      for (const { lengths, trunk } of own.length > 0 ? own : formatsOf(countries[0] ?? country)) {
        for (const shape of lengths) {
          if (shape.length < 2) continue
          add(shape.join("-"), country)
          add(`0:${[(shape[0] ?? 0) + 1, ...shape.slice(1)].join("-")}`, country)
          if (!trunk) add(`0:${shape.join("-")}`, country)
        }
      }
    }
  }
  return found
}

interface Format {
  readonly lengths: ReadonlyArray<ReadonlyArray<number>>
  readonly trunk: boolean
}

/** The formats of a country, as the metadata holds them: a pattern of groups, and how the trunk prefix is put before it. */
const formatsOf = (country: string): ReadonlyArray<Format> => {
  const rows: unknown = NumberingPlans.isCountry(country)
    ? Object.values(metadata.countries[country] ?? [])[4]
    : undefined
  if (!Array.isArray(rows)) return []
  return rows.flatMap((row: unknown): ReadonlyArray<Format> => {
    const [pattern, , , rule]: ReadonlyArray<unknown> = Array.isArray(row) ? row : []
    return typeof pattern === "string"
      ? [{ lengths: expand(pattern), trunk: typeof rule === "string" && rule.startsWith("0") }]
      : []
  })
}

/** `(\d{2})(\d{3,4})` as lengths of groups: 2-3 and 2-4. */
const expand = (pattern: string): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from(pattern.matchAll(/\(([^()]*)\)/g), ([, group = ""]) => {
    const counts = Array.from(group.matchAll(/(?:\[[^\]]*\]|\\d|\d)(?:\{(\d+)(?:,(\d+))?\})?/g))
    const least = counts.reduce((sum, [, from]) => sum + Number(from ?? 1), 0)
    const most = counts.reduce((sum, [, from, to]) => sum + Number(to ?? from ?? 1), 0)
    return Array.from({ length: Math.min(6, most - least + 1) }, (_, at) => least + at)
  }).reduce<ReadonlyArray<ReadonlyArray<number>>>(
    (shapes, options) => shapes.flatMap((shape) => options.map((option) => [...shape, option])).slice(0, 64),
    [[]]
  )
