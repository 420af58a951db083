/**
 * A store whose process dies at a chosen instant: right before or right after one of its writes.
 */
import { EventStore, RunQueue } from "@durable-agents/core"
import { Context, Deferred, Effect, Layer, Stream } from "effect"

/**
 * When a process dies: at its `at`-th write (0 is the first; appends of a worker and releases count), before it or after it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Instant {
  readonly at: number
  readonly when: "before" | "after"
}

/**
 * One process that is going to die, or not.
 *
 * @category models
 * @since 0.1.0
 */
export interface Doomed {
  readonly instant: Instant | undefined
  /** How many writes it has begun. */
  writes: number
  dead: boolean
  /** Done when it has died. */
  readonly death: Deferred.Deferred<void>
}

/**
 * A process that dies at an instant; without one it only counts its writes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const doomed = (instant?: Instant): Doomed => ({
  instant,
  writes: 0,
  dead: false,
  death: Deferred.makeUnsafe()
})

/**
 * The store as that process sees it. After its death every call is a defect, so nothing of it can reach the store any more.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (process: Doomed): Layer.Layer<EventStore | RunQueue, never, EventStore | RunQueue> =>
  Layer.effectContext(Effect.gen(function*() {
    const store = yield* EventStore
    const queue = yield* RunQueue

    const die = Effect.suspend(() => {
      process.dead = true
      return Effect.andThen(Deferred.succeed(process.death, undefined), Effect.die("the process is dead"))
    })

    const alive = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => process.dead ? Effect.die("the process is dead") : effect)

    const write = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      alive(Effect.suspend(() => {
        const index = process.writes++
        if (process.instant?.at !== index) return effect
        return process.instant.when === "before" ? die : Effect.flatMap(effect, () => die)
      }))

    return Context.make(EventStore, {
      append: (runId, append) =>
        append.epoch === undefined
          ? alive(store.append(runId, append))
          : write(store.append(runId, append)),
      read: (runId, from) => Stream.unwrap(alive(Effect.succeed(store.read(runId, from)))),
      changes: (runId, from) => Stream.unwrap(alive(Effect.succeed(store.changes(runId, from)))),
      now: alive(store.now)
    }).pipe(Context.add(RunQueue, {
      claim: (options) => alive(queue.claim(options)),
      acquire: (options) => alive(queue.acquire(options)),
      heartbeat: (options) => alive(queue.heartbeat(options)),
      release: (options) => write(queue.release(options)),
      retire: (owner) => alive(queue.retire(owner)),
      wakeups: queue.wakeups
    }))
  }))
