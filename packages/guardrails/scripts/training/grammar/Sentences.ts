/**
 * Sentences from templates: `«one¦other»` is one of several, `‹name›` is a line of another list, `‹name?›` is one or
 * nothing, `‹Name›` begins with a capital.
 */
import type { Chance } from "../Chance.ts"

/** Lists of templates, by name. */
export type Lists = Readonly<Record<string, ReadonlyArray<string>>>

/** The lines of a text, without the empty ones; `⏎` is a break within one. */
export const lines = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => line.replaceAll("⏎", "\n"))

/** The alternatives of one line. */
export const words = (text: string): ReadonlyArray<string> => text.split("|")

/** A sentence from a template. */
export type Say = (template: string) => string

export const make = (lists: Lists, { next, pick }: Chance): Say => {
  const choice = /«([^«»]*)»/
  const reference = /‹([A-Za-z0-9]+)(\??)›/
  const say: Say = (template) => {
    let text = template
    for (let found = choice.exec(text); found !== null; found = choice.exec(text)) {
      text = text.slice(0, found.index) + pick((found[1] ?? "").split("¦")) +
        text.slice(found.index + found[0].length)
    }
    for (let found = reference.exec(text); found !== null; found = reference.exec(text)) {
      const name = found[1] ?? ""
      const list = lists[name] ?? lists[name.toLowerCase()]
      if (list === undefined) throw new Error(`There is no list ${name}`)
      const whole = found[2] === "?" && next() < 0.5 ? "" : say(pick(list))
      const said = name in lists ? whole : capital(whole)
      text = text.slice(0, found.index) + said + text.slice(found.index + found[0].length)
    }
    return text
  }
  return say
}

/** The first letter as a capital. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
