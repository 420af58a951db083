/**
 * Finds personal data and secrets in texts, by format and checksum: mail addresses, cards, IBANs, phone numbers, network
 * addresses, secrets, and kinds of one's own. In time that grows with the text, whatever it holds.
 */
import * as Cards from "./Cards.ts"
import { runsOf } from "./Digits.ts"
import * as Emails from "./Emails.ts"
import * as Ibans from "./Ibans.ts"
import * as IpAddresses from "./IpAddresses.ts"
import * as Phones from "./Phones.ts"
import * as PlainText from "./PlainText.ts"
import * as Secrets from "./Secrets.ts"

/**
 * Where something stands in a text, from `start` up to `end` in UTF-16 units, and what it is. Never what it says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Found {
  readonly start: number
  readonly end: number
  /** `email`, `card`, `iban`, `phone`, `ip`, `secret`, or the name of a kind of one's own. */
  readonly kind: string
}

/**
 * A kind of personal data: its name, a lower-case word, and a function that finds it in time that grows with the text.
 *
 * @category models
 * @since 0.1.0
 */
export interface Kind {
  readonly name: string
  readonly find: (text: string) => ReadonlyArray<{ readonly start: number; readonly end: number }>
}

const kind = (name: string, find: Kind["find"]): Kind => ({ name, find })

/**
 * Mail addresses: a local part, and a domain with a top level.
 *
 * @category kinds
 * @since 0.1.0
 */
export const email = kind("email", (text) => Emails.find(PlainText.of(text)))

/**
 * Payment cards: an issuer's prefix and length, and a valid Luhn sum; plain or in the groups in which cards are printed.
 *
 * @category kinds
 * @since 0.1.0
 */
export const card = kind("card", (text) => {
  const plain = PlainText.of(text)
  return Cards.find(plain, runsOf(plain))
})

/**
 * IBANs: a country's registered structure, and valid check digits; plain or in groups of four.
 *
 * @category kinds
 * @since 0.1.0
 */
export const iban = kind("iban", (text) => Ibans.find(PlainText.of(text)))

/**
 * Phone numbers: international ones, national ones in the groups of a country, and whatever is called a phone number.
 *
 * @category kinds
 * @since 0.1.0
 */
export const phone = kind("phone", (text) => {
  const plain = PlainText.of(text)
  return Phones.find(plain, runsOf(plain))
})

/**
 * Addresses of the internet protocol, versions 4 and 6. Loopback, any-address and masks are nobody's.
 *
 * @category kinds
 * @since 0.1.0
 */
export const ip = kind("ip", (text) => IpAddresses.find(PlainText.of(text)))

/**
 * Keys, tokens and passwords: in the formats that providers document, in URLs and headers, and as the value of what is called so.
 *
 * @category kinds
 * @since 0.1.0
 */
export const secret = kind("secret", (text) => Secrets.find(PlainText.of(text)))

/**
 * All kinds, those first that win where two claim one passage.
 *
 * @category kinds
 * @since 0.1.0
 */
export const kinds: ReadonlyArray<Kind> = [secret, email, iban, card, ip, phone]

/**
 * Finds what there is of these kinds, in the order of the text, without overlaps: of two that overlap the kind that comes
 * first in the list wins.
 *
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string, of: ReadonlyArray<Kind> = kinds): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let taken: Uint8Array | undefined
  for (const { find, name } of of) {
    for (const { end, start } of inOrder(find(text))) {
      if (start < 0 || end <= start || end > text.length) continue
      taken ??= new Uint8Array(text.length)
      if (isFree(taken, start, end)) found.push({ start, end, kind: name })
    }
  }
  return inOrder(found)
}

/** Takes a passage, unless some of it is taken. */
const isFree = (taken: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (taken[at] === 1) return false
  for (let at = start; at < end; at++) taken[at] = 1
  return true
}

/** From the beginning of a text to its end, the longer one first; most are so from the start. */
const inOrder = <A extends { readonly start: number; readonly end: number }>(
  spans: ReadonlyArray<A>
): ReadonlyArray<A> =>
  spans.every((span, at) => at === 0 || order(spans[at - 1] ?? span, span) <= 0) ? spans : spans.toSorted(order)

const order = (a: { readonly start: number; readonly end: number }, b: typeof a): number =>
  a.start - b.start || b.end - a.end
