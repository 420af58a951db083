/**
 * Text from tools, models and strangers, made fit to be read: it stays text, and hides nothing.
 */
import { Schema } from "effect"

/** What is invisible, or turns the direction of what follows: all that Unicode has no sign for, and letters that are blank. */
const hidden = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu

/** Shows characters that would hide or rearrange text by their code. */
export const visible = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(
    hidden,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
  )

/** A value for reading: text as it is, anything else as indented JSON. */
export const shown = (value: Schema.Json): string =>
  visible(typeof value === "string" ? value : JSON.stringify(value, null, 2))

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** A time of the store, where the reader is. */
export const time = (millis: number): string => Math.abs(millis) <= 8.64e15 ? dateTime.format(millis) : `${millis}`

const units = [["day", 86_400_000], ["hour", 3_600_000], ["min", 60_000], ["s", 1000]] as const

/** A length of time in its two largest units. */
export const duration = (millis: number): string => {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`
  let rest = millis
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.slice(0, 2).join(" ")
}

/** Several words for one name, as statuses have them: `AwaitingApproval` is “awaiting approval”. */
export const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

/** Reads JSON that somebody typed. */
export const parseJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))
