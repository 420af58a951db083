/**
 * Real time, in which networks and servers fail and recover, and how long to wait for them.
 */
import { Clock, Duration, Effect, Random } from "effect"

/**
 * The machine's clock, also where a test has put another one in place.
 *
 * @category clocks
 * @since 0.1.0
 */
export const hostClock: Clock.Clock = Clock.Clock.defaultValue()

/**
 * Milliseconds of real time since some moment.
 *
 * @category clocks
 * @since 0.1.0
 */
export const monotonicMillis = (): number => Number(hostClock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * Runs an effect on real time.
 *
 * @category combinators
 * @since 0.1.0
 */
export const onHostClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, hostClock)

/**
 * A pause before the next of several attempts: 10 ms after the first, then twice as long each time, at most a second, and each of
 * them somewhere between half and one and a half of that.
 *
 * @category combinators
 * @since 0.1.0
 */
export const pauseAfter = (attempts: number): Effect.Effect<void> =>
  Effect.flatMap(
    Random.nextBetween(0.5, 1.5),
    (jitter) => onHostClock(Effect.sleep(Duration.millis(jitter * Math.min(1_000, 10 * 2 ** (attempts - 1)))))
  )
