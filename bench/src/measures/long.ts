/**
 * What the length of a run costs: P6 and P8.
 */
import { Effect } from "effect"
import { limit, ours } from "../Contestants.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import * as Proxy from "../Proxy.ts"
import { median } from "../Samples.ts"
import { Server } from "../Server.ts"
import { Settings } from "../Settings.ts"

const part = 100

/** A step costs what lies between its beginning and that of the next. */
const costs = (begun: ReadonlyArray<number>): ReadonlyArray<number> =>
  begun.slice(1).map((at, step) => at - (begun[step] ?? Number.NaN))

const lateAgainstEarly = (steps: number, atMost: number) =>
  Effect.gen(function*() {
    const { newSchema } = yield* Server
    const schema = yield* newSchema
    const process = yield* ours(schema)
    for (const _ of [1, 2, 3, 4]) yield* process.ask("execute", { steps: 500 })
    const found = costs(yield* process.ask("execute", { steps }))
    const early = median(found.slice(0, part))
    const late = median(found.slice(-part))
    return figure({
      name: `time of a step, last ${part} of ${steps.toLocaleString("en")} against the first`,
      unit: "times",
      ours: [late / early],
      goal: { atMost }
    })
  })

/** Between one length and a longer one: what the steps between ask of the server, and bytes that it sends. */
const asked = Effect.gen(function*() {
  const { newSchema, url } = yield* Server
  const schema = yield* newSchema
  const proxy = yield* Proxy.make(url)
  const process = yield* ours(schema, { url: proxy.url })
  const of = Effect.fnUntraced(function*(steps: number) {
    const before = proxy.traffic()
    yield* process.ask("execute", { steps })
    const after = proxy.traffic()
    return { roundTrips: after.roundTrips - before.roundTrips, bytes: after.bytes - before.bytes }
  })
  yield* of(part)
  const lengths = [part, 2 * part, 2_000 - part, 2_000]
  const [none, first, before, last] = yield* Effect.forEach(lengths, of)
  const against = (name: "roundTrips" | "bytes") => [
    ((last?.[name] ?? 0) - (before?.[name] ?? 0)) / ((first?.[name] ?? 0) - (none?.[name] ?? 0))
  ]
  const late = `last ${part} of 2,000 against the first`
  return [
    figure({ name: `statements, ${late}`, unit: "times", ours: against("roundTrips"), goal: { atMost: 1.1 } }),
    figure({ name: `bytes read, ${late}`, unit: "times", ours: against("bytes"), goal: { atMost: 1.1 } })
  ]
})

/**
 * @category measures
 * @since 0.1.0
 */
export const p6 = measure(
  "P6",
  "Steps late in a run against early ones",
  Effect.gen(function*() {
    return [
      yield* Effect.scoped(lateAgainstEarly(2_000, 1.1)),
      ...(yield* Effect.scoped(asked)),
      yield* Effect.scoped(lateAgainstEarly(20_000, 1.2))
    ]
  })
)

/**
 * @category measures
 * @since 0.1.0
 */
export const p8 = measure(
  "P8",
  "Taking up a run of 2,000 recorded steps",
  Effect.gen(function*() {
    const { newSchema } = yield* Server
    const { rounds } = yield* Settings
    const schema = yield* newSchema
    const outside = yield* ours(schema)
    const runId = yield* outside.ask("startLong", { steps: 2_000 })
    const read: Array<number> = []
    const resumed: Array<number> = []
    for (let i = 0; i < rounds; i++) {
      yield* outside.ask("go", { runId })
      // New processes: what a process does for the first time takes longer, and that is how it is after a restart.
      read.push(yield* Effect.scoped(Effect.flatMap(limit, ({ ask }) => ask("read", { from: schema, runId }))))
      resumed.push(yield* Effect.scoped(Effect.flatMap(ours(schema), ({ ask }) =>
        ask("resume", { runId, name: `more-${i}` }))))
    }
    return [
      figure({
        name: "process ready to first new step, against read and fold",
        unit: "ms",
        ours: resumed,
        limit: read,
        goal: { atMost: 3 }
      })
    ]
  })
)
