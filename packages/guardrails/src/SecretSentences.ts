/**
 * Secrets that a sentence gives: `the password is …`, `密码是…`.
 */
import { isBlank, isDotted, isPlaceholder, isRandom, isSpoken, isWhole } from "./SecretLooks.ts"
import * as SecretNames from "./SecretNames.ts"

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * `密码是…`: values that sentences give without a blank, in languages that have none.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const link of ["是", "为", "為", "は"]) {
    for (let at = text.indexOf(link); at >= 0; at = text.indexOf(link, at + 1)) {
      const from = text.charCodeAt(at + 1) === 32 || text.charCodeAt(at + 1) === 58 ? at + 2 : at + 1
      const code = text.charCodeAt(from)
      if (code < 33 || code > 126 || SecretNames.endBefore(text, at) !== at) continue
      const what = SecretNames.whatIs(text.slice(Math.max(0, at - 8), at))
      if (what === undefined) continue
      const start = isQuote(code) ? from + 1 : from
      let end = start
      while (end - start < 200 && text.charCodeAt(end) > 32 && text.charCodeAt(end) < 127) end++
      while (end > start && "\"'`).,;:".includes(text.charAt(end - 1))) end--
      if (end - start > 5 && fits(text.slice(start, end), what)) found.push({ start, end })
    }
  }
  return found
}

const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96 || code === 40

/** What links a name to its value in a sentence; routers have a digit for how a password is encoded. */
const links =
  new Set("is be was are now set to ist lautet war est es fue è é era jest je este sono sunt är er on = - – → : 0 5 7 8 9"
    .split(" "))
const plainWord = /^[\p{L}'’()-]{1,14}$/u

/**
 * `The password is …`, `mot de passe provisoire : …`, `API key …`: the value for the name that ends before this blank.
 *
 * @category readers
 * @since 0.1.0
 */
export const behind = (text: string, at: number): Span | undefined => {
  if (!hasDigit(text, at + 1)) return undefined
  const key = SecretNames.endingAt(text, at)
  const what = key === undefined ? undefined : SecretNames.whatIs(key)
  if (what === undefined) return undefined
  let from = at + 1
  let isLinked = true
  for (let words = 0; words < 6; words++) {
    const end = wordEnd(text, from)
    if (end === from) return undefined
    if (isLinked && end - from > 5) {
      const span = spokenIn(text.slice(from, end), what)
      if (span !== undefined) return { start: from + span.start, end: from + span.end }
    }
    const word = text.slice(from, end)
    isLinked = word.endsWith(":") || links.has(word.toLowerCase())
    if (text.charCodeAt(end) !== 32 || !(isLinked || plainWord.test(word))) return undefined
    from = end + 1
  }
  return undefined
}

/** Whether a value may follow in the line: there is none without a digit. */
const hasDigit = (text: string, from: number): boolean => {
  for (let at = from; at < text.length && at < from + 96; at++) {
    const code = text.charCodeAt(at)
    if (code === 10) return false
    if (code >= 48 && code <= 57) return true
  }
  return false
}

const spokenIn = (word: string, what: "password" | "credential"): Span | undefined => {
  const start = /^["'`“„«(]*/.exec(word)?.[0].length ?? 0
  const value = word.slice(start).replace(/["'`”“»).,;:]+$/, "")
  return fits(value, what) ? { start, end: start + value.length } : undefined
}

const fits = (value: string, what: "password" | "credential"): boolean =>
  (what === "password"
    ? value.length >= 6 && value.length <= 64 && isSpoken(value)
    : value.length >= 20 && !isDotted(value) && isRandom(value, 3) && /^[\w+/=.~-]+$/.test(value)) &&
  !isPlaceholder(value) && isWhole(value)

const wordEnd = (text: string, from: number): number => {
  let end = from
  while (end < text.length && end - from < 300 && !isBlank(text.charCodeAt(end))) end++
  return end
}
