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

/** Long runs of the letters in which bytes are written: hex if they can be, base64 if not. */
const written = (text: string): ReadonlyArray<Decoded> => {
  const found: Array<Decoded> = []
  let start = 0
  let looked = 0
  for (let index = 0; index <= text.length; index += 1) {
    const unit = index < text.length ? text.charCodeAt(index) : 0
    if (unit < letters.length && letters[unit] === 1) continue
    if (index - start >= shortest && looked < most) {
      looked += 1
      const run = text.slice(start, index)
      const isHex = run.length % 2 === 0 && hex.test(run)
      found.push(...readable(isHex ? "hex" : "base64", start, index, isHex ? ofHex(run) : ofBase64(run)))
    }
    start = index + 1
  }
  return found
}

const shortest = 16
const hex = /^[0-9a-f]+$/i
const letters = new Uint8Array(128)
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-") {
  letters[letter.charCodeAt(0)] = 1
}

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
