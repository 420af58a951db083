/**
 * What the engine itself costs, on the memory store: processor time of a step, and whether it grows with the log.
 */
import { MemoryStore, Runs, Runtime } from "@durable-agents/core"
import { Effect, Layer } from "effect"
import { median, quantile } from "../Samples.ts"
import { steps, Work } from "../work.ts"

/** Times at chosen steps, filled while the program runs: processor time is counted too coarsely for a few hundred steps. */
const marks = new Map<number, number>()

const cpu = (): number => {
  const { system, user } = process.threadCpuUsage()
  return user + system
}

const inMemory = Work.toLayer((count) =>
  Effect.tap(
    steps(count, (step) => {
      if (step % 100 === 0) marks.set(step, performance.now())
    }),
    () => Effect.sync(() => marks.set(count, performance.now()))
  )
).pipe(Layer.provideMerge(Runtime.layer), Layer.provideMerge(MemoryStore.layer))

const execute = (steps: number) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(Work, steps)
    yield* runtime.execute(runId)
  })

const once = <A, E>(effect: Effect.Effect<A, E, Runs | Runtime>) => Effect.provide(effect, inMemory, { local: true })

/**
 * @category measures
 * @since 0.1.0
 */
export const measure = Effect.gen(function*() {
  yield* once(execute(2_000))
  yield* once(execute(2_000))
  const perStep: Array<number> = []
  const early: Array<number> = []
  const late: Array<number> = []
  for (let i = 0; i < 15; i++) {
    marks.clear()
    const begun = cpu()
    yield* once(execute(4_000))
    perStep.push((cpu() - begun) / 4_000)
    early.push(((marks.get(400) ?? 0) - (marks.get(0) ?? 0)) / 400)
    late.push(((marks.get(4_000) ?? 0) - (marks.get(3_600) ?? 0)) / 400)
  }
  // Of work that is always the same the quickest time says most: what is more was something else on the machine.
  return { microsPerStep: median(perStep), lateAgainstEarly: quantile(late, 0) / quantile(early, 0) }
})
