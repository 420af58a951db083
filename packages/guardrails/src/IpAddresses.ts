/**
 * Addresses of the internet protocol, versions 4 and 6.
 */
import { isWordCode } from "./Digits.ts"

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const long = version6(text)
  const short = version4(text, long)
  if (long.length === 0) return short
  const found: Array<Span> = []
  let at = 0
  for (const span of short) {
    for (let next = long[at]; next !== undefined && next.start < span.start; next = long[++at]) found.push(next)
    // What is the end of a longer one.
    if ((found.at(-1)?.end ?? 0) <= span.start) found.push(span)
  }
  return at < long.length ? found.concat(long.slice(at)) : found
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Those of version 4 that are not inside of these. */
const version4 = (text: string, long: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let at = 0
  let next = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (!isDigit(code)) {
      at++
      continue
    }
    let around = long[next]
    while (around !== undefined && around.end <= at) around = long[++next]
    if (around !== undefined && around.start <= at) {
      at = around.end
      continue
    }
    let end = at
    let dots = 0
    while (isDigit(text.charCodeAt(end)) || (text.charCodeAt(end) === 46 && isDigit(text.charCodeAt(end + 1)))) {
      if (text.charCodeAt(end) === 46) dots++
      end++
    }
    // The end of a range that begins with an address.
    const isRange = text.charCodeAt(at - 1) === 45 && found.at(-1)?.end === at - 1
    if (dots === 3 && end - at <= 15 && isAddress(text, at, end, isRange)) found.push({ start: at, end })
    at = end
  }
  return found
}

const octets = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/

const isAddress = (text: string, start: number, end: number, isRange: boolean): boolean => {
  const before = start > 0 ? text.charCodeAt(start - 1) : 32
  const after = text.charCodeAt(end)
  if (isWordCode(before) || before === 46 || (isWordCode(after) && after !== 95)) return false
  if (before === 45 && !isRange && isWordCode(text.charCodeAt(start - 2))) return false
  const address = text.slice(start, end)
  if (!octets.test(address) || /^(?:0\.|127\.|255\.)|(?:^|\.)0\d/.test(address)) return false
  if (after === 45 && /^-[A-Za-z]/.test(text.slice(end, end + 2))) return false
  // `Chrome/95.0.4.7`, `v1.2.3.4`, `version 1.2.3.4` and `section 1.2.3.4` are versions and places in texts.
  let lead = start
  while (lead > 0 && start - lead < 6 && isBetween(text.charCodeAt(lead - 1))) lead--
  const last = lead > 0 ? text.charCodeAt(lead - 1) : 32
  return !(last === 47 || last === 46 || last === 167 || lastLetters.includes(String.fromCharCode(last))) ||
    !version.test(text.slice(Math.max(0, start - 24), start))
}

/** What may stand between a name and its value: a blank, quotes, brackets, `:`, `=`. */
const isBetween = (code: number): boolean =>
  code === 32 || (code > 8 && code < 14) || code === 34 || code === 39 || code === 40 || code === 41 || code === 58 ||
  code === 61

/** How the words end that say that a version or a place follows. */
const lastLetters = "nesodvrhtlNESODVRHTL"

const version =
  /[A-Za-z]\/$|(?:versi[oó]n(?:e|s|sinfo)?|(?:^|[^A-Za-z])(?:release|build|rev|firmware|ver\.?|oid|v|section|chapter|clause|paragraph|§|abschnitt|kapitel|ziffer|table|figure))["'()]{0,2}\s{0,2}[:= ]?\s{0,2}["']?$/i

const isHex = (code: number): boolean => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)

const version6 = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let colon = text.indexOf(":"); colon >= 0;) {
    let start = colon
    while (start > 0 && colon - start < 5 && isHex(text.charCodeAt(start - 1))) start--
    let end = colon
    let colons = 0
    while (isHex(text.charCodeAt(end)) || text.charCodeAt(end) === 58) {
      if (text.charCodeAt(end) === 58) colons++
      end++
    }
    if (colons < 2) {
      colon = text.indexOf(":", Math.max(end, colon + 1))
      continue
    }
    // An embedded address of version 4.
    if (text.charCodeAt(end) === 46) {
      const tail = /^(?:\.\d{1,3}){3}/.exec(text.slice(end, end + 12))
      if (tail !== null) end += tail[0].length
    }
    const next = end
    while (end > start && text.charCodeAt(end - 1) === 58 && text.charCodeAt(end - 2) !== 58) end--
    // `IPv6:2001:db8::8`: what stands before the first colon names the address.
    const from = stands(text, start, end) ? start : colon + 1
    if (
      end - from <= 45 && (from === start || isLabel(text, start)) && isVersion6(text.slice(from, end))
    ) found.push({ start: from, end })
    colon = text.indexOf(":", Math.max(next, colon + 1))
  }
  return found
}

/** Whether a name of letters ends here, and the digits behind it. */
const isLabel = (text: string, at: number): boolean =>
  /[a-z]$/i.test(text.slice(at - 1, at)) || text.charCodeAt(at) === 58

const stands = (text: string, start: number, end: number): boolean => {
  const before = start > 0 ? text.charCodeAt(start - 1) : 32
  return !isWordCode(before) && before !== 58 && before !== 45 && !isWordCode(text.charCodeAt(end))
}

/** What has hexadecimal digits and colons only, or an address of version 4 at its end. */
const isVersion6 = (address: string): boolean => {
  const tail = address.indexOf(".") < 0 ? -1 : address.lastIndexOf(":") + 1
  if (tail === 0 || (tail > 0 && (!octets.test(address.slice(tail)) || /:(?:0|127)\.[^:]*$/.test(address)))) {
    return false
  }
  const end = tail > 0 ? tail : address.length
  let size = tail > 0 ? 2 : 0
  let gaps = 0
  let first = 0
  let hasDigit = tail > 0
  let isByte = true
  for (let at = 0, length = 0; at <= end; at++) {
    const code = at === end ? 58 : address.charCodeAt(at)
    if (code !== 58) {
      length++
      hasDigit ||= isDigit(code)
      if (length > 4) return false
      continue
    }
    isByte &&= length === 2
    if (length > 0) size++
    else if (at !== end) gaps++
    if (size === 1 && length > 0 && first === 0) first = length
    length = 0
  }
  // Eight bytes are the name of a device.
  if (gaps === 0) return size === 8 && !isByte && address.charCodeAt(0) !== 58
  // `::1`, `::` and what is as short is nobody's, or no address at all (`std::byte`, `ab::cd`).
  const isLong = address.charCodeAt(0) === 58 ? tail > 0 && address.startsWith("::") : tail > 0 || first >= 3
  return gaps === (address.startsWith("::") ? 2 : 1) && size >= 2 && size <= 7 && hasDigit && isLong
}
