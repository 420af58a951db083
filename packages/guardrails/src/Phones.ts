/**
 * Phone numbers: international ones, national ones in the groups of some country, and whatever the text calls a phone number.
 */
import metadata from "libphonenumber-js/min/metadata"
import * as DigitPatterns from "./DigitPatterns.ts"
import type { Group, Run } from "./Digits.ts"
import { isDigit, isWordCode } from "./Digits.ts"
import * as NumberingPlans from "./NumberingPlans.ts"
import type { Said } from "./PhoneWords.ts"
import { isAsciiLetter, isCalledAfter, isCalledBefore, notCalled, saidIn } from "./PhoneWords.ts"

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
  const said = saidIn(text)
  for (const run of runs) {
    const span = run.plus ? international(said, run) : national(said, run)
    if (span !== undefined) found.push(span)
  }
  return found
}

const digitsOf = (text: string, groups: ReadonlyArray<Group>, count: number): string => {
  let all = ""
  for (let at = 0; at < count; at++) {
    const group = groups[at]
    if (group !== undefined) all += text.slice(group.start, group.end)
  }
  return all
}

/** From a plus sign on, as many groups as make a number. */
const international = (said: Said, { end, groups, start }: Run): Span | undefined => {
  const { text } = said
  if (start > 0 && isWordCode(text.charCodeAt(start - 1))) return undefined
  const isCalled = isCalledBefore(said, start)
  for (let count = groups.length; count > 0 && count > groups.length - 4; count--) {
    const last = groups[count - 1]
    if (last === undefined) break
    const length = lengthOf(groups, count)
    if (length < 7 || length > 16 || (count === groups.length && isWordCode(text.charCodeAt(end)))) continue
    const all = digitsOf(text, groups, count)
    const number = NumberingPlans.international(all)
    // `+46 (0)179 …`: a trunk prefix that is not dialled from abroad.
    const isGrouped = count > 1 && length >= 9 && (number === "possible" || /^\d{1,3}0\d{8}/.test(all))
    if (
      number === "valid" || (isGrouped && hasCallingCode(all)) || isCalled || isCalledAfter(text, last.end)
    ) {
      return { start, end: last.end }
    }
  }
  return undefined
}

const hasCallingCode = (digits: string): boolean =>
  [1, 2, 3].some((length) => Object.hasOwn(metadata.country_calling_codes, digits.slice(0, length)))

const lengthOf = (groups: ReadonlyArray<Group>, count: number): number => {
  let length = 0
  for (let at = 0; at < count; at++) length += sizeOf(groups[at])
  return length
}

const sizeOf = (group: Group | undefined): number => group === undefined ? 0 : group.end - group.start

const national = (said: Said, run: Run): Span | undefined => {
  const { text } = said
  const { end, groups, start } = run
  const before = start > 0 ? text.charCodeAt(start - 1) : 32
  if (isWordCode(before) || isWordCode(text.charCodeAt(end))) return undefined
  const length = lengthOf(groups, groups.length)
  if (length < 6 || length > 15 || isDate(text, run) || isPartOfName(text, start, end)) return undefined
  if (isCalledBefore(said, start) || isCalledAfter(text, end)) return { start, end }
  const [first] = groups
  if (first === undefined || groups.length < 2 || length < 7) return undefined
  const hasTrunk = text.charCodeAt(first.start) === 48
  if (hasTrunk && isFromAbroad(text, groups)) return { start, end }
  const separator = groups[1]?.separator ?? ""
  let isMixed = false
  let isBracketed = text.charCodeAt(start) === 40
  for (let at = 1; at < groups.length; at++) {
    const own = groups[at]?.separator ?? ""
    isMixed ||= own !== separator
    isBracketed ||= own.includes("(") || own.includes(")")
    // Groups joined by dots or slashes are versions, dates and fractions more often than numbers.
    if (own === "/" || (own === "." && groups.length < 3)) return undefined
  }
  // Two numbers beside each other are two numbers, unless the first begins as only a phone number does.
  if ((isMixed || (groups.length < 3 && !hasTrunk)) && !isBracketed) return undefined
  const isDecimal = (before === 46 || before === 44) && isDigit(text.charCodeAt(start - 2))
  if (groups.length < 3 && !isBracketed && isDecimal) return undefined
  return isWritten(text, groups, hasTrunk, length) && !notCalled(said, start) ? { start, end } : undefined
}

