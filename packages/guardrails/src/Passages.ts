/**
 * The passage around a place in a text: what is read together with it, and the sentence to show a person.
 */

/**
 * From where to where a text goes on without a break, at most 300 characters before and 200 behind.
 *
 * @category readers
 * @since 0.1.0
 */
export const around = (text: string, start: number, end: number): readonly [start: number, end: number] => {
  const from = Math.max(0, start - 300)
  const before = text.slice(from, start)
  const until = Math.min(text.length, end + 200)
  const after = text.slice(end, until)
  const begin = Array.from(before.matchAll(breaks)).at(-1)
  const stop = after.search(breaks)
  return [begin === undefined ? from : from + begin.index + begin[0].length, stop < 0 ? until : end + stop]
}

/** An empty line, as it is or escaped, and the next member of a record. A line that goes on is no break. */
const breaks = /\n[ \t]*\n|\n[ \t]*(?:- )?[\w ]{1,30}:[ \n]|\\n\\n/g

/**
 * The sentence that a place stands in, on one line, at most 200 characters of it.
 *
 * @category readers
 * @since 0.1.0
 */
export const sentence = (text: string, start: number, end: number): string => {
  const [from, until] = around(text, start, end)
  const before = text.slice(from, start)
  const begin = Array.from(before.matchAll(/[.!?]["')\]]?\s+/g)).at(-1)
  const after = text.slice(end, until)
  const stop = /[.!?](?=["')\]]?(?:\s|$))/.exec(after)
  const whole = text.slice(
    begin === undefined ? from : from + begin.index + begin[0].length,
    stop === null ? until : end + stop.index + 1
  )
  const line = whole.replace(/\s+/g, " ").trim()
  if (line.length <= 200) return line
  const at = Math.max(0, line.indexOf(text.slice(start, end).replace(/\s+/g, " ").trim()) - 80)
  return `${at > 0 ? "… " : ""}${line.slice(at, at + 200).trim().toWellFormed()}${at + 200 < line.length ? " …" : ""}`
}

/**
 * From where to where the sentence, the line or the quoted text goes on that a place stands in, at most 240 characters to each side.
 *
 * @category readers
 * @since 0.1.0
 */
export const statement = (text: string, start: number, end: number): readonly [start: number, end: number] => {
  const from = Math.max(0, start - 240)
  const begin = Array.from(text.slice(from, start).matchAll(ends)).at(-1)
  const after = text.slice(end, end + 240)
  const stop = after.search(ends)
  return [begin === undefined ? from : from + begin.index + begin[0].length, stop < 0 ? end + after.length : end + stop]
}

/** Of a quote that opens or closes a text in a record, and not of one around a name within a sentence. */
const ends = /[.!?;](?=\s|\\n|["')]|$)|\n|\\n|[{[,:]\s?"|"\s?[:,}\]]/g

/**
 * Whether what stands between two places puts them into different lines or fields of a record.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isApart = (between: string): boolean => /\n|\\n|"\s*[,:}\]]|,\s*"/.test(between)

/**
 * How many words a passage of running text has; of a script without spaces, as many as it has signs.
 *
 * @category readers
 * @since 0.1.0
 */
export const words = (passage: string): number =>
  passage
    .match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|(?<![\p{L}\p{N}])\p{L}{2,}(?![\p{L}\p{N}])/gu)
    ?.length ?? 0

/**
 * Whether what stands at a place is the number of an item: it says nothing else.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isMarker = (text: string, start: number, end: number): boolean =>
  end - start <= 2 && /(?:^|\n|\\n)[ \t]*$/.test(text.slice(Math.max(0, start - 40), start)) &&
  /^[.)][\s\\]/.test(text.slice(end, end + 2))

/**
 * Which paragraph of a text a place is in, from 1.
 *
 * @category readers
 * @since 0.1.0
 */
export const paragraph = (text: string, at: number): number => text.slice(0, at).split(/\n[ \t]*\n/).length
