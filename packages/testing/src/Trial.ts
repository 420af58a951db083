/**
 * One run of a scenario: a fresh world, an empty database, a time of its own, and processes over them.
 */
import type {
  InvalidRequest,
  NotExecutable,
  Programs,
  Recorded,
  RunId,
  RunView,
  StartConflict,
  StoreError
} from "@durable-agents/core"
import { EventStore, RunQueue, Runs, RunState, Runtime, RuntimeSettings, view, Worker } from "@durable-agents/core"
import type { Scope } from "effect"
import { Clock, Context, Duration, Effect, Layer, Stream } from "effect"
import * as LogText from "./LogText.ts"
import type { NotMoving } from "./NotMoving.ts"
import { notMoving } from "./NotMoving.ts"
import type { ScriptFailed } from "./Outside.ts"
import * as Outside from "./Outside.ts"
import type { Scenario, Stores } from "./Scenario.ts"
import * as Scenarios from "./Scenario.ts"
import * as StoreCalls from "./StoreCalls.ts"
import * as VirtualTime from "./VirtualTime.ts"
import * as Watch from "./Watch.ts"

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
  /** Executes the run until it rests. */
  readonly execute: Effect.Effect<RunView, NotExecutable | StoreError>
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
  /** A worker that looks for runs by itself, every half second, alive as long as the scope. */
  readonly worker: (
    around?: StoreCalls.Around,
    clock?: Clock.Clock
  ) => Effect.Effect<Worker.Worker["Service"], StoreError, Scope.Scope>
  /** Ends the leases of an owner that says nothing any more, as their time would. */
  readonly silence: (owner: string) => Effect.Effect<void, StoreError>
  /** What comes from outside to a run that rests, or else the passing of time; fails if nothing does. */
  readonly move: (view: RunView) => Effect.Effect<void, NotMoving | ScriptFailed>
  /** What comes from outside before the run rests for the first time. */
  readonly early: Effect.Effect<void, ScriptFailed>
  /** What comes from outside before a run that rests in its log has been given back. */
  readonly act: Effect.Effect<void, ScriptFailed>
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
  /** How long, really, a process may do nothing before the run counts as not moving. Default 5 seconds. */
  readonly patience?: Duration.Input
  /** How often the run may rest before it counts as one that never ends. Default 300. */
  readonly rests?: number
}

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
  const patience = Duration.fromInputUnsafe(options.patience ?? "5 seconds")
  const maxRests = options.rests ?? 300
  let calls = 0
  let writes = 0
  let rests = 0
  /** Where the log ended when the run was executed again because its time had come meanwhile. */
  let woken = -1

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

  const watch = Watch.make({
    time,
    calls: () => calls,
    writes: () => writes,
    patience,
    onStill: Effect.suspend(() => stuck(`Nothing has come of it for ${Duration.format(patience)} of real time.`))
  })

  /** What one process builds to execute the program. */
  const built = <A>(
    executing: (programs: Layer.Layer<never, never, Programs>) => Layer.Layer<A, never, Stores>,
    around: StoreCalls.Around = (_, effect) => effect,
    clock: Clock.Clock = time.clock
  ) => {
    const counted: StoreCalls.Around = (call, effect) =>
      Effect.suspend(() => {
        calls += 1
        if (call.name === "append" || call.name === "release") writes += 1
        return around(call, effect)
      })
    return executing(Scenarios.layerOf(scenario, world)).pipe(
      Layer.provide(StoreCalls.layer(counted)),
      Layer.provide(stores),
      Layer.provide(settings),
      Layer.fresh,
      Layer.build,
      Effect.provideService(Clock.Clock, clock)
    )
  }

  const process: Trial<World>["process"] = (around, clock) =>
    Effect.map(built((programs) => Layer.provideMerge(programs, Runtime.layer), around, clock), (context) => ({
      execute: Context.get(context, Runtime).execute(runId).pipe(Effect.catchTag("RunNotFound", (error) =>
        Effect.die(error)))
    }))

  const worker: Trial<World>["worker"] = (around, clock) =>
    Effect.map(
      built(
        (programs) => Worker.layer({ poll }).pipe(Layer.provide(programs), Layer.provide(Runtime.layer)),
        around,
        clock
      ),
      (context) => Context.get(context, Worker.Worker)
    )

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
    worker,
    attend: (effect) => Effect.raceFirst(effect, watch),
    act: Effect.flatMap(state, (view) => outside(Outside.act(scenario.outside, view, world))),
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
      if (mayWake && after.wakeAt !== undefined && after.wakeAt <= now && woken !== after.seq) {
        woken = after.seq
        return
      }
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
