/**
 * Runs of digit groups in a text: what a card or a phone number can be, and nothing that is part of a name or a decimal.
 */

/**
 * One or more groups of digits, joined by single separators.
 *
 * @category models
 * @since 0.1.0
 */
export interface Run {
  readonly start: number
  readonly end: number
  /** `+` or `(` before the first digit belongs to the run. */
  readonly plus: boolean
  readonly groups: ReadonlyArray<Group>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Group {
  readonly start: number
  readonly end: number
  /** What stands before the group, up to three characters; empty before the first. */
  readonly separator: string
}

/**
 * Whether a digit of ASCII.
 *
 * @category guards
 * @since 0.1.0
 */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * Whether a digit, a letter of a script that parts words by blanks, or an underscore.
 *
 * @category guards
 * @since 0.1.0
 */
export const isWordCode = (code: number): boolean =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 ||
  (code > 191 && letters[code] === 1)

/** From, and up to where letters are: neither punctuation, nor scripts such as Chinese or Thai, in which a number stands next to a word. */
const scripts: ReadonlyArray<readonly [from: number, to: number]> = [
  [0xc0, 0x0e00],
  [0x10a0, 0x1100],
  [0x1200, 0x1780],
  [0x1800, 0x2000],
  [0x2c00, 0x2e00],
  [0xa640, 0xa960],
  [0xab00, 0xac00],
  [0xfb00, 0xfe00],
  [0xfe70, 0xff00]
]
const punctuation =
  "\u00d7\u00f7\u037e\u0387\u0589\u058a\u05be\u05c0\u05c3\u060c\u061b\u061f\u066a\u066b\u066c\u066d\u06d4\u0964\u0965"

const letters = new Uint8Array(65536)
for (const [from, to] of scripts) letters.fill(1, from, to)
for (const mark of punctuation) letters[mark.charCodeAt(0)] = 0

/** What joins begin with. */
const mayJoin = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 40 || code === 41

const joins = new Set([" ", "-", ".", "/", ") ", ")", " (", "(", " - ", ")-", "-("])

/** What stands between an area code and the rest of a number. */
const areaJoins = new Set(["/ ", " / "])

/** More groups than any number has; a longer row of numbers is a table. */
const maxGroups = 12

/**
 * The runs of a text, in one pass.
 *
 * @category finders
 * @since 0.1.0
 */
export const runsOf = (text: string): ReadonlyArray<Run> => {
  const last = memory
  if (last !== undefined && last.text === text) return last.runs
  const runs: Array<Run> = []
  let at = 0
  while (at < text.length) {
    if (!isDigit(text.charCodeAt(at))) {
      at++
      continue
    }
    let end = at + 1
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    // Nothing is joined to it, and no number that anybody looks for is as short.
    if (end - at < 6 && joinAt(text, end, text.charCodeAt(at) === 48) === undefined) {
      at = end
      continue
    }
    const run = runAt(text, at)
    if (run.groups.length > 0) runs.push(run)
    at = run.end
  }
  memory = { text, runs }
  return runs
}

/** Cards and phone numbers are looked for in the same text, one after the other. */
let memory: { readonly text: string; readonly runs: ReadonlyArray<Run> } | undefined

const runAt = (text: string, at: number): Run => {
  const before = at > 0 ? text.charCodeAt(at - 1) : 32
  const groups: Array<Group> = []
  let start = at
  let plus = false
  if (before === 43 || before === 40) {
    start = at - 1
    plus = before === 43
    if (before === 40 && start > 0 && text[start - 1] === "+") {
      start--
      plus = true
    }
  }
  let separator = ""
  let from = at
  while (groups.length < maxGroups) {
    let end = from
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    groups.push({ start: from, end, separator })
    const next = joinAt(text, end, isAreaCode(text, from, end, plus, groups.length))
    if (next === undefined) break
    separator = next
    from = end + next.length
  }
  const end = groups.at(-1)?.end ?? at + 1
  // No number that anybody looks for.
  const short = end - at < 6
  const cut = groups.length >= maxGroups || short
  // `%B` stands before the number on the magnetic stripe of a card.
  const isStripe = start > 1 && text.startsWith("%B", start - 2)
  const glued = (!isStripe && isWordCode(start > 0 ? text.charCodeAt(start - 1) : 32)) ||
    isWordCode(text.charCodeAt(end))
  return { start, end, plus, groups: cut || (glued && groups.length === 1) ? [] : groups }
}

/** What a slash with blanks may follow: `0171 / …`, `+49 171 / …`. */
const isAreaCode = (text: string, from: number, end: number, plus: boolean, count: number): boolean =>
  end - from < 7 && (plus ? count > 1 && count < 4 : count === 1 && text.charCodeAt(from) === 48)

const joinAt = (text: string, at: number, isArea: boolean): string | undefined => {
  if (!mayJoin(text.charCodeAt(at))) return undefined
  for (let length = 1; length <= 3; length++) {
    if (!isDigit(text.charCodeAt(at + length))) continue
    const between = text.slice(at, at + length)
    return joins.has(between) || (isArea && areaJoins.has(between)) ? between : undefined
  }
  return undefined
}
