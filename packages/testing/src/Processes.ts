/**
 * The processes of a trial: each builds the program's layer and what executes it anew, over the database of the trial.
 */
import type { NotExecutable, Programs, RunId, RunView, StoreError } from "@durable-agents/core"
import { Runtime, RuntimeSettings, Worker } from "@durable-agents/core"
import type { Scope } from "effect"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { Stores } from "./Scenario.ts"
import * as StoreCalls from "./StoreCalls.ts"

/**
 * Longer than any trial: leases end when the trial says so.
 *
 * @category constants
 * @since 0.1.0
 */
export const leaseMillis = Duration.toMillis("365000 days")

/** A worker that looks for runs by itself does so whenever a second passes. */
const poll = Duration.millis(500)

/**
 * How runs are executed in a trial: a waiting one rests at once.
 *
 * @category constants
 * @since 0.1.0
 */
export const settings = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  lease: leaseMillis,
  suspendAfter: "2 millis",
  keep: 0,
  blockedAfter: "1 second",
  grace: "1 second"
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Process {
  /** Executes the run until it rests. */
  readonly execute: Effect.Effect<RunView, NotExecutable | StoreError>
}

/**
 * Starts a process, alive as long as the scope: with something around its calls to the store, and a clock of its own.
 *
 * @category models
 * @since 0.1.0
 */
export type Start<A> = (around?: StoreCalls.Around, clock?: Clock.Clock) => Effect.Effect<A, StoreError, Scope.Scope>

/**
 * What has been asked of the store by all processes together.
 *
 * @category models
 * @since 0.1.0
 */
export interface Calls {
  all: number
  /** Appends and releases. */
  writes: number
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Processes {
  /** One that executes the run when it is asked to. */
  readonly process: Start<Process>
  /** One that looks for runs by itself, every half second. */
  readonly worker: Start<Worker.Worker["Service"]>
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly runId: RunId
  /** Called for each process. */
  readonly programs: () => Layer.Layer<never, never, Programs>
  readonly stores: Layer.Layer<Stores, StoreError>
  readonly calls: Calls
}): Processes => {
  const { calls, programs, runId, stores } = options

  const build = <A>(
    executing: Layer.Layer<A, never, Stores>,
    around: StoreCalls.Around = (_, effect) => effect,
    clock?: Clock.Clock
  ) => {
    const counted: StoreCalls.Around = (call, effect) =>
      Effect.suspend(() => {
        calls.all += 1
        if (call.name === "append" || call.name === "release") calls.writes += 1
        return around(call, effect)
      })
    const built = executing.pipe(
      Layer.provide(StoreCalls.layer(counted)),
      Layer.provide(stores),
      Layer.provide(settings),
      Layer.fresh,
      Layer.build
    )
    return clock === undefined ? built : Effect.provideService(built, Clock.Clock, clock)
  }

  return {
    process: (around, clock) =>
      Effect.map(build(Layer.provideMerge(programs(), Runtime.layer), around, clock), (context) => ({
        execute: Effect.catchTag(
          Context.get(context, Runtime).execute(runId),
          "RunNotFound",
          (error) => Effect.die(error)
        )
      })),
    worker: (around, clock) =>
      Effect.map(
        build(
          // Nobody asks how it is, and looking at that would be calls to the store.
          Worker.layer({ poll, unhealthyAfter: leaseMillis }).pipe(
            Layer.provide(programs()),
            Layer.provide(Runtime.layer)
          ),
          around,
          clock
        ),
        (context) => Context.get(context, Worker.Worker)
      )
  }
}
