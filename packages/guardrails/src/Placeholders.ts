/**
 * Placeholders for personal data: `[EMAIL_1f2e3d4c]` in the place of an address, the same wherever the run has that address, and
 * the address again where the placeholder comes back. To mask and then to restore changes nothing.
 */
import { Digest } from "@durable-agents/core"
import * as Occurrences from "./Occurrences.ts"
import type { Kind } from "./PersonalData.ts"
import * as PersonalData from "./PersonalData.ts"
import * as PlainText from "./PlainText.ts"

/**
 * The placeholders of one conversation.
 *
 * **Details**
 *
 * What is to be masked together is learned first: a value that was recognised anywhere is masked everywhere, also where it
 * would not be recognised. A value has one placeholder, whatever blanks, dashes and capitals it is written with; what is not
 * its plain form has a suffix: `[CARD_1f2e3d4c.a7]`. Values that overlap share one, which is restored where all their kinds are.
 * A number in JSON becomes a text and a number again. What looks like a placeholder already gets a mark, and loses it again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Placeholders {
  /** Looks for values in a text, so that they are masked wherever they stand. */
  readonly learn: (text: string) => void
  readonly mask: (text: string) => string
  /** The text with the values of these kinds again. */
  readonly restore: (text: string, allowed?: (kind: string) => boolean) => string
  /** How many values of each kind there are. */
  readonly counts: () => Readonly<Record<string, number>>
}

interface Value {
  /** More than one where values overlap. */
  readonly kinds: ReadonlyArray<string>
  readonly text: string
}

/** How a placeholder looks; with marks at its end it is text that looks like one. */
const shape = /\[[A-Z][A-Z0-9_]*_[0-9a-f]{8,64}(?:\.[0-9a-f]{2,64})?(?:\.n)?!*\]/g

/**
 * Placeholders that are drawn from a key: the same key, the same placeholders, in every process. Who does not know it cannot
 * find out a value by trying.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (key: string, kinds: ReadonlyArray<Kind> = PersonalData.kinds): Placeholders => {
  const byValue = new Map<string, string>()
  const byPlaceholder = new Map<string, Value>()
  const known = Occurrences.make()

  const nameOf = (kinds: Value["kinds"], text: string): string => {
    const own = byValue.get(text)
    if (own !== undefined) return own
    const [kind = ""] = kinds
    const plain = plainOf(kind, text)
    const digest = hex(`${key}\n${kind}\n${plain}`)
    const form = plain === text ? "" : hex(`${key}\n${text}`)
    for (let length = 8; length <= 64; length += 8) {
      const name = `[${kind.toUpperCase()}_${digest.slice(0, length)}${
        form === "" ? "" : `.${form.slice(0, length - 6)}`
      }]`
      if (byPlaceholder.has(name)) continue
      byPlaceholder.set(name, { kinds, text })
      byValue.set(text, name)
      known.add(text)
      return name
    }
    return `[${kind.toUpperCase()}_${digest}]`
  }

  const kindsOf = (text: string): Value["kinds"] => byPlaceholder.get(byValue.get(text) ?? "")?.kinds ?? []

  const learn = (text: string): void => {
    for (const { end, kind, start } of PersonalData.find(text, kinds)) nameOf([kind], text.slice(start, end))
  }

  const occurrences = (text: string): ReadonlyArray<Spot> => {
    const found: Array<{ readonly start: number; end: number; readonly kinds: Set<string> }> = []
    for (const { end, start } of known.find(text)) {
      const last = found.at(-1)
      // Where values overlap, none may leave a part of another: they are masked as one.
      const spot = last !== undefined && start < last.end ? last : { start, end, kinds: new Set<string>() }
      if (spot !== last) found.push(spot)
      spot.end = Math.max(spot.end, end)
      for (const kind of kindsOf(text.slice(start, end))) spot.kinds.add(kind)
    }
    return found.map(({ end, kinds, start }) => ({ start, end, shown: nameOf([...kinds], text.slice(start, end)) }))
  }

  const mask = (text: string): string => {
    const literals = Array.from(text.matchAll(shape), ({ 0: literal, index }) => ({
      start: index,
      end: index + literal.length,
      shown: `${literal.slice(0, -1)}!]`
    }))
    const between = gaps(literals, text.length).flatMap(({ end, start }) => {
      const part = text.slice(start, end)
      learn(part)
      return occurrences(part).map((spot) => ({ ...spot, start: spot.start + start, end: spot.end + start }))
    })
    return replace(text, [...literals, ...between].sort((a, b) => a.start - b.start))
  }

  return {
    learn,
    mask,
    restore: (text, allowed = () => true) =>
      text.replace(shape, (name) => {
        if (name.endsWith("!]")) return `${name.slice(0, -2)}]`
        const value = byPlaceholder.get(name)
        return value !== undefined && value.kinds.every(allowed) ? value.text : name
      }),
    counts: () => {
      const counts: Record<string, number> = {}
      for (const { kinds } of byPlaceholder.values()) {
        for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1
      }
      return counts
    }
  }
}

/**
 * Restores a text that comes in pieces. What may be the beginning of a placeholder is held back until it is known, so no piece has
 * a part of one.
 *
 * @category streams
 * @since 0.1.0
 */
