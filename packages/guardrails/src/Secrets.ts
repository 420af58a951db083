/**
 * Secrets: tokens in documented formats, private keys, passwords in URLs, credentials in headers, and values of what is called
 * a password, a key or a token, if they look like one.
 */
import { isWordCode } from "./Digits.ts"
import type { Format } from "./SecretFormats.ts"
import { formats, inner } from "./SecretFormats.ts"

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> =>
  [...privateKeys(text), ...tokens(text), ...marked(text), ...spoken(text), ...values(text)]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ end }, at, all) => !all.slice(Math.max(0, at - 3), at).some((other) => other.end >= end))

const pair = (first: number, second: number): number => (first & 127) << 7 | (second & 127)

/** Formats by their first two characters: only a token that begins like one is looked at. */
const byBeginning =
  new Map(Array.from(Map.groupBy(formats, ({ begins }) => pair(begins.charCodeAt(0), begins.charCodeAt(1)))))

const tokens = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let end = 0
  let before = 32
  for (let at = 0; at < text.length; before = text.charCodeAt(at++)) {
    // In the middle of a word.
    if (isWordCode(before) && before !== 95) continue
    const code = text.charCodeAt(at)
    if (at < end || !isWordCode(code) || code === 95) continue
    const candidates = byBeginning.get(pair(code, text.charCodeAt(at + 1)))
    const until = (candidates === undefined ? undefined : longest(text, at, candidates)) ??
      (before === 95 ? undefined : prefixed(text, at))
    if (until !== undefined) {
      found.push({ start: at, end: until })
      end = until
    }
  }
  return found
}

const longest = (text: string, at: number, candidates: ReadonlyArray<Format>): number | undefined => {
  let end: number | undefined
  for (const { begins, pattern } of candidates) {
    if (!text.startsWith(begins, at)) continue
    pattern.lastIndex = at
    if (!pattern.test(text)) continue
    const stop = pattern.lastIndex
    if (!isWordCode(text.charCodeAt(stop)) && isVaried(text.slice(at + begins.length, stop)) && stop > (end ?? 0)) {
      end = stop
    }
  }
  return end
}

/** What is known by a mark inside of it. */
const marked = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const { after, before, mark } of inner) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      const lead = before.exec(text.slice(Math.max(0, at - 40), at))
      if (lead === null) continue
      after.lastIndex = at + mark.length
      if (!after.test(text)) continue
      const isParameter = mark.endsWith("=")
      const start = isParameter ? at + mark.length : at - lead[0].length
      const end = after.lastIndex
      const stands = isParameter || !isWordCode(start > 0 ? text.charCodeAt(start - 1) : 32)
      if (stands && !isWordCode(text.charCodeAt(end)) && isVaried(text.slice(start, end))) found.push({ start, end })
    }
  }
  return found
}

/** `--password value`, `-u name:value`, `login name password value`, `<password>value</password>`. */
const said =
  /(?:--(?:password|passwd|token|api-?key|secret|auth-token|access-token)\s+|\s(?:-u|--user)\s+["']?[\w.@-]{1,64}:|\slogin\s+\S{1,64}\s+password\s+|<(?:password|passwd|secret|token|api_?key|client_?secret)>)(?!-)["']?([^\s"'<>]{6,200})/gi

const spoken = (text: string): ReadonlyArray<Span> => {
  // Three characters tell whether it is worth to look.
  if (!text.includes("--") && !text.includes("-u ") && !text.includes("</") && !text.includes(" password ")) return []
  return Array.from(text.matchAll(said)).flatMap(({ 0: all, 1: value = "", index }) => {
    const start = index + all.length - value.length
    return kindsOf(value) >= 2 && !isPlaceholder(value) && isWhole(value) ? [{ start, end: start + value.length }] : []
  })
}

/** Not `ghp_xxxxxxxx…`, and not `sk_live_your_key_goes_here_please`. */
const isVaried = (text: string): boolean =>
  new Set(text).size >= Math.min(8, text.length / 3) && !/([x*.0])\1{9}/i.test(text)

const isLower = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57)

const ownPrefix =
  /[a-z][a-z0-9]{1,11}[_-](?:(?:live|test|prod|pat|api|key|sk|secret|token|v\d)[_-])?(?=[A-Za-z0-9]{20})/y
const tail = /[A-Za-z0-9]{20,200}(?![\w-])/y
const secretive = /^(?:.*[_-])?(?:sk|pat|key|tok|token|secret|api|live|apikey|auth|rk|pk_live|priv)[_-]/

