/**
 * Payment cards: prefix and length of an issuer, and the Luhn sum.
 */
import type { Run } from "./Digits.ts"
import { isWordCode } from "./Digits.ts"
import { isCalledBefore, saidIn } from "./PhoneWords.ts"

interface Span {
  readonly start: number
  readonly end: number
}

/** First and last prefix, and the lengths that an issuer gives out. */
const issuers: ReadonlyArray<readonly [from: number, to: number, lengths: ReadonlyArray<number>]> = [
  [4, 4, [13, 16, 19]],
  [51, 55, [16]],
  [2221, 2720, [16]],
  [34, 34, [15]],
  [37, 37, [15]],
  [6011, 6011, [16, 17, 18, 19]],
  [644, 649, [16, 17, 18, 19]],
  [65, 65, [16, 17, 18, 19]],
  [62, 62, [16, 17, 18, 19]],
  [81, 81, [16, 17, 18, 19]],
  [300, 305, [14, 15, 16, 17, 18, 19]],
  [3095, 3095, [14, 15, 16, 17, 18, 19]],
  [36, 36, [14, 15, 16, 17, 18, 19]],
  [38, 39, [14, 15, 16, 17, 18, 19]],
  [3528, 3589, [16, 17, 18, 19]],
  [35, 35, [16]],
  [1800, 1800, [15]],
  [2131, 2131, [15]],
  [2014, 2014, [15]],
  [2149, 2149, [15]],
  [2200, 2205, [16, 17, 18, 19]],
  [5018, 5018, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5020, 5020, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5038, 5038, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5893, 5893, [12, 13, 14, 15, 16, 17, 18, 19]],
  [6304, 6304, [12, 13, 14, 15, 16, 17, 18, 19]],
  [6759, 6763, [12, 13, 14, 15, 16, 17, 18, 19]],
  [676, 676, [12, 13, 14, 15, 16, 17, 18, 19]],
  [50, 50, [12, 13, 14, 15, 16, 17, 18, 19]],
  [56, 58, [12, 13, 14, 15, 16, 17, 18, 19]],
  [60, 61, [16]],
  [63, 64, [16]],
  [66, 69, [16]],
  [82, 82, [16]],
  [9792, 9792, [16]]
]

/** The lengths of groups as a number; cards have up to five groups. */
const keyOf = (lengths: ReadonlyArray<number>): number => lengths.reduce((key, length) => key * 32 + length, 0)

const groupings = new Set([
  "4-4-4-4",
  "4-6-5",
  "4-6-4",
  "4-4-4-4-3",
  "4-4-4-4-2",
  "4-4-4-4-1",
  "4-4-5",
  "4-4-4-1",
  "4-4-4-2",
  "4-4-4-3",
  "4-4-4",
  "4-5-6",
  "6-13",
  "6-10",
  "6-9",
  "6-8",
  "8-8",
  "5-5-5",
  "8-11"
].map((lengths) => keyOf(lengths.split("-").map(Number))))

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string, runs: ReadonlyArray<Run>): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const run of runs) {
    const { groups } = run
    // Shorter than any card, with all that joins the groups.
    if (run.end - run.start < 12) continue
    for (let from = 0; from < groups.length; from++) {
      const span = cardAt(text, run, from)
      if (span === undefined || isPhone(text, span)) continue
      found.push({ start: span.start, end: span.end })
      from = span.to
    }
  }
  return found
}

/** What is called a phone number is one, and fifteen digits at most have the sum of a card by chance. */
const isPhone = (text: string, { end, start }: Span): boolean => end - start < 16 && isCalledBefore(saidIn(text), start)

/** The card that begins with this group: the groups that one separator joins, all of them. */
const cardAt = (text: string, { groups }: Run, from: number) => {
  const first = groups[from]
  if (first === undefined) return undefined
  let to = from
  let length = 0
  let key = 0
  const separator = groups[from + 1]?.separator
  const single = separator === " " || separator === "-" || separator === "." || separator === " - "
  for (let at = from; at < groups.length && length <= 24; at++) {
    const group = groups[at]
    if (group === undefined || (at > from && (!single || group.separator !== separator))) break
    // `12/30` behind a card is its date.
    if (at > from && group.end - group.start === 2 && groups[at + 1]?.separator === "/") break
    const own = group.end - group.start
    length += own
    key = at - from < 5 && own < 32 ? key * 32 + own : Infinity
    to = at
  }
  const last = groups[to]
  const before = groups[from - 1]
  if (
    last === undefined || (before !== undefined && first.separator === separator && before.end - before.start === 4)
  ) {
    return undefined
  }
  if (to > from && length >= 12 && length <= 19 && groupings.has(key)) {
    let digits = ""
    for (let at = from; at <= to; at++) digits += text.slice(groups[at]?.start, groups[at]?.end)
    if (isCard(digits) && stands(text, first.start, last.end)) return { start: first.start, end: last.end, to }
  }
  // Without what is joined to it.
  if (
    first.end - first.start >= 12 && isCard(text.slice(first.start, first.end)) && stands(text, first.start, first.end)
  ) {
    return { start: first.start, end: first.end, to: from }
  }
  return undefined
}

const stands = (text: string, start: number, end: number): boolean => {
  const before = start > 0 ? text.charCodeAt(start - 1) : 32
  const after = text.charCodeAt(end)
  const fraction = after === 46 && text.charCodeAt(end + 1) >= 48 && text.charCodeAt(end + 1) <= 57
  // `%B4242…` begins the first track of a magnetic stripe.
  const isTrack = before === 66 && text.charCodeAt(start - 2) === 37
  return (isTrack || !isWordCode(before)) && before !== 46 && before !== 43 && !isWordCode(after) && !fraction
}

/** The sum is looked at first: nine of ten numbers fail it. */
const isCard = (digits: string): boolean =>
  digits.length >= 12 && digits.length <= 19 && luhn(digits) &&
  issuers.some(([from, to, lengths]) => {
    const prefix = Number(digits.slice(0, from < 10 ? 1 : from < 100 ? 2 : from < 1000 ? 3 : 4))
    return prefix >= from && prefix <= to && lengths.includes(digits.length)
  })

const luhn = (digits: string): boolean => {
  let sum = 0
  for (let at = digits.length - 1, even = false; at >= 0; at--, even = !even) {
    const digit = digits.charCodeAt(at) - 48
    sum += even ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
  }
  // A row of one digit is nobody's.
  return sum % 10 === 0 && sum > 0 && new Set(digits).size > 1
}
