/**
 * A store with something around each of its calls: what crashing, freezing and pacing a process are made of.
 */
import type { Append, Owner } from "@durable-agents/core"
import { EventStore, RunQueue } from "@durable-agents/core"
import { Context, Effect, Layer, Stream } from "effect"

/**
 * One call of a process to its store.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly name: "append" | "read" | "changes" | "now" | "claim" | "acquire" | "heartbeat" | "release" | "retire"
  /** What is appended. */
  readonly append?: Append
  /** Whose leases it is about. */
  readonly owner?: Owner
}

/**
 * Does something before, after, or instead of a call. A read is collected first; of `changes` only the beginning is a call.
 *
 * @category models
 * @since 0.1.0
 */
export type Around = <A, E>(call: Call, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * The store below, with every call wrapped.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (around: Around): Layer.Layer<EventStore | RunQueue, never, EventStore | RunQueue> =>
  Layer.effectContext(Effect.gen(function*() {
    const store = yield* EventStore
    const queue = yield* RunQueue
    return Context.make(EventStore, {
      append: (runId, append) => around({ name: "append", append }, store.append(runId, append)),
      read: (runId, from) =>
        Stream.fromIterableEffect(around({ name: "read" }, Stream.runCollect(store.read(runId, from)))),
      changes: (runId, from) => Stream.unwrap(around({ name: "changes" }, Effect.succeed(store.changes(runId, from)))),
      now: around({ name: "now" }, store.now)
    }).pipe(Context.add(RunQueue, {
      claim: (options) => around({ name: "claim", owner: options.owner }, queue.claim(options)),
      acquire: (options) => around({ name: "acquire", owner: options.owner }, queue.acquire(options)),
      heartbeat: (options) => around({ name: "heartbeat", owner: options.owner }, queue.heartbeat(options)),
      release: (options) => around({ name: "release", owner: options.owner }, queue.release(options)),
      retire: (owner) => around({ name: "retire", owner }, queue.retire(owner)),
      longestDue: queue.longestDue,
      countDue: queue.countDue,
      holder: queue.holder,
      wakeups: queue.wakeups
    }))
  }))

/**
 * A call in a few words, such as "append of StepCompleted `charge`".
 *
 * @category conversions
 * @since 0.1.0
 */
export const describe = ({ append, name }: Call): string =>
  append === undefined
    ? name
    : `append of ${
      append.events.map((event) => "key" in event ? `${event._tag} \`${event.key}\`` : event._tag).join(", ")
    }`