/** Kinds that nobody has told us of: a prefix that says key or token, and chance behind it. */
const prefixed = (text: string, at: number): number | undefined => {
  const code = text.charCodeAt(at)
  if (code < 97 || code > 122) return undefined
  let joint = at + 1
  while (joint < at + 14 && isLower(text.charCodeAt(joint))) joint++
  if (joint < at + 2 || (text.charCodeAt(joint) !== 95 && text.charCodeAt(joint) !== 45)) return undefined
  ownPrefix.lastIndex = at
  if (!ownPrefix.test(text)) return undefined
  const from = ownPrefix.lastIndex
  tail.lastIndex = from
  if (!secretive.test(text.slice(at, from)) || !tail.test(text)) return undefined
  return isRandom(text.slice(from, tail.lastIndex), 3.5) ? tail.lastIndex : undefined
}

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y

const privateKeys = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let close = -1
  for (let at = text.indexOf("-----BEGIN "); at >= 0; at = text.indexOf("-----BEGIN ", at + 5)) {
    begin.lastIndex = at
    if (!begin.test(text)) continue
    // What ends is looked for once, however many begin.
    if (close < at && close !== text.length) close = text.indexOf("-----END ", at)
    if (close < 0) close = text.length
    const dashes = close === text.length ? -1 : text.indexOf("-----", close + 9)
    const end = close === text.length ? cutOff(text, begin.lastIndex) : dashes < 0 ? text.length : dashes + 5
    found.push({ start: at, end })
    at = end - 5
  }
  return found
}

/** A key whose end is missing: its lines of base64. */
const cutOff = (text: string, from: number): number => {
  const lines = /(?:(?:\\n|\s){0,4}[A-Za-z0-9+/=:, -]{4,100}){0,200}/y
  lines.lastIndex = from
  return lines.test(text) ? lines.lastIndex : from
}

const password = /(?:^|_|db|my|root|user|admin)pass(?:word|wd|phrase|code)?$|(?:^|_)p(?:ass)?wd$/
const credential =
  /(?:^|_)(?:secret|token|api_?key|access_?key(?:_?id)?|secret_?key|private_?key|signing_?key|encryption_?key|master_?key|auth_?key|account_?key|shared_?key|credentials?|client_?secret|authorization|bearer|sas|pat|session_?id|jwt|auth)$/
const notSecret =
  /(?:^|_)(?:next|page|client_?request|continuation|request|idempotency|csrf_?param|sync|cancel|pagination|start|marker|max|min|count|id|public|tracking)_?(?:token|key)$|(?:token|key|secret)_?(?:id|name|type|arn|count|size|length|url|uri)$/

/** What stands behind `=` and `:`, and in the credentials of URLs. */
const values = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  // A value is looked at once, however often it says that it is one.
  let seen = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== 58 && code !== 61) {
      const span = code === 32 ? header(text, at) : undefined
      if (span !== undefined) found.push(span)
      continue
    }
    if (code === 58 && text.startsWith("//", at + 1)) {
      const span = userInfo(text, at + 3)
      if (span !== undefined) found.push(span)
    } else if (at >= seen) {
      const value = valueOf(text, at)
      if (value === undefined) continue
      seen = value.end
      if (value.fits) found.push({ start: value.start, end: value.start + value.length })
    }
  }
  return found
}

const schemes = new Set(["bearer", "basic", "token"])

