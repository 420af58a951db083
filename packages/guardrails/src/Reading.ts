/**
 * What a text says when it is read: escapes and encodings undone in their place, characters folded, and where each was.
 */
import * as Folding from "./Folding.ts"
import { base64, folded, hexValue, isLetter, leet, newline, space, upper } from "./Folding.ts"
import * as Mirrors from "./Mirrors.ts"

/**
 * A text as it is read. The arrays are used again for the next text: whoever keeps one copies it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reading {
  /** What is read, in UTF-16 codes. */
  codes: Uint16Array
  /** Where each came from. */
  from: Int32Array
  /** Whether it was a capital. */
  capital: Uint8Array
  length: number
}

interface State extends Reading {
  last: number
  /** Up to where the present word was looked at, and whether its digits stand for letters. */
  wordEnd: number
  /** Up to where characters stand one by one and are no letters. */
  rowEnd: number
  wordIsLeet: boolean
}

/** Encodings inside encodings. */
const maxDepth = 3

const shared: State = {
  codes: new Uint16Array(4096),
  from: new Int32Array(4096),
  capital: new Uint8Array(4096),
  length: 0,
  last: newline,
  wordEnd: 0,
  rowEnd: 0,
  wordIsLeet: false
}

/**
 * Reads a text in one pass.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = (text: string): Reading => {
  shared.length = 0
  shared.last = newline
  shared.wordEnd = 0
  shared.wordIsLeet = false
  grow(shared, text.length + 1)
  walk(shared, text, -1, 0)
  for (const { end, reversed, start } of Mirrors.find(shared)) append(shared, start, end, reversed)
  return shared
}

const grow = (state: State, size: number): void => {
  if (size <= state.codes.length) return
  const next = 2 * size
  const { capital, codes, from } = state
  state.codes = new Uint16Array(next)
  state.codes.set(codes)
  state.from = new Int32Array(next)
  state.from.set(from)
  state.capital = new Uint8Array(next)
  state.capital.set(capital)
}

const push = (state: State, code: number, from: number, capital: number): void => {
  if (code === 0) return
  if (code === space || code === newline) {
    if (state.last === newline) return
    if (state.last === space) {
      if (code === newline) {
        state.codes[state.length - 1] = newline
        state.last = newline
      }
      return
    }
  }
  if (state.length >= state.codes.length) grow(state, state.length + 1)
  state.codes[state.length] = code
  state.from[state.length] = from
  state.capital[state.length] = capital
  state.length++
  state.last = code
}

/** A mirror image of a passage that has been read, behind everything else. */
const append = (state: State, start: number, end: number, reversed: boolean): void => {
  grow(state, state.length + end - start + 1)
  push(state, newline, state.from[start] ?? 0, 0)
  for (let at = start; at < end; at++) {
    const source = reversed ? start + end - 1 - at : at
    const code = state.codes[source] ?? space
    const capital = state.capital[source] ?? 0
    push(state, reversed || code < 97 || code > 122 ? code : (code - 84) % 26 + 97, state.from[source] ?? 0, capital)
  }
}

/** Reads a text; all of it stands at `pin` of the outer one, if that is not negative. */
const walk = (state: State, text: string, pin: number, depth: number): void => {
  const { length } = text
  let tokenEnd = 0
  state.rowEnd = 0
  for (let at = 0; at < length; at++) {
    let code = text.charCodeAt(at)
    const from = pin < 0 ? at : pin
    if (at >= tokenEnd && depth < maxDepth && code < 128) {
      if ((base64[code] ?? -1) >= 0) {
        if (isLong(text, at)) {
          tokenEnd = endOfToken(text, at)
          if (tokenEnd - at >= long && token(state, text, at, tokenEnd, from, depth)) {
            at = tokenEnd - 1
            continue
          }
        }
        const copied = isLetter(code) ? copyWord(state, text, at, pin) : at
        if (copied > at) {
          at = copied - 1
          continue
        }
      } else if (code === 37) {
        const end = percent(state, text, at, from, depth)
        if (end > at) {
          at = end - 1
          continue
        }
      }
    }
    if (
      code > 32 && at >= state.rowEnd && text.charCodeAt(at + 1) === 32 && (at === 0 || text.charCodeAt(at - 1) <= 32)
    ) {
      const end = spaced(state, text, at, pin)
      if (end > at) {
        at = end - 1
        tokenEnd = Math.max(tokenEnd, end)
        continue
      }
    }
    if (code === 92) {
      const escaped = escapeAt(text, at)
      code = escaped & 0xffff
      at += escaped >>> 16
    }
    if (code >= 0xd800 && code <= 0xdbff && at + 1 < length) {
      push(state, astral((code - 0xd800) * 1024 + text.charCodeAt(at + 1) - 0xdc00 + 0x10000), from, 0)
      at++
    } else if (code < 128 && (leet[code] ?? 0) > 0 && isLeet(state, text, at)) {
      push(state, leet[code] ?? code, from, 0)
    } else {
      push(state, folded[code] ?? 0, from, upper[code] ?? 0)
    }
  }
}

