/**
 * Labelled texts, as they are learned from: their features, and where an attack stands in them.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Features from "../../src/Features.ts"
import * as Reading from "../../src/Reading.ts"
import type { Channel } from "../../src/TextSignal.ts"
import * as Chance from "./Chance.ts"
import * as Grammar from "./Grammar.ts"

export interface Line {
  readonly id: string
  readonly source: string
  readonly channel: Channel
  readonly label: "attack" | "benign"
  readonly category: string
  readonly hard?: boolean
  readonly span?: readonly [number, number] | { readonly start: number; readonly end: number } | null
  readonly text: string
}

export interface Example {
  readonly line: Line
  readonly length: number
  readonly ends: Int32Array
  /** Hashes of features, not yet cut to the number of weights. */
  readonly hashes: Int32Array
  /** Where the attack stands in what is read; absent if it is not said. */
  readonly attack: { readonly start: number; readonly end: number } | undefined
}

/** The lines of a data folder, and the digest of the file. */
export const read = (folder: string): { readonly lines: ReadonlyArray<Line>; readonly digest: string } => {
  const bytes = readFileSync(join(folder, "guardrails", "dev.jsonl"))
  return {
    digest: createHash("sha256").update(bytes).digest("hex"),
    lines: bytes.toString("utf8").split("\n").filter((line) => line !== "").map((line): Line => JSON.parse(line))
  }
}

export const example = (line: Line): Example => {
  const reading = Reading.read(line.text)
  const { ends, hashes, length } = Features.of(reading)
  const count = length === 0 ? 0 : ends[length - 1] ?? 0
  return {
    line,
    length,
    ends: ends.slice(0, length),
    hashes: hashes.slice(0, count),
    attack: line.label === "attack" ? placeOf(line, reading) : undefined
  }
}

const placeOf = ({ span }: Line, { from, length }: Reading.Reading) => {
  if (span === undefined || span === null) return undefined
  const [first, last] = "start" in span ? [span.start, span.end] : span
  let start = 0
  while (start < length && (from[start] ?? 0) < first) start++
  let end = start
  while (end < length && (from[end] ?? 0) < last && (from[end] ?? 0) >= first) end++
  return end > start ? { start, end } : undefined
}

const prose = new Set(["docs", "agent_docs", "hard_security_prose"])

/** Examples that are made: sentences of the grammar and requests, planted in ordinary texts. */
export const made = (lines: ReadonlyArray<Line>, channel: Channel, seed: number): ReadonlyArray<Example> => {
  const chance = Chance.make(seed)
  const grammar = Grammar.make(chance)
  const line = (text: string, label: Line["label"], span?: readonly [number, number]): Line => ({
    id: "made",
    source: "made",
    channel,
    label,
    category: "made",
    text,
    ...(span === undefined ? {} : { span })
  })
  if (channel === "tool_args") {
    return Array.from({ length: 900 }, () => example(line(grammar.payload(), "attack")))
  }
  if (channel === "goal") {
    return [
      ...Array.from({ length: 900 }, () => example(line(grammar.goal(), "attack"))),
      ...Array.from({ length: 300 }, () => example(line(grammar.hard(), "benign")))
    ]
  }
  const carriers = lines.filter((one) =>
    one.channel === "tool_result" && one.label === "benign" && one.category !== "long_output" &&
    one.category !== "hard_encoded_content"
  )
  const machine = carriers.filter(({ category }) => !prose.has(category))
  const plant = (text: string, into: ReadonlyArray<Line>): Example => {
    const { text: around } = chance.pick(into)
    const at = spot(around, chance)
    const before = around.slice(Math.max(0, at - 300), at)
    const between = chance.next() < 0.5 ? "\n" : " "
    const start = before.length + 1
    return example(line(`${before}${between}${text}${between}${around.slice(at, at + 300)}`, "attack", [
      start,
      start + text.length
    ]))
  }
  const requests = lines.filter((one) =>
    one.channel === "goal" && one.text.length < 400 && one.category !== "obfuscated" &&
    one.category !== "hard_role_assignment"
  )
  return [
    ...Array.from({ length: 1500 }, () => plant(grammar.attack(), carriers)),
    ...Array.from({ length: 800 }, () => plant(chance.pick(requests).text, machine)),
    ...Array.from({ length: 500 }, () => {
      const sentence = grammar.hard()
      return example(line(
        chance.next() < 0.5 ? sentence : `${chance.pick(carriers).text.slice(0, 150)}\n${sentence}`,
        "benign"
      ))
    })
  ]
}

/** The beginning of a line, or of a text in quotes. */
const spot = (text: string, chance: Chance.Chance): number => {
  const at = chance.below(text.length)
  const mark = text.indexOf(chance.next() < 0.5 ? "\n" : "\"", at)
  return mark < 0 ? at : mark + 1
}
