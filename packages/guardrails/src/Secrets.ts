/**
 * Secrets: tokens in documented formats, private keys, passwords in URLs, credentials in headers, and values of what is called
 * a password, a key or a token, if they look like one.
 */
import { isWordCode } from "./Digits.ts"
import * as PrivateKeys from "./PrivateKeys.ts"
import * as SecretCalls from "./SecretCalls.ts"
import * as SecretCommands from "./SecretCommands.ts"
import type { Format } from "./SecretFormats.ts"
import { formats, inner } from "./SecretFormats.ts"
import {
  isBlank,
  isCode,
  isCredential,
  isLower,
  isPlace,
  isPlaceholder,
  isRandom,
  isSpoken,
  isUpper,
  isUuid,
  isVaried,
  isWhole,
  kindsOf
} from "./SecretLooks.ts"
import * as SecretNames from "./SecretNames.ts"
import * as SecretSentences from "./SecretSentences.ts"

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * @category finders
 * @since 0.1.0
 */
export const find = (text: string): ReadonlyArray<Span> =>
  [
    ...PrivateKeys.find(text),
    ...tokens(text),
    ...marked(text),
    ...spoken(text),
    ...elements(text),
    ...SecretCalls.find(text),
    ...SecretSentences.find(text),
    ...values(text)
  ]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ end }, at, all) =>
      !(reaches(all[at - 1], end) || reaches(all[at - 2], end) || reaches(all[at - 3], end))
    )

const reaches = (span: Span | undefined, end: number): boolean => span !== undefined && span.end >= end

const pair = (first: number, second: number): number => (first & 127) << 7 | (second & 127)

interface Beginning {
  /** Matches where one of the formats does. */
  readonly gate: RegExp
  readonly formats: ReadonlyArray<Format>
}

/** Formats by their first two characters: only a token that begins like one is looked at. */
const byBeginning: Array<Beginning | undefined> = Array.from({ length: 16384 }, () => undefined)
for (const [key, all] of Map.groupBy(formats, ({ begins }) => pair(begins.charCodeAt(0), begins.charCodeAt(1)))) {
  byBeginning[key] = { gate: new RegExp(all.map(({ pattern }) => pattern.source).join("|"), "y"), formats: all }
}

const tokens = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let end = 0
  let seen = 0
  let before = 32
  for (let at = 0; at < text.length; before = text.charCodeAt(at++)) {
    // In the middle of a word.
    if (isWordCode(before) && before !== 95) continue
    const code = text.charCodeAt(at)
    if (at < end || !isWordCode(code) || code === 95) continue
    const key = pair(code, text.charCodeAt(at + 1))
    // A value is looked at once.
    const value = at < seen ? undefined : SecretCommands.startingAt(text, at)
    if (value?.fits === true) found.push({ start: value.start, end: value.end })
    seen = value?.end ?? seen
    const candidates = byBeginning[key]
    const until = (candidates === undefined ? undefined : longest(text, at, candidates)) ??
      (before === 95 ? undefined : prefixed(text, at))
    if (until !== undefined) {
      found.push({ start: at, end: until })
      end = until
    }
  }
  return found
}

