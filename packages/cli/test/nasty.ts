/**
 * Texts that a log may hold and a terminal must not see.
 */
import { Arbitrary, Schema } from "effect"

const Piece = Schema.Union([
  Schema.String,
  Schema.Literals([
    "\u001b[31m",
    "\u001b]0;title\u0007",
    "\u009b2J",
    "\u007f",
    "\u0000",
    "\r",
    "\n",
    "\t",
    "\\",
    "\\t",
    "\\n",
    "\\u{1b}",
    "\u202eevil\u202c",
    "\u2066\u2069",
    "\u200b\ufeff\u2028",
    "\u{e0041}\u{e007f}",
    "\ud800",
    "\udc00",
    "日本語",
    "👩‍👩‍👧",
    "e\u0301",
    "مرحبا",
    "  two  spaces  ",
    "{\"a\":1}"
  ])
])

export const nasty = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece)), (pieces) => pieces.join(""))

/** C0, DEL, C1, bidirectional controls and marks, separators, what has no glyph, lone surrogates, tags. */
const harmful = [
  [0x0000, 0x001f],
  [0x007f, 0x009f],
  [0x061c, 0x061c],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f]
] as const

/** Whether a text holds what a terminal must not see, line breaks included. */
export const isHarmful = (text: string): boolean =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0)
    .some((code) => harmful.some(([first, last]) => code >= first && code <= last))