/** `0041 …` */
const isFromAbroad = (text: string, groups: ReadonlyArray<Group>): boolean => {
  const digits = digitsOf(text, groups, groups.length)
  return digits.startsWith("00") && NumberingPlans.international(digits.slice(2)) === "valid"
}

/** Whether some country writes its numbers in such groups, and has this one. */
const isWritten = (text: string, groups: ReadonlyArray<Group>, hasTrunk: boolean, length: number): boolean => {
  const key = keyOf(groups.map(sizeOf), hasTrunk)
  const shape = key === undefined ? undefined : shapes().get(key)
  if (shape === undefined) return false
  const numbers = shape.numbers ??= NumberingPlans.numbersOf(shape.countries, length)
  let rest = numbers.dialled
  for (const group of groups) {
    for (let at = group.start; at < group.end; at++) rest = DigitPatterns.after(rest, text.charCodeAt(at) - 48)
  }
  return rest.ends || (numbers.leads !== 0 && NumberingPlans.isOther(numbers, digitsOf(text, groups, groups.length)))
}

/** `ORD-2020-579937`, and what is glued to more of a name. */
const isPartOfName = (text: string, start: number, end: number): boolean => {
  const before = start > 1 ? text.charCodeAt(start - 1) : 32
  if (before === 45 || before === 47 || before === 46 || before === 58 || before === 95) {
    const name = text.charCodeAt(start - 2)
    if (isAsciiLetter(name) || name === 95 || (isDigit(name) && before !== 58)) return true
  }
  const after = text.charCodeAt(end)
  if (after !== 45 && after !== 95 && after !== 47 && after !== 46) return false
  const next = text.charCodeAt(end + 1)
  return (isAsciiLetter(next) || (after !== 46 && isDigit(next))) && !isCalledAfter(text, end)
}

const isDate = (text: string, { end, groups, start }: Run): boolean => {
  const [group, second, third] = groups
  if (group === undefined) return false
  // An address or a mask.
  if (groups.length === 4 && groups.every((one) => one.start === start || one.separator === ".")) return true
  const first = sizeOf(group)
  const isShort = second !== undefined && sizeOf(second) < 3
  if (third !== undefined && isShort && first < 3 && sizeOf(third) === 4) return true
  if (first === 4 && second !== undefined) {
    const year = Number(text.slice(group.start, group.end))
    const isYear = year >= 1900 && year <= 2100
    if (isYear && third !== undefined && isShort && sizeOf(third) < 3) return true
    if (isYear && groups.length === 2 && sizeOf(second) === 4) return true
  }
  return (text.charCodeAt(end) === 58 && isDigit(text.charCodeAt(end + 1))) ||
    (start > 1 && text.charCodeAt(start - 1) === 58 && isDigit(text.charCodeAt(start - 2)))
}

interface Shape {
  readonly countries: Set<string>
  /** All its numbers, read when they are asked for. */
  numbers: NumberingPlans.Numbers | undefined
}

/** The lengths of groups as a number; none where there are more or longer ones than phone numbers have. */
const keyOf = (lengths: ReadonlyArray<number>, trunk: boolean): number | undefined =>
  lengths.length > 7 || lengths.some((length) => length > 15)
    ? undefined
    : lengths.reduce((key, length) => key * 16 + length, trunk ? 2 : 1)

let written: ReadonlyMap<number, Shape> | undefined

/** In which groups which countries write their numbers. */
const shapes = (): ReadonlyMap<number, Shape> => written ??= readShapes()

const readShapes = (): ReadonlyMap<number, Shape> => {
  const found = new Map<number, Shape>()
  const add = (lengths: ReadonlyArray<number>, trunk: boolean, country: string) => {
    const key = keyOf(lengths, trunk)
    if (key === undefined) return
    const shape = found.get(key)
    if (shape === undefined) found.set(key, { countries: new Set([country]), numbers: undefined })
    else shape.countries.add(country)
  }
  for (const [, countries] of Object.entries(metadata.country_calling_codes)) {
    for (const country of countries) {
      const own = formatsOf(country)
      // A country without formats of its own writes as the first of its calling code does.
      for (const { lengths, trunk } of own.length > 0 ? own : formatsOf(countries[0] ?? country)) {
        for (const shape of lengths) {
          if (shape.length < 2) continue
          add(shape, false, country)
          add([(shape[0] ?? 0) + 1, ...shape.slice(1)], true, country)
          if (!trunk) add(shape, true, country)
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