const longest = (text: string, at: number, { formats, gate }: Beginning): number | undefined => {
  gate.lastIndex = at
  if (!gate.test(text)) return undefined
  let end: number | undefined
  for (const { begins, pattern } of formats) {
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
  /(?:--(?:password|passwd|token|api-?key|secret|auth-token|access-token|passphrase)\s+|\s(?:-u|--user)\s+["']?[\w.@-]{1,64}:|\slogin\s+\S{1,64}\s+password\s+|<(?:password|passwd|secret|token|api_?key|client_?secret)>)(?!-)["']?([^\s"'<>]{6,200})/gi

const spoken = (text: string): ReadonlyArray<Span> => {
  // Three characters tell whether it is worth to look.
  if (!text.includes("--") && !text.includes("-u ") && !text.includes("</") && !text.includes(" password ")) return []
  return Array.from(text.matchAll(said)).flatMap(({ 0: all, 1: value = "", index }) => {
    const start = index + all.length - value.length
    return kindsOf(value) >= 2 && !isPlaceholder(value) && isWhole(value) ? [{ start, end: start + value.length }] : []
  })
}

/** `<entry key="db.password">…</entry>`, `<key>ApiKey</key><string>…</string>` */
const element =
  /(?:\s(?:name|key|id)=["']([\w.-]{2,64})["']>|<key>([\w.-]{2,64})<\/key>\s{0,40}<string>)([^\s<>]{6,200})<\//g

const elements = (text: string): ReadonlyArray<Span> =>
  !text.includes("</") ?
    [] :
    Array.from(text.matchAll(element)).flatMap(({ 0: all, 1: attribute, 2: own, 3: value = "", index }) => {
      const name = attribute ?? own ?? ""
      const what = SecretNames.whatIs(name.slice(name.lastIndexOf(".") + 1))
      const start = index + all.length - 2 - value.length
      const isOne = what === "password" ? isPassword(value) : what === "credential" && isCredential(value, name)
      return isOne && !isPlaceholder(value) && isWhole(value) ? [{ start, end: start + value.length }] : []
    })

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
  // Twenty letters and digits stand behind the first joint or behind the second one.
  const next = alphanumericEnd(text, joint + 1)
  if (next < joint + 21) {
    if (text.charCodeAt(next) !== 95 && text.charCodeAt(next) !== 45) return undefined
    if (alphanumericEnd(text, next + 1) < next + 21) return undefined
  }
  ownPrefix.lastIndex = at
  if (!ownPrefix.test(text)) return undefined
  const from = ownPrefix.lastIndex
  tail.lastIndex = from
  if (!secretive.test(text.slice(at, from)) || !tail.test(text)) return undefined
  return isRandom(text.slice(from, tail.lastIndex), 3.5) ? tail.lastIndex : undefined
}

/** Up to where there are letters and digits, twenty at most. */
const alphanumericEnd = (text: string, from: number): number => {
  let end = from
  while (end < from + 20 && (isLower(text.charCodeAt(end)) || isUpper(text.charCodeAt(end)))) end++
  return end
}

/** What stands behind `=` and `:`, and in the credentials of URLs. */
const values = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  // A value is looked at once, however often it says that it is one.
  let seen = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 61 || (code !== 32 && code !== 44 && code !== 58 && code !== 61)) continue
    if (code < 58) {
      const span = code === 44
        ? SecretCalls.behind(text, at)
        : header(text, at) ??
          (at >= seen && SecretNames.mayBeSpoken(text, at) ? SecretSentences.behind(text, at) : undefined)
      if (span !== undefined) found.push(span)
      continue
    }
    if (code === 58 && text.startsWith("//", at + 1)) {
      const span = userInfo(text, at + 3)
      if (span === undefined) continue
      found.push(span)
      seen = span.end
    } else if (at >= seen) {
      const value = valueOf(text, at)
      if (value === undefined) continue
      seen = value.end
      if (value.fits) found.push({ start: value.start, end: value.start + value.length })
    }
  }
  SecretNames.forget()
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
/** A token alone: `https://ghp_…@github.com`. */
const userPattern = /[\w-]{20,256}@/y

const isDigest = /^[\da-f]{32}$/

const userInfo = (text: string, at: number): Span | undefined => {
  userInfoPattern.lastIndex = at
  const [, value] = userInfoPattern.exec(text) ?? []
  const end = userInfoPattern.lastIndex - 1
  if (value !== undefined) return isPlaceholder(value) ? undefined : { start: end - value.length, end }
  userPattern.lastIndex = at
  if (!userPattern.test(text)) return undefined
  const user = text.slice(at, userPattern.lastIndex - 1)
  return isRandom(user, isDigest.test(user) ? 3 : 3.5)
    ? { start: at, end: userPattern.lastIndex - 1 }
    : undefined
}

interface Value {
  readonly start: number
  /** Of what looks like a value; up to there no other one begins. */
  readonly end: number
  readonly length: number
  readonly fits: boolean
}

const valueOf = (text: string, at: number): Value | undefined => {
  const ends = SecretNames.endBefore(text, at)
  if (ends === undefined) return undefined
  let from = at + 1
  // `=>`, `:=`, blanks and an opening quote.
  while (from < at + 6 && isOpening(text.charCodeAt(from))) from++
  if (isShort(text, from)) return isAuthorization(text, ends) ? ofScheme(text, from) : undefined
  const key = SecretNames.endingAt(text, ends)
  const name = key === undefined
    ? ""
    : isType.test(key)
    ? typedName(text, ends)
    : key === "value"
    ? nameOfValue(text, ends)
    : key === "default"
    ? nameOfVariable(text, ends)
    : key
  const what = name === "" ? undefined : SecretNames.whatIs(name)
  if (what === undefined) return undefined
  const quote = /["'`]/.exec(text.slice(at + 1, from))?.[0]
  const own = isAuthorization(text, ends) ? ofScheme(text, from) : undefined
  if (own !== undefined) return own
  let end = from
  while (end < text.length && end - from < 512 && !isEnd(text.charCodeAt(end), quote)) end++
  if (quote !== undefined && what === "password" && text.charCodeAt(end) === 32) {
    const phrase = phraseAt(text, from, quote)
    if (phrase !== undefined) return { start: from, end: from + phrase, length: phrase, fits: true }
  }
  const raw = text.slice(from, end)
  const value = quote === undefined ? raw.replace(/[,;)\]}.]+$/, "") : raw.replace(/\\$/, "")
  const isText = isWhole(value) || (quote !== undefined && value.length >= 40 && isRandom(value, 4.2))
  const isName = quote === undefined && (what === "password" || value.length < 16) && isCode(value)
  const fits = !isName && !isPlaceholder(value) && isText && (what === "password"
    ? isPassword(value) &&
      (!isVerdict.test(text.slice(Math.max(0, ends - 5), at + 1)) || (isSpoken(value) && !isJoined.test(value)))
    : isCredential(value, name))
  return { start: from, end, length: value.length, fits }
}

