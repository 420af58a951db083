/**
 * One run of a scenario: a fresh world, an empty database, a time of its own, and processes over them.
 */
import type {
  InvalidRequest,
  NotExecutable,
  Recorded,
  RunId,
  RunView,
  StartConflict,
  StoreError
} from "@durable-agents/core"
import { EventStore, RunQueue, Runs, RunState, view } from "@durable-agents/core"
import type { Scope } from "effect"
import { Clock, Duration, Effect, Layer, Stream } from "effect"
import * as LogText from "./LogText.ts"
import * as Moves from "./Moves.ts"
import type { NotMoving } from "./NotMoving.ts"
import { notMoving } from "./NotMoving.ts"
import * as Processes from "./Processes.ts"
import type { Scenario } from "./Scenario.ts"
import * as Scenarios from "./Scenario.ts"
import * as VirtualTime from "./VirtualTime.ts"
import * as Watch from "./Watch.ts"

/**
 * What can go wrong in a trial that is not what it looks for.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Moves.Failure | InvalidRequest | StartConflict | NotExecutable | StoreError

/**
 * @category models
 * @since 0.1.0
 */
export interface Trial<World> extends Processes.Processes, Moves.Moves {
  readonly runId: RunId
  readonly world: World
  readonly time: VirtualTime.VirtualTime
  readonly state: Effect.Effect<RunView>
  readonly log: Effect.Effect<ReadonlyArray<Recorded>>
  /** Ends the leases of an owner that says nothing any more, as their time would. */
  readonly silence: (owner: string) => Effect.Effect<void, StoreError>
  /** Waits for something while time passes whenever nothing else can happen; not for ever. */
  readonly attend: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | NotMoving>
}

/**
 * What only the driver of a trial decides.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How long, really, nothing may be written before the run counts as not moving. Default 5 seconds. */
  readonly patience?: Duration.Input
  /** How often the run may rest before it counts as one that never ends. Default 300. */
  readonly rests?: number
}

/**
 * Starts a run of a scenario and hands over the trial around it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withTrial = <World, Input, Output, Error, A, E>(
  scenario: Scenario<World, Input, Output, Error>,
  options: Options,
  body: (trial: Trial<World>) => Effect.Effect<A, E | Failure, Scope.Scope>
): Effect.Effect<A, E | Failure> =>
  Effect.gen(function*() {
    const time = yield* VirtualTime.make
    return yield* Effect.flatMap(make(scenario, options, time), body)
      .pipe(Effect.provideService(Clock.Clock, time.clock))
  }).pipe(Effect.scoped)

const make = Effect.fnUntraced(function*<World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error>,
  { patience: input = "5 seconds", rests = 300 }: Options,
  time: VirtualTime.VirtualTime
) {
  // Without `world` there is nothing to hand over, and the type of a world cannot be inferred from anything.
  const world = (scenario.world ?? (() => undefined as World))()
  const stores = yield* scenario.stores ?? Scenarios.memory
  const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(Runs.layer, stores)))
  const from = <A, E>(effect: Effect.Effect<A, E, Runs | EventStore | RunQueue>): Effect.Effect<A, E> =>
    Effect.provideContext(effect, context)
  const runId =
    yield* from(Effect.flatMap(Runs, (runs) => runs.start(scenario.program, scenario.input, scenario.start)))
  const state = Effect.orDie(from(Effect.flatMap(Runs, (runs) => runs.state(runId))))
  const log = Effect.orDie(from(Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))))
  const calls: Processes.Calls = { all: 0, writes: 0 }
  const patience = Duration.fromInputUnsafe(input)

  /** A process has seen all that was decided, also if that made it write nothing. */
  const stuck = (problem?: string): Effect.Effect<never, NotMoving> =>
    Effect.flatMap(
      Effect.all([state, log]),
      ([{ state }, log]) =>
        Effect.fail(notMoving(view({ ...state, undigested: false }), log.map(LogText.line), problem))
    )

  const watch = Watch.make({
    time,
    calls,
    patience,
    onStill: Effect.suspend(() => stuck(`Nothing has come of it for ${Duration.format(patience)} of real time.`))
  })
  const attend: Trial<World>["attend"] = (effect) => Effect.raceFirst(effect, watch)

  const trial: Trial<World> = {
    ...Processes.make({ runId, programs: () => Scenarios.layerOf(scenario, world), stores, calls }),
    ...Moves.make({
      script: scenario.outside,
      world,
      time,
      state,
      storeNow: Effect.orDie(from(Effect.flatMap(EventStore, (store) => store.now))),
      outside: (effect) => attend(from(effect)),
      stuck,
      rests
    }),
    runId,
    world,
    time,
    state,
    log,
    attend,
    silence: (owner) =>
      from(Effect.asVoid(Effect.flatMap(RunQueue, (queue) => queue.heartbeat({ owner, leaseMillis: 0 }))))
  }
  return trial
})

/**
 * Drives a run to its end: executes it, and lets the outside or time move it whenever it rests.
 *
 * @category drivers
 * @since 0.1.0
 */
export const drive = <World, E>(
  trial: Trial<World>,
  execute: Effect.Effect<RunView, E>,
  until: (view: RunView) => boolean = () => false
): Effect.Effect<RunView, E | Moves.Failure> =>
  Effect.gen(function*() {
    while (true) {
      const view = yield* execute
      if (RunState.isEnded(view.state) || until(view)) return view
      yield* trial.move(view)
    }
  })