/** Most words have no secret: letters alone are read as they are. The end of what was read, or `at`. */
const copyWord = (state: State, text: string, at: number, pin: number): number => {
  if (state.length + text.length - at > state.codes.length) grow(state, state.length + text.length - at)
  const { capital, codes, from } = state
  let { length } = state
  let to = at
  for (let code = text.charCodeAt(at); (code >= 97 && code <= 122) || (code >= 65 && code <= 90);) {
    codes[length] = code | 32
    capital[length] = code < 97 ? 1 : 0
    from[length] = pin < 0 ? to : pin
    length++
    code = text.charCodeAt(++to)
  }
  // One letter may begin a row of them, and before a digit there may be more than letters.
  if (to - at < 2 || (text.charCodeAt(to) >= 48 && text.charCodeAt(to) <= 57)) return at
  state.length = length
  state.last = codes[length - 1] ?? space
  return to
}

/** Tokens shorter than this hide nothing. */
const long = 24

/** Whether the token that begins here may be long enough. */
const isLong = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at + long - 1)
  return code < 128 && (base64[code] ?? -1) >= 0
}

/** Tags and mathematical letters are read as the letters that they are. */
const astral = (point: number): number => {
  if (point >= 0xe0000 && point <= 0xe007f) return folded[point - 0xe0000] ?? 0
  if (point >= 0xe0100 && point <= 0xe01ef) return 0
  if (point < 0x1d400 || point > 0x1d7ff) return Folding.pictograph
  return folded[String.fromCodePoint(point).normalize("NFKC").charCodeAt(0)] ?? 0
}

/** What a backslash and what follows it mean in JSON and code: the code, and above it how many characters were used. */
const escapeAt = (text: string, at: number): number => {
  const next = text.charCodeAt(at + 1)
  if (next === 110 || next === 114) return newline | 1 << 16
  if (next === 116) return 9 | 1 << 16
  if (next === 34 || next === 39 || next === 92 || next === 47) return next | 1 << 16
  if (next !== 117) return 92
  let value = 0
  for (let digit = 2; digit < 6; digit++) {
    const read = hexValue(text.charCodeAt(at + digit))
    if (!(read >= 0)) return 92
    value = value * 16 + read
  }
  return value | 5 << 16
}

const endOfToken = (text: string, at: number): number => {
  let end = at
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (code >= 128 || (base64[code] ?? -1) < 0) break
    end++
  }
  return end
}

const utf8 = new TextDecoder("utf-8")

/** Reads what a long token hides; a token that hides nothing becomes one sign. Whether it was read. */
const token = (state: State, text: string, at: number, end: number, from: number, depth: number): boolean => {
  let lower = false
  let capital = false
  let other = false
  let joined = false
  let hex = true
  for (let next = at; next < end; next++) {
    const code = text.charCodeAt(next)
    if (code >= 97 && code <= 122) lower = true
    else if (code >= 65 && code <= 90) capital = true
    else if (code >= 48 && code <= 57) other = true
    else joined = true
    if (hex && hexValue(code) < 0) hex = false
  }
  if (hex && (end - at) % 2 === 0) {
    const bytes = new Uint8Array((end - at) / 2)
    for (let next = 0; next < bytes.length; next++) {
      bytes[next] = hexValue(text.charCodeAt(at + 2 * next)) * 16 + hexValue(text.charCodeAt(at + 2 * next + 1))
    }
    return said(state, utf8.decode(bytes), from, depth) || (push(state, Folding.opaque, from, 0), true)
  }
  if (!lower || !capital) return false
  if (said(state, utf8.decode(bytesOf(text, at, end)), from, depth)) return true
  // A path of words is not a hash.
  if (joined || !other) return false
  push(state, Folding.opaque, from, 0)
  return true
}

