/**
 * A daemon that picks up due runs and executes them, many at a time.
 */
import type { LogLevel } from "effect"
import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  Fiber,
  Latch,
  Layer,
  Option,
  Random,
  Scope,
  Stream
} from "effect"
import { type EventStore, StoreError } from "./EventStore.ts"
import * as Executor from "./Executor.ts"
import type { Health } from "./Health.ts"
import * as Health_ from "./Health.ts"
import { Namespace } from "./Ids.ts"
import { describeDefect } from "./Payload.ts"
import { Programs } from "./Program.ts"
import * as RunClock from "./RunClock.ts"
import { RunQueue } from "./RunQueue.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How many runs at a time. Default 8. */
  readonly concurrency?: number
  /**
   * How many runs of a program at a time in this worker, where that is less than `concurrency`; 0 leaves them to other workers.
   * Each worker counts its own runs only.
   */
  readonly limits?: Readonly<Record<string, number>>
  /** How long a silent worker keeps its runs. Default 30 seconds; the heartbeat is a third of it. */
  readonly lease?: Duration.Input
  /** How often it looks for due runs when nothing wakes it. Default 1 second, jittered. */
  readonly poll?: Duration.Input
  /**
   * How long it may be unable to look for runs, to execute what it takes, or to take what is due, before its health turns red.
   * Default 30 seconds; never less than three polls.
   */
  readonly unhealthyAfter?: Duration.Input
  /**
   * How long all its slots may be held by runs that record nothing, before its health turns red. Longer than the slowest operation
   * should be. Default 10 minutes.
   */
  readonly stalledAfter?: Duration.Input
  /** The level at which it logs which runs it takes and how they come to rest. Default `Debug`. */
  readonly progress?: LogLevel.Severity
  /** The level at which it logs attempts of operations that failed. They are in the logs of their runs anyway. Default `Debug`. */
  readonly failures?: LogLevel.Severity
}

/**
 * What a worker is doing, for health checks.
 *
 * @category services
 * @since 0.1.0
 */
export class Worker extends Context.Service<Worker, {
  readonly owner: string
  /** How many runs it executes now. */
  readonly running: () => number
  /** Why the last poll failed; undefined if it did not. */
  readonly problem: () => string | undefined
  /** Whether it does what it is for, now. Asks nobody and takes no time. */
  readonly health: () => Health
  /** Waits until a poll finds nothing due and nothing is being executed here. What waits, or is held elsewhere, is not due. */
  readonly idle: Effect.Effect<void>
}>()("@durable-agents/core/Worker") {}

