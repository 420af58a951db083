/**
 * Metrics of what waits in a store: for workers, for people, for operators. The store knows, so somebody has to look.
 */
import { Duration, Effect, Layer, Option } from "effect"
import { EventStore, type StoreError } from "./EventStore.ts"
import { Namespace } from "./Ids.ts"
import * as Metrics from "./Metrics.ts"
import { RunIndex } from "./RunIndex.ts"
import { RunQueue } from "./RunQueue.ts"

/** More is not counted: what one look costs does not grow with what waits. */
const most = 1_000

/**
 * Looks once, at runs of these programs and at everything else in the namespace, and sets the gauges.
 *
 * @category updates
 * @since 0.1.0
 */
export const look: (
  programs: ReadonlyArray<string>
) => Effect.Effect<void, StoreError, EventStore | RunIndex | RunQueue> = Effect.fnUntraced(function*(programs) {
  const store = yield* EventStore
  const index = yield* RunIndex
  const queue = yield* RunQueue
  const namespace = yield* Namespace
  const now = yield* store.now
  const approvals = yield* index.pendingApprovals({ namespace, limit: most })
  const stuck = yield* index.list({ namespace, status: "Stuck", limit: most })
  const longest = programs.length === 0 ? Option.none() : yield* queue.longestDue({ namespace, programs })
  const count = Option.isNone(longest) ? 0 : yield* queue.countDue({ namespace, programs, limit: most })
  const longestMillis = Option.match(longest, { onNone: () => 0, onSome: ({ since }) => now - since })
  const oldest = approvals.items[0]?.approval.since
  Metrics.store(yield* Effect.context<never>(), {
    ...(programs.length === 0 ? {} : { due: { count, longestMillis } }),
    approvals: approvals.items.length,
    approvalAgeMillis: oldest === undefined ? 0 : now - oldest,
    stuck: stuck.items.length
  })
})

/**
 * Looks again and again for as long as the layer's scope is open, so that what exports metrics by itself has them. A look that fails
 * is logged once; the gauges keep what was seen last.
 *
 * **Gotchas**
 *
 * Every process that has this layer measures the same store: take the maximum of these gauges over processes, not the sum.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: {
  /** The programs whose due runs count. */
  readonly programs: ReadonlyArray<string>
  /** Default 15 seconds. */
  readonly every?: Duration.Input
}): Layer.Layer<never, never, EventStore | RunIndex | RunQueue> =>
  Layer.effectDiscard(Effect.suspend(() => {
    const every = Duration.fromInputUnsafe(options.every ?? "15 seconds")
    let isFailing = false
    return Effect.matchCauseEffect(Effect.withTracerEnabled(look(options.programs), false), {
      onSuccess: () =>
        Effect.sync(() => {
          isFailing = false
        }),
      onFailure: (cause) => {
        const isNews = !isFailing
        isFailing = true
        return isNews ? Effect.logWarning("Could not measure what waits in the store", cause) : Effect.void
      }
    }).pipe(Effect.andThen(Effect.sleep(every)), Effect.forever, Effect.forkScoped)
  }))
