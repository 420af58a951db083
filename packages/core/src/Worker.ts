/**
 * A daemon that picks up due runs and executes them, many at a time.
 */
import type { LogLevel } from "effect"
import { Context, Duration, Effect, Exit, Fiber, Latch, Layer, Random, Scope, Stream } from "effect"
import type { EventStore } from "./EventStore.ts"
import * as Executor from "./Executor.ts"
import { Namespace } from "./Ids.ts"
import { Programs } from "./Program.ts"
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

      const unknown = Array.from(limits.keys()).filter((name) => programs.get(name) === undefined)
      if (unknown.length > 0) {
        yield* Effect.logWarning(`No program here is called ${unknown.join(" or ")}: that limit limits nothing`)
      }

      const claim = Effect.suspend(() => {
        const running = executor.executing()
        const limit = concurrency - running.length
        const runningOf = (name: string) => running.filter(({ program }) => program === name).length
        const left = new Map(Array.from(limits, ([name, most]) => [name, most - runningOf(name)]))
        return limit <= 0
          ? Effect.succeed([])
          : executor.claim({ namespace, programs: programs.names(), limit, limits: left })
      })

      /** Apart from the layer's scope, which would interrupt runs before they are drained. */
      const runs = yield* Scope.make()

      const round = Effect.gen(function*() {
        wake.closeUnsafe()
        const claims = yield* claim
        problem = undefined
        yield* claims.length === 0 && executor.executing().length === 0 ? idle.open : idle.close
        for (const claimed of claims) {
          yield* say(`Executes run ${claimed.runId} of ${claimed.program}, lease ${claimed.epoch}`)
          yield* executor.drive(claimed).pipe(
            Effect.tap((view) => say(`Run ${view.runId} of ${view.program} rests: ${view.status}`)),
            Effect.catchTags({
              NotExecutable: (error) => Effect.logInfo(error.message),
              LeaseLost: (error) => Effect.logInfo(error.message),
              StoreError: (error) => Effect.logWarning(error.message)
            }),
            Effect.catchCause((cause) => Effect.logError(`Run ${claimed.runId} failed to execute`, cause)),
            Effect.ensuring(wake.open),
            Effect.forkIn(runs, { startImmediately: true })
          )
        }
      }).pipe(Effect.catch((error) =>
        Effect.suspend(() => {
          problem = error.message
          return Effect.logWarning(`Worker ${executor.owner} could not look for runs: ${error.message}`)
        })
      ))

      const pause = Effect.gen(function*() {
        const jitter = yield* Random.nextBetween(0.8, 1.2)
        yield* Effect.raceFirst(wake.await, Effect.sleep(Duration.times(poll, jitter)))
      })

      yield* Stream.runForEach(queue.wakeups, () => wake.open).pipe(
        Effect.catch((error) => Effect.logWarning(`Worker ${executor.owner} is no longer woken: ${error.message}`)),
        Effect.forkScoped
      )

      const loop = yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, pause)))

      yield* Effect.addFinalizer(() =>
        Fiber.interrupt(loop).pipe(Effect.andThen(executor.drain), Effect.andThen(Scope.close(runs, Exit.void)))
      )

      return {
        owner: executor.owner,
        running: () => executor.executing().length,
        problem: () => problem,
        idle: idle.await
      }
    })
  )
