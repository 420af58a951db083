/**
 * The work that is measured: a run of steps, a stub model call of about a kilobyte and a stub tool call of about 300 bytes in turn.
 */
import { Program, Step } from "@durable-agents/core"
import { Effect, Schema } from "effect"

/**
 * Steps of one run.
 *
 * @category constants
 * @since 0.1.0
 */
export const stepsOfRun = 20

const Answer = Schema.Struct({ id: Schema.String, text: Schema.String })

/**
 * What a model call returns.
 *
 * @category constants
 * @since 0.1.0
 */
export const answer: typeof Answer.Type = { id: "answer", text: "x".repeat(1000) }

const Receipt = Schema.Struct({ receipt: Schema.String })

/**
 * What a tool call returns.
 *
 * @category constants
 * @since 0.1.0
 */
export const receipt: typeof Receipt.Type = { receipt: "y".repeat(280) }

/**
 * The input is the number of steps.
 *
 * @category programs
 * @since 0.1.0
 */
export const Work = Program.make("work", { input: Schema.Finite, output: Schema.Finite })

/**
 * That many steps. `acting` is told in each of them, before its effect.
 *
 * @category programs
 * @since 0.1.0
 */
export const steps = (count: number, acting: (step: number) => void = () => {}) =>
  Effect.gen(function*() {
    for (let i = 0; i < count; i++) yield* i % 2 === 0 ? model(i, acting) : tool(i, acting)
    return count
  })

const stub = <A>(step: number, value: A, acting: (step: number) => void): Effect.Effect<A> =>
  Effect.sync(() => {
    acting(step)
    return value
  })

const model = (step: number, acting: (step: number) => void) =>
  stub(step, answer, acting).pipe(Step.run(`model-${step}`, { output: Answer }))

const tool = (step: number, acting: (step: number) => void) =>
  stub(step, receipt, acting).pipe(Step.run(`tool-${step}`, { output: Receipt }))
