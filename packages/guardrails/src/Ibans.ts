/**
 * IBANs: the length and structure that a country registered, and the check digits.
 */
import { countrySpecs } from "ibantools"
import { isWordCode } from "./Digits.ts"

interface Span {
  readonly start: number
  readonly end: number
}

interface Spec {
  readonly chars: number
  readonly structure: RegExp
  /** Which of the characters are digits. */
  readonly digits: ReadonlyArray<boolean>
}

/** Where the registry has letters and digits, and the library has one of them. */
const registered: Readonly<Record<string, string>> = {
  BY: "^[A-Z0-9]{4}[0-9]{4}[A-Z0-9]{16}$",
  DO: "^[A-Z0-9]{4}[0-9]{20}$",
  PK: "^[A-Z0-9]{20}$",
  PS: "^[A-Z0-9]{25}$"
}

/** `^[0-9]{4}[A-Z]{2}$` as one entry for each character; none where it says more. */
const digitsOf = (structure: string): ReadonlyArray<boolean> => {
  const parts = Array.from(structure.matchAll(/\[([^\]]*)\]\{(\d+)\}/g))
  return parts.map(([part]) => part).join("") === structure.slice(1, -1)
    ? parts.flatMap(([, own, count]) => Array.from({ length: Number(count) }, () => own === "0-9"))
    : []
}

const specs: ReadonlyMap<string, Spec> =
  new Map(Object.entries(countrySpecs).flatMap(([country, { bban_regexp: own, chars }]) => {
    const structure = registered[country] ?? own
    return typeof chars === "number" && typeof structure === "string"
      ? [[country, { chars, structure: new RegExp(structure), digits: digitsOf(structure) }]]
      : []
  }))

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let at = 2; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) continue
    // `DE 89 …` has a blank before its check digits.
    const letters = text.charCodeAt(at - 1) === 32 ? at - 1 : at
    if (!isLetter(text.charCodeAt(letters - 1)) || !isLetter(text.charCodeAt(letters - 2))) continue
    const start = letters - 2
    if (start > 0 && isWordCode(text.charCodeAt(start - 1))) continue
    const end = endOf(text, start)
    if (end === undefined) continue
    found.push({ start, end })
    at = end
  }
  return found
}

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Reads as many characters as the country's IBANs have, over what parts groups of them: two blanks, a dash or a dot at most. */
const endOf = (text: string, start: number): number | undefined => {
  const spec = specs.get(text.slice(start, start + 2).toUpperCase())
  if (spec === undefined) return undefined
  let plain = text.slice(start, start + 2)
  let at = start + 2
  let between = 0
  while (plain.length < spec.chars) {
    const code = text.charCodeAt(at)
    const isDigit = code >= 48 && code <= 57
    if (isDigit || isLetter(code)) {
      if (!isDigit && (plain.length < 4 || spec.digits[plain.length - 4] === true)) return undefined
      plain += text.charAt(at)
      between = 0
    } else if (between > 1 || (code !== 32 && (between > 0 || (code !== 45 && code !== 46)))) {
      return undefined
    } else {
      between++
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