export const pieces = (
  { restore }: Pick<Placeholders, "restore">,
  allowed?: (kind: string) => boolean
): { readonly add: (piece: string) => string; readonly end: () => string } => {
  let held = ""
  return {
    add: (piece) => {
      const text = held + piece
      // From the last bracket on that is not closed.
      const begun = text.lastIndexOf("[")
      const isOpen = begun >= 0 && beginning.test(text.slice(begun))
      held = isOpen ? text.slice(begun) : ""
      return restore(isOpen ? text.slice(0, begun) : text, allowed)
    },
    end: () => {
      const rest = restore(held, allowed)
      held = ""
      return rest
    }
  }
}

/** No placeholder of ours is longer. */
const beginning = /^\[(?:[A-Z][A-Za-z0-9_.!]{0,300})?$/

interface Spot {
  readonly start: number
  readonly end: number
  readonly shown: string
}

const gaps = (
  spots: ReadonlyArray<Spot>,
  length: number
): ReadonlyArray<{ readonly start: number; readonly end: number }> =>
  [...spots, { start: length, end: length }].map(({ start }, at) => ({ start: spots[at - 1]?.end ?? 0, end: start }))

const replace = (text: string, spots: ReadonlyArray<Spot>): string => {
  let shown = ""
  let at = 0
  for (const spot of spots) {
    shown += text.slice(at, spot.start) + spot.shown
    at = spot.end
  }
  return shown + text.slice(at)
}

const hex = (text: string): string => Digest.digest(text).replace(/^\w+:/, "")

/** One form for all ways to write a value. */
const plainOf = (kind: string, text: string): string => {
  switch (kind) {
    case "card":
      return PlainText.of(text).replace(/\D/g, "")
    case "phone":
      return PlainText.of(text).replace(/[^\d+]/g, "")
    case "iban":
      return PlainText.of(text).replace(/[^A-Za-z\d]/g, "").toUpperCase()
    case "email":
    case "ip":
      return PlainText.of(text).toLowerCase()
    default:
      return text
  }
}

/**
 * Learns what a JSON value says. What something is called says what it is: the name of a member, also of a list, and of a member
 * that is called a value or a number; `{"name": "DB_PASSWORD", "value": "…"}` has its name beside it.
 *
 * @category json
 * @since 0.1.0
 */
export const learnJson = (placeholders: Placeholders, json: unknown, called?: string): void => {
  if (typeof json === "string" || typeof json === "number") {
    if (called !== undefined) placeholders.learn(`${called}: ${json}`)
    placeholders.learn(String(json))
  } else if (Array.isArray(json)) {
    for (const item of json) learnJson(placeholders, item, called)
  } else if (typeof json === "object" && json !== null) {
    const beside = Object.entries(json).find(([name, value]) => isName.test(name) && typeof value === "string")?.[1] ??
      called
    for (const [name, value] of Object.entries(json)) {
      placeholders.learn(name)
      learnJson(placeholders, value, isValue.test(name) ? beside ?? name : name)
    }
  }
}

const isName = /^(?:name|key)$/i
const isValue = /^(?:value|number|text|raw|default)$/i

/**
 * A JSON value with placeholders in the place of what texts, names of members and numbers say.
 *
 * @category json
 * @since 0.1.0
 */
export const maskJson = (placeholders: Placeholders, json: unknown): unknown => {
  if (typeof json === "number") {
    const masked = placeholders.mask(String(json))
    return /^\[[^\]]*\]$/.test(masked) ? `${masked.slice(0, -1)}.n]` : json
  }
  return mapJson(json, placeholders.mask, (value) => maskJson(placeholders, value))
}

/**
 * The JSON value that was masked, with the values of these kinds.
 *
 * @category json
 * @since 0.1.0
 */
export const restoreJson = (
  placeholders: Placeholders,
  json: unknown,
  allowed: (kind: string) => boolean = () => true
): unknown => {
  const restore = (text: string) => placeholders.restore(text, allowed)
  if (typeof json === "string") {
    const number = /^(\[[^\]!]*)\.n\]$/.exec(json)?.[1]
    if (number === undefined) return restore(json)
    const digits = restore(`${number}]`)
    return digits === `${number}]` ? json : Number(digits)
  }
  return mapJson(json, restore, (value) => restoreJson(placeholders, value, allowed))
}

const mapJson = (json: unknown, text: (text: string) => string, value: (value: unknown) => unknown): unknown => {
  if (typeof json === "string") return text(json)
  if (Array.isArray(json)) return json.map(value)
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [text(name), value(member)]))
}
