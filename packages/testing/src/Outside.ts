/**
 * Whoever acts on a run from outside: people who decide, systems that send signals. A script is one of them, or a list.
 */
import type { RunView } from "@durable-agents/core"
import { Payload, Runs, RunState } from "@durable-agents/core"
import { Cause, Clock, Effect, Exit, Schema } from "effect"

/**
 * Somebody outside a run, or some other system.
 *
 * @category models
 * @since 0.1.0
 */
export interface Outsider<in World = unknown> {
  /**
   * Looks at a run and does something about it, or not. `world` is what the scenario acts on, `place` its own position in the
   * script.
   */
  readonly act: (view: RunView, world: World, place: number) => Effect.Effect<unknown, unknown, Runs>
  /**
   * When it will do something if the run goes on resting, in milliseconds since 1970; undefined if it will not. It is called when
   * that time has come. Without it, it is called whenever the run rests.
   */
  readonly dueAt?: (view: RunView, place: number) => number | undefined
}

/**
 * An outsider, or just what one does whenever the run rests.
 *
 * @category models
 * @since 0.1.0
 */
export type Outside<World = unknown> = Outsider<World> | Outsider<World>["act"]

/**
 * One who acts from outside, or several, asked in order.
 *
 * @category models
 * @since 0.1.0
 */
export type Script<World = unknown> = Outside<World> | ReadonlyArray<Outside<World>>

/**
 * What a script did was refused: it is the test that is wrong, or the run is not where the script takes it to be.
 *
 * @category errors
 * @since 0.1.0
 */
export class ScriptFailed
  extends Schema.TaggedError<ScriptFailed>("@durable-agents/testing/ScriptFailed")("ScriptFailed", {
    runId: Schema.String,
    status: Schema.String,
    seq: Schema.Int,
    cause: Schema.Defect()
  })
{
  override get message() {
    const said = Payload.describe(this.cause)
    return `What the script did from outside was refused, while the run was ${this.status} at position ${this.seq}: ${said}`
  }
}

const members = <World>(script: Script<World> | undefined): ReadonlyArray<Outsider<World>> =>
  script === undefined ? [] : isList(script) ? script.map(outsider) : [outsider(script)]

const isList = <World>(script: Script<World>): script is ReadonlyArray<Outside<World>> => Array.isArray(script)

const outsider = <World>(one: Outside<World>): Outsider<World> => typeof one === "function" ? { act: one } : one

/**
 * Lets everyone whose time has come act, each on the state that the one before left; returns the last. `early` leaves out those
 * that only act on a run which rests.
 *
 * @category combinators
 * @since 0.1.0
 */
export const act = <World>(
  script: Script<World> | undefined,
  before: RunView,
  world: World,
  options: { readonly early?: boolean } = {}
): Effect.Effect<RunView, ScriptFailed, Runs> =>
  Effect.gen(function*() {
    const runs = yield* Runs
    let view = before
    for (const [place, one] of members(script).entries()) {
      if (RunState.isEnded(view.state)) break
      const isDue = one.dueAt === undefined
        ? options.early !== true
        : (one.dueAt(view, place) ?? Infinity) <= (yield* Clock.currentTimeMillis)
      if (!isDue) continue
      const done = yield* Effect.exit(Effect.suspend(() => one.act(view, world, place)))
      if (Exit.isFailure(done)) {
        const { runId, seq, status } = view
        return yield* new ScriptFailed({ runId, seq, status, cause: Cause.squash(done.cause) })
      }
      view = yield* Effect.orDie(runs.state(view.runId))
    }
    return view
  })

/**
 * When the first of them will do something if the run goes on resting; undefined if nobody has a time.
 *
 * @category combinators
 * @since 0.1.0
 */
export const dueAt = <World>(script: Script<World> | undefined, view: RunView): number | undefined =>
  members(script)
    .map((one, place) => one.dueAt?.(view, place))
    .reduce((first, at) => at !== undefined && (first === undefined || at < first) ? at : first, undefined)
