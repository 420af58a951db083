/**
 * What our processes execute, and how they tell what has been executed.
 */
import { Approval, Program, Signal, Step } from "@durable-agents/core"
import { Effect, Layer, Schema } from "effect"
import { wallMillis } from "../Round.ts"
import { steps, Work } from "../work.ts"

/** When each of the named things was first done in this process. */
const acted = new Map<string, number>()
const awaited = new Map<string, (at: number) => void>()

const act = (name: string): void => {
  if (acted.has(name)) return
  const at = wallMillis()
  acted.set(name, at)
  awaited.get(name)?.(at)
}

/**
 * When a named thing was first done in this process, as soon as it is.
 *
 * @category accessors
 * @since 0.1.0
 */
export const actedAt = (name: string): Promise<number> => {
  const at = acted.get(name)
  return at === undefined ? new Promise((resolve) => awaited.set(name, resolve)) : Promise.resolve(at)
}

const stepNamed = (key: string, name: string) =>
  Effect.sync(() => act(name)).pipe(Step.run(key, { output: Schema.Void }))

/**
 * Waits for the signal `go`, then does what its input names.
 *
 * @category programs
 * @since 0.1.0
 */
export const Waiting = Program.make("waiting", { input: Schema.String, output: Schema.Void })

const waiting = Waiting.toLayer((name) => Effect.andThen(Signal.receive("go"), stepNamed("go-on", name)))

/**
 * A number of steps, and from then on one more after each signal `go`, named `more-0` and so on.
 *
 * @category programs
 * @since 0.1.0
 */
export const Long = Program.make("long", { input: Schema.Finite, output: Schema.Void })

const long = Long.toLayer(Effect.fnUntraced(function*(count) {
  yield* steps(count)
  for (let i = 0; i < 1_000; i++) {
    yield* Signal.receive("go", `go-${i}`)
    yield* stepNamed(`more-${i}`, `more-${i}`)
  }
}))

/**
 * Waits for a person.
 *
 * @category programs
 * @since 0.1.0
 */
export const Parked = Program.make("parked", { input: Schema.String, output: Schema.Void })

const parked = Parked.toLayer((subject) => Effect.asVoid(Approval.request("decision", { subject })))

/**
 * Steps that take their time; the first that this process does is named by the input.
 *
 * @category programs
 * @since 0.1.0
 */
export const Slow = Program.make("slow", {
  input: Schema.Struct({ name: Schema.String, steps: Schema.Finite, millis: Schema.Finite }),
  output: Schema.Void
})

const slow = Slow.toLayer(Effect.fnUntraced(function*({ millis, name, steps }) {
  for (let i = 0; i < steps; i++) {
    yield* Effect.sync(() => act(name)).pipe(
      Effect.andThen(Effect.sleep(millis)),
      Step.run(`step-${i}`, { output: Schema.Void })
    )
  }
}))

/**
 * When which step of `Work` begins, if somebody wants to know.
 *
 * @category accessors
 * @since 0.1.0
 */
export const listening: { acting: (step: number) => void } = { acting: () => {} }

const work = Work.toLayer((count) => steps(count, listening.acting))

/**
 * All of them.
 *
 * @category layers
 * @since 0.1.0
 */
export const programs = Layer.mergeAll(work, waiting, long, parked, slow)
