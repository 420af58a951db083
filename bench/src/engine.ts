/**
 * What the engine itself costs, on the memory store: processor time of a step, whether it grows with the log, and resuming a
 * long run.
 */
import { MemoryStore, Program, Runs, Runtime, RuntimeSettings, Signal, Step } from "@durable-agents/core"
import { Effect, Layer, Schema } from "effect"

const Answer = Schema.Struct({ id: Schema.String, text: Schema.String })
const answer = { id: "answer", text: "x".repeat(1000) }
const Receipt = Schema.Struct({ receipt: Schema.String })
const receipt = { receipt: "y".repeat(280) }

const Work = Program.make("work", { input: Schema.Finite, output: Schema.Finite })

/** Times at chosen steps, filled while the program runs: processor time is counted too coarsely for a few hundred steps. */
const marks = new Map<number, number>()

const cpu = (): number => {
  const { system, user } = process.threadCpuUsage()
  return user + system
}

const handler = (steps: number) =>
  Effect.gen(function*() {
    for (let i = 0; i < steps; i += 2) {
      if (i % 100 === 0) marks.set(i, performance.now())
      yield* Effect.succeed(answer).pipe(Step.run(`model-${i}`, { output: Answer }))
      yield* Effect.succeed(receipt).pipe(Step.run(`tool-${i}`, { output: Receipt }))
    }
    marks.set(steps, performance.now())
    return steps
  })

const processOf = (memory: MemoryStore.Memory, wait: boolean) =>
  Work.toLayer((steps) =>
    wait ? Effect.andThen(handler(steps), Effect.as(Signal.receive("go"), steps)) : handler(steps)
  ).pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layerOf(memory)),
    Layer.provide(Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "1 millis" }))
  )

const execute = (steps: number) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(Work, steps)
    yield* runtime.execute(runId)
    return runId
  })

const once = <A, E>(effect: Effect.Effect<A, E, Runs | Runtime>, memory = MemoryStore.memory(), wait = false) =>
  Effect.provide(effect, processOf(memory, wait), { local: true })

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
  const memory = MemoryStore.memory()
  const runId = yield* once(execute(2_000), memory, true)
  const resume: Array<number> = []
  for (let i = 0; i < 5; i++) {
    const begun = performance.now()
    yield* once(Effect.flatMap(Runtime, (runtime) => runtime.execute(runId)), memory, true)
    resume.push(performance.now() - begun)
  }
  return {
    microsPerStep: median(perStep),
    lateAgainstEarly: least(late) / least(early),
    resume2000Millis: median(resume)
  }
})

/** Of work that is always the same the quickest time says most: what is more was something else on the machine. */
const least = (values: ReadonlyArray<number>): number => Math.min(...values)

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
