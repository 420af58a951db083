/**
 * Mail addresses, looked for around each `@`.
 */

interface Span {
  readonly start: number
  readonly end: number
}

const local = new Uint8Array(65536)
const domain = new Uint8Array(65536)
for (let code = 0; code < 65536; code++) {
  const letter = /[\p{L}\p{N}]/u.test(String.fromCharCode(code))
  if (letter || ".!#$%&'*+/=?^_`{|}~-".includes(String.fromCharCode(code))) local[code] = 1
  if (letter || code === 45 || code === 46) domain[code] = 1
}

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const span = around(text, at, found.at(-1)?.end ?? 0)
    if (span !== undefined) found.push(span)
  }
  return found
}

const around = (text: string, at: number, from: number): Span | undefined => {
  let start = at
  while (start > from && at - start < 64 && local[text.charCodeAt(start - 1)] === 1) start--
  let end = at + 1
  while (end < text.length && end - at < 256 && domain[text.charCodeAt(end)] === 1) end++
  if (start === at || !text.slice(at + 2, end).includes(".")) return undefined
  // What quotes, separates or names the address does not belong to it.
  const name = text.slice(start, at)
  start += name.length - (/[^"'`=|{}?&/%*#^~$!]*$/.exec(name)?.[0] ?? "").length
  while (start < at && ".-+_".includes(text.charAt(start))) start++
  while (end > at && ".-".includes(text.charAt(end - 1))) end--
  const host = text.slice(at + 1, end)
  const isAddress = start < at && text[at - 1] !== "." &&
    /^(?:[^.-][^.]{0,62}\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})$/iu.test(host)
  // `git@host:path` is where a repository is.
  return isAddress &&
      !(text[end] === ":" && /^[\w~/]/.test(text.slice(end + 1, end + 2)) && text.slice(start, at) === "git")
    ? { start, end }
    : undefined
}
