/**
 * Waits for what a process does, and lets time come to those who sleep in it when nothing else can happen.
 */
import { Clock, Duration, Effect } from "effect"
import type { Calls } from "./Processes.ts"
import type { VirtualTime } from "./VirtualTime.ts"

/** How long, really, nothing must happen in a process before what it sleeps for comes. */
const stillMillis = 250

/**
 * Never ends by itself: moves the time to the next sleeper whenever nothing has happened for a quarter of a second of real time;
 * if nobody has written anything for as long as `patience`, it does what `onStill` says.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <E>(options: {
  readonly time: VirtualTime
  /** What was asked of the store so far. */
  readonly calls: Calls
  readonly patience: Duration.Duration
  readonly onStill: Effect.Effect<never, E>
}): Effect.Effect<never, E> =>
  Effect.gen(function*() {
    const { calls, onStill, patience, time } = options
    const realClock = Clock.Clock.defaultValue()
    const now = (): number => Number(realClock.monotonicTimeNanosUnsafe() / 1_000_000n)
    let called = { calls: calls.all, at: now() }
    let wrote = { writes: calls.writes, at: now() }
    let slept = { sleeps: time.sleeps(), at: now() }
    while (true) {
      yield* realClock.sleep(Duration.millis(stillMillis / 10))
      if (called.calls !== calls.all) called = { calls: calls.all, at: now() }
      if (wrote.writes !== calls.writes) wrote = { writes: calls.writes, at: now() }
      if (slept.sleeps !== time.sleeps()) slept = { sleeps: time.sleeps(), at: now() }
      if (now() - wrote.at >= Duration.toMillis(patience)) return yield* onStill
      const wake = time.nextWake()
      if (wake === undefined || now() - Math.max(called.at, slept.at) < stillMillis) continue
      yield* time.clock.setTime(wake)
      slept = { sleeps: time.sleeps(), at: now() }
    }
  })