/**
 * Claims due runs of the programs that are registered here, executes them, and gives them back when they rest.
 *
 * **Details**
 *
 * One run that cannot be executed never stops the others. When the layer's scope closes, which SIGTERM does under
 * `NodeRuntime.runMain`, the worker takes no new runs, lets operations in flight end within the grace time, records them, and
 * gives everything back.
 *
 * **Gotchas**
 *
 * Program layers must be built before it: provide them to this layer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Worker, never, EventStore | RunQueue | Programs> =>
  Layer.effect(
    Worker,
    Effect.gen(function*() {
      const queue = yield* RunQueue
      const programs = yield* Programs
      const namespace = yield* Namespace
      const executor = yield* Executor.make({
        root: true,
        ...(options.lease === undefined ? {} : { lease: options.lease }),
        ...(options.failures === undefined ? {} : { failures: options.failures })
      })
      const concurrency = options.concurrency ?? 8
      const limits = new Map(Object.entries(options.limits ?? {}))
      const poll = Duration.fromInputUnsafe(options.poll ?? "1 second")
      const say = Effect.logWithLevel(options.progress ?? "Debug")
      const wake = Latch.makeUnsafe(false)
      const idle = Latch.makeUnsafe(false)
      let problem: string | undefined
      let isSaturated = true

      const clock = yield* Clock.Clock
      const now = () => RunClock.monotonic(clock)
      const patience = Duration.fromInputUnsafe(options.unhealthyAfter ?? "30 seconds")
      const watch = Health_.watch({
        patienceMillis: Duration.toMillis(patience),
        pollMillis: Duration.toMillis(poll),
        leaseMillis: executor.leaseMillis,
        stalledMillis: Duration.toMillis(Duration.fromInputUnsafe(options.stalledAfter ?? "10 minutes")),
        concurrency,
        now,
        executing: executor.executing,
        confirmedAt: executor.confirmedAt
      })

      const health = (): Health => {
        const { reasons, since } = watch.judge()
        return {
          status: reasons.length === 0 ? "Healthy" : "Unhealthy",
          since: Math.round(clock.currentTimeMillisUnsafe() - (now() - since)),
          reasons
        }
      }

      const unknown = Array.from(limits.keys()).filter((name) => programs.get(name) === undefined)
      if (unknown.length > 0) {
        yield* Effect.logWarning(`No program here is called ${unknown.join(" or ")}: that limit limits nothing`)
      }

      /** What there is room for: runs of any program, and of those with a limit. */
      const room = () => {
        const running = executor.executing()
        const runningOf = (name: string) => running.filter(({ program }) => program === name).length
        return {
          limit: concurrency - running.length,
          limits: new Map(Array.from(limits, ([name, most]) => [name, most - runningOf(name)]))
        }
      }

      const claim = Effect.gen(function*() {
        const { limit, limits } = room()
        const claims = limit <= 0
          ? []
          // A trace of every look would be all that there is to see.
          : yield* Effect.withTracerEnabled(
            executor.claim({ namespace, programs: programs.names(), limit, limits }),
            false
          )
        isSaturated = claims.length >= limit
        return claims
      })

      /** Apart from the layer's scope, which would interrupt runs before they are drained. */
      const runs = yield* Scope.make()

      const round = Effect.gen(function*() {
        wake.closeUnsafe()
        const claims = yield* claim
        watch.looked()
        if (problem !== undefined) yield* Effect.logInfo(`Worker ${executor.owner} can look for runs again`)
        problem = undefined
        yield* claims.length === 0 && executor.executing().length === 0 ? idle.open : idle.close
        for (const claimed of claims) {
          const about = { runId: claimed.runId, program: claimed.program }
          yield* Effect.annotateLogs(
            say(`Executes run ${claimed.runId} of ${claimed.program}, lease ${claimed.epoch}`),
            about
          )
          yield* executor.drive(claimed).pipe(
            Effect.tap((view) => {
              watch.rested()
              return say(`Run ${view.runId} of ${view.program} rests: ${view.status}`)
            }),
            Effect.catchTags({
              NotExecutable: ({ detail, runId }) => Effect.logInfo(`Run \`${runId}\` cannot be executed here`, detail),
              LeaseLost: (error) => Effect.logInfo(error.message),
              StoreError: (error) => {
                watch.failed(error.message)
                return Effect.logWarning(`The store failed in \`${error.operation}\``, error.detail)
              }
            }),
            Effect.catchCause((cause) => Effect.logError(`Run ${claimed.runId} failed to execute`, cause)),
            Effect.annotateLogs(about),
            Effect.ensuring(wake.open),
            Effect.forkIn(runs, { startImmediately: true })
          )
        }
      }).pipe(Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
        const error = Cause.squash(cause)
        const message = error instanceof StoreError ? error.message : `a bug: ${describeDefect(error)}`
        const isNews = message !== problem
        problem = message
        watch.missed(message)
        return isNews ? Effect.logWarning(`Worker ${executor.owner} could not look for runs`, message) : Effect.void
      }))

      /** Which run is due though there is room and the last claim found no more. */
      const overlooked = Effect.suspend(() => {
        const { limit, limits } = room()
        return limit <= 0 || isSaturated || problem !== undefined
          ? Effect.succeedNone
          : queue.longestDue({ namespace, programs: programs.names().filter((name) => (limits.get(name) ?? 1) > 0) })
      })

      let isHealthy = true
      const check = Effect.gen(function*() {
        watch
          .overdue(Option
            .getOrUndefined(yield* Effect.withTracerEnabled(Effect.orElseSucceed(overlooked, Option.none), false)))
        const { reasons, status } = health()
        if (isHealthy === (status === "Healthy")) return
        isHealthy = !isHealthy
        yield* isHealthy
          ? Effect.logInfo(`Worker ${executor.owner} works again`)
          : Effect.logWarning(`Worker ${executor.owner} does not work`, reasons.join("; "))
      })

      const pause = Effect.gen(function*() {
        const jitter = yield* Random.nextBetween(0.8, 1.2)
        yield* Effect.raceFirst(wake.await, Effect.sleep(Duration.times(poll, jitter)))
      })

      yield* Stream.runForEach(queue.wakeups, () => wake.open).pipe(
        Effect.catch((error) => Effect.logWarning(`Worker ${executor.owner} is no longer woken`, error.message)),
        Effect.forkScoped
      )

      const loop = yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, pause)))

      yield* check.pipe(
        Effect.catchCause((cause) => Effect.logWarning(`Worker ${executor.owner} could not judge its health`, cause)),
        Effect.delay(Duration.times(patience, 0.25)),
        Effect.forever,
        Effect.forkScoped
      )

      yield* Effect.addFinalizer(() =>
        Fiber.interrupt(loop).pipe(Effect.andThen(executor.drain), Effect.andThen(Scope.close(runs, Exit.void)))
      )

      return {
        owner: executor.owner,
        running: () => executor.executing().length,
        problem: () => problem,
        health,
        idle: idle.await
      }
    })
  )
