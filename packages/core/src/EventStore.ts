/**
 * The port to the log: append under an expected position, read, follow.
 */
import { Context, Effect, Option, Schema, Stream } from "effect"
import { RunId, Seq } from "./Ids.ts"
import type { Recorded, RunEvent } from "./RunEvent.ts"
import type { RunSummary } from "./RunIndex.ts"
import type { Owner } from "./RunQueue.ts"

/**
 * Another writer was first: the log is longer than the decision knew. Read the tail, fold, decide again.
 *
 * @category errors
 * @since 0.1.0
 */
export class SequenceConflict
  extends Schema.TaggedError<SequenceConflict>("@durable-agents/core/SequenceConflict")("SequenceConflict", {
    runId: RunId,
    expected: Seq
  })
{
  override get message() {
    return `Run \`${this.runId}\` has an event at position ${this.expected} already`
  }
}

/**
 * The store could not do what it was asked. `cause` is what the database or the file system said.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreError extends Schema.TaggedError<StoreError>("@durable-agents/core/StoreError")("StoreError", {
  operation: Schema.String,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `The store failed in \`${this.operation}\`: ${this.detail}`
  }
}

/**
 * What the queue must learn together with an append.
 *
 * @category models
 * @since 0.1.0
 */
export interface Next {
  /** When the run is due; `null` for no time. Left alone if absent, except that a decision from outside makes it due now. */
  readonly wakeAt?: number | null
  readonly summary?: RunSummary
  /** Ends the lease of this owner in the same append. */
  readonly release?: Owner
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Append {
  /** The position that the first event takes. */
  readonly expected: Seq
  /** The lease of the worker; absent for decisions from outside, which make the run due. */
  readonly epoch?: number
  readonly events: ReadonlyArray<RunEvent>
  readonly next?: Next
}

/**
 * Keeps the log of every run: append-only, gap-free, one order per run.
 *
 * @category services
 * @since 0.1.0
 */
export class EventStore extends Context.Service<EventStore, {
  /**
   * Stores all events of one decision or none, at `expected` and the positions after it. Returns the position after the last
   * one and the store's time, which all of them carry. An append whose outcome was unknown for a while happens once.
   */
  readonly append: (
    runId: RunId,
    append: Append
  ) => Effect.Effect<{ readonly seq: Seq; readonly at: number }, SequenceConflict | StoreError>
  /** The events from position `from` (default 0) on, in order. Empty for an unknown run. */
  readonly read: (runId: RunId, from?: Seq) => Stream.Stream<Recorded, StoreError>
  /** The events from position `from` (default 0) on, then every further one as it comes; ends with the end of the run. */
  readonly changes: (runId: RunId, from?: Seq) => Stream.Stream<Recorded, StoreError>
  /** The store's time in milliseconds since 1970, by which everything in its logs is dated and due. */
  readonly now: Effect.Effect<number, StoreError>
}>()("@durable-agents/core/EventStore") {}

const endsRun = ({ event }: Recorded): boolean =>
  event._tag === "RunCompleted" || event._tag === "RunFailed" || event._tag === "RunCancelled"

/**
 * Builds `EventStore.changes` from a read and an effect that ends when there may be more from a position on.
 *
 * @category combinators
 * @since 0.1.0
 */
export const follow = (
  read: (from: Seq) => Effect.Effect<ReadonlyArray<Recorded>, StoreError>,
  changed: (from: Seq) => Effect.Effect<void, StoreError>
) =>
(from: Seq): Stream.Stream<Recorded, StoreError> =>
  Stream.paginate(from, (position) =>
    Effect.flatMap(read(position), (events) => {
      const last = events.at(-1)
      return last === undefined
        ? Effect.as(changed(position), [events, Option.some(position)] as const)
        : Effect.succeed([events, endsRun(last) ? Option.none() : Option.some(last.seq + 1)] as const)
    }))
