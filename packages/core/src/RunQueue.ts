/**
 * The port to the queue: which runs are due, and who holds them.
 */
import type { Option, Stream } from "effect"
import { Context, Effect } from "effect"
import type { StoreError } from "./EventStore.ts"
import type { RunId, Seq } from "./Ids.ts"
import type { Recorded } from "./RunEvent.ts"
import type { RunSummary } from "./RunIndex.ts"

/**
 * Who holds leases: a worker in a process. Unique for the life of that worker.
 *
 * @category models
 * @since 0.1.0
 */
export type Owner = string

/**
 * A leased run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Claim {
  readonly runId: RunId
  readonly program: string
  /** The length of the log. */
  readonly seq: Seq
  /** The number of this lease; every lease of a run has a higher one than all before. */
  readonly epoch: number
  /** The lease before was not released: its worker died, or was silent for too long. */
  readonly expired: boolean
  /** The store's time. */
  readonly now: number
  /** The log, where it is short and the store has it at hand; otherwise it is read. */
  readonly log?: ReadonlyArray<Recorded>
}

/**
 * Who has the lease of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Holder {
  readonly owner: Owner
  readonly epoch: number
  /** False: its time is over or its process is gone, and the next free worker takes the run over. */
  readonly isAlive: boolean
  /** Until when its last heartbeat keeps it alive, in milliseconds by the store's clock. */
  readonly aliveUntil: number
}

/**
 * Hands due runs to workers, one owner at a time.
 *
 * **Details**
 *
 * A run is due when its time has come and no live owner holds it. A lease belongs to an owner, and an owner lives until a time
 * that its heartbeat moves, so a heartbeat writes one row whatever it holds.
 *
 * @category services
 * @since 0.1.0
 */
export class RunQueue extends Context.Service<RunQueue, {
  /**
   * Leases up to `limit` due runs of these programs, and of each program that has a limit of its own no more than that; raises
   * their epoch. Who has been due for the longest comes first, whatever its program, unless its program's limit is used up.
   * Keeps the owner alive as well.
   */
  readonly claim: (options: {
    readonly owner: Owner
    readonly leaseMillis: number
    readonly namespace: string
    readonly programs: ReadonlyArray<string>
    readonly limit: number
    /** The most runs of a program that are wanted now, where that is less than `limit`. */
    readonly limits?: ReadonlyMap<string, number>
  }) => Effect.Effect<ReadonlyArray<Claim>, StoreError>
  /** Leases this run, due or not, unless it has ended, does not exist, or a live owner holds it. */
  readonly acquire: (options: {
    readonly owner: Owner
    readonly leaseMillis: number
    readonly runId: RunId
  }) => Effect.Effect<Option.Option<Claim>, StoreError>
  /** Keeps the owner alive for one more lease length; returns what it still holds, and how far decisions from outside go. */
  readonly heartbeat: (options: {
    readonly owner: Owner
    readonly leaseMillis: number
  }) => Effect.Effect<{
    readonly now: number
    readonly held: ReadonlyArray<{ readonly runId: RunId; readonly epoch: number; readonly outsideSeq: Seq }>
  }, StoreError>
  /**
   * Gives a run back. `seq` is the length of the log that its program has seen; if a decision from outside came after that, the
   * run is due at once, else at `wakeAt` (`null`: when something happens). Nothing happens if the lease is gone.
   */
  readonly release: (options: {
    readonly owner: Owner
    readonly runId: RunId
    readonly epoch: number
    readonly seq: Seq
    readonly wakeAt: number | null
    readonly summary?: RunSummary
  }) => Effect.Effect<void, StoreError>
  /** The owner ends: whatever it still holds counts as released without having come to rest. */
  readonly retire: (owner: Owner) => Effect.Effect<void, StoreError>
  /**
   * The run of these programs that has been due for the longest and that nobody alive holds, with its time. Takes nothing, and
   * sees what a claim skips because somebody has locked it.
   */
  readonly longestDue: (options: {
    readonly namespace: string
    readonly programs: ReadonlyArray<string>
  }) => Effect.Effect<Option.Option<{ readonly runId: RunId; readonly since: number }>, StoreError>
  /** How many runs of these programs are due and held by nobody alive, but no more than `limit`. Takes nothing. */
  readonly countDue: (options: {
    readonly namespace: string
    readonly programs: ReadonlyArray<string>
    readonly limit: number
  }) => Effect.Effect<number, StoreError>
  /** Who holds a run, alive or not; `None` if nobody has taken it since it was given back. For people who look. */
  readonly holder: (runId: RunId) => Effect.Effect<Option.Option<Holder>, StoreError>
  /** Ids of runs that may have become due, or got a decision from outside. May miss some, never the only way to learn it. */
  readonly wakeups: Stream.Stream<RunId, StoreError>
}>()("@durable-agents/core/RunQueue") {}

/**
 * How a worker names itself. The default is a random name; stores that can tell whether a process is alive provide names that
 * say which process it is.
 *
 * @category references
 * @since 0.1.0
 */
export const NextOwner = Context.Reference<Effect.Effect<Owner>>("@durable-agents/core/NextOwner", {
  defaultValue: () =>
    Effect.sync(() =>
      `worker-${
        Array.from(globalThis.crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0"))
          .join("")
      }`
    )
})