/** `Authorization: Bearer …`: credentials behind the name of a scheme. */
const header = (text: string, at: number): Span | undefined => {
  const before = text.charCodeAt(at - 1)
  // Bearer, Basic, Token: the last letters of the schemes.
  if (before !== 114 && before !== 99 && before !== 110 && before !== 82 && before !== 67 && before !== 78) {
    return undefined
  }
  const word = /[A-Za-z]{5,6}$/.exec(text.slice(Math.max(0, at - 6), at))?.[0].toLowerCase()
  if (word === undefined || !schemes.has(word)) return undefined
  const end = tokenEnd(text, at + 1)
  const value = text.slice(at + 1, end)
  const named = /authorization["']?\s{0,2}[:=]\s{0,2}["']?$/i.test(text.slice(Math.max(0, at - 26), at - word.length))
  return value.length >= 16 &&
      (named || word === "bearer" ? isRandom(value, 3) : word === "basic" && isRandom(value, 3.5))
    ? { start: at + 1, end }
    : undefined
}

const tokenEnd = (text: string, from: number): number => {
  let end = from
  while (end < text.length && end - from < 4096 && /[A-Za-z0-9._~+/=-]/.test(text.charAt(end))) end++
  return end
}

const userInfoPattern = /[^\s:@/"'<>`]{0,128}:([^\s@/"'<>`]{3,256})@/y

const userInfo = (text: string, at: number): Span | undefined => {
  userInfoPattern.lastIndex = at
  const [, value] = userInfoPattern.exec(text) ?? []
  const end = userInfoPattern.lastIndex - 1
  return value === undefined || isPlaceholder(value) ? undefined : { start: end - value.length, end }
}

interface Value {
  readonly start: number
  /** Of what looks like a value; up to there no other one begins. */
  readonly end: number
  readonly length: number
  readonly fits: boolean
}

const valueOf = (text: string, at: number): Value | undefined => {
  const key = keyBefore(text, at)
  if (key === undefined) return undefined
  const isPassword = password.test(key)
  if ((!isPassword && !credential.test(key)) || notSecret.test(key)) return undefined
  let from = at + 1
  // `=>`, `:=`, blanks and an opening quote.
  while (from < at + 6 && /[\s=>"'`\\]/.test(text.charAt(from)) && text.charCodeAt(from) !== 10) from++
  const quote = /["'`]/.exec(text.slice(at + 1, from))?.[0]
  let end = from
  while (end < text.length && end - from < 512 && !isEnd(text.charCodeAt(end), quote)) end++
  const raw = text.slice(from, end)
  const value = quote === undefined ? raw.replace(/[,;)\]}.]+$/, "") : raw.replace(/\\$/, "")
  const fits = !isPlaceholder(value) && isWhole(value) && (isPassword
    ? value.length >= 6 && value.length <= 128 && kindsOf(value) >= 2 && !isPlace.test(value)
    : value.length >= 16 && !isDotted(value) && isRandom(value, 3))
  return { start: from, end, length: value.length, fits }
}

const isEnd = (code: number, quote: string | undefined): boolean =>
  code <= 32 || code === quote?.charCodeAt(0) ||
  (quote === undefined && (code === 44 || code === 34 || code === 39 || code === 38 || code === 59 || code === 124))

/** The last two letters of names that matter: most names are sorted out by them. */
const endings = new Uint8Array(1024)
for (
  const [first = "", second = ""] of [
    "rd",
    "wd",
    "se",
    "de",
    "et",
    "en",
    "ey",
    "al",
    "ls",
    "on",
    "er",
    "as",
    "at",
    "id",
    "wt",
    "th"
  ]
) {
  endings[(first.charCodeAt(0) & 31) << 5 | (second.charCodeAt(0) & 31)] = 1
}

/** The name before a colon or an equals sign, in snake case. */
const keyBefore = (text: string, at: number): string | undefined => {
  let end = at
  while (end > 0 && at - end < 3 && /[\s"'`\]\\]/.test(text.charAt(end - 1)) && text.charCodeAt(end - 1) !== 10) end--
  if (endings[(text.charCodeAt(end - 2) & 31) << 5 | (text.charCodeAt(end - 1) & 31)] !== 1) return undefined
  let start = end
  while (
    start > 0 && end - start < 48 && (isWordCode(text.charCodeAt(start - 1)) || text.charCodeAt(start - 1) === 45)
  ) start--
  // `arn:aws:…:secret:name` is a path.
  return end - start < 3 || (start > 0 && text.charCodeAt(start - 1) === 58)
    ? undefined
    : text.slice(start, end).replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase()
}

const isPlaceholder = (value: string): boolean =>
  /^[$%{<[(*]|\$\{|\{\{|^(?:x{3,}|\.{3,}|-+|_+|null|none|true|false|undefined|string|required|optional|changeme|example|redacted|hidden|pass(?:word)?|secret|token|pw|user|your[-_ ].*|.*(?:redacted|placeholder|<.*>).*)$/i
    .test(value) || new Set(value).size <= 2

/** A path or an address: `PWD=/home/dana`, `password: https://…`. */
const isPlace = /^(?:[a-z]{2,8}:\/\/|~?\/[A-Za-z_]|\.{1,2}\/|[A-Za-z]:\\)/i

const isWhole = (value: string): boolean =>
  value.length > 0 && !/[(){}<>]|\[$|^(?:os|process|env|config|settings|self|this)\./.test(value)

const isDotted = (value: string): boolean => /^[a-z]+(?:[._/-][a-zA-Z]+)+$/.test(value)

/** How many kinds of characters: lower case, upper case, digits, others. */
const kindsOf = (value: string): number =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length

/** As chance would write it: many different characters, letters and digits. */
const isRandom = (value: string, leastBits: number): boolean =>
  /\d/.test(value) && /[A-Za-z]/.test(value) && !isUuid(value) && entropy(value) >= leastBits

const isUuid = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

/** Shannon's, in bits for each character. */
const entropy = (value: string): number => {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= count / value.length * Math.log2(count / value.length)
  return bits
}
