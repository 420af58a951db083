/**
 * Time that passes when it is told to: a test clock that also says what is slept for.
 */
import type { Clock, Scope } from "effect"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"

/**
 * @category models
 * @since 0.1.0
 */
export interface VirtualTime {
  /** Begins at 1970-01-01T00:00:00Z. `TestClock.adjust` and its kin work on it. */
  readonly clock: TestClock.TestClock
  /** When the first sleeper wakes, in milliseconds since 1970. */
  readonly nextWake: () => number | undefined
  /** How many sleeps have begun. */
  readonly sleeps: () => number
}

/** Nobody waits for that long: the heartbeats of leases that last for ever. */
const neverMillis = Duration.toMillis("36500 days")

/**
 * A time of its own, whatever the clock around it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<VirtualTime, never, Scope.Scope> = Effect.map(
  TestClock.make({ warningDelay: "1 day" }),
  (base) => {
    const ends = new Set<{ readonly at: number }>()
    let begun = 0
    const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
      Effect.suspend(() => {
        const end = { at: base.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
        begun += 1
        ends.add(end)
        return Effect.ensuring(base.sleep(duration), Effect.sync(() => ends.delete(end)))
      })
    return {
      clock: { ...base, sleep },
      nextWake: () => {
        const first = Math.min(...Array.from(ends, ({ at }) => at))
        return first < base.currentTimeMillisUnsafe() + neverMillis ? first : undefined
      },
      sleeps: () => begun
    }
  }
)

/**
 * The same time as a process sees it that was away for a while: `ahead` milliseconds have passed for it that passed for nobody
 * else.
 *
 * @category combinators
 * @since 0.1.0
 */
export const behind = (clock: Clock.Clock, ahead: () => number): Clock.Clock => {
  const monotonic = (): bigint => clock.monotonicTimeNanosUnsafe() + BigInt(ahead()) * 1_000_000n
  return { ...clock, monotonicTimeNanosUnsafe: monotonic, monotonicTimeNanos: Effect.sync(monotonic) }
}
