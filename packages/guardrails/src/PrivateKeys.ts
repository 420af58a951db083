/**
 * Private keys, between their lines of dashes and as PuTTY keeps them.
 */

interface Span {
  readonly start: number
  readonly end: number
}

const privateLines = /Private-Lines: \d{1,3}\r?\n([A-Za-z0-9+/=]{16,80}(?:\r?\n[A-Za-z0-9+/=]{4,80}(?![:\w-])){0,100})/y

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let close = -1
  for (let at = text.indexOf("-----BEGIN "); at >= 0; at = text.indexOf("-----BEGIN ", at + 5)) {
    begin.lastIndex = at
    if (!begin.test(text) || !hasBody(text, begin.lastIndex)) continue
    // What ends is looked for once, however many begin.
    if (close < at && close !== text.length) close = text.indexOf("-----END ", at)
    if (close < 0) close = text.length
    const dashes = close === text.length ? -1 : text.indexOf("-----", close + 9)
    const end = close === text.length ? cutOff(text, begin.lastIndex) : dashes < 0 ? text.length : dashes + 5
    found.push({ start: at, end })
    at = end - 5
  }
  // As PuTTY keeps them.
  for (let at = text.indexOf("Private-Lines: "); at >= 0; at = text.indexOf("Private-Lines: ", at + 15)) {
    privateLines.lastIndex = at
    const lines = privateLines.exec(text)?.[1]
    if (lines !== undefined) found.push({ start: privateLines.lastIndex - lines.length, end: privateLines.lastIndex })
  }
  return found
}

/** Whether lines of a key follow, and not only words about one. */
const hasBody = (text: string, from: number): boolean => /[A-Za-z0-9+/]{16}/.test(text.slice(from, from + 120))

/** A key whose end is missing: its lines of base64. */
const cutOff = (text: string, from: number): number => {
  const lines = /(?:(?:\\n|\s){0,4}[A-Za-z0-9+/=:, -]{4,100}){0,200}/y
  lines.lastIndex = from
  return lines.test(text) ? lines.lastIndex : from
}
