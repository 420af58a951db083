/**
 * A store as a frozen process sees it: while it is frozen, every call waits.
 */
import { EventStore, RunQueue } from "@durable-agents/core"
import { Context, Effect, Latch, Layer, Stream } from "effect"

/**
 * The switch of one process: open lets it run, closed freezes it, as SIGSTOP or a sleeping laptop would.
 *
 * @category constructors
 * @since 0.1.0
 */
export const thawed = (): Latch.Latch => Latch.makeUnsafe(true)

/**
 * The store behind that switch.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (latch: Latch.Latch): Layer.Layer<EventStore | RunQueue, never, EventStore | RunQueue> =>
  Layer.effectContext(Effect.gen(function*() {
    const store = yield* EventStore
    const queue = yield* RunQueue
    const awake = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.andThen(latch.await, effect)
    return Context.make(EventStore, {
      append: (runId, append) => awake(store.append(runId, append)),
      read: (runId, from) => Stream.unwrap(awake(Effect.succeed(store.read(runId, from)))),
      changes: (runId, from) => Stream.unwrap(awake(Effect.succeed(store.changes(runId, from)))),
      now: awake(store.now)
    }).pipe(Context.add(RunQueue, {
      claim: (options) => awake(queue.claim(options)),
      acquire: (options) => awake(queue.acquire(options)),
      heartbeat: (options) => awake(queue.heartbeat(options)),
      release: (options) => awake(queue.release(options)),
      retire: (owner) => awake(queue.retire(owner)),
      wakeups: queue.wakeups
    }))
  }))
