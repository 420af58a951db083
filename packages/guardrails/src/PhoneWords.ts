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

/** What phone numbers are called, in the languages of those who write them. */
const names = [
  "phone",
  "t[ée]l[ée]phone",
  "\\btél\\b",
  "mobile?",
  "\\bmob\\b",
  "\\bcell(?:ular\\p{L}*)?",
  "\\btel(?:e?fon\\p{L}*|éfono|\\.|\\b)",
  "\\btel;[\\w;=,-]{0,32}",
  "\\bfax",
  "telefax",
  "\\bsms\\b",
  "whatsapp",
  "wa\\.me/",
  "\\bcall(?:ed|er)?(?:[ _-]?id)?(?:\\s+(?:me|us|him|her|them|back))?",
  "\\brang\\b",
  "\\bring\\b",
  "\\bph\\b",
  "contact[ _-]?(?:number|no)",
  "registered",
  "\\bdial(?:l?ed)?",
  "handy",
  "\\bmsisdn",
  "hotline",
  "\\btext\\s+(?:me|us)",
  "\\breach(?:ed|able)?\\b[^\\d\\n]{0,24}\\b(?:at|on|under)",
  "durchwahl",
  "rückruf",
  "festnetz",
  "portable",
  "m[óo]vil",
  "celular",
  "telem[óo]vel",
  "\\bgsm\\b",
  "\\bpuh\\b",
  "\\btlf\\b",
  "\\bkom\\.",
  "τηλ",
  "κινητό",
  "тел",
  "моб",
  "điện thoại",
  "\\bno\\.?\\s?hp\\b",
  "โทร",
  "טלפון",
  "נייד",
  "電話",
  "手機",
  "手机",
  "电话",
  "전화",
  "휴대폰",
  "هاتف",
  "جوال",
  "موبايل",
  "फ़ोन",
  "फोन",
  "मोबाइल",
  "ফোন",
  "[☎📞📱]"
]

/** What may stand between the name and the number, three times. */
const fillers =
  "numbers?|numéro|nos?|nr|num|number|is|at|on|to|me|us|sent|from|office|home|work|the|my|an|auf|unter|bitte|ist|" +
  "lautet|au|est|le|al|en|es|el|è|il|é|para|na|pod|op|på|номер|番号|番号は|号码|번호|:|="

const phoneWords = new RegExp(
  `(?:${names.join("|")})\\p{L}{0,2}[^\\p{L}\\d\\n]{0,4}(?:(?:${fillers})[^\\p{L}\\d\\n]{0,3}){0,3}$`,
  "iu"
)
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

/** Part of each name, as it stands in any text. */
const anyWord =
  /phone|mob|cell|tel|tél|fax|sms|whatsapp|wa\.me|call|contact|registered|dial|handy|msisdn|r[ia]ng|hotline|text|\bph\b|reach|durchwahl|rückruf|festnetz|portable|m[óo]vil|celular|gsm|puh|tlf|kom\.|hp|τηλ|κινητό|тел|моб|điện|โทร|טלפון|נייד|電話|手機|手机|电话|전화|휴대폰|هاتف|جوال|موبايل|फ़ोन|फोन|मोबाइल|ফোন|☎|📞|📱/gi

/** Last letters of what phone numbers are called, and of what may stand behind it. */
const lastLetters = new Set(Array.from("elrnoxspmdygtkfzhbui", (letter) => letter.charCodeAt(0)))

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

const otherNames =
  "isbn|issn|\\bssn|\\bid\\b|_id|\\bref|order|invoice|track|serial|amount|price|total|account|version|build|\\bports?\\b|zip|date|time|_at|" +
  "\\bat[\"']?\\s?[:=]|code|\\bpid|count|size|bytes|lat|lon|coord|meter|case|ticket|\\brun|trace|customer|client|kunde|konto|\\bblz|" +
  "sire[nt]|\\bs\\/?n\\b|\\bawb|policy|contract|vertrag|rechnung|bestell|auftrag|artikel|article|\\bart\\b|\\bpart\\b|model|\\bsku|" +
  "batch|\\blot\\b|member|personal|receipt|quittung|beleg|meeting|zoom|\\bcat\\b|\\p{L}{3}-?(?:nummer|nr)\\b|" +
  "\\bvat|steuer|\\btax|regist|licen[cs]e|sort|routing|zähler"

/** A name, or a name and what says that a number of it follows. */
const otherWords = new RegExp(
  `(?:${
    otherNames.replaceAll(/(?<=^|\|)\\b/g, "(?<!\\p{L})")
  })\\p{L}{0,10}(?:\\w{0,10}|[ .:_-]{0,2}(?:no|nr|num|number|nummer|n°)\\b)[^\\p{L}\\d\\n]{0,4}$`,
  "iu"
)

const anyOtherWord =
  /isbn|issn|ssn|id|ref|order|invoice|track|serial|amount|price|total|account|version|build|\\bports?\\b|zip|date|time|at|code|pid|count|size|bytes|lat|lon|coord|meter|case|ticket|run|trace|customer|client|kunde|konto|blz|sire|s\/?n|awb|policy|contract|vertrag|rechnung|bestell|auftrag|art|model|sku|batch|lot|member|personal|receipt|quittung|beleg|meeting|zoom|cat|nummer|nr|vat|steuer|tax|regist|licen|sort|routing|zähler/gi

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
