/**
 * Waiting for locks of other processes without holding up this one.
 */
import type { StoreError } from "@durable-agents/core"
import { Clock, Duration, Effect, Random } from "effect"
import { isBusy, storeFailure } from "./StoreFailure.ts"

/**
 * The machine's clock, also where a test has put another one in place: other processes hold their locks in real time.
 *
 * @category clocks
 * @since 0.1.0
 */
export const hostClock: Clock.Clock = Clock.Clock.defaultValue()

/**
 * Lets real time pass. Below the resolution of timers that is some turns of the event loop, in which others get on.
 *
 * @category combinators
 * @since 0.1.0
 */
export const pause = (millis: number): Effect.Effect<void> =>
  millis >= 1
    ? Effect.provideService(Effect.sleep(Duration.millis(millis)), Clock.Clock, hostClock)
    : Effect.suspend(() => {
      const until = monotonicMillis() + millis
      const turn: Effect.Effect<void> = Effect.suspend(() =>
        monotonicMillis() < until ? Effect.andThen(Effect.yieldNow, turn) : Effect.void
      )
      return Effect.andThen(Effect.yieldNow, turn)
    })

/**
 * Milliseconds of real time since some moment.
 *
 * @category clocks
 * @since 0.1.0
 */
export const monotonicMillis = (): number => Number(hostClock.monotonicTimeNanosUnsafe()) / 1e6

/** How long a lock may be kept by others before that is an error. */
const longest = 30_000

/**
 * Runs statements, and again as long as another process holds a lock that they need, for up to 30 seconds.
 *
 * **Details**
 *
 * `hold` tells how long locks usually last, in milliseconds (default 1): about that often it tries, at first. `onLocked` is called
 * once when it has to wait.
 *
 * @category combinators
 * @since 0.1.0
 */
export const patiently = <A>(
  file: string,
  operation: string,
  body: () => A,
  options: { readonly hold?: () => number; readonly onLocked?: () => void } = {}
): Effect.Effect<A, StoreError> => {
  const attempt = Effect.try({ try: body, catch: (cause) => storeFailure(file, operation, cause) })
  return Effect.catchIf(attempt, isLocked, () => {
    const since = monotonicMillis()
    options.onLocked?.()
    const again: Effect.Effect<A, StoreError> = Effect.flatMap(Random.nextBetween(0.5, 1.5), (jitter) => {
      const waited = monotonicMillis() - since
      return pause(jitter * Math.max((options.hold?.() ?? 1) / 2, Math.min(10, waited / 20))).pipe(
        Effect.andThen(attempt),
        Effect.catchIf((error) => isLocked(error) && waited < longest, () => again)
      )
    })
    return again
  })
}

const isLocked = ({ cause }: StoreError): boolean => isBusy(cause)
