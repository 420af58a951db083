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
import { EventStore, RunQueue, Runs, RunState, Runtime, RuntimeSettings, view } from "@durable-agents/core"
import type { Scope } from "effect"
import { Clock, Duration, Effect, Layer, Stream } from "effect"
import * as LogText from "./LogText.ts"
import type { NotMoving } from "./NotMoving.ts"
import { notMoving } from "./NotMoving.ts"
import type { ScriptFailed } from "./Outside.ts"
import * as Outside from "./Outside.ts"
import type { Scenario } from "./Scenario.ts"
import * as Scenarios from "./Scenario.ts"
import * as StoreCalls from "./StoreCalls.ts"
import * as VirtualTime from "./VirtualTime.ts"

/**
 * What can go wrong in a trial that is not what it looks for.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = NotMoving | ScriptFailed | InvalidRequest | StartConflict | NotExecutable | StoreError

/**
 * One process of a trial.
 *
 * @category models
 * @since 0.1.0
 */
export interface Process {
  /** Executes the run until it rests, while time passes whenever it can do nothing else. */
  readonly execute: Effect.Effect<RunView, NotExecutable | StoreError | NotMoving>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Trial<World> {
  readonly runId: RunId
  readonly world: World
  readonly time: VirtualTime.VirtualTime
  readonly state: Effect.Effect<RunView>
  readonly log: Effect.Effect<ReadonlyArray<Recorded>>
  /** A process of its own, alive as long as the scope. */
  readonly process: (
    around?: StoreCalls.Around,
    clock?: Clock.Clock
  ) => Effect.Effect<Process, StoreError, Scope.Scope>
  /** Ends the leases of an owner that says nothing any more, as their time would. */
  readonly silence: (owner: string) => Effect.Effect<void, StoreError>
  /** What comes from outside to a run that rests, or else the passing of time; fails if nothing does. */
  readonly move: (view: RunView) => Effect.Effect<void, NotMoving | ScriptFailed>
  /** What comes from outside before the run rests for the first time. */
  readonly early: Effect.Effect<void, ScriptFailed>
  readonly stuck: (problem?: string) => Effect.Effect<never, NotMoving>
}

/**
 * What only the driver of a trial decides.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How long, really, a process may do nothing before the run counts as not moving. Default 5 seconds. */
  readonly patience?: Duration.Input
  /** How often the run may rest before it counts as one that never ends. Default 300. */
  readonly rests?: number
}

/** How long, really, nothing must happen in a process before what it sleeps for comes. */
const stillMillis = 250

