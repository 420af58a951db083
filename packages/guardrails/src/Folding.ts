/**
 * How characters are read: without case, width, accents or disguise, so that what looks the same is the same.
 */

/**
 * @category constants
 * @since 0.1.0
 */
export const newline = 10

/**
 * @category constants
 * @since 0.1.0
 */
export const space = 32

/** What stands for a token that nobody can read: a hash, an identifier, an image. */
export const opaque = 0x2604

/** What stands for a character outside the basic plane. */
export const pictograph = 0x2603

const size = 65536

/** Character code to what it is read as; 0 if it is not read at all. */
export const folded = new Uint16Array(size)

/** Character codes of upper-case letters. */
export const upper = new Uint8Array(size)

/** Read codes that words are made of: lower-case letters, `0` for any digit, the apostrophe. */
export const inWord = new Uint8Array(size)

/** Letters of other alphabets that look like Latin ones. */
const lookalikes: ReadonlyArray<readonly [from: string, to: string]> = [
  ["аеорсухіѕјԁһӏԛԝвкмнть", "aeopcyxisjdhlqwbkmhtb"],
  ["АВЕКМНОРСТУХІЅЈ", "abekmhopctyxisj"],
  ["αινορυτκ", "aivoputk"],
  ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"],
  ["ɡɑɩʀоսոցօѡ", "gairounqow"],
  ["‘’‚‛′`´ʼ", "''''''''"],
  ["“”„‟″«»", "\"\"\"\"\"\"\""],
  ["‐‑‒–—―−", "-------"]
]

const foldOne = (code: number): number => {
  if (code >= 0xd800 && code <= 0xdfff) return pictograph
  const character = String.fromCharCode(code)
  if (/[\n\r\u2028\u2029]/.test(character)) return newline
  if (/\s/.test(character)) return space
  if (code < 32 || /[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0]/u.test(character)) return 0
  const plain = (code < 128 ? character : character.normalize("NFKD").charAt(0)).toLowerCase().charCodeAt(0)
  return plain >= 48 && plain <= 57 ? 48 : /\s/.test(String.fromCharCode(plain)) ? space : plain
}

for (let code = 0; code < size; code++) {
  folded[code] = foldOne(code)
  if (code < 128 ? code >= 65 && code <= 90 : /\p{Lu}/u.test(String.fromCharCode(code))) upper[code] = 1
  if (
    (code >= 97 && code <= 122) || code === 48 || code === 39 ||
    (code > 191 && /\p{L}/u.test(String.fromCharCode(code)))
  ) {
    inWord[code] = 1
  }
}
for (const [from, to] of lookalikes) {
  for (const [at, character] of Array.from(from).entries()) folded[character.charCodeAt(0)] = to.charCodeAt(at)
}

/** Digits and signs that are written in the place of letters. */
export const leet = new Uint8Array(128)
for (
  const [digit, letter] of ["0o", "1i", "3e", "4a", "5s", "7t", "8b", "@a", "$s"].map((
    pair
  ) => [pair.charCodeAt(0), pair.charCodeAt(1)])
) {
  if (digit !== undefined && letter !== undefined) leet[digit] = letter
}

/** The values of the alphabet of base64, of both kinds; -1 for other characters. */
export const base64 = new Int8Array(128).fill(-1)
for (
  const [value, character] of Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").entries()
) {
  base64[character.charCodeAt(0)] = value
}
base64[45] = 62
base64[95] = 63

/** The value of a hexadecimal digit; -1 for other characters. */
export const hexValue = (code: number): number =>
  code >= 48 && code <= 57
    ? code - 48
    : code >= 97 && code <= 102
    ? code - 87
    : code >= 65 && code <= 70
    ? code - 55
    : -1

/** Whether a Latin letter without an accent. */
export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
