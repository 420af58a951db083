/**
 * Text from tools, models and strangers, made fit to be read: it stays text, and hides nothing.
 */
import type { Run } from "@durable-agents/server/Api"
import { DateTime, Option, Schema } from "effect"

type Actor = Run["requestedBy"]

/** What is invisible, or turns the direction of what follows: all that Unicode has no sign for, and letters that are blank. */
const hidden = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu

/** Shows characters that would hide or rearrange text by their code. */
export const visible = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(
    hidden,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
  )

/** JSON for editing, in which the same stands escaped: what is typed over is seen. */
export const escaped = (json: string): string =>
  json.replace(
    hidden,
    (char) =>
      Array.from({ length: char.length }, (_, index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0")}`)
        .join("")
  )

/** A value for reading: text as it is, anything else as indented JSON. */
export const shown = (value: Schema.Json): string =>
  visible(typeof value === "string" ? value : JSON.stringify(value, null, 2))

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

const isTime = (millis: number): boolean => Math.abs(millis) <= 8.64e15

/** A time of the store, where the reader is. */
export const time = (millis: number): string => isTime(millis) ? dateTime.format(millis) : `${millis}`

/** The same for machines, and for who compares it with a log. */
export const instant = (millis: number): string =>
  Option.match(DateTime.make(millis), { onNone: () => `${millis}`, onSome: DateTime.formatIso })

/** Where the reader is, by the clock of the device. */
export const zone = (): string => {
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" }).formatToParts()
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? ""
  return `${dateTime.resolvedOptions().timeZone.replaceAll("_", " ")} (${offset})`
}

/** Words of the server about times, as the reader would say them. What only looks like one of these times is left. */
export const localised = (text: string, times: ReadonlyArray<number | undefined>): string =>
  times.reduce<string>(
    (words, millis) =>
      millis === undefined || !isTime(millis) ? words : words.replaceAll(instant(millis), time(millis)),
    text
  )

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

/** At the beginning of a sentence. */
export const capital = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`

/** So many of them: `1 turn`, `2 turns`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Several words for one name, as statuses have them: `AwaitingApproval` is “awaiting approval”. */
export const spaced = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

/** Who did something, for people. */
export const who = ({ id, kind }: Actor): string => kind === "policy" ? `the rule ${id}` : id

/** A decision in words: what a declared rule says when time is up was decided by nobody. */
export const decidedBy = (decision: "approved" | "denied", actor: Actor): string =>
  actor.kind === "policy" && actor.id === "expiry"
    ? `${decision}, since nobody decided in time`
    : `${decision} by ${who(actor)}`

/** Reads JSON that somebody typed. */
export const parseJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))