const isAuthorization = (text: string, end: number): boolean =>
  text.charCodeAt(end - 1) === 110 && /authorization$/i.test(text.slice(Math.max(0, end - 13), end))

const schemed = /[A-Za-z][\w-]{2,15} ([\w.~+/=:-]{16,4096})/y

/** `Authorization: Splunk …`: credentials behind the name of any scheme. */
const ofScheme = (text: string, from: number): Value | undefined => {
  schemed.lastIndex = from
  const value = schemed.exec(text)?.[1]
  if (value === undefined) return undefined
  const end = schemed.lastIndex
  return { start: end - value.length, end, length: value.length, fits: isUuid(value) || isRandom(value, 3) }
}

const isPassword = (value: string): boolean =>
  value.length >= 6 && value.length <= 128 && (kindsOf(value) >= 2 || /^\d{6,20}$/.test(value)) && !isPlace.test(value)

/** `PASS: test_one1` is what came of a test. */
const isJoined = /^[a-z]+(?:[._-][a-z\d]+)+$/i
const isVerdict = /(?:^|[^\w-])pass["']?\s?:$/i

const phrases = /[a-z]{3,9}(?: [a-z]{3,9}){3,23}(?=["'`])/y
const prose =
  /\b(?:the|your|you|this|that|and|for|with|must|not|please|enter|here|from|should|are|has|have|was|can|will|when|phrase|password)\b/

/** `"correct horse battery staple"`: the length of words without a sentence. */
const phraseAt = (text: string, from: number, quote: string): number | undefined => {
  phrases.lastIndex = from
  const value = phrases.exec(text)?.[0]
  return value === undefined || text[from + value.length] !== quote || prose.test(value) ? undefined : value.length
}

/** `{"name": "DB_PASSWORD", "value": "…"}`: what the value is called. */
const nameOfValue = (text: string, end: number): string => {
  const before = text.slice(Math.max(0, end - 90), end)
  return /(?:name|key)["']?\s?[:=]\s?["']?([\w.-]{3,48})["']?[\s,]{1,16}["']?value$/i.exec(before)?.[1] ?? ""
}

/** `variable "db_password" { default = "…" }`: what has the default. */
const nameOfVariable = (text: string, end: number): string =>
  /variable\s+"([\w-]{3,48})"\s{0,8}\{[^{}]{0,160}default$/.exec(text.slice(Math.max(0, end - 240), end))?.[1] ?? ""

const isType = /^(?:str|string)$/i

/** `const TOKEN: &str = "…"`: what has the type. */
const typedName = (text: string, end: number): string =>
  /([\w-]{3,48})\??\s?:\s?&?(?:'?static\s)?\w+$/.exec(text.slice(Math.max(0, end - 64), end))?.[1] ?? ""

/** A blank, but no new line, `=`, `>`, `@`, a quote or a backslash. */
const isOpening = (code: number): boolean =>
  code === 61 || code === 64 || code === 62 || code === 34 || code === 39 || code === 96 || code === 92 ||
  (code !== 10 && isBlank(code))

/** Whether what is here ends before it has the length of a password, and assigns nothing itself. */
const isShort = (text: string, from: number): boolean => {
  for (let at = from; at < from + 6; at++) {
    const code = text.charCodeAt(at)
    if (code === 58 || code === 61) return false
    if (at >= text.length || code <= 32) return true
  }
  return false
}

const isEnd = (code: number, quote: string | undefined): boolean =>
  code <= 32 || code === quote?.charCodeAt(0) ||
  (quote === undefined && (code === 44 || code === 34 || code === 39 || code === 38 || code === 59 || code === 124))