const bytesOf = (text: string, at: number, end: number): Uint8Array => {
  const bytes = new Uint8Array(Math.floor((end - at) * 3 / 4))
  let bits = 0
  let count = 0
  let length = 0
  for (let next = at; next < end; next++) {
    bits = (bits << 6 | (base64[text.charCodeAt(next)] ?? 0)) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    bytes[length++] = bits >> count & 255
  }
  return bytes.subarray(0, length)
}

const said = (state: State, text: string, from: number, depth: number): boolean => {
  if (!isText(text)) return false
  walk(state, text, from, depth + 1)
  return true
}

const isText = (text: string): boolean => {
  let printable = 0
  let letters = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 32 && code < 127) || (code >= 9 && code <= 13) || (code >= 160 && code !== 0xfffd)) printable++
    if (isLetter(code)) letters++
  }
  return printable >= text.length * 0.95 && letters >= text.length * 0.3
}

/** Bytes written as `%41`. The end of what was read, or `at`. */
const percent = (state: State, text: string, at: number, from: number, depth: number): number => {
  let end = at
  while (
    text.charCodeAt(end) === 37 && hexValue(text.charCodeAt(end + 1)) >= 0 && hexValue(text.charCodeAt(end + 2)) >= 0
  ) end += 3
  if (end === at) return at
  const bytes = new Uint8Array((end - at) / 3)
  for (let next = 0; next < bytes.length; next++) {
    bytes[next] = hexValue(text.charCodeAt(at + 3 * next + 1)) * 16 + hexValue(text.charCodeAt(at + 3 * next + 2))
  }
  const decoded = utf8.decode(bytes)
  if (bytes.length > 8) walk(state, decoded, from, depth + 1)
  else for (let next = 0; next < decoded.length; next++) push(state, folded[decoded.charCodeAt(next)] ?? 0, from, 0)
  return end
}

/** `l i k e   t h i s`: letters one by one, words further apart. The end of what was read, or `at`. */
const spaced = (state: State, text: string, at: number, pin: number): number => {
  let end = at
  let count = 0
  let letters = 0
  while (text.charCodeAt(end) > 32 && !(text.charCodeAt(end + 1) > 32)) {
    if (isLetter(text.charCodeAt(end))) letters++
    count++
    end = skipBlanks(text, end + 2)
  }
  if (count < 8 || letters < count * 0.6) {
    state.rowEnd = end
    return at
  }
  for (let next = at; next < end && next < text.length;) {
    const code = text.charCodeAt(next)
    push(state, folded[code] ?? 0, pin < 0 ? next : pin, upper[code] ?? 0)
    const after = skipBlanks(text, next + 2)
    if (after > next + 2) push(state, space, pin < 0 ? next + 1 : pin, 0)
    next = after
  }
  return Math.min(end, text.length)
}

const skipBlanks = (text: string, at: number): number => {
  let next = at
  while (next < at + 2 && text.charCodeAt(next) === 32) next++
  return next
}

const isWordLike = (code: number): boolean => isLetter(code) || (code >= 48 && code <= 57) || code === 64 || code === 36

/** Whether the word around a digit is one whose digits are all in the place of letters, and not at its end only. */
const isLeet = (state: State, text: string, at: number): boolean => {
  if (at < state.wordEnd && at >= state.wordEnd - 48) return state.wordIsLeet
  let start = at
  let letters = 0
  while (start > 0 && start > at - 24 && isWordLike(text.charCodeAt(start - 1))) {
    start--
    if (isLetter(text.charCodeAt(start))) letters++
  }
  let end = at
  let lastLetter = -1
  let fits = true
  while (end < at + 24 && isWordLike(text.charCodeAt(end))) {
    const code = text.charCodeAt(end)
    if (isLetter(code)) {
      letters++
      lastLetter = end
    } else if ((leet[code] ?? 0) === 0) fits = false
    end++
  }
  state.wordEnd = end
  state.wordIsLeet = fits && letters > 0 && end - start <= 20 && lastLetter > at
  return state.wordIsLeet
}
