/**
 * Where the time of a profile goes: `node bench/src/profile.ts file.cpuprofile`, for what `node --cpu-prof` has written.
 */
import { readFileSync } from "node:fs"
import process from "node:process"

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** The first that fits a frame's address, or its name where it has none. */
const buckets: ReadonlyArray<readonly [name: string, fits: RegExp]> = [
  ["idle", /^\(idle\)$/],
  ["garbage collector", /^\(garbage collector\)$/],
  ["driver (@effect/sql-pg)", /@effect\/sql-pg/],
  ["driver (pg)", /\/pg(-[a-z]+)?\//],
  ["statements (effect/sql)", /effect\/(dist|src)\/(sql|unstable\/sql)\//],
  ["effect: Schema", /effect\/(dist|src)\/(internal\/schema|Schema)/],
  ["effect: spans and tracing", /effect\/(dist|src)\/(internal\/)?[tT]racer/],
  ["effect: runtime and the rest", /effect\/(dist|src)\//],
  ["packages/core", /packages\/core\//],
  ["packages/postgres", /packages\/postgres\//],
  ["packages/sqlite", /packages\/sqlite\//],
  ["hashes (@noble/hashes)", /@noble\/hashes/],
  ["bench", /\/bench\/src\//],
  ["node", /^node:|^\(program\)|^$/]
]

const [, , file = ""] = process.argv
const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(file, "utf8"))
const frames = new Map(nodes.map(({ callFrame, id }) => [id, callFrame]))
const byBucket = new Map<string, number>()
const byFunction = new Map<string, number>()
let total = 0

samples.forEach((id, index) => {
  const frame = frames.get(id)
  if (frame === undefined) return
  const { functionName, lineNumber, url } = frame
  const micros = timeDeltas[index] ?? 0
  const [bucket] = buckets.find(([, fits]) => fits.test(url === "" ? functionName : url)) ?? ["node"]
  byBucket.set(bucket, (byBucket.get(bucket) ?? 0) + micros)
  if (bucket === "idle") return
  total += micros
  const name = `${functionName || "(anonymous)"} ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`
  byFunction.set(name, (byFunction.get(name) ?? 0) + micros)
})

const print = (found: ReadonlyMap<string, number>, most: number): void => {
  const sorted = [...found].toSorted(([, left], [, right]) => right - left).slice(0, most)
  for (const [name, micros] of sorted) {
    process.stdout.write(`${(micros / total * 100).toFixed(1).padStart(6)} %  ${name}\n`)
  }
}

process.stdout.write(`${(total / 1_000).toFixed(0)} ms of work (idle beside it)\n\n`)
print(byBucket, 20)
process.stdout.write("\n")
print(byFunction, 45)
