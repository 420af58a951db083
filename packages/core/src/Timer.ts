/**
 * Durable sleep: a recorded time, however long, during which nothing of the run is in memory.
 */
import { DateTime, Duration, Effect, Option } from "effect"
import { below, Journal, Path } from "./Journal.ts"

/**
 * A duration in milliseconds; `NaN` for what is none. Effect takes `NaN` for no time at all, and a computation that went wrong
 * would end every wait, and let every request expire, at once.
 *
 * @category durations
 * @since 0.1.0
 */
export const millis = (duration: Duration.Input): number =>
  hasNaN(duration)
    ? NaN
    : Option.match(Duration.fromInput(duration), { onNone: () => NaN, onSome: Duration.toMillis })

const hasNaN = (duration: Duration.Input): boolean =>
  Number.isNaN(duration) ||
  (typeof duration === "object" && !Duration.isDuration(duration) && Object.values(duration).some(Number.isNaN))

/**
 * Waits for a duration, from when it is first asked for, by the store's clock. One that is not a finite number is a defect of the
 * program (`NotRecordable`).
 *
 * @category timers
 * @since 0.1.0
 */
export const sleep = (key: string, duration: Duration.Input): Effect.Effect<void, never, Journal> =>
  Effect.flatMap(
    Journal,
    (journal) => until_(journal, key, () => Math.ceil(journal.now() + millis(duration)))
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
