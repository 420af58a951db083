/**
 * Trains the text signal: the same data, the same weights, to the byte.
 *
 * node packages/guardrails/scripts/train.ts --data DIR [--without SOURCE --out DIR]
 *
 * Whole sources are held out, one group after the other, to find out which margins benign texts of sources reach that were not
 * learned from; the weights that are kept are then learned from all. Writes `src/weights/*.ts` and `scripts/heldOut.json`, which
 * has the margin of each record by its id. The data itself is copied nowhere.
 *
 * `--without` learns from all other sources and writes these weights, and nothing else, to `--out`: scripts/evaluate.ts reads them
 * with `--weights`.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Detector from "../src/Detector.ts"
import type { Channel } from "../src/TextSignal.ts"
import * as Examples from "./training/Examples.ts"
import * as Learning from "./training/Learning.ts"

const { values } = parseArgs({
  options: { data: { type: "string" }, without: { type: "string" }, out: { type: "string" } }
})
if (values.data === undefined) throw new Error("Say where the data is: --data DIR")
if ((values.without === undefined) !== (values.out === undefined)) throw new Error("--without and --out go together")

/** Sources that are held out together; a source that is not here is in the last group. */
const groups = [
  ["agentdojo", "jc-fixtures", "mt-bench"],
  ["spikee", "aws-sdk-examples", "owasp-cheatsheets"],
  ["cyberseceval", "cyberseceval-frr", "tau-bench", "repo-docs"],
  ["garak", "crowdsec-hub", "stripe-fixtures", "prompts-chat"],
  ["bipia", "giskard", "ntc-templates", "bfcl", "tldr-pages"]
]
const groupOf = (source: string): number => {
  const at = groups.findIndex((group) => group.includes(source))
  return at < 0 ? groups.length : at
}

const settings: { readonly [Name in Channel]: Learning.Settings } = {
  tool_result: { bits: 18, epochs: 4, most: 0.08, seed: 777 },
  goal: { bits: 16, epochs: 5, most: 0.1, seed: 778 },
  tool_args: { bits: 15, epochs: 8, most: 0.15, seed: 779 }
}

const { digest, lines: read } = Examples.read(values.data)
const lines = read.filter(({ source }) => source !== values.without)
if (values.without !== undefined && lines.length === read.length) throw new Error(`No source is \`${values.without}\``)
const heldOut: Record<string, readonly [margin: number, isProse: 0 | 1]> = {}

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** What is joined of other records says nothing about a source. */
const isLearned = ({ source }: Examples.Line): boolean => source !== "mixed-long"

const fit = (
  channel: Channel,
  from: ReadonlyArray<Examples.Line>,
  known: ReadonlyMap<string, Examples.Example>,
  seed: number
) => {
  const own = from.filter((line) => line.channel === channel).map((line) =>
    known.get(line.id) ?? Examples.example(line)
  )
  return Learning.learn([...own, ...Examples.made(from, channel, seed)], settings[channel])
}

const quantiles = (margins: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = margins.toSorted((a, b) => b - a)
  return Detector.shares.map((share) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 99) * 1000) / 1000)
}

for (const channel of Detector.channels) {
  const own = lines.filter((line) => line.channel === channel)
  const known = new Map(own.filter(isLearned).map((line) => [line.id, Examples.example(line)]))
  const benign: { readonly machine: Array<number>; readonly prose: Array<number> } = { machine: [], prose: [] }
  for (let group = 0; group <= groups.length; group++) {
    const others = lines.filter((line) => isLearned(line) && groupOf(line.source) !== group)
    const learned = { ...fit(channel, others, known, 4242 + group), machine: [], prose: [] }
    for (const line of own) {
      if (groupOf(line.source) !== group) continue
      const { isProse, margin } = Detector.scored(learned, line.text)
      const prose = channel === "tool_result" && isProse
      heldOut[line.id] = [Math.round(margin * 1000) / 1000, prose ? 1 : 0]
      if (line.label === "benign") benign[prose ? "prose" : "machine"].push(margin)
    }
    process.stderr.write(`${channel}: group ${group} of ${groups.length}\n`)
  }
  const machine = quantiles(benign.machine)
  const prose = channel === "tool_result" ? quantiles(benign.prose) : machine
  const { bias, step, weights } = fit(channel, lines.filter(isLearned), known, 4242)
  const name = { tool_result: "toolResult", goal: "goal", tool_args: "toolArgs" }[channel]
  writeFileSync(
    values.out === undefined ? path(`../src/weights/${name}.ts`) : join(values.out, `${name}.ts`),
    `// Written by scripts/train.ts from data with the SHA-256 ${digest}; see README.md beside this file.
export const bias = ${bias}
export const step = ${step}
export const machine: ReadonlyArray<number> = [${machine.join(", ")}]
export const prose: ReadonlyArray<number> = [${prose.join(", ")}]
export const data = "${digest}"
/** Signed bytes, in base64. */
export const weights: string =
  "${Buffer.from(weights.buffer).toString("base64")}"
`
  )
}
if (values.out !== undefined) process.exit()
const ordered = Object.entries(heldOut).sort(([a], [b]) => a < b ? -1 : 1)
writeFileSync(
  path("heldOut.json"),
  `{"data":"${digest}","margins":{\n${
    ordered.map(([id, value]) => `${JSON.stringify(id)}:${JSON.stringify(value)}`).join(",\n")
  }\n}}\n`
)
