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
    if (span !== undefined) {
      found.push(span)
      continue
    }
    for (const part of partsOf(run)) {
      const own = national(said, part)
      if (own !== undefined) found.push(own)
    }
  }
  return found
}

const none: ReadonlyArray<Run> = []

const hasBoth = (groups: ReadonlyArray<Group>): boolean => {
  let blanks = 0
  for (const { separator } of groups) if (separator === " ") blanks++
  return blanks > 0 && blanks < groups.length - 1
}

/** What stands between blanks in a row of numbers: `12 503-555-0177 97201`. */
const partsOf = ({ groups, plus }: Run): ReadonlyArray<Run> => {
  if (plus || groups.length < 4 || !hasBoth(groups)) return none
  const parts: Array<Array<Group>> = []
  for (const group of groups) {
    if (group.separator === "" || group.separator === " ") parts.push([{ ...group, separator: "" }])
    else parts.at(-1)?.push(group)
  }
  return parts.length < 2 ? [] : parts.flatMap((part) => {
    const [first] = part
    const last = part.at(-1)
    return first === undefined || last === undefined || part.length < 3
      ? []
      : [{ start: first.start, end: last.end, plus: false, groups: part }]
  })
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
  return isWrittenFromAbroad(text, groups, end) ? { start, end } : undefined
}

/** What no plan has any more, or not yet, in three or more groups that are no thousands: `+52 1 81 …`. */
const isWrittenFromAbroad = (text: string, groups: ReadonlyArray<Group>, end: number): boolean => {
  const length = lengthOf(groups, groups.length)
  return groups.length > 2 && length >= 10 && length <= 15 && !isWordCode(text.charCodeAt(end)) &&
    !groups.every((group, at) => at === 0 || sizeOf(group) === 3) &&
    groups.every(({ separator }) => separator !== "." && separator !== "/") &&
    hasCallingCode(digitsOf(text, groups, groups.length))
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
  if (isWordCode(before) || (isWordCode(text.charCodeAt(end)) && !isExtension(text, end))) return undefined
  const length = lengthOf(groups, groups.length)
  if (length < 6 || length > 15 || isDate(text, run)) return undefined
  // `tel:020 …`: a colon joins a number to what it is called, and other names to their parts.
  if (isPartOfName(text, start, end)) {
    const mayBeCalled = before === 58 || before === 46 || (before === 47 && text.startsWith("wa.me/", start - 6))
    return mayBeCalled && isCalledBefore(said, start) ? { start, end } : undefined
  }
  if (isCalledBefore(said, start) || isCalledAfter(text, end)) return { start, end }
  const [first] = groups
  if (first === undefined || groups.length < 2 || length < 7) return undefined
  const hasTrunk = text.charCodeAt(first.start) === 48
  if (hasTrunk && isFromAbroad(text, groups)) return { start, end }
  const joints = jointsOf(text, run)
  // Two numbers beside each other are two numbers, unless the first begins as only a phone number does.
  const hasLead = hasTrunk || (groups.length > 3 && isLead(text, first))
  if (!joints.isBracketed && ((joints.isMixed && !hasLead) || (groups.length < 3 && !hasTrunk))) return undefined
  // Groups joined by dots or slashes are versions, dates and fractions more often than numbers.
  if (joints.hasSlash && !(hasTrunk && joints.isArea)) return undefined
  if (joints.hasDot && !(length > 8 && (hasTrunk || isNorthAmerican(groups)) && groups.length > 2)) return undefined
  const isDecimal = (before === 46 || before === 44) && isDigit(text.charCodeAt(start - 2))
  if (groups.length < 3 && !joints.isBracketed && isDecimal) return undefined
  if (!hasTrunk && isThousands(text, groups)) return undefined
  const isNumber = isWritten(text, groups, hasTrunk, length) ||
    // The rest of it in groups of its own: `0221 4710-555`.
    (hasTrunk && joints.isMixed && sizeOf(first) > 2 &&
      isWritten(text, [first, restOf(groups)], hasTrunk, length, groups))
  return isNumber && !notCalled(said, start) &&
      !(!hasTrunk && !joints.isBracketed && !isNorthAmerican(groups) &&
        isAcronym.test(text.slice(Math.max(0, start - 8), start)))
    ? { start, end }
    : undefined
}

