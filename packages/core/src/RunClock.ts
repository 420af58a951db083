/**
 * The clocks of an execution: the store's time for what is recorded, one that only goes on for how long things take.
 */
import type { Clock } from "effect"
import { Effect } from "effect"

/**
 * Milliseconds by a clock that only goes on.
 *
 * @category clocks
 * @since 0.1.0
 */
export const monotonic = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000

/**
 * The clock of programs: the store's time, the process's monotonic time and sleep.
 *
 * @category clocks
 * @since 0.1.0
 */
export const make = (base: Clock.Clock, offset: { readonly current: number }): Clock.Clock => {
  const millis = () => base.currentTimeMillisUnsafe() + offset.current
  const nanos = () => base.currentTimeNanosUnsafe() + BigInt(Math.round(offset.current * 1e6))
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: Effect.sync(() => base.monotonicTimeNanosUnsafe()),
    sleep: (duration) => base.sleep(duration)
  }
}
