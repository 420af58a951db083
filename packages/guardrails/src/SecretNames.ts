/**
 * Names of values: what is called a password, a key or a token.
 */
import { isWordCode } from "./Digits.ts"
import { isBlank } from "./SecretLooks.ts"

/** Words for a password, in the languages of those who write them. */
const passwords = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "passwort",
  "kennwort",
  "contraseña",
  "senha",
  "wachtwoord",
  "hasło",
  "lösenord",
  "adgangskode",
  "passord",
  "salasana",
  "heslo",
  "jelszó",
  "parola",
  "lozinka",
  "şifre",
  "пароль",
  "κωδικός",
  "密码",
  "密碼",
  "口令",
  "パスワード",
  "비밀번호",
  "암호",
  "סיסמה",
  "סיסמא",
  "รหัสผ่าน",
  "पासवर्ड",
  "passordet",
  "lösenordet",
  "kodeord",
  "salasanasi",
  "şifreniz",
  "비밀번호는",
  "パスワードは"
]

const password =
  new RegExp(`(?:${
    passwords.join("|")
  })$|(?:^|_|db|my|root|user|admin|mot_de_)passe?$|(?:^|_)(?:p(?:ass)?wd|pw|psk|wpa\\d?_key|storepass|keypass)$|` +
    "(?:admin|db|user|root)pwd$|كلمة_(?:المرور|السر)$|mật_khẩu$|kata_sandi$")
const credential =
  /(?:^|_)(?:secret|token|api_?key|access_?key(?:_?id)?|secret_?key(?:_?base)?|private_?key|(?:functions|subscription|hmac|session|service|storage|app|application|write|ingest(?:ion)?|integration|instrumentation|server|consumer|licen[cs]e)_?key|pre_?shared_?key|signing_?key|encryption_?key|master_?key|admin_?key|auth_?key|account_?key|shared_?key|credentials?|client_?secret|authorization|bearer|sas|pat|session_?id|jwt|auth|api_?schlüssel|cl[eé]_(?:d_)?api|(?:clave|chave|chiave)_(?:de_)?api)$|(?:zugangs|access|auth|api|bot)token$|токен$|jeton(?:_d_accès)?$|geheimer_schlüssel$|令牌$|トークン$|jsessionid$|phpsessid$|密[钥鑰]$|秘钥$|金鑰$/
const notSecret =
  /(?:^|_)(?:next|page|client_?request|continuation|request|idempotency|csrf_?param|sync|cancel|pagination|start|marker|max|min|count|id|public|public_?key|tracking)_?(?:token|key)$|(?:token|key|secret)_?(?:id|name|type|arn|count|size|length|url|uri)$/

/** `STRIPE_KEY`, `APP_KEY`: what an environment calls a key, and what is none. */
const variable = /^[A-Z0-9_]+_KEY$/
const notVariable =
  /(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE|OBJECT|S3|IDEMPOTENCY|HOST|ROW|SITE|REGISTRY|HKEY|MAP|INDEX)_?KEY$/

/** Words that say what they are together with the one before: `API key`, `mot de passe`. */
const second = /^(?:accès|key|base|passe|api|schlüssel|khẩu|sandi|المرور|السر)$/i

/** How names that matter end: most names are sorted out by two characters, most others by two more. */
interface Endings {
  readonly pairs: Uint8Array
  /** By three characters a bit for each one that may stand before them. */
  readonly before: Uint32Array
}

const pairOf = (text: string, at: number): number =>
  (text.charCodeAt(at - 2) & 31) << 5 | (text.charCodeAt(at - 1) & 31)

const codeOf = (text: string, at: number): number => (text.charCodeAt(at - 3) & 31) << 10 | pairOf(text, at)

const endingsOf = (names: ReadonlyArray<string>): Endings => {
  const endings = { pairs: new Uint8Array(1024), before: new Uint32Array(32768) }
  for (const name of names) {
    // Of a name of two characters all that may stand before it.
    for (const first of name.length > 2 ? [""] : Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))) {
      const code = codeOf(first + name, first.length + name.length)
      const before = name.length > 3 ? 1 << (name.charCodeAt(name.length - 4) & 31) : -1
      endings.pairs[code & 1023] = 1
      endings.before[code] = (endings.before[code] ?? 0) | before
    }
  }
  return endings
}

