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
    const span = around(text, at, at + 1, found.at(-1)?.end ?? 0)
    if (span !== undefined) found.push(span)
  }
  return [...found, ...encoded(text), ...disguised(text), ...spelled(text)]
}

/** `jo%40example.com`, as a URL has it. */
const encoded = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (let at = text.indexOf("%40"), from = 0; at >= 0; at = text.indexOf("%40", at + 3)) {
    const span = around(text, at, at + 3, from)
    if (span !== undefined) found.push(span)
    from = span?.end ?? at + 3
  }
  return found
}

const disguise =
  /([\p{L}\p{N}_+-][\p{L}\p{N}._+-]{0,63}) ?[([{]\s?(?:at|@)\s?[)\]}] ?((?:[\p{L}\p{N}-]{1,63}(?: ?[([{]\s?(?:dot|\.)\s?[)\]}] ?|\.)){1,4}\p{L}{2,24})/iuy

/** `jo (at) example (dot) com`: so written that it is not found. */
const disguised = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const { index } of text.matchAll(/[([{]\s?at\s?[)\]}]/gi)) {
    let start = index
    if (text.charCodeAt(start - 1) === 32) start--
    const end = start
    while (start > 0 && end - start < 64 && local[text.charCodeAt(start - 1)] === 1) start--
    while (start < end && ".+".includes(text.charAt(start))) start++
    disguise.lastIndex = start
    if (start < end && disguise.test(text)) found.push({ start, end: disguise.lastIndex })
  }
  return found
}

const spelling =
  / at [\p{L}\p{N}-]{1,63}(?: dot [\p{L}\p{N}-]{2,63}){0,2} dot (?:com|org|net|edu|gov|info|io|dev|app|co|eu|de|at|ch|uk|fr|es|it|nl|se|pl|jp|cn|in|us|ca|au)(?![\p{L}\p{N}-])/iuy

/** `jo at example dot com` */
const spelled = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const word of ["dot ", "DOT "]) {
    for (let dot = text.indexOf(word); dot >= 0; dot = text.indexOf(word, dot + 4)) {
      if (text.charCodeAt(dot - 1) !== 32) continue
      let host = dot - 1
      while (host > 0 && dot - host < 65 && domain[text.charCodeAt(host - 1)] === 1) host--
      const at = host - 4
      spelling.lastIndex = at
      if (at < 1 || !spelling.test(text)) continue
      let start = at
      while (start > 0 && at - start < 64 && isSpelled(text.charCodeAt(start - 1))) start--
      if (start < at && !isPlain.test(text.slice(start, at))) found.push({ start, end: spelling.lastIndex })
    }
  }
  return found
}

/** Words that stand before `at` in a sentence. */
const isPlain =
  /^(?:are|is|was|were|am|be|look|meet|me|us|you|it|them|here|stay|all|not|just|only|see|back|start|stop)$/i

/** What may stand in a name that is read aloud. */
const isSpelled = (code: number): boolean => local[code] === 1 && (domain[code] === 1 || code === 95 || code === 43)

/** Hosts of mail with a number for a name: `163.com`. */
const isNumbered = /^\d{2,5}\.(?:com|net|org|cn)$/i

/** A picture in twice its size: `logo@2x.png`. */
const picture = /^\d(?:\.\d)?x\.[a-z]{3,4}$/i

const around = (text: string, at: number, behind: number, from: number): Span | undefined => {
  let start = at
  while (start > from && at - start < 64 && local[text.charCodeAt(start - 1)] === 1) start--
  let end = behind
  while (end < text.length && end - behind < 256 && domain[text.charCodeAt(end)] === 1) end++
  if (!text.slice(behind + 1, end).includes(".")) return undefined
  if (start === at) return quoted(text, at, end)
  // What quotes, separates or names the address does not belong to it.
  const name = text.slice(start, at)
  start += name.length - (isForwarded.test(name) ? name.length : /[^"'`=|{}?&/%*#^~$!]*$/.exec(name)?.[0].length ?? 0)
  start = ownScript(text, start, at)
  // The end of another sign of a URL: `%3Djo%40example.com`.
  if (behind > at + 1 && text[start - 1] === "%" && /^[\dA-F]{2}/i.test(text.slice(start, at))) start += 2
  while (start < at && ".-+_".includes(text.charAt(start))) start++
  end = endOfHost(text, behind, end)
  const host = text.slice(behind, end)
  const isAddress = start < at && text[at - 1] !== "." && isHost.test(host) && !picture.test(host) &&
    (/\p{L}.*\./u.test(host) || isNumbered.test(host)) && !isUserInfo(text, start)
  // `git@host` is where a repository is.
  return isAddress && text.slice(start, at) !== "git" ? { start, end } : undefined
}

/** `https://name@…`, `postgres://name:word@…`: who signs in there. */
const isUserInfo = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === 47
    ? text.startsWith("://", start - 3)
    : text.charCodeAt(start - 1) === 58 && /:\/\/[^\s/:@]{0,64}:$/.test(text.slice(Math.max(0, start - 68), start))

const isHost = /^(?:[^.-][^.]{0,62}\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})$/iu

/** `bounce+jo=example.com@…`: the address that a message was for, inside of the one that it came from. */
const isForwarded =
  /^(?:[\w.-]+\+[\w.+-]+=[\w.-]+|(?:bounces?|return|returns|owner|verp|msprvs\d?|errors?)[.+-][\w.+-]*=[\w-]+(?:\.[\w-]+)+|(?:SRS\d|prvs)=[\w.=+-]+)$/i

/** `"jo roe"@example.org` */
const quoted = (text: string, at: number, end: number): Span | undefined => {
  if (text.charCodeAt(at - 1) !== 34) return undefined
  const open = text.slice(Math.max(0, at - 66), at - 1).lastIndexOf("\"")
  const start = Math.max(0, at - 66) + open
  const stop = endOfHost(text, at + 1, end)
  return open >= 0 && at - start > 3 && /^[\w .+-]+$/.test(text.slice(start + 1, at - 1)) &&
      isHost.test(text.slice(at + 1, stop))
    ? { start, end: stop }
    : undefined
}

/** Chinese and such has no blanks between words: an ASCII name begins behind it. */
const ownScript = (text: string, start: number, at: number): number => {
  if (!isAscii(text.charCodeAt(at - 1))) return start
  for (let from = at - 1; from >= start; from--) if (isUnspaced(text.charCodeAt(from))) return from + 1
  return start
}

/** Up to where it is a name of hosts: without what ends a sentence, and without Chinese behind ASCII. */
const endOfHost = (text: string, from: number, to: number): number => {
  let end = to
  for (let at = from + 1; at < to; at++) {
    if (isUnspaced(text.charCodeAt(at)) && isAscii(text.charCodeAt(at - 1)) && text[at - 1] !== ".") {
      end = at
      break
    }
  }
  while (end > from && ".-".includes(text.charAt(end - 1))) end--
  return end
}

const isAscii = (code: number): boolean => code < 128

/** Chinese, Japanese, Korean, Thai. */
const isUnspaced = (code: number): boolean => (code >= 0x3040 && code < 0xd7b0) || (code >= 0x0e00 && code < 0x0f00)
