/**
 * What stands encoded in a text: base64, hex, percent and numeric entities, tag characters. Bounded, and never decoded twice.
 */
import { Option, Result } from "effect"
import { Base64, Base64Url, Hex } from "effect/encoding"

/**
 * A passage that reads as text once it is decoded.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoded {
  readonly form: "base64" | "hex" | "percent" | "entities" | "tags"
  readonly start: number
  readonly end: number
  readonly text: string
}

/** More passages than that are not looked at. */
const most = 200

/**
 * The encoded passages of a text, those that read as text.
 *
 * @category readers
 * @since 0.1.0
 */
export const decoded = (text: string): ReadonlyArray<Decoded> => [
  ...written(text),
  ...escapes.flatMap(({ decode, form, pattern, sign }) =>
    text.includes(sign)
      ? Array.from(text.matchAll(pattern)).slice(0, most).flatMap(({ 0: whole, index }) =>
        readable(form, index, index + whole.length, decode(whole))
      )
      : []
  )
]

const readable = (
  form: Decoded["form"],
  start: number,
  end: number,
  text: Option.Option<string>
): ReadonlyArray<Decoded> => Option.isSome(text) && isText(text.value) ? [{ form, start, end, text: text.value }] : []

/** Long runs of the letters in which bytes are written: hex if they can be; base64 if they have capitals and others, as text then has. */
const written = (text: string): ReadonlyArray<Decoded> => {
  const found: Array<Decoded> = []
  let looked = 0
  // A run of this length has a place that is one of its multiples behind the last run.
  for (let at = shortest - 1, last = 0; at < text.length && looked < most; at = last + shortest - 1) {
    if (kindAt(text, at) === 0) {
      last = at + 1
      continue
    }
    let start = at
    while (start > last && kindAt(text, start - 1) !== 0) start--
    let end = at
    let seen = 0
    while (end < text.length && kindAt(text, end) !== 0) end++
    last = end + 1
    if (end - start < shortest) continue
    for (let next = start; next < end; next++) seen |= kindAt(text, next)
    const isHex = (seen & noHex) === 0 && (end - start) % 2 === 0
    if (!isHex && !isBase64(seen, end - start)) continue
    looked += 1
    const run = text.slice(start, end)
    found.push(...readable(isHex ? "hex" : "base64", start, end, isHex ? ofHex(run) : ofBase64(run)))
  }
  return found
}

const shortest = 16
const capital = 1
const small = 2
const noHex = 4
const digit = 8
const url = 16
const sign = 32
const kinds = new Uint8Array(128)
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") {
  kinds[letter.charCodeAt(0)] = (/[0-9a-f]/i.test(letter) ? 0 : noHex) |
    (/[A-Z]/.test(letter)
      ? capital
      : /[a-z]/.test(letter)
      ? small
      : /\d/.test(letter)
      ? digit
      : /[_-]/.test(letter)
      ? url
      : sign)
}

const kindAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit < kinds.length ? kinds[unit] ?? 0 : 0
}

/** Of text, base64 has capitals and small letters; it is in one of two alphabets, and no number of bytes has one letter over. */
const isBase64 = (seen: number, length: number): boolean =>
  (seen & capital) !== 0 && (seen & small) !== 0 && !((seen & url) !== 0 && (seen & sign) !== 0) && length % 4 !== 1

const bytes = new TextDecoder()

/** What is no text reads as one of replacement characters, and is found out by them. */
const utf8 = (decode: (text: string) => Result.Result<Uint8Array, unknown>) => (text: string): Option.Option<string> =>
  Option.map(Result.getSuccess(decode(text)), (raw) => bytes.decode(raw))

const ofHex = utf8(Hex.decode)
const ofBase64 = utf8((text) =>
  /[-_]/.test(text) ? Base64Url.decode(text) : Base64.decode(text.padEnd(Math.ceil(text.length / 4) * 4, "="))
)

interface Escape {
  readonly form: Decoded["form"]
  readonly sign: string
  readonly pattern: RegExp
  readonly decode: (text: string) => Option.Option<string>
}

const escapes: ReadonlyArray<Escape> = [
  {
    form: "percent",
    sign: "%",
    pattern: /(?:%[0-9a-fA-F]{2}[^\s%]{0,60}){3,}/g,
    decode: (text) => Result.getSuccess(Result.try(() => decodeURIComponent(text)))
  },
  {
    form: "entities",
    sign: "&#",
    pattern: /(?:&#x?[0-9a-fA-F]{1,6};[^\s&]{0,60}){3,}/g,
    decode: (text) =>
      Option.some(text.replace(/&#(x?)([0-9a-fA-F]{1,6});/g, (whole, hex, digits) => {
        const point = Number.parseInt(digits, hex === "" ? 10 : 16)
        return point <= 0x10ffff ? String.fromCodePoint(point) : whole
      }))
  },
  {
    form: "tags",
    sign: "\udb40",
    pattern: /[\u{e0020}-\u{e007e}]{4,}/gu,
    decode: (text) =>
      Option.some(Array.from(text, (one) => String.fromCodePoint((one.codePointAt(0) ?? 0) - 0xe0000)).join(""))
  }
]

/** Decoding anything gives something; text is mostly letters, digits and what stands between them. */
const isText = (text: string): boolean => {
  const sample = text.slice(0, 400)
  const fine = sample.match(/[\p{L}\p{N}\p{P}\p{Sc}\p{Zs}\n\r\t+=<>|~^$`]/gu)?.length ?? 0
  return sample.length >= 4 && fine / Array.from(sample).length > 0.95 && /[\p{L}\p{N}]/u.test(sample)
}
