/**
 * What secrets look like, and what only stands where one belongs.
 */

/**
 * Not `ghp_xxxxxxxx…`, and not `sk_live_your_key_goes_here_please`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isVaried = (text: string): boolean =>
  new Set(text).size >= Math.min(8, text.length / 3) && !/([x*.0])\1{9}/i.test(text)

/**
 * Whether a lower-case letter or a digit.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLower = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57)

/**
 * Whether an upper-case letter.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isUpper = (code: number): boolean => code >= 65 && code <= 90

/**
 * Whether white space.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isBlank = (code: number): boolean =>
  code < 128 ? code === 32 || (code > 8 && code < 14) : /\s/.test(String.fromCharCode(code))

/**
 * What stands where a secret belongs: `${NAME}`, `changeme`, `xxxx`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isPlaceholder = (value: string): boolean =>
  /^[$%{<[(*]|[${]\{|^![A-Za-z]+$/.test(value) || placeholders.test(value) ||
  hints.test(value) ||
  (/redacted|placeholder|</i.test(value) && /^.*(?:redacted|placeholder|<.*>).*$/i.test(value)) || !isMixed(value)

/** `CHANGE_ME`, `insert-password-here`, `ENC[…`, and names of variables: `hashedPassword`. */
const hints =
  /^change[-_]?(?:me|it)|^(?:insert|enter|replace|put)[-_]|[-_]here$|^ENC\[|^AWS4-HMAC-|^x-oauth-basic$|^[A-Za-z_.-]*(?:password|passwd|secret|token)[A-Za-z_.-]*$/i

const placeholders =
  /^(?:x{3,}|\.{3,}|-+|_+|null|none|true|false|undefined|string|required|optional|changeme|example|redacted|hidden|pass(?:word)?|secret|token|pw|user|(?:string|text|varchar|int|bool(?:ean)?)[!?]|your[-_ ].*|passwort|kennwort|passwor[dt]|contraseña|senha|wachtwoord|hasło|lösenord|parola|passe|пароль|incorrect|invalid|wrong|missing|forgot(?:ten)?|reset|change|updated?|expired|optional|hidden|unknown|unset|not[-_]set|not[-_]required|n\/a)$/i

/** Whether there are more than two different characters. */
const isMixed = (value: string): boolean => {
  const first = value.charCodeAt(0)
  let second = first
  for (let at = 1; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code === first || code === second) continue
    // A character of two units is counted as one.
    if (code > 0xd7ff) return new Set(value).size > 2
    if (second !== first) return true
    second = code
  }
  return false
}

/**
 * A path or an address: `PWD=/home/dana`, `password: https://…`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isPlace =
  /^(?:[a-z]{2,8}:\/\/|(?:vault|arn|ssm|op|env|file|ref\+\w+):\w|~?\/[A-Za-z_]|\.{1,2}\/|[A-Za-z]:\\)/i

/**
 * Not code, and not what is cut off.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isWhole = (value: string): boolean =>
  value.length > 0 && !/[(){}<>]|\[\d*$|^(?:os|process|env|config|settings|self|this)\./.test(value)

/**
 * What code has without quotes: `Schema.String`, `options?.password`, `auth[0`, `BinaryLike`, `newInput`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isCode = (value: string): boolean => /^[A-Za-z_$]/.test(value) && code.test(value)

const code =
  /^(?:[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+|[A-Z][A-Za-z]+\.[A-Z]\w+|[\w$.]+\[\w*|yield\*|(?:Ui|I)nt\d+Array|(?:[A-Z]{0,4}[a-z]{2,}|[A-Z]{2,})(?:[A-Z]{1,4}[a-z]{2,})+)$/

/**
 * Words that are joined: `config.access.token`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isDotted = (value: string): boolean => /^[a-z]+(?:[._/-][a-zA-Z]+)+$/.test(value)

/**
 * How many kinds of characters: lower case, upper case, digits, others.
 *
 * @category readers
 * @since 0.1.0
 */
export const kindsOf = (value: string): number => {
  let kinds = 0
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    kinds |= code >= 48 && code <= 57 ? 4 : isLower(code) ? 1 : isUpper(code) ? 2 : 8
  }
  return (kinds & 1) + (kinds >> 1 & 1) + (kinds >> 2 & 1) + (kinds >> 3)
}

/**
 * What may follow the word password in a sentence and be one: letters and digits, and neither a length nor an algorithm.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isSpoken = (value: string): boolean =>
  /\d/.test(value) && /\p{L}/u.test(value) &&
  !/^\d+[-.]?(?:\p{L}+[-.]?)*$|^(?:sha|md|base|aes|rsa|utf|v)-?\d|[/:]/iu.test(value)

/**
 * As chance would write it: many different characters, letters and digits.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isRandom = (value: string, leastBits: number): boolean =>
  /\d/.test(value) && /[A-Za-z]/.test(value) && !isUuid(value) && entropy(value) >= leastBits

/**
 * As chance writes it now and then: letters alone, large and small without order.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isScrambled = (value: string): boolean =>
  !/\d/.test(value) && /[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(value) && /[bcdfghjklmnpqrstvwxz]{5}/i.test(value) &&
  !/key|token|here|your|http|secret/i.test(value) && entropy(value) >= 3.5

/**
 * A universally unique identifier.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isUuid = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

/** Shannon's, in bits for each character. */
const entropy = (value: string): number => {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at) & 255
    counts[code] = (counts[code] ?? 0) + 1
  }
  let bits = 0
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at) & 255
    const count = counts[code] ?? 0
    if (count > 0) bits -= count / value.length * Math.log2(count / value.length)
    counts[code] = 0
  }
  return bits
}

/** By the low byte of their codes. */
const counts = new Uint32Array(256)

/**
 * What a key, a token or a secret looks like: chance, an identifier where it is called a key, or what people choose.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isCredential = (value: string, key: string): boolean =>
  value.length >= 16
    ? !isDotted(value) &&
      (isRandom(value, 3) || isScrambled(value) || (isUuid(value) && (isAccess.test(key) || isVariable.test(key))))
    : value.length >= 8 && /secret/i.test(key) && /\d/.test(value) && /[a-z]/.test(value) &&
      (/[A-Z]/.test(value) || (isShared.test(key) && /[^a-z\d]/.test(value)))

/** What people choose in the place of a key: `SESSION_SECRET`. */
const isShared = /(?:session|cookie|jwt|hmac|signing|webhook|auth)[_-]?secret$/i

/** Of other tokens many are numbers of changes and requests. */
const isAccess = /key|secret|(?:auth|access|server|api|bot|deploy|refresh)[_-]?token/i
/** `CODECOV_TOKEN`, as environments have them. */
const isVariable = /^[A-Z][A-Z0-9_]+_TOKEN$/
