/**
 * Durable sleep: a recorded time, however long, during which nothing of the run is in memory.
 */
import { DateTime, Duration, Effect } from "effect"
import { below, Journal, Path } from "./Journal.ts"

/**
 * Waits for a duration, from when it is first asked for, by the store's clock.
 *
 * @category timers
 * @since 0.1.0
 */
export const sleep = (key: string, duration: Duration.Input): Effect.Effect<void, never, Journal> =>
  Effect.flatMap(
    Journal,
    (journal) =>
      until_(journal, key, () => Math.ceil(journal.now() + Duration.toMillis(Duration.fromInputUnsafe(duration))))
  )

/**
 * Waits until a point in time, by the store's clock; goes on at once if it is past.
 *
 * @category timers
 * @since 0.1.0
 */
export const until = (key: string, time: DateTime.DateTime): Effect.Effect<void, never, Journal> =>
  Effect.flatMap(Journal, (journal) => until_(journal, key, () => DateTime.toEpochMillis(time)))

const until_ = (journal: Journal["Service"], key: string, untilMillis: () => number) =>
  Effect.flatMap(
    Path,
    (path) =>
      Effect
        .asVoid(Effect.suspend(() =>
          journal.wait({ _tag: "TimerStarted", key: below(path, key), untilMillis: untilMillis() })
        ))
  )
