/**
 * One form for characters that mean the same: digits of all scripts, dashes, blanks and wide letters as ASCII has them. The text
 * stays as long as it is, so places in it are places in the original.
 */

/** The first of ten digits, for each script that has its own. */
const zeros = [
  0x0660,
  0x06f0,
  0x07c0,
  0x0966,
  0x09e6,
  0x0a66,
  0x0ae6,
  0x0b66,
  0x0be6,
  0x0c66,
  0x0ce6,
  0x0d66,
  0x0de6,
  0x0e50,
  0x0ed0,
  0x0f20,
  0x1040,
  0x1090,
  0x17e0,
  0x1810
]

const blanks = [
  0xa0,
  0x2000,
  0x2001,
  0x2002,
  0x2003,
  0x2004,
  0x2005,
  0x2006,
  0x2007,
  0x2008,
  0x2009,
  0x200a,
  0x202f,
  0x3000
]
const dashes = [0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212]

/** What stands for a character; zero where it stands for itself. */
let table: Uint16Array | undefined

const readTable = (): Uint16Array => {
  const codes = new Uint16Array(65536)
  for (const zero of zeros) for (let digit = 0; digit < 10; digit++) codes[zero + digit] = 48 + digit
  for (const code of blanks) codes[code] = 32
  for (const code of dashes) codes[code] = 45
  for (let code = 0xff01; code <= 0xff5e; code++) codes[code] = code - 0xfee0
  return codes
}

/**
 * The text with these characters as ASCII has them; itself if it has none.
 *
 * @category readers
 * @since 0.1.0
 */
export const of = (text: string): string => {
  if (memory !== undefined && memory.text === text) return memory.plain
  const plain = folded(text)
  memory = { text, plain }
  return plain
}

/** Every kind is looked for in the same text, one after the other. */
let memory: { readonly text: string; readonly plain: string } | undefined

const folded = (text: string): string => {
  table ??= readTable()
  if (!hasAny(text, table)) return text
  const bytes = Buffer.allocUnsafeSlow(text.length * 2)
  bytes.write(text, "utf16le")
  const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code < 0xa0) continue
    const own = table[code] ?? 0
    if (own !== 0) codes[at] = own
  }
  return bytes.toString("utf16le")
}

const hasAny = (text: string, table: Uint16Array): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0xa0 && table[code] !== 0) return true
  }
  return false
}
