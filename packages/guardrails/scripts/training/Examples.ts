/**
 * Labelled texts, as they are learned from: their features, and where an attack stands in them.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Features from "../../src/Features.ts"
import * as Reading from "../../src/Reading.ts"
import type { Channel } from "../../src/TextSignal.ts"
import * as Tokens from "../../src/Tokens.ts"
import * as Wording from "../../src/Wording.ts"
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

/** Where something stands. */
export interface Place {
  readonly start: number
  readonly end: number
}

export interface Example {
  readonly line: Line
  readonly tokens: Pick<Tokens.Tokens, "prose"> & {
    readonly hashes: Int32Array
    readonly forms: Uint8Array
    readonly loud: Uint8Array
  }
  /** The words in which the attack is said; absent if nobody says where it is. */
  readonly said: Place | undefined
  /** Those in which it stands in any way, also in letters that say nothing before they are turned. */
  readonly stands: ReadonlyArray<Place>
}

/** An example with its runs of characters and words. */
export interface Featured extends Example {
  readonly length: number
  readonly ends: Int32Array
  /** Hashes of features, not yet cut to the number of weights. */
  readonly hashes: Int32Array
  /** Where the attack stands in what is read. */
  readonly attack: Place | undefined
}

/** The lines of a data folder, and the digest of the file. */
export const read = (folder: string): { readonly lines: ReadonlyArray<Line>; readonly digest: string } => {
  const bytes = readFileSync(join(folder, "guardrails", "dev.jsonl"))
  return {
    digest: createHash("sha256").update(bytes).digest("hex"),
    lines: bytes.toString("utf8").split("\n").filter((line) => line !== "").map((line): Line =>
      asCalled(JSON.parse(line))
    )
  }
}

/** Arguments are written as they are when a call is judged. */
const asCalled = (line: Line): Line => line.channel === "tool_args" ? { ...line, text: writtenAgain(line.text) } : line

const writtenAgain = (text: string): string => {
  try {
    return Wording.written(JSON.parse(text))
  } catch {
    return text
  }
}

export const example = (line: Line): Example => {
  const reading = Reading.read(line.text)
  const tokens = Tokens.of(reading)
  const places = line.label === "attack"
    ? placesOf(line, tokens.count, (at) => reading.from[tokens.at[at] ?? 0] ?? 0)
    : []
  return {
    line,
    tokens: {
      prose: tokens.prose,
      hashes: tokens.hashes.slice(0, tokens.count),
      forms: tokens.forms.slice(0, tokens.count),
      loud: tokens.loud.slice(0, tokens.count)
    },
    said: readable(places),
    stands: places
  }
}

export const featured = (line: Line): Featured => {
  const plain = example(line)
  const reading = Reading.read(line.text)
  const { ends, hashes, length } = Features.of(reading)
  return {
    ...plain,
    length,
    ends: ends.slice(0, length),
    hashes: hashes.slice(0, length === 0 ? 0 : ends[length - 1] ?? 0),
    attack: line.label === "attack" ? readable(placesOf(line, length, (at) => reading.from[at] ?? 0)) : undefined
  }
}

const placesOf = (line: Line, length: number, from: (at: number) => number): ReadonlyArray<Place> => {
  const span = spanOf(line)
  if (span === undefined) return []
  const [first, last] = span
  const found: Array<Place> = []
  for (let start = 0; start < length; start++) {
    let end = start
    while (end < length && from(end) >= first && from(end) < last) end++
    if (end === start) continue
    found.push({ start, end })
    start = end
  }
  return found
}

/** What was turned stands twice, and behind everything else so that it can be read. */
const readable = (places: ReadonlyArray<Place>): Place | undefined => {
  const longest = Math.max(...places.map(({ end, start }) => end - start))
  return places.findLast(({ end, start }) => end - start > longest / 2)
}

const prose = new Set(["docs", "agent_docs", "hard_security_prose"])

/** Texts that are made: sentences of the grammar and requests, planted in ordinary texts. */
export const made = (lines: ReadonlyArray<Line>, channel: Channel, seed: number): ReadonlyArray<Line> => {
  const chance = Chance.make(seed)
  const grammar = Grammar.make(chance)
  const line = (text: string, label: Line["label"], span?: readonly [number, number]): Line => ({
    id: "made",
    source: "made",
    channel,
    label,
    category: "made",
    text: channel === "tool_args" ? writtenAgain(text) : text,
    ...(span === undefined ? {} : { span })
  })
  const many = (count: number, make: () => Line): ReadonlyArray<Line> => Array.from({ length: count }, make)
  if (channel === "tool_args") {
    return [
      ...many(amounts.payloads, () => line(grammar.payload(), "attack")),
      ...many(amounts.calls, () => line(grammar.call(), "benign"))
    ]
  }
  if (channel === "goal") {
    return [
      ...many(amounts.goals, () => line(grammar.goal(), "attack")),
      ...many(amounts.hardGoals, () => line(grammar.hardGoal(), "benign"))
    ]
  }
  const carriers = lines.filter((one) =>
    one.channel === "tool_result" && one.label === "benign" && one.category !== "long_output" &&
    one.category !== "hard_encoded_content"
  )
  const machine = carriers.filter(({ category }) => !prose.has(category))
  const plant = (text: string, into: ReadonlyArray<Line>, label: Line["label"]): Line => {
    const { text: around } = chance.pick(into)
    const at = spot(around, chance)
    // From a few lines around it, in which the attack is most of the text, to much, in which it is lost.
    const reach = Math.floor(100 + 1100 * chance.next() ** 2)
    const before = around.slice(Math.max(0, at - reach), at)
    const between = chance.next() < 0.5 ? "\n" : " "
    const start = before.length + 1
    return line(`${before}${between}${text}${between}${around.slice(at, at + reach)}`, label, [
      start,
      start + text.length
    ])
  }
  const requests = lines.filter((one) =>
    one.channel === "goal" && one.text.length < 400 && one.category !== "obfuscated" &&
    one.category !== "hard_role_assignment"
  )
  const injected = lines.filter((one) =>
    one.channel === "tool_result" && one.label === "attack" && spanOf(one) !== undefined
  )
  const attackOf = (one: Line): string => one.text.slice(...spanOf(one) ?? [0, 0])
  return [
    ...many(amounts.attacks, () => plant(grammar.attack(), carriers, "attack")),
    ...many(
      amounts.requests,
      () => plant(chance.next() < 0.5 ? grammar.request() : chance.pick(requests).text, machine, "attack")
    ),
    ...many(
      injected.length === 0 ? 0 : amounts.moved,
      () => plant(attackOf(chance.pick(injected)), carriers, "attack")
    ),
    ...many(amounts.hard, () => {
      const sentence = chance.next() < 0.2 ? grammar.foreign() : grammar.hard()
      return chance.next() < 0.5 ? line(sentence, "benign") : plant(sentence, carriers, "benign")
    })
  ]
}

/** How many are made. */
export const amounts = {
  payloads: 2500,
  calls: 1200,
  goals: 2500,
  hardGoals: 1200,
  attacks: 4000,
  requests: 1500,
  moved: 800,
  hard: 2000
}

const spanOf = ({ span }: Line): readonly [start: number, end: number] | undefined =>
  span === undefined || span === null ? undefined : "start" in span ? [span.start, span.end] : span

/** The beginning of a line, or of a text in quotes. */
const spot = (text: string, chance: Chance.Chance): number => {
  const at = chance.below(text.length)
  const mark = text.indexOf(chance.next() < 0.5 ? "\n" : "\"", at)
  return mark < 0 ? at : mark + 1
}
