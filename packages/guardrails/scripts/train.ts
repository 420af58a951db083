/**
 * Trains the text signal: the same data, the same weights, to the byte.
 *
 * node packages/guardrails/scripts/train.ts --data DIR [--without SOURCE --out DIR]
 *
 * Whole sources are held out, one group after the other, to find out which margins benign texts of sources reach that were not
 * learned from; then a fifth of each source, for sources that are known; the weights that are kept are learned from all. Writes
 * `src/weights/*.ts` and `scripts/heldOut.json`, which has the margins of each record by its id. The data itself is copied nowhere.
 * `--channel NAME` trains one channel only, and prints its margins.
 *
 * `--without` learns from all other sources and writes these weights, and nothing else, to `--out`: scripts/evaluate.ts reads them
 * with `--weights`.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Detector from "../src/Detector.ts"
import type { Channel } from "../src/TextSignal.ts"
import * as Examples from "./training/Examples.ts"
import * as Fitting from "./training/Fitting.ts"
import * as Folds from "./training/Folds.ts"
import * as Writing from "./training/Writing.ts"

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    channel: { type: "string" },
    without: { type: "string" },
    out: { type: "string" }
  }
})
if (values.data === undefined) throw new Error("Say where the data is: --data DIR")
if ((values.without === undefined) !== (values.out === undefined)) throw new Error("--without and --out go together")

const { digest, lines: read } = Examples.read(values.data)
const lines = read.filter(({ source }) => source !== values.without)
if (values.without !== undefined && lines.length === read.length) throw new Error(`No source is \`${values.without}\``)
type Margin = readonly [margin: number, isProse: 0 | 1]
const heldOut: Record<string, Margin> = {}
const within: Record<string, Margin> = {}

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** What is joined of other records says nothing about a source. */
const isLearned = ({ source }: Examples.Line): boolean => source !== "mixed-long"

/** The margins that texts have for a model that has not learned from what is held out with them. */
const held = (channel: Channel, known: Fitting.Known, { count, of }: Folds.Folds, seed: number) => {
  const margins: Record<string, Margin> = {}
  for (let fold = 0; fold < count; fold++) {
    const model = Fitting.fit(channel, lines.filter((line) => isLearned(line) && of(line) !== fold), known, seed + fold)
    for (const line of lines) {
      if (line.channel !== channel || of(line) !== fold) continue
      const [margin, isProse] = Fitting.judge(model, line)
      margins[line.id] = [Math.round(margin * 1000) / 1000, isProse ? 1 : 0]
    }
    process.stderr.write(`${channel}: ${fold + 1} of ${count}\n`)
  }
  return margins
}

const near = Folds.within(lines)
for (const channel of Detector.channels) {
  if (values.channel !== undefined && values.channel !== channel) continue
  const own = lines.filter((line) => line.channel === channel)
  const known = Fitting.known(own.filter(isLearned))
  const unseen = held(channel, known, Folds.sources, 4242)
  Object.assign(heldOut, unseen)
  if (values.out === undefined) Object.assign(within, held(channel, known, near, 5242))
  const benign = (isProse: 0 | 1) =>
    own.flatMap(({ id, label }) => {
      const margin = unseen[id]
      return margin !== undefined && label === "benign" && margin[1] === isProse ? [margin[0]] : []
    })
  const machine = Writing.quantiles(benign(0))
  const prose = channel === "tool_result" ? Writing.quantiles(benign(1)) : machine
  const model = { ...Fitting.fit(channel, lines.filter(isLearned), known, 4242), machine, prose }
  Writing.write(values.out ?? path("../src/weights"), channel, model, digest)
}
if (values.out !== undefined) process.exit()

const ordered = (margins: Readonly<Record<string, Margin>>): string =>
  Object.entries(margins).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([id, value]) => `${JSON.stringify(id)}:${JSON.stringify(value)}`).join(",\n")
const written = `{"data":"${digest}","margins":{\n${ordered(heldOut)}\n},"within":{\n${ordered(within)}\n}}\n`
if (values.channel === undefined) writeFileSync(path("heldOut.json"), written)
else process.stdout.write(written)
