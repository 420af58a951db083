/**
 * Secrets that are arguments: `setPassword("…")`, `define("DB_PASSWORD", "…")`.
 */
import { isCredential, isPlaceholder, isSpoken, isWhole } from "./SecretLooks.ts"
import * as SecretNames from "./SecretNames.ts"

interface Span {
  readonly start: number
  readonly end: number
}

const argument = /([^\s"'`]{6,200})["']\s?[,)]/y
/** What gives a value, by the name of a function. */
const giving =
  /^(?:(?:set|with|use|new|change|update)_(?:[a-z]+_){0,2}|(?:api|auth|access|client|db|secret)_)?(?:password|passwd|pwd|passphrase|secret|token|key)$|^(?:[a-z]+_){1,2}credential$/

/**
 * `setPassword("…")`
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const open of ["(\"", "('"]) {
    for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at + 2)) {
      const key = SecretNames.endBefore(text, at) === at ? SecretNames.endingAt(text, at) : undefined
      if (key === undefined || !giving.test(snaked(key))) continue
      const what = SecretNames.whatIs(key)
      argument.lastIndex = at + 2
      const value = what === undefined ? undefined : argument.exec(text)?.[1]
      if (value === undefined || isPlaceholder(value) || !isWhole(value)) continue
      const fits = what === "password" ? isSpoken(value) : isCredential(value, key)
      if (fits) found.push({ start: at + 2, end: at + 2 + value.length })
    }
  }
  return found
}

const snaked = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()

/** Whether a quoted argument ends here, and another one follows. */
const isCall = (text: string, at: number): boolean => {
  const quote = text.charCodeAt(at - 1)
  const next = text.charCodeAt(text.charCodeAt(at + 1) === 32 ? at + 2 : at + 1)
  return (quote === 34 || quote === 39) && next === quote
}

/**
 * `define('DB_PASSWORD', '…')`: what stands behind this comma.
 *
 * @category readers
 * @since 0.1.0
 */
export const behind = (text: string, at: number): Span | undefined => {
  if (!isCall(text, at)) return undefined
  const key = SecretNames.endBefore(text, at) === undefined ? undefined : SecretNames.endingAt(text, at - 1)
  if (key === undefined || !isFirst(text, at - key.length - 2) || SecretNames.whatIs(key) === undefined) {
    return undefined
  }
  const from = text.indexOf(text.charAt(at - 1), at) + 1
  const value = /^[^\s"'`]{6,200}/.exec(text.slice(from, from + 200))?.[0]
  return value !== undefined && isSpoken(value) && !isPlaceholder(value) && isWhole(value)
    ? { start: from, end: from + value.length }
    : undefined
}

/** Whether an argument that begins here, by its quote or by `#`, is the first one. */
const isFirst = (text: string, at: number): boolean => {
  const quote = text.charCodeAt(at) === 35 ? at - 1 : at
  return text.charCodeAt(text.charCodeAt(quote - 1) === 32 ? quote - 2 : quote - 1) === 40
}
