/**
 * How soon the runs of a worker that was killed go on elsewhere: P11.
 */
import { Effect } from "effect"
import { ours, untilAtRest } from "../Contestants.ts"
import { figure } from "../Figure.ts"
import { measure } from "../Measure.ts"
import { wallMillis } from "../Round.ts"
import { quantile } from "../Samples.ts"
import { Server } from "../Server.ts"

const held = 64
const deaths = 3

/** Steps that were done again although they were recorded as done, and steps that were in flight and done again. */
const repeated = Effect.fnUntraced(function*(schema: string) {
  const { sql } = yield* Server
  const [row] = yield* Effect.orDie(sql<{ readonly recorded: number; readonly inFlight: number }>`
    select count(*) filter (where done_before)::int as recorded, count(*) filter (where not done_before)::int as "inFlight"
    from (
      select exists (
        select from ${sql(schema)}.events d where d.run_id = e.run_id and d.seq < e.seq and d.type = 'StepCompleted'
          and d.payload ->> 'key' = e.payload ->> 'key'
      ) as done_before
      from ${sql(schema)}.events e where e.type = 'StepRequested' and (e.payload ->> 'attempt')::int > 1
    ) again`)
  return row ?? { recorded: Number.NaN, inFlight: Number.NaN }
})

const death = Effect.gen(function*() {
  const { newSchema, sql } = yield* Server
  const schema = yield* newSchema
  const dying = yield* ours(schema)
  const other = yield* ours(schema)
  yield* dying.ask("startSlow", { prefix: "run-", runs: held, steps: 30, millis: 50 })
  yield* dying.ask("startWorker", { concurrency: held })
  const names = Array.from({ length: held }, (_, i) => `run-${i}`)
  yield* dying.ask("acted", { names })
  yield* other.ask("startWorker", { concurrency: held })
  // It waits for the lock that the first one's owner holds as soon as it knows of it.
  const watching = Effect.orDie(sql<{ readonly count: number }>`
    select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`)
  while (((yield* watching)[0]?.count ?? 0) === 0) yield* Effect.sleep("20 millis")
  const killedAt = wallMillis()
  yield* dying.signal("SIGKILL")
  const first = yield* other.ask("acted", { names })
  yield* untilAtRest(schema, "Completed", held)
  return { waits: first.map((at) => at - killedAt), ...(yield* repeated(schema)) }
}).pipe(Effect.scoped)

/**
 * @category measures
 * @since 0.1.0
 */
export const p11 = measure(
  "P11",
  `A worker with ${held} runs is killed`,
  Effect.gen(function*() {
    const found = yield* Effect.replicateEffect(death, deaths)
    return [
      figure({
        name: "first new step elsewhere, 95 of 100",
        unit: "ms",
        ours: found.map(({ waits }) => quantile(waits, 0.95)),
        goal: { atMost: 100 }
      }),
      figure({
        name: "first new step elsewhere, the last of them",
        unit: "ms",
        ours: found.map(({ waits }) => quantile(waits, 1)),
        goal: { atMost: 500 }
      }),
      figure({
        name: "recorded steps done again",
        unit: "",
        ours: found.map(({ recorded }) => recorded),
        goal: { atMost: 0 }
      }),
      figure({ name: "steps in flight done again", unit: "", ours: found.map(({ inFlight }) => inFlight) })
    ]
  })
)