const isIn = ({ before, pairs }: Endings, text: string, at: number): boolean =>
  pairs[pairOf(text, at)] === 1 && ((before[codeOf(text, at)] ?? 0) >>> (text.charCodeAt(at - 4) & 31) & 1) === 1

/** What sentences give a value to. */
const spokenNames = [
  ...passwords,
  "passwd",
  "pwd",
  "pw",
  "passe",
  "key",
  "token",
  "secret",
  "api",
  "schlüssel",
  "khẩu",
  "sandi",
  "токен",
  "jeton"
]
  .concat("المرور", "السر")

const spokenEndings = endingsOf(spokenNames)
const endings = endingsOf([
  ...spokenNames,
  "pass",
  "psk",
  "credential",
  "credentials",
  "authorization",
  "bearer",
  "sas",
  "pat",
  "jwt",
  "auth",
  "base"
]
  .concat(
    "密钥",
    "密鑰",
    "秘钥",
    "金鑰",
    "value",
    "_id",
    "-id",
    "nid",
    "sid",
    "yid",
    "accès",
    "令牌",
    "トークン",
    "str",
    "string",
    "default",
    "_prod",
    "_production",
    "_dev",
    "_staging",
    "_live",
    "_confirmation",
    "word1",
    "word2",
    "_key1",
    "_key2"
  ))

/**
 * Whether what ends before a blank may be a name that sentences give a value to.
 *
 * @category predicates
 * @since 0.1.0
 */
export const mayBeSpoken = (text: string, at: number): boolean => isIn(spokenEndings, text, at)

/**
 * Where the name before a colon or an equals sign ends, if it ends as one that matters.
 *
 * @category readers
 * @since 0.1.0
 */
export const endBefore = (text: string, at: number): number | undefined => {
  let end = at
  while (end > 0 && at - end < 3 && isClosing(text.charCodeAt(end - 1))) end--
  return isIn(endings, text, end) ? end : undefined
}

/** A blank, but no new line, a quote, a bracket or a backslash. */
const isClosing = (code: number): boolean =>
  code === 34 || code === 39 || code === 96 || code === 93 || code === 92 || (code !== 10 && isBlank(code))

/**
 * The name that ends here, with the words before it where it needs them.
 *
 * @category readers
 * @since 0.1.0
 */
export const endingAt = (text: string, end: number): string | undefined => {
  const start = startOf(text, end)
  // `arn:aws:…:secret:name` is a path.
  if (end - start < 2 || (start > 0 && text.charCodeAt(start - 1) === 58 && !isAssigned(text, end))) {
    return undefined
  }
  const name = text.slice(start, end)
  if (!second.test(name)) return name
  let from = start
  for (let words = 0; words < 2 && isJoint(text.charCodeAt(from - 1)); words++) {
    const before = startOf(text, from - 1)
    if (before === from - 1) break
    from = before
  }
  return from === start ? name : text.slice(from, end).replace(/[ '’]/g, "_")
}

const isAssigned = (text: string, at: number): boolean =>
  text.charCodeAt(text.charCodeAt(at) === 32 ? at + 1 : at) === 61

/** A blank or an apostrophe. */
const isJoint = (code: number): boolean => code === 32 || code === 39 || code === 0x2019

const startOf = (text: string, end: number): number => {
  let start = end
  while (start > 0 && end - start < 48 && isNameCode(text.charCodeAt(start - 1))) start--
  return start
}

/** What names are made of, in any script. */
const isNameCode = (code: number): boolean =>
  isWordCode(code) || code === 45 || (code >= 0x0e00 && (code < 0x2000 || code >= 0x3041))

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

/** Which one of several: `API_KEY_PROD`, `password2`, `password_confirmation`. */
const which = /(?:_(?:prod|production|dev|staging|live|confirmation)|_?[12])$/

const read = (name: string): "password" | "credential" | undefined => {
  const key = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase().replace(which, "")
  const what = password.test(key)
    ? "password"
    : credential.test(key) || (variable.test(name) && !notVariable.test(name))
    ? "credential"
    : undefined
  return what === undefined || notSecret.test(key) ? undefined : what
}