/** `ABN 51 824 …`: the number of a register. */
const isAcronym = /(?:^|[^\p{L}\d])[A-Z]{2,5}[ :.#-]{1,2}$/u

interface Joints {
  readonly isMixed: boolean
  readonly isBracketed: boolean
  readonly hasDot: boolean
  readonly hasSlash: boolean
  /** Whether the only slash stands behind the first group. */
  readonly isArea: boolean
}

const jointsOf = (text: string, { groups, start }: Run): Joints => {
  const first = groups[1]?.separator ?? ""
  let isMixed = false
  let isBracketed = text.charCodeAt(start) === 40
  let hasDot = false
  let hasSlash = false
  let isArea = true
  for (let at = 1; at < groups.length; at++) {
    const own = groups[at]?.separator ?? ""
    isMixed ||= own !== first
    isBracketed ||= own.includes("(") || own.includes(")")
    hasDot ||= own === "."
    hasSlash ||= own.includes("/")
    isArea &&= at === 1 || !own.includes("/")
  }
  return { isMixed, isBracketed, hasDot, hasSlash, isArea }
}

/** `0212 555 0147x204` */
const isExtension = (text: string, end: number): boolean =>
  (text.charCodeAt(end) | 32) === 120 && isDigit(text.charCodeAt(end + 1))

/** The prefix of long distance of North America and of Russia, on its own. */
const isLead = (text: string, { end, start }: Group): boolean =>
  end - start === 1 && (text.charCodeAt(start) === 49 || text.charCodeAt(start) === 56)

const isNorthAmerican = (groups: ReadonlyArray<Group>): boolean => {
  const [a, b, c, d] = groups.map(sizeOf)
  return a === 1 ? b === 3 && c === 3 && d === 4 : a === 3 && b === 3 && c === 4
}

/** `1 000 000`, `125 000 000`, `12 345 678 EUR` */
const isThousands = (text: string, groups: ReadonlyArray<Group>): boolean => {
  const [first] = groups
  const last = groups.at(-1)
  return first !== undefined && last !== undefined && sizeOf(first) < 4 &&
    groups.every((group, at) => at === 0 || sizeOf(group) === 3) &&
    (sizeOf(first) === 1 || text.startsWith("000", last.start) || text.charCodeAt(first.start - 1) === 45 ||
      unit.test(text.slice(last.end, last.end + 8)))
}

const unit = /^ ?(?:[€$£¥₽₹%]|Kč|kr\b|zł|Ft\b|[A-Z]{3}\b|people|items|rows|bytes|files)/

const restOf = (groups: ReadonlyArray<Group>): Group => {
  const length = lengthOf(groups, groups.length) - sizeOf(groups[0])
  return { start: 0, end: length, separator: "" }
}

/** `0041 …` */
const isFromAbroad = (text: string, groups: ReadonlyArray<Group>): boolean => {
  const digits = digitsOf(text, groups, groups.length)
  return digits.startsWith("00") && NumberingPlans.international(digits.slice(2)) === "valid"
}

/** Whether some country writes its numbers in such groups, and has this one. */
const isWritten = (
  text: string,
  shown: ReadonlyArray<Group>,
  hasTrunk: boolean,
  length: number,
  groups: ReadonlyArray<Group> = shown
): boolean => {
  const key = keyOf(shown.map(sizeOf), hasTrunk)
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
  if (groups.length === 4 && groups.every((one) => sizeOf(one) < 4 && (one === group || one.separator === "."))) {
    return true
  }
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
          if (hasLead(country)) add([1, ...shape], false, country)
        }
      }
    }
  }
  return found
}

/** Whether long distance is dialled with a digit that is no zero. */
const hasLead = (country: string): boolean => {
  const lead: unknown = NumberingPlans.isCountry(country)
    ? Object.values(metadata.countries[country] ?? [])[5]
    : undefined
  return lead === "1" || lead === "8"
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
