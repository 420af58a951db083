/**
 * Which entries of a timeline are looked at.
 */
import type { Entry } from "./Entry.ts"
import { shown } from "./Text.ts"

/** Kinds of entries that somebody may look for, in words. */
export const groups = {
  all: "everything",
  trouble: "what needs care or went wrong",
  people: "people and approvals",
  guardrails: "guardrails",
  models: "model",
  work: "tools and steps",
  waits: "waits"
} as const

export type Group = keyof typeof groups

export const isGroup = (name: string): name is Group => Object.hasOwn(groups, name)

const kinds: { readonly [Name in Exclude<Group, "all" | "trouble">]: ReadonlyArray<Entry["kind"]> } = {
  people: ["person", "approval"],
  guardrails: ["guardrail"],
  models: ["model"],
  work: ["tool", "step"],
  waits: ["wait", "approval"]
}

/** The entries of a group that hold a text, wherever in them. */
export const chosen = (entries: ReadonlyArray<Entry>, group: Group, text: string): ReadonlyArray<Entry> => {
  const wanted = text.trim().toLowerCase()
  return group === "all" && wanted === ""
    ? entries
    : entries.filter((entry) => isIn(group, entry) && (wanted === "" || wordsOf(entry).includes(wanted)))
}

const isIn = (group: Group, entry: Entry): boolean =>
  group === "all" || (group === "trouble" ? isTrouble(entry) : kinds[group].includes(entry.kind))

const isTrouble = ({ lines, tone }: Entry): boolean =>
  tone === "bad" || tone === "care" || lines.some((line) => line.tone === "bad" || line.tone === "care")

/** Entries do not change: what is new of one is another one. */
const known = new WeakMap<Entry, string>()

const wordsOf = (entry: Entry): string => {
  const before = known.get(entry)
  if (before !== undefined) return before
  const { facts, id, input, lines, state, title, verdict } = entry
  const words = [
    id,
    title,
    state,
    ...facts.flat(),
    ...lines.map((line) => line.text),
    ...[input, verdict?.detail, ...lines.map(({ value }) => value)].map((value) =>
      value === undefined ? "" : shown(value)
    )
  ].join("\n").toLowerCase()
  known.set(entry, words)
  return words
}
