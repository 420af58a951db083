/**
 * What is held out together: whole sources, or within each source texts that are nearly alike.
 */
import { createHash } from "node:crypto"
import type { Line } from "./Examples.ts"

/** What is held out of some lines: the number of groups, and which one a line is in. */
export interface Folds {
  readonly count: number
  readonly of: (line: Line) => number
}

/** Sources that are held out together; a source that is not here is in the last group. */
const groups = [
  ["agentdojo", "jc-fixtures", "mt-bench"],
  ["spikee", "aws-sdk-examples", "owasp-cheatsheets"],
  ["cyberseceval", "cyberseceval-frr", "tau-bench", "repo-docs"],
  ["garak", "crowdsec-hub", "stripe-fixtures", "prompts-chat"],
  ["bipia", "giskard", "ntc-templates", "bfcl", "tldr-pages"]
]

/** No source is in two groups. */
export const sources: Folds = {
  count: groups.length + 1,
  of: ({ source }) => {
    const at = groups.findIndex((group) => group.includes(source))
    return at < 0 ? groups.length : at
  }
}

/** How much of their runs of four words texts share that are nearly alike. */
const alike = 0.7
const parts = 5

/** Every source is in all folds; what is nearly alike in one of them. */
export const within = (lines: ReadonlyArray<Line>): Folds => {
  const folds = new Map<string, number>()
  const bySource = Map.groupBy(lines, ({ channel, label, source }) => `${source} ${channel} ${label}`)
  for (const own of bySource.values()) {
    const runs = own.map(runsOf)
    const roots = own.map((_, at) => at)
    const rootOf = (at: number): number => {
      const root = roots[at] ?? at
      return root === at ? at : rootOf(root)
    }
    for (const [at, some] of runs.entries()) {
      for (let other = 0; other < at; other++) {
        if (share(some, runs[other] ?? new Set()) > alike) roots[rootOf(at)] = rootOf(other)
      }
    }
    for (const [at, { id }] of own.entries()) {
      const digest = createHash("sha256").update(own[rootOf(at)]?.id ?? id).digest()
      folds.set(id, digest.readUInt32BE(0) % parts)
    }
  }
  return { count: parts, of: ({ id }) => folds.get(id) ?? 0 }
}

/** The runs of four words of an attack, or of a text. */
const runsOf = ({ span, text }: Line): ReadonlySet<string> => {
  const [start, end] = span === undefined || span === null
    ? [0, text.length]
    : "start" in span
    ? [span.start, span.end]
    : span
  const words = text.slice(start, end).toLowerCase().replace(/\d/g, "0").split(/[^\p{L}0]+/u).slice(0, 400)
  return new Set(words.length < 4
    ? [words.join(" ")]
    : words.slice(3).map((_, at) => words.slice(at, at + 4).join(" ")))
}

const share = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  if (Math.min(one.size, other.size) < alike * Math.max(one.size, other.size)) return 0
  let both = 0
  for (const run of one) if (other.has(run)) both++
  return both / (one.size + other.size - both)
}
