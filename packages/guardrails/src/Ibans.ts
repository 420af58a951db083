/**
 * IBANs: the length and structure that a country registered, and the check digits.
 */
import { countrySpecs } from "ibantools"
import { isWordCode } from "./Digits.ts"

interface Span {
  readonly start: number
  readonly end: number
}

const specs =
  new Map(Object.entries(countrySpecs).flatMap(([country, { bban_regexp: structure, chars }]) =>
    typeof chars === "number" && typeof structure === "string"
      ? [[country, { chars, structure: new RegExp(structure) }]]
      : []
  ))

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let at = 2; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57 || !isLetter(text.charCodeAt(at - 1)) || !isLetter(text.charCodeAt(at - 2))) continue
    const start = at - 2
    if (start > 0 && isWordCode(text.charCodeAt(start - 1))) continue
    const end = endOf(text, start)
    if (end === undefined) continue
    found.push({ start, end })
    at = end
  }
  return found
}

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Reads as many characters as the country's IBANs have, over single spaces or dashes between groups. */
const endOf = (text: string, start: number): number | undefined => {
  const spec = specs.get(text.slice(start, start + 2).toUpperCase())
  if (spec === undefined) return undefined
  let plain = ""
  let at = start
  while (plain.length < spec.chars) {
    const code = text.charCodeAt(at)
    if ((code >= 48 && code <= 57) || isLetter(code)) plain += text.charAt(at)
    else if (plain.length === 0 || plain.length % 4 !== 0 || (code !== 32 && code !== 45 && code !== 160)) {
      return undefined
    }
    at++
  }
  if (isWordCode(text.charCodeAt(at))) return undefined
  const upper = plain.toUpperCase()
  return isValid(upper, spec.structure) ? at : undefined
}

/** Countries' own sums inside an account number are not looked at: what has valid check digits can be paid to. */
const isValid = (iban: string, structure: RegExp): boolean => remainder(iban) === 1 && structure.test(iban.slice(4))

const remainder = (iban: string): number => {
  let rest = 0
  for (let at = 0; at < iban.length; at++) {
    const code = iban.charCodeAt((at + 4) % iban.length)
    rest = (code < 58 ? rest * 10 + code - 48 : rest * 100 + code - 55) % 97
  }
  return rest
}
