/**
 * Names of values: what is called a password, a key or a token.
 */
import { isWordCode } from "./Digits.ts"
import { isBlank } from "./SecretLooks.ts"

const password = /(?:^|_|db|my|root|user|admin)pass(?:word|wd|phrase|code)?$|(?:^|_)p(?:ass)?wd$/
const credential =
  /(?:^|_)(?:secret|token|api_?key|access_?key(?:_?id)?|secret_?key|private_?key|signing_?key|encryption_?key|master_?key|auth_?key|account_?key|shared_?key|credentials?|client_?secret|authorization|bearer|sas|pat|session_?id|jwt|auth)$/
const notSecret =
  /(?:^|_)(?:next|page|client_?request|continuation|request|idempotency|csrf_?param|sync|cancel|pagination|start|marker|max|min|count|id|public|tracking)_?(?:token|key)$|(?:token|key|secret)_?(?:id|name|type|arn|count|size|length|url|uri)$/

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

/**
 * Where the name before a colon or an equals sign ends, if it ends as one that matters.
 *
 * @category readers
 * @since 0.1.0
 */
export const endBefore = (text: string, at: number): number | undefined => {
  let end = at
  while (end > 0 && at - end < 3 && isClosing(text.charCodeAt(end - 1))) end--
  return endings[(text.charCodeAt(end - 2) & 31) << 5 | (text.charCodeAt(end - 1) & 31)] === 1 ? end : undefined
}

/** A blank, but no new line, a quote, a bracket or a backslash. */
const isClosing = (code: number): boolean =>
  code === 34 || code === 39 || code === 96 || code === 93 || code === 92 || (code !== 10 && isBlank(code))

/**
 * The name that ends here.
 *
 * @category readers
 * @since 0.1.0
 */
export const endingAt = (text: string, end: number): string | undefined => {
  let start = end
  while (
    start > 0 && end - start < 48 && (isWordCode(text.charCodeAt(start - 1)) || text.charCodeAt(start - 1) === 45)
  ) start--
  // `arn:aws:…:secret:name` is a path.
  return end - start < 3 || (start > 0 && text.charCodeAt(start - 1) === 58) ? undefined : text.slice(start, end)
}

/**
 * What a name says that its value is.
 *
 * @category readers
 * @since 0.1.0
 */
export const whatIs = (name: string): "password" | "credential" | undefined => {
  const known = names.get(name)
  if (known !== undefined || names.has(name)) return known
  const what = read(name)
  if (names.size < 256) names.set(name, what)
  return what
}

/**
 * Forgets the names of a text.
 *
 * @category state
 * @since 0.1.0
 */
export const forget = (): void => names.clear()

/** What the names of the text that is looked at say: one often stands there more than once. */
const names = new Map<string, "password" | "credential" | undefined>()

const read = (name: string): "password" | "credential" | undefined => {
  const key = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase()
  const what = password.test(key) ? "password" : credential.test(key) ? "credential" : undefined
  return what === undefined || notSecret.test(key) ? undefined : what
}