/** Leases end when the trial says so; a waiting run rests at once. */
const settings = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  lease: "365000 days",
  suspendAfter: "2 millis",
  keep: 0,
  blockedAfter: "1 second",
  grace: "1 second"
})

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
  options: Options,
  time: VirtualTime.VirtualTime
) {
  // Without `world` there is nothing to hand over, and the type of a world cannot be inferred from anything.
  const world = (scenario.world ?? (() => undefined as World))()
  const stores = yield* scenario.stores ?? Scenarios.memory
  const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(Runs.layer, stores)))
  const outside = <A, E>(effect: Effect.Effect<A, E, Runs | EventStore | RunQueue>): Effect.Effect<A, E> =>
    Effect.provideContext(effect, context)
  const realClock = Clock.Clock.defaultValue()
  const patienceMillis = Duration.toMillis(Duration.fromInputUnsafe(options.patience ?? "5 seconds"))
  const maxRests = options.rests ?? 300
  let calls = 0
  let rests = 0

  const runId =
    yield* outside(Effect.flatMap(Runs, (runs) => runs.start(scenario.program, scenario.input, scenario.start)))
  const state = Effect.orDie(outside(Effect.flatMap(Runs, (runs) => runs.state(runId))))
  const log = Effect.orDie(outside(Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))))
  const lines = Effect.map(log, (events) => events.map(LogText.line))

  /** A process has seen all that was decided, also if that made it write nothing. */
  const stuck = (problem?: string): Effect.Effect<never, NotMoving> =>
    Effect.flatMap(
      Effect.all([state, lines]),
      ([{ state }, log]) => Effect.fail(notMoving(view({ ...state, undigested: false }), log, problem))
    )

  /** Time comes to those who sleep in a process that does nothing else; gives up after a while. */
  const watch = Effect.gen(function*() {
    const now = () => Number(realClock.monotonicTimeNanosUnsafe() / 1_000_000n)
    let seen = { calls, sleeps: time.sleeps(), at: now() }
    let calledAt = now()
    while (true) {
      yield* realClock.sleep(Duration.millis(stillMillis / 10))
      if (seen.calls !== calls) calledAt = now()
      if (seen.calls !== calls || seen.sleeps !== time.sleeps()) seen = { calls, sleeps: time.sleeps(), at: now() }
      if (now() - calledAt >= patienceMillis) {
        return yield* stuck(`Nothing has come of it for ${
          Duration.format(Duration.millis(patienceMillis))
        } of real time.`)
      }
      const wake = time.nextWake()
      if (now() - seen.at < stillMillis || wake === undefined) continue
      yield* time.clock.setTime(wake)
      seen = { ...seen, at: now() }
    }
  })

  const process: Trial<World>["process"] = Effect.fnUntraced(function*(around, clock = time.clock) {
    const counted: StoreCalls.Around = (call, effect) =>
      Effect.suspend(() => {
        calls += 1
        return around === undefined ? effect : around(call, effect)
      })
    const built = yield* Scenarios.layerOf(scenario, world).pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provide(StoreCalls.layer(counted)),
      Layer.provide(stores),
      Layer.provide(settings),
      Layer.fresh,
      Layer.build,
      Effect.provideService(Clock.Clock, clock)
    )
    const execute = Effect.flatMap(Runtime, (runtime) => runtime.execute(runId)).pipe(
      Effect.provideContext(built),
      Effect.catchTag("RunNotFound", (error) => Effect.die(error)),
      Effect.raceFirst(watch)
    )
    return { execute }
  })

  const moveTo = Effect.fnUntraced(function*(at: number) {
    yield* time.clock.setTime(Math.ceil(at))
    const store = yield* Effect.orDie(outside(Effect.flatMap(EventStore, (store) => store.now)))
    if (store < at) {
      return yield* stuck("Its store does not go by the clock that is in place when its layer is built (`clock: \"context\"` of Sqlite.layer).")
    }
  })

  const trial: Trial<World> = {
    runId,
    world,
    time,
    state,
    log,
    process,
    stuck,
    silence: (owner) =>
      outside(Effect.asVoid(Effect.flatMap(RunQueue, (queue) => queue.heartbeat({ owner, leaseMillis: 0 })))),
    early: Effect.gen(function*() {
      const view = yield* state
      const startAt = view.state.started?.startAtMillis
      if (startAt !== undefined) yield* time.clock.setTime(Math.max(startAt, time.clock.currentTimeMillisUnsafe()))
      yield* outside(Outside.act(scenario.outside, view, world, { early: true }))
    }),
    move: Effect.fnUntraced(function*(view) {
      rests += 1
      if (rests > maxRests) return yield* stuck(`It has rested ${maxRests} times and has not ended.`)
      const before = yield* state
      if (before.seq > view.seq) return
      const after = yield* outside(Outside.act(scenario.outside, before, world))
      if (after.seq > before.seq) return
      const now = time.clock.currentTimeMillisUnsafe()
      const mayWake = after.status !== "Stuck" && after.status !== "Paused"
      const times = [mayWake ? after.wakeAt : undefined, Outside.dueAt(scenario.outside, after)]
      const next = Math.min(...times.filter((at) => at !== undefined && at > now) as Array<number>)
      if (next === Infinity) return yield* stuck()
      yield* moveTo(next)
      yield* outside(Outside.act(scenario.outside, after, world, { early: true }))
    })
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
): Effect.Effect<RunView, E | NotMoving | ScriptFailed> =>
  Effect.gen(function*() {
    while (true) {
      const view = yield* execute
      if (RunState.isEnded(view.state) || until(view)) return view
      yield* trial.move(view)
    }
  })
