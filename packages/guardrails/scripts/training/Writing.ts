/**
 * Writes down what was learned, as modules of TypeScript.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Detector from "../../src/Detector.ts"
import * as Patterns from "../../src/Patterns.ts"
import type { Channel } from "../../src/TextSignal.ts"

const names: { readonly [Name in Channel]: string } = { tool_result: "toolResult", goal: "goal", tool_args: "toolArgs" }

const base64 = (bytes: Uint8Array | Int8Array): string => Buffer.from(bytes.buffer).toString("base64")

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const character = (level: number): string => alphabet.charAt(Patterns.levels.indexOf(level))

/** As the formatter leaves it, however long it is. */
const list = (numbers: ReadonlyArray<number>): string => `[\n    ${numbers.join(",\n    ")}\n  ]`

/** The margins that shares of texts are above. */
export const quantiles = (margins: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = margins.toSorted((a, b) => b - a)
  return Detector.shares.map((share) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 99) * 1000) / 1000)
}

/** The weights of a channel, into a folder. */
export const write = (
  folder: string,
  channel: Channel,
  { linear, machine, patterns, prose }: Detector.Model,
  data: string
): void => {
  const { rows, words, ...rest } = patterns
  const known = Uint8Array.from(words.flatMap((word) => [word >> 16, word >> 8 & 255, word & 255]))
  const more = linear === undefined ? "" : `export const linear = {
  share: ${linear.share},
  bias: ${linear.model.bias},
  step: ${linear.model.step},
  /** Signed bytes, in base64. */
  weights:
    "${base64(linear.model.weights)}"
}
`
  writeFileSync(
    join(folder, `${names[channel]}.ts`),
    `// Written by scripts/train.ts from data with the SHA-256 ${data}; see README.md beside this file.
export const data = "${data}"
export const machine: ReadonlyArray<number> = [${machine.join(", ")}]
export const prose: ReadonlyArray<number> = [${prose.join(", ")}]
export const patterns = {
  filters: ${rest.filters},
  reach: ${rest.reach},
  step: ${rest.step},
  offsets: ${list(rest.offsets)},
  heads: ${list(rest.heads)},
  biases: [${rest.biases.join(", ")}] as const,
  /** Three bytes each, in base64. */
  words:
    "${base64(known)}",
  /** A character each: the number of a level, in base64. */
  rows:
    "${Array.from(rows, character).join("")}"
}
${more}`
  )
}
