/**
 * `pnpm bench`: all measures, or those of `--only P1,P4`, on a server of its own or that of `--url`. Prints a table, or JSON with
 * `--json`. A run of all of them is also written to `bench/results.json` and `bench/results.md`.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import process from "node:process"
import { parseArgs } from "node:util"
import { measures } from "./measures/index.ts"
import { type Report, table } from "./Report.ts"
import * as Server from "./Server.ts"
import { Settings } from "./Settings.ts"
import * as Throughput from "./Throughput.ts"

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    url: { type: "string" },
    rounds: { type: "string", default: `${Settings.defaultValue().rounds}` },
    finished: { type: "string", default: `${Settings.defaultValue().crowd.finished}` }
  }
})

const ids = values.only?.split(",").map((id) => id.trim().toUpperCase())
const unknown = ids?.filter((id) => measures.every((measure) => measure.id !== id)) ?? []

const whole = (text: string): number | undefined =>
  Option.getOrUndefined(Option.filter(Schema.decodeOption(Schema.FiniteFromString)(text), (value) =>
    Number.isInteger(value) && value >= 1))

const rounds = whole(values.rounds)
const finished = whole(values.finished)

const problem = unknown.length > 0
  ? `There is no measure ${unknown.join(", ")}: there are ${[...new Set(measures.map(({ id }) => id))].join(", ")}`
  : rounds === undefined || finished === undefined
  ? "--rounds and --finished want whole numbers from 1 on"
  : undefined

const say = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

const report = Effect.gen(function*() {
  const { durability, version } = yield* Server.Server
  const begun = performance.now()
  const found: Array<Report["measures"][number]> = []
  for (const { figures, id, title } of measures) {
    if (ids !== undefined && !ids.includes(id)) continue
    yield* say(`${id} ${title} …`)
    const since = performance.now()
    found.push({ id, title, figures: yield* Effect.scoped(figures) })
    yield* say(`${id} in ${((performance.now() - since) / 1_000).toFixed(1)} s`)
  }
  return {
    taken: new Date().toISOString().slice(0, 7),
    machine: { processors: availableParallelism(), platform: process.platform, node: process.versions.node },
    server: { version, durability },
    settings: yield* Settings,
    seconds: (performance.now() - begun) / 1_000,
    measures: found
  } satisfies Report
})

const write = (report: Report) =>
  Effect.sync(() => {
    const to = (name: string) => new URL(`../${name}`, import.meta.url)
    writeFileSync(to("results.json"), `${JSON.stringify(report, null, 2)}\n`)
    writeFileSync(
      to("results.md"),
      `# Results\n\nWritten by \`pnpm bench\`; [README.md](README.md) says what they mean.\n\n${table(report)}`
    )
  })

const main = Effect.gen(function*() {
  const found = yield* report
  if (ids === undefined) yield* write(found)
  process.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : table(found))
}).pipe(
  Effect.provide(Throughput.layer.pipe(Layer.provideMerge(Server.layer(values.url)))),
  Effect.provideService(Settings, {
    ...Settings.defaultValue(),
    rounds: rounds ?? 1,
    crowd: { ...Settings.defaultValue().crowd, finished: finished ?? 1 }
  })
)

if (problem === undefined) {
  await Effect.runPromise(main)
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 2
}
