/**
 * Text from a log, made safe to print: what a terminal would act on, and what nobody would see, is shown as an escape.
 *
 * The escapes are `\t`, `\n` and `\u{1b}`; backslashes before something that reads like one are doubled, so no two texts look
 * the same. Inside JSON the escapes are those of JSON.
 */
import type { Schema } from "effect"
import { displayWidth } from "effect/cli/CliOutput"

/**
 * Control characters (C0, DEL, C1), lone surrogates, bidirectional controls, line and paragraph separators, and characters
 * without a glyph, among them tags that hide whole sentences. Not the joiners and the variation selectors of emoji, which
 * scripts need.
 */
const unsafe = String
  .raw`[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\u200c\u200d\ufe0e\ufe0f]]`

const unsafeAnywhere = new RegExp(unsafe, "gv")
const escapable = new RegExp(String.raw`(\\*)(${unsafe})|(\\+)(t|n|u\{)?`, "gv")
const escapableInBlock = new RegExp(String.raw`(\\*)(?!\n)(${unsafe})|(\\+)(t|u\{)?`, "gv")

const escape = (character: string): string =>
  character === "\t" ? "\\t" : character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)?.toString(16)}}`

const escapeAll = (text: string, pattern: RegExp): string =>
  text.replace(
    pattern,
    (found, before: string | undefined, character: string | undefined, backslashes: string, letter?: string) =>
      character !== undefined
        ? `${before}${before}${escape(character)}`
        : letter === undefined
        ? found
        : `${backslashes}${backslashes}${letter}`
  )

/**
 * A text on one line.
 *
 * @category printing
 * @since 0.1.0
 */
export const inline = (text: string): string => escapeAll(text, escapable)

/**
 * A text on as many lines as it has.
 *
 * @category printing
 * @since 0.1.0
 */
export const block = (text: string): ReadonlyArray<string> => escapeAll(text, escapableInBlock).split("\n")

/**
 * JSON text of one line that means the same and is safe to print.
 *
 * @category printing
 * @since 0.1.0
 */
export const jsonText = (text: string): string =>
  text.replace(
    unsafeAnywhere,
    (found) => found.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  )

/** Deeper values go on one line: indented they would be wider than deep. */
const deepest = 16

/**
 * A value as JSON: what is short on one line, the rest indented.
 *
 * @category printing
 * @since 0.1.0
 */
export const json = (value: Schema.Json, depth = 0): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || depth === deepest) return [jsonText(JSON.stringify(value))]
  const below = (item: Schema.Json) => json(item, depth + 1)
  return Array.isArray(value) ? enclose("[", value.map(below), "]") : enclose(
    "{",
    Object.entries(value).map(([name, item]) => {
      const [first = "", ...rest] = below(item)
      return [`${jsonText(JSON.stringify(name))}: ${first}`, ...rest]
    }),
    "}"
  )
}

const enclose = (
  open: string,
  items: ReadonlyArray<ReadonlyArray<string>>,
  close: string
): ReadonlyArray<string> => {
  const length = items.reduce((sum, lines) => sum + (lines.length === 1 ? `${lines[0]}`.length + 2 : Infinity), 0)
  if (length <= 60) return [`${open}${items.flat().join(", ")}${close}`]
  const lines = items.flatMap((lines, index) =>
    lines.map((line, at) => `  ${line}${at === lines.length - 1 && index < items.length - 1 ? "," : ""}`)
  )
  return [open, ...lines, close]
}

/**
 * A word of a POSIX shell, quoted where it must be.
 *
 * @category printing
 * @since 0.1.0
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${inline(text).replaceAll("'", "'\\''")}'`

const ascii = /^[\x20-\x7e]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/**
 * How many columns a printable text takes.
 *
 * @category layout
 * @since 0.1.0
 */
export const widthOf = (text: string): number => ascii.test(text) ? text.length : displayWidth(text)

/**
 * Cuts a printable line into pieces that fit, after a space where there is one. Joined, the pieces are the line again.
 *
 * @category layout
 * @since 0.1.0
 */
export const wrap = (line: string, width: number): ReadonlyArray<string> => {
  const narrow = ascii.test(line)
  if (narrow && line.length <= width) return [line]
  const cells = narrow ? line : Array.from(graphemes.segment(line), ({ segment }) => segment)
  const sizes = new Map<string, number>()
  const sizeOf = (cell: string): number => {
    const known = sizes.get(cell) ?? (narrow ? 1 : displayWidth(cell))
    sizes.set(cell, known)
    return known
  }
  const pieces: Array<string> = []
  let piece = ""
  let used = 0
  let afterSpace = { length: 0, used: 0 }
  for (const cell of cells) {
    const size = sizeOf(cell)
    while (used + size > width && piece !== "") {
      const cut = afterSpace.length > 0 ? afterSpace : { length: piece.length, used }
      pieces.push(piece.slice(0, cut.length))
      piece = piece.slice(cut.length)
      used -= cut.used
      afterSpace = { length: 0, used: 0 }
    }
    piece += cell
    used += size
    if (cell === " ") afterSpace = { length: piece.length, used }
  }
  return [...pieces, piece]
}

/**
 * Cuts lines that are too long; what goes on with one is indented like it.
 *
 * @category layout
 * @since 0.1.0
 */
export const wrapAll = (lines: ReadonlyArray<string>, width: number): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    const indent = /^ */.exec(line)?.[0] ?? ""
    return wrap(line, width).map((piece, at) => at === 0 ? piece : `${indent}  ${piece}`)
  })
