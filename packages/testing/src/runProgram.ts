/**
 * Runs a program from its start to its end, offline and in no time.
 */
import type { Recorded, RunId, RunView } from "@durable-agents/core"
import { Payload } from "@durable-agents/core"
import { Effect } from "effect"
import type { Scenario } from "./Scenario.ts"
import type { Failure, Options } from "./Trial.ts"
import * as Trial from "./Trial.ts"

/**
 * What came of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finished<World, Output> {
  readonly runId: RunId
  readonly view: RunView
  /** What the program returned; undefined unless it completed. */
  readonly output: Output | undefined
  readonly log: ReadonlyArray<Recorded>
  readonly effects: unknown
  readonly world: World
}

/**
 * Starts a program and executes it until it ends. Whenever it rests, people decide and signals come as the script says; where
 * none of them does anything, time passes up to when the run, or somebody in the script, has something to do.
 *
 * **Details**
 *
 * Fails with `NotMoving`, which says what the run waits for, if nothing in the script moves it. The clock and the store are of
 * its own: any runner of tests will do, and a sleep of three days takes no time. With `until` it stops at the first rest where
 * that holds.
 *
 * **Gotchas**
 *
 * An operation that does nothing for a quarter of a second of real time is taken to wait for the clock: what it sleeps for, or
 * its time-out, comes then.
 *
 * @category drivers
 * @since 0.1.0
 */
export const runProgram = <World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error> & Options & { readonly until?: (view: RunView) => boolean }
): Effect.Effect<Finished<World, Output>, Failure> =>
  Trial.withTrial(scenario, scenario, (trial) =>
    Effect.gen(function*() {
      const { runId, world } = trial
      yield* trial.early
      const { execute } = yield* trial.process()
      const view = yield* Trial.drive(trial, trial.attend(execute), scenario.until)
      const output = view.status === "Completed"
        ? yield* Effect.orDie(Effect.fromResult(Payload.decoder(scenario.program.output)(view.output)))
        : undefined
      return { runId, view, output, log: yield* trial.log, effects: scenario.effects?.(world), world }
    }))
