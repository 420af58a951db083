/**
 * The embedded store: log, queue and index in one SQLite file, durable at every commit, shared by any number of processes of
 * one machine.
 */
import { AccessTokens, EventStore, NextOwner, Quotas, RunIndex, RunQueue, type StoreError } from "@durable-agents/core"
import { Clock, Context, Effect, Layer } from "effect"
import { open } from "./Database.ts"
import { hostClock } from "./Patience.ts"
import { owner } from "./ProcessOwner.ts"
import * as SqliteAccessTokens from "./SqliteAccessTokens.ts"
import * as SqliteEventStore from "./SqliteEventStore.ts"
import * as SqliteQuotas from "./SqliteQuotas.ts"
import * as SqliteRunIndex from "./SqliteRunIndex.ts"
import * as SqliteRunQueue from "./SqliteRunQueue.ts"

export { owner } from "./ProcessOwner.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The path of the file, which is created where it is missing; its folder is not. */
  readonly file: string
  /**
   * Whose time is the store's: the machine's (`host`, default), which all processes share, or the clock that is in place when the
   * layer is built (`context`), for tests with virtual time.
   */
  readonly clock?: "host" | "context"
  /**
   * `write` (default) brings the file to this build's tables. `read` changes nothing: a file that is not there, or is none of ours,
   * is a `StoreError`, and so is every write.
   */
  readonly access?: "read" | "write"
  /** Whether a file that is not there, or holds no runs, becomes a store. Default true; `false` refuses it with a `StoreError`. */
  readonly create?: boolean
}

type Stores = EventStore | RunQueue | RunIndex | AccessTokens | Quotas

/**
 * All ports over one SQLite file.
 *
 * **Details**
 *
 * Uses node:sqlite with a write-ahead log and `synchronous = full`: what is acknowledged survives a crash of the process, of the
 * machine, and a power cut. Appends that wait at the same moment share one commit. Nobody waits for a lock in a way that stops
 * this process; after 30 seconds of a foreign lock an operation fails with `StoreError`. Closing the scope first stores what was
 * asked for.
 *
 * It also names workers after their process (`NextOwner`), so that the runs of a process that has died are free at once.
 *
 * **Gotchas**
 *
 * The file must be on a local disk: SQLite's write-ahead log does not work over a network. A commit takes the event loop for as
 * long as the disk needs, usually a fraction of a millisecond. On macOS a power cut may cost the latest commits, since SQLite does
 * not ask the disk there to empty its own cache.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Stores, StoreError> =>
  Layer.effectContext(Effect.gen(function*() {
    const clock = options.clock === "context" ? yield* Clock.Clock : hostClock
    const database = yield* open(options.file, {
      now: () => Math.floor(clock.currentTimeMillisUnsafe()),
      access: options.access ?? "write",
      create: options.create ?? true
    })
    return Context.make(EventStore, SqliteEventStore.make(database)).pipe(
      Context.add(RunQueue, SqliteRunQueue.make(database)),
      Context.add(RunIndex, SqliteRunIndex.make(database)),
      Context.add(AccessTokens, SqliteAccessTokens.make(database)),
      Context.add(Quotas, SqliteQuotas.make(database)),
      Context.add(NextOwner, owner)
    )
  }))
