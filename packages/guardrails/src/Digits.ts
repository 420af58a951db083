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
 * Whether a digit, a letter or an underscore.
 *
 * @category guards
 * @since 0.1.0
 */
export const isWordCode = (code: number): boolean =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 191

/** What joins begin with. */
const mayJoin = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 40 || code === 41 || code === 160 ||
  code === 0x2011

const joins = new Set([" ", "-", ".", "/", ") ", ")", " (", "(", " - ", ")-", "-(", "\u00a0", "\u2011"])

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
    if (end - at < 6 && joinAt(text, end) === undefined) {
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
    const next = joinAt(text, end)
    if (next === undefined) break
    separator = next
    from = end + next.length
  }
  const end = groups.at(-1)?.end ?? at + 1
  // No number that anybody looks for.
  const short = end - at < 6
  const cut = groups.length >= maxGroups || short
  const glued = isWordCode(start > 0 ? text.charCodeAt(start - 1) : 32) || isWordCode(text.charCodeAt(end))
  return { start, end, plus, groups: cut || (glued && groups.length === 1) ? [] : groups }
}

const joinAt = (text: string, at: number): string | undefined => {
  if (!mayJoin(text.charCodeAt(at))) return undefined
  for (let length = 1; length <= 3; length++) {
    if (!isDigit(text.charCodeAt(at + length))) continue
    const between = text.slice(at, at + length)
    return joins.has(between) ? between : undefined
  }
  return undefined
}
