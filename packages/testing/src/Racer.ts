/**
 * One of two workers at a run: a process with layers of its own that goes on as far as it is let.
 */
import type { NotExecutable, RunView, StoreError } from "@durable-agents/core"
import type { Clock, Fiber, Scope } from "effect"
import { Effect } from "effect"
import * as Pace from "./Pace.ts"
import { leaseMillis } from "./Processes.ts"
import type { Trial } from "./Trial.ts"
import * as VirtualTime from "./VirtualTime.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Racer {
  readonly name: string
  readonly pace: Pace.Pace
  /** It is away for so long that its leases run out. */
  readonly expire: Effect.Effect<void>
  /** How it executes the run when it is asked to; undefined if it looks for runs by itself. */
  readonly asked: Asked | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Asked {
  readonly execute: Effect.Effect<RunView, NotExecutable | StoreError>
  /** The execution under way. */
  fiber: Fiber.Fiber<RunView, NotExecutable | StoreError> | undefined
  /** Where the last one ended. */
  seen: RunView | undefined
}

const make = <World>(
  trial: Trial<World>,
  name: string,
  pace: Pace.Pace,
  build: (around: Pace.Pace["around"], clock: Clock.Clock) => Effect.Effect<Asked | undefined, StoreError, Scope.Scope>
): Effect.Effect<Racer, StoreError, Scope.Scope> =>
  Effect.gen(function*() {
    let ahead = 0
    const asked = yield* build(pace.around, VirtualTime.behind(trial.time.clock, () => ahead))
    // Nobody stands when the process is to end.
    yield* Effect.addFinalizer(() => Effect.sync(() => pace.go(Infinity)))
    const expire = Effect.gen(function*() {
      ahead += leaseMillis
      pace.lose()
      yield* Effect.orDie(Effect.forEach(pace.owners, trial.silence))
      yield* trial.time.clock.adjust("1 second")
    })
    return { name, pace, expire, asked }
  })

/**
 * One that is asked to execute the run, and asked again when there is something new.
 *
 * @category constructors
 * @since 0.1.0
 */
export const asked = <World>(
  trial: Trial<World>,
  name: string
): Effect.Effect<Racer & { readonly asked: Asked }, StoreError, Scope.Scope> =>
  Effect.gen(function*() {
    const pace = Pace.make()
    const own: Asked = { execute: Effect.never, fiber: undefined, seen: undefined }
    const racer = yield* make(trial, name, pace, (around, clock) =>
      Effect.map(trial.process(around, clock), ({ execute }) =>
        Object.assign(own, { execute })))
    return { ...racer, asked: own }
  })

/**
 * One that looks for runs by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const looking = <World>(trial: Trial<World>, name: string): Effect.Effect<Racer, StoreError, Scope.Scope> =>
  Effect.suspend(() => {
    let running = () => 0
    return make(
      trial,
      `${name} (looking)`,
      Pace.make(() => running() > 0),
      (around, clock) =>
        Effect.map(trial.worker(around, clock), (worker) => {
          running = worker.running
          return undefined
        })
    )
  })

/**
 * Lets all go before what they do is interrupted: in a call to the store nobody can be.
 *
 * @category combinators
 * @since 0.1.0
 */
export const letGo = (racers: ReadonlyArray<Racer>) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.ensuring(
    effect,
    Effect.sync(() => {
      for (const { pace } of racers) pace.go(Infinity)
    })
  ))
