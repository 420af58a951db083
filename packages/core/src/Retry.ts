/**
 * When an operation is tried again: after a typed failure as its schedule says, after an unknown outcome with a back-off of its own.
 */
import type { Schema } from "effect"
import { Duration, Effect, Option, Pull, Schedule } from "effect"
import type { Failure } from "./Failure.ts"
import type { Operation } from "./RunState.ts"

/**
 * When to try again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Retry<E> {
  /** Fed the typed failures so far, also after a crash; `undefined` repeats no typed failure. */
  readonly schedule: Schedule.Schedule<unknown, E> | undefined
  /** Attempts in all, those without a known outcome included. Unlimited, a time-out or a bug is still final after 3. */
  readonly attempts: number
  /** How many time-outs and bugs an operation may have; the last of them is final. Default: as many as attempts. */
  readonly blind?: number
  /** Reads a recorded failure back; `None` keeps it from the schedule. */
  readonly decode: (failure: Schema.Json | undefined) => Option.Option<E>
  /** The delay that the failure itself asks for, such as a provider's `Retry-After`. */
  readonly after?: (error: E) => Duration.Duration | undefined
  /** What a time-out or a bug is to the schedule. Without it, such an attempt is repeated after a back-off of its own. */
  readonly unknown?: (failure: Pick<Failure, "reason" | "error">) => E
}

/**
 * Whether nothing comes after this attempt, of which nobody knows the outcome; `live`: because of a time-out or a bug.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLast = <E>({ attempts, blind }: Retry<E>, { attempt, failures }: Operation, live: boolean): boolean => {
  if (!live || blind === undefined) return attempt >= (live && attempts === Infinity ? blindAttempts : attempts)
  const before = failures.filter(({ event }) => event.reason === "Timeout" || event.reason === "Defect").length
  return attempt >= attempts || before + 1 >= blind
}

/** After as many time-outs or bugs an operation is over; a worker's death is limited by the run's recoveries instead. */
const blindAttempts = 3

/**
 * How long attempts without a known outcome wait: 1 s, then twice as long each time, at most a minute.
 *
 * @category delays
 * @since 0.1.0
 */
export const backoff = (attempt: number): Duration.Duration =>
  Duration.millis(Math.min(60_000, 1000 * 2 ** (attempt - 1)))

/**
 * The delay before the next attempt: the schedule is driven over all typed failures of this operation, so that a process that
 * takes over continues it. A failure that cannot be read back from the log would begin it anew each time, so it is the last.
 *
 * @category delays
 * @since 0.1.0
 */
export const nextDelay = <E>(
  retry: Retry<E>,
  operation: Operation,
  error: E,
  failure: Failure,
  now: number
): Effect.Effect<Option.Option<Duration.Duration>> => {
  const schedule = retry.schedule
  if (schedule === undefined || operation.attempt >= retry.attempts || Option.isNone(typed(retry, failure))) {
    return Effect.succeedNone
  }
  return Effect.gen(function*() {
    const step = yield* Schedule.toStep(schedule)
    let delay: Option.Option<Duration.Duration> = Option.none()
    const failures = [
      ...operation.failures.flatMap(({ at, event }) =>
        Option.match(typed(retry, event), { onNone: () => [], onSome: (past) => [{ at, error: past }] })
      ),
      { at: now, error }
    ]
    for (const past of failures) {
      delay = yield* step(past.at, past.error).pipe(
        Effect.map(([, wait]) => Option.some(wait)),
        Pull.catchDone(() => Effect.succeedNone),
        Effect.catchCause(() => Effect.succeedNone)
      )
      if (Option.isNone(delay)) return delay
    }
    const asked = retry.after?.(error) ?? Duration.zero
    return delay.pipe(
      Option.map((wait) => Duration.max(wait, asked)),
      Option.filter(Duration.isFinite)
    )
  })
}

/** A failure as the schedule is fed it. */
const typed = <E>({ decode, unknown }: Retry<E>, { error, failure, reason }: Failure): Option.Option<E> =>
  reason === "Error"
    ? decode(failure)
    : unknown !== undefined && (reason === "Timeout" || reason === "Defect")
    ? Option.some(unknown({ reason, error }))
    : Option.none()
