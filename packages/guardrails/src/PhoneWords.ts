/**
 * Words around a number that say what it is, looked for in time that grows with the text.
 */
import { isDigit } from "./Digits.ts"

/**
 * @category constructors
 * @since 0.1.0
 */
export const saidIn = (text: string): Said => ({
  text,
  naming: wordsIn(text, anyWord),
  other: wordsIn(text, anyOtherWord)
})

const phoneWords =
  /(?:phone|mobile|\bcell(?:ular)?|\btel(?:efon|efono|éfono|\.|\b)|\bfax|\bsms\b|whatsapp|\bcall(?:\s+(?:me|us|him|her))?|contact[ _-]?(?:number|no)|registered|\bdial|handy|\bmsisdn|\bring\b|hotline|\btext\s+(?:me|us))[^\p{L}\d\n]{0,4}(?:(?:number|no|nr|is|at|on|to|me|us|num|office|home|work|the|my|:|=)[^\p{L}\d\n]{0,3}){0,3}$/iu
const afterWords = /^[\s\-–,(]{0,3}(?:office|fax|mobile|cell|home|work|phone|tel)\b/i

/**
 * A text, and where in it words stand that matter for numbers.
 *
 * @category models
 * @since 0.1.0
 */
export interface Said {
  readonly text: string
  readonly naming: Words
  readonly other: Words
}

interface Words {
  /** Whether one of the words stands between two places; asked from the beginning to the end of a text. */
  readonly isBetween: (from: number, to: number) => boolean
}

/** Each part of a text is searched once, whatever windows are asked for. */
const wordsIn = (text: string, pattern: RegExp): Words => {
  let next = -1
  return {
    isBetween: (from, to) => {
      if (next < Math.max(0, from)) {
        pattern.lastIndex = Math.max(0, from)
        next = pattern.exec(text)?.index ?? text.length
      }
      return next < to
    }
  }
}

const anyWord = /phone|mobile|cell|tel|fax|sms|whatsapp|call|contact|registered|dial|handy|msisdn|ring|hotline|text/gi

/** Last letters of what phone numbers are called. */
const lastLetters = new Set(Array.from("elrnoxspmdygtk", (letter) => letter.charCodeAt(0)))

/**
 * Whether the words before it call it a phone number: those and up to 16 characters that are no letters.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isCalledBefore = ({ naming, text }: Said, start: number): boolean => {
  for (let at = start - 1; at >= 0 && at > start - 18; at--) {
    const code = text.charCodeAt(at)
    if (code === 10 || isDigit(code)) return false
    if (code < 128 && !isAsciiLetter(code)) continue
    if (code < 128 && !lastLetters.has(lower(code))) return false
    return naming.isBetween(start - 48, start) && phoneWords.test(text.slice(Math.max(0, start - 48), start))
  }
  return false
}

/** First letters of `afterWords`. */
const firstLetters = new Set(Array.from("ofmchwpt", (letter) => letter.charCodeAt(0)))

/**
 * Whether the words behind it call it a phone number.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isCalledAfter = (text: string, end: number): boolean => {
  for (let at = end; at < end + 4; at++) {
    const code = text.charCodeAt(at)
    if (isAsciiLetter(code)) return firstLetters.has(lower(code)) && afterWords.test(text.slice(end, end + 12))
    if (isDigit(code)) return false
  }
  return false
}

const otherWords =
  /(?:isbn|issn|\bssn|\bid\b|_id|\bref|order|invoice|track|serial|amount|price|total|account|version|build|port|zip|date|time|\bat|code|\bpid|count|size|bytes|lat|lon|coord|meter|case|ticket|\brun|trace)\w{0,10}[^\p{L}\d\n]{0,4}$/iu

const anyOtherWord =
  /isbn|issn|ssn|id|ref|order|invoice|track|serial|amount|price|total|account|version|build|port|zip|date|time|at|code|pid|count|size|bytes|lat|lon|coord|meter|case|ticket|run|trace/gi

/**
 * Whether the words before it call it something else: up to four characters, and a word of which ten may be digits.
 *
 * @category predicates
 * @since 0.1.0
 */
export const notCalled = ({ other, text }: Said, start: number): boolean => {
  let hadDigit = false
  for (let at = start - 1; at >= 0 && at > start - 17; at--) {
    const code = text.charCodeAt(at)
    if (code === 10) return false
    if (code < 128 && !isAsciiLetter(code)) {
      if (hadDigit && !isDigit(code) && code !== 95) return false
      hadDigit ||= isDigit(code)
      continue
    }
    return other.isBetween(start - 24, start) && otherWords.test(text.slice(Math.max(0, start - 24), start))
  }
  return false
}

/**
 * Whether a letter of ASCII.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAsciiLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Lower case of an ASCII letter. */
const lower = (code: number): number => code | 32
