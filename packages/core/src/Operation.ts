/**
 * One recorded operation of any kind: ask, act, record; retries and recovery included. Steps, model calls and tool calls are
 * made of it.
 */
import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  Fiber,
  Option,
  Pull,
  References,
  Schedule,
  Scheduler,
  Schema
} from "effect"
import type { OperationKey, RunId } from "./Ids.ts"
import type { Answer } from "./Journal.ts"
import { Allowances, Journal } from "./Journal.ts"
import { Limits } from "./Limits.ts"
import * as Payload from "./Payload.ts"
import type { FailureFields, Request } from "./RunDecision.ts"
import type { FailureReason, RunEvent } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, Operation, OperationKind, RequestEvent } from "./RunState.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * What an effect can know about the attempt that it is.
 *
 * @category services
 * @since 0.1.0
 */
export class CurrentStep extends Context.Service<CurrentStep, {
  readonly runId: RunId
  readonly key: OperationKey
  /** Counts from 1. */
  readonly attempt: number
  /** The same for all attempts of this operation; give it to the outside world. */
  readonly idempotencyKey: string
}>()("@durable-agents/core/CurrentStep") {}

/**
 * What to do about an attempt whose outcome nobody knows: its worker died, it took too long, or its code has a bug.
 *
 * **Details**
 *
 * `repeat`: try again with the same idempotency key. `fail`: record that the outcome is unknown. A lookup finds out: `Some`
 * is the result of the effect, which did happen; `None` means that it did not, so it is tried again.
 *
 * @category models
 * @since 0.1.0
 */
export type Recovery<A, R = never> =
  | "repeat"
  | "fail"
  | { readonly lookup: Effect.Effect<Option.Option<A>, never, R | CurrentStep> }

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
 * Why an attempt has no result, before it is an event.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly reason: FailureReason
  readonly error: string
  readonly failure?: Schema.Json
  readonly outcome?: "unknown"
  /** It would fail in the same way again. */
  readonly hopeless?: boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export interface OutcomeFields {
  readonly key: OperationKey
  readonly attempt: number
  readonly durationMillis: number
  readonly recovered?: boolean
}

/**
 * One kind of operation, as values and functions: how it is asked for, what it does, and how its outcomes are written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Spec<A, E, R> {
  readonly request: Request
  readonly act: Effect.Effect<A, E, R>
  /** The completed event for a value, or why the value cannot be recorded. */
  readonly completed: (value: A, fields: OutcomeFields) => Effect.Effect<CompletedEvent, Failure>
  /** How a typed failure is recorded. */
  readonly failure: (error: E) => Failure
  /** A typed failure that is not tried again counts as an answer: the completed event for it. */
  readonly answered?: (error: E, fields: OutcomeFields) => Effect.Effect<CompletedEvent, Failure>
  readonly recovery: Recovery<A, R>
  /** What is done about an outcome that stays unknown. Default: it is recorded as such. `ask` parks the run for an operator. */
  readonly onUnknown?: "record" | "ask"
  readonly retry: Retry<E>
  readonly timeout?: Duration.Duration | undefined
  /** Events of the same decision as the outcome, ahead of it, such as guardrail verdicts on a result. */
  readonly beside?: (event: CompletedEvent | FailedEvent) => ReadonlyArray<RunEvent>
  /** How attempts are called in traces. Default: by the kind of operation. */
  readonly span?: Telemetry.SpanFields
}

/** Below this the failure and the next request share one append, and the worker is not released. */
const shortRetryMillis = 100

/**
 * Runs an operation once per key: the recorded outcome if there is one, otherwise a new attempt. Never fails; ends with the
 * event that stands in the log.
 *
 * **Details**
 *
 * Inside, there is no journal: operations do not nest.
 *
 * @category constructors
 * @since 0.1.0
 */
export const perform = <A, E, R>(
  spec: Spec<A, E, R>
): Effect.Effect<CompletedEvent | FailedEvent, never, Outer<R> | Journal> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Journal, (journal) =>
      Effect.flatMap(Allowances, (within) => {
        const own = within.length === 0 ? spec : { ...spec, request: { ...spec.request, within } }
        return Effect.flatMap(restore(journal.ask(own.request)), (answer) => continue_(journal, own, restore, answer))
      }))
  )

/** What an operation needs from its program: all but what it is given itself. */
type Outer<R> = Exclude<R, CurrentStep | Journal>
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
type Outcome = CompletedEvent | FailedEvent

const continue_ = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  answer: Answer
): Effect.Effect<Outcome, never, Outer<R>> => {
  switch (answer._tag) {
    case "Outcome":
      return Effect.succeed(answer.event)
    case "Attempt":
      return attempt(journal, spec, restore, answer.operation)
    case "InDoubt":
      return recover(journal, spec, restore, answer.operation, crashed)
    case "Waiting":
      return next(
        journal,
        spec,
        restore,
        answer.operation,
        Effect.andThen(
          journal.untilDue(answer.operation.key, answer.operation.wakeAt ?? 0),
          journal.again(spec.request)
        )
      )
  }
}

const crashed: Failure = {
  reason: "Crashed",
  error: "the worker stopped during this attempt, so its outcome is not known",
  outcome: "unknown"
}

const attempt = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  operation: Operation
): Effect.Effect<Outcome, never, Outer<R>> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const begun = clock.monotonicTimeNanosUnsafe()
    const done = journal.acting(operation.key)
    const millis = () => Math.round(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e3) / 1e3
    const act = Effect.andThen(
      journal.beforeActing,
      inside(
        journal,
        operation,
        Telemetry.spanned(within(spec.act, spec.timeout), () => spanOf(spec, operation), endedIn)
      )
    )
    return Effect.flatMap(Effect.exit(restore(act)), (exit) => {
      done()
      const fields = { key: operation.key, attempt: operation.attempt, durationMillis: millis() }
      if (Exit.isSuccess(exit)) {
        return Option.isSome(exit.value)
          ? complete(journal, spec, restore, operation, exit.value.value, fields)
          : recover(journal, spec, restore, operation, timedOut(spec.timeout), fields.durationMillis)
      }
      const error = Cause.findErrorOption(exit.cause)
      if (Option.isSome(error)) {
        return fail(journal, spec, restore, operation, fields.durationMillis, error.value)
      }
      return Effect.flatMap(Effect.exit(restore(Effect.void)), (own) => {
        if (Exit.isSuccess(own)) {
          return recover(journal, spec, restore, operation, defect(exit.cause), fields.durationMillis)
        }
        journal.interrupted(spec.request.failed({ ...fields, ...abandoned, outcome: "unknown" }))
        return Effect.failCause(own.cause)
      })
    })
  })

const spanNames: Record<OperationKind, string> = { model: "ModelCall", tool: "ToolCall", step: "Step" }

const spanOf = <A, E, R>({ span }: Spec<A, E, R>, { attempt, key, kind }: Operation): Telemetry.SpanFields => ({
  name: span?.name ?? spanNames[kind],
  attributes: { ...span?.attributes, key, attempt }
})

const endedIn = (exit: Exit.Exit<Option.Option<unknown>, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return Option.isNone(exit.value) ? "Timeout" : undefined
  return Cause.hasInterruptsOnly(exit.cause) ? "Interrupted" : Telemetry.kindOf(Cause.squash(exit.cause))
}

/** What takes too long is interrupted, and not waited for: where it hangs, an interrupt may not reach it. */
const within = <A, E, R>(
  act: Effect.Effect<A, E, R>,
  timeout: Duration.Duration | undefined
): Effect.Effect<Option.Option<A>, E, R> =>
  timeout === undefined ?
    Effect.asSome(act) :
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDetach(restore(act), { startImmediately: true }), (fiber) => {
        const exit = fiber.pollUnsafe()
        return exit !== undefined
          ? Effect.asSome(exit)
          : restore(Effect.timeoutOption(Fiber.join(fiber), timeout)).pipe(
            Effect.tap((result) => Option.isNone(result) ? Effect.sync(() => fiber.interruptUnsafe()) : Effect.void),
            Effect.onInterrupt(() => Fiber.interrupt(fiber))
          )
      })
    )

const abandoned = {
  reason: "Interrupted" as const,
  error: "the program stopped waiting for it",
  final: true
}

/** While this runs the operation is under way: nothing is suspended, and a drain or a cancel waits for it. */
const underWay = <A, E, R>(
  journal: Journal["Service"],
  key: OperationKey,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const done = journal.acting(key)
    return Effect.ensuring(effect, Effect.sync(done))
  })

const timedOut = (timeout: Duration.Duration | undefined): Failure => ({
  reason: "Timeout",
  error: `it took longer than ${Duration.format(timeout ?? Duration.zero)}, so its outcome is not known`,
  outcome: "unknown"
})

const defect = (cause: Cause.Cause<unknown>): Failure => {
  const found = Cause.squash(cause)
  return {
    reason: "Defect",
    error: Payload.describeDefect(found),
    outcome: "unknown",
    ...(found instanceof NestedOperation ? { hopeless: true } : {})
  }
}

/** Operations see their attempt, no journal, and a scheduler that does not count for the run. */
const inside = <A, E, R>(
  journal: Journal["Service"],
  operation: Operation,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Outer<R>> =>
  Effect.updateContext(effect, (around: Context.Context<Outer<R>>) =>
    outside(around).pipe(
      Context.add(CurrentStep, {
        runId: journal.runId,
        key: operation.key,
        attempt: operation.attempt,
        idempotencyKey: operation.idempotencyKey
      }),
      Context.add(References.CurrentLogAnnotations, {
        ...Context.get(around, References.CurrentLogAnnotations),
        key: operation.key
      }),
      Context.add(Journal, nested(journal, operation.key))
    ) as Context.Context<R>)

/** The same context off the run's scheduler. Made once for each: what a fiber keeps at hand is made anew for every one. */
const outside = <R>(around: Context.Context<R>): Context.Context<R> => {
  const known = uncounted.get(around) as Context.Context<R> | undefined
  if (known !== undefined) return known
  const made = Context.add(around, Scheduler.Scheduler, plainScheduler)
  uncounted.set(around, made)
  return made
}

const uncounted = new WeakMap<Context.Context<never>, Context.Context<never>>()
const plainScheduler = new Scheduler.MixedScheduler()

const complete = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  operation: Operation,
  value: A,
  fields: Omit<OutcomeFields, "recovered">
): Effect.Effect<Outcome, never, Outer<R>> =>
  record(journal, spec, restore, fields, spec.completed(value, outcomeFields(operation, fields)))

const outcomeFields = (operation: Operation, fields: Omit<OutcomeFields, "recovered">): OutcomeFields =>
  operation.doubtful > 0 ? { ...fields, recovered: true } : fields

const record = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  fields: Omit<OutcomeFields, "recovered">,
  completed: Effect.Effect<CompletedEvent, Failure>
): Effect.Effect<Outcome> => {
  const outcome = Effect.matchEager(completed, {
    onFailure: (failure): Outcome => spec.request.failed({ ...fields, ...failure, final: true }),
    onSuccess: (event): Outcome => event
  })
  return Effect.flatMapEager(
    Exit.isExit(outcome) ? outcome : underWay(journal, fields.key, outcome),
    (event) => give(journal, spec, restore, event)
  )
}

const fail = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  operation: Operation,
  durationMillis: number,
  error: E
): Effect.Effect<Outcome, never, Outer<R>> =>
  Effect.flatMap(
    underWay(
      journal,
      operation.key,
      Effect.flatMap(recordable(spec.failure(error)), (failure) =>
        Effect.map(nextDelay(journal, spec.retry, operation, error, failure), (delay) => ({ failure, delay })))
    ),
    ({ delay, failure }) => {
      if (Option.isSome(delay)) {
        return again(journal, spec, restore, operation, { ...failure, durationMillis }, delay.value)
      }
      const fields = { key: operation.key, attempt: operation.attempt, durationMillis }
      return spec.answered === undefined
        ? give(journal, spec, restore, spec.request.failed({ ...fields, ...failure, final: true }))
        : record(journal, spec, restore, fields, spec.answered(error, outcomeFields(operation, fields)))
    }
  )

/** A failure whose value is as the log holds it; without the value if the log cannot. */
const recordable = ({ failure, ...words }: Failure): Effect.Effect<Failure> =>
  failure === undefined
    ? Effect.succeed(words)
    : Effect.flatMap(Limits, ({ outputBytes }) =>
      Effect.match(Payload.clean(failure, outputBytes), {
        onFailure: ({ error, reason }): Failure => ({
          ...words,
          reason,
          error: `its failure cannot be recorded: ${error}`
        }),
        onSuccess: (json): Failure => ({ ...words, failure: json })
      }))

const give = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  event: Outcome
): Effect.Effect<Outcome> => Effect.flatMap(journal.settle(event, spec.beside?.(event)), restore)

const again = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  operation: Operation,
  failure: Failure & { readonly durationMillis?: number },
  delay: Duration.Duration
): Effect.Effect<Outcome, never, Outer<R>> => {
  const millis = Duration.toMillis(delay)
  const wakeAtMillis = Math.ceil(journal.now() + millis)
  const event = spec.request.failed({
    key: operation.key,
    attempt: operation.attempt,
    ...failure,
    final: false,
    wakeAtMillis
  })
  journal.note(event)
  const answer = millis <= shortRetryMillis
    ? Effect.tap(
      journal.again(spec.request),
      (answer) =>
        answer._tag === "Attempt" && millis > 0 ? underWay(journal, operation.key, Effect.sleep(delay)) : Effect.void
    )
    : Effect.andThen(journal.untilDue(operation.key, wakeAtMillis), journal.again(spec.request))
  return next(journal, spec, restore, operation, answer)
}

/** The next attempt; if the program stops waiting before it begins, the operation is closed. */
const next = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  operation: Operation,
  answer: Effect.Effect<Answer>
): Effect.Effect<Outcome, never, Outer<R>> =>
  restore(answer).pipe(
    Effect.onInterrupt(() =>
      Effect.sync(() =>
        journal.interrupted(spec.request.failed({ key: operation.key, attempt: operation.attempt, ...abandoned }))
      )
    ),
    Effect.flatMap((found) => continue_(journal, spec, restore, found))
  )

/** What the policy says about an attempt without a known outcome. */
const recover = <A, E, R>(
  journal: Journal["Service"],
  spec: Spec<A, E, R>,
  restore: Restore,
  operation: Operation,
  failure: Failure,
  durationMillis?: number
): Effect.Effect<Outcome, never, Outer<R>> => {
  const { hopeless = false, ...known } = failure
  const fields = {
    key: operation.key,
    attempt: operation.attempt,
    ...known,
    ...(durationMillis === undefined ? {} : { durationMillis })
  }
  const live = failure.reason !== "Crashed"
  const ask = spec.onUnknown === "ask"
    ? restore(journal.stick({ reason: "unknownOutcome", key: operation.key, detail: howDidItEnd(operation, failure) }))
    : Effect.void
  const recordUnknown = Effect.andThen(
    ask,
    Effect.suspend(() => {
      const event = spec.request.failed({ ...fields, final: true })
      return live
        ? give(journal, spec, restore, event)
        : restore(journal.settleStored(operation.key, () => event))
    })
  )
  const repeat = Effect.suspend(() => {
    if (hopeless || isLast(spec.retry, operation, live)) return recordUnknown
    const { unknown } = spec.retry
    if (live && unknown !== undefined) {
      const delay = nextDelay(journal, spec.retry, operation, unknown(failure), failure)
      return Effect.flatMap(
        underWay(journal, operation.key, delay),
        (chosen) =>
          Option.isNone(chosen) ? recordUnknown : again(journal, spec, restore, operation, fields, chosen.value)
      )
    }
    return live
      ? again(journal, spec, restore, operation, fields, backoff(operation.attempt))
      : next(journal, spec, restore, operation, journal.again(spec.request))
  })
  if (spec.recovery === "fail") return recordUnknown
  if (spec.recovery === "repeat") return repeat
  const lookup = Effect.exit(restore(inside(journal, operation, within(spec.recovery.lookup, spec.timeout))))
  return Effect.flatMap(underWay(journal, operation.key, lookup), (exit) => {
    if (Exit.isSuccess(exit)) {
      return Option.isNone(exit.value) ? recordUnknown : Option.match(exit.value.value, {
        onNone: () => repeat,
        onSome: (value) =>
          complete(journal, spec, restore, { ...operation, doubtful: operation.doubtful + 1 }, value, {
            key: operation.key,
            attempt: operation.attempt,
            durationMillis: durationMillis ?? 0
          })
      })
    }
    return Effect.flatMap(Effect.exit(restore(Effect.void)), (own) => {
      if (Exit.isSuccess(own)) return recordUnknown
      journal.interrupted(spec.request.failed({ ...fields, ...abandoned, outcome: "unknown" }))
      return Effect.failCause(own.cause)
    })
  })
}

const howDidItEnd = ({ key, name }: Operation, { error }: Failure): string =>
  `nobody knows how \`${key}\`${name === "" ? "" : ` (\`${name}\`)`} ended: ${error}; resolve it, then release the run`

/** Whether nothing comes after this attempt, of which nobody knows the outcome; `live`: because of a time-out or a bug. */
const isLast = <E>({ attempts, blind }: Retry<E>, { attempt, failures }: Operation, live: boolean): boolean => {
  if (!live || blind === undefined) return attempt >= (live && attempts === Infinity ? blindAttempts : attempts)
  const before = failures.filter(({ event }) => event.reason === "Timeout" || event.reason === "Defect").length
  return attempt >= attempts || before + 1 >= blind
}

/** After as many time-outs or bugs an operation is over; a worker's death is limited by the run's recoveries instead. */
const blindAttempts = 3

/** Attempts without a known outcome wait 1 s, then twice as long each time, at most a minute. */
const backoff = (attempt: number): Duration.Duration => Duration.millis(Math.min(60_000, 1000 * 2 ** (attempt - 1)))

/**
 * The delay before the next attempt: the schedule is driven over all typed failures of this operation, so that a process that
 * takes over continues it. A failure that cannot be read back from the log would begin it anew each time, so it is the last.
 */
const nextDelay = <E>(
  journal: Journal["Service"],
  retry: Retry<E>,
  operation: Operation,
  error: E,
  failure: Failure
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
      { at: journal.now(), error }
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

/**
 * Builds the request and failure events of a kind of operation.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = (
  options: Omit<Request, "requested" | "failed"> & {
    readonly requested: (attempt: { key: OperationKey; attempt: number; idempotencyKey: string }) => RequestEvent
    readonly failed: (fields: FailureFields) => FailedEvent
  }
): Request => options

/**
 * An operation, timer, signal or approval was asked for inside an operation.
 *
 * @category errors
 * @since 0.1.0
 */
export class NestedOperation
  extends Schema.TaggedError<NestedOperation>("@durable-agents/core/NestedOperation")("NestedOperation", {
    key: Schema.String
  })
{
  override get message() {
    return `Inside the operation \`${this.key}\` nothing else can be recorded; operations do not nest`
  }
}

const nested = (journal: Journal["Service"], key: string): Journal["Service"] => {
  const refuse = Effect.suspend(() => Effect.die(new NestedOperation({ key })))
  return {
    runId: journal.runId,
    started: journal.started,
    now: journal.now,
    budget: journal.budget,
    recorded: () => undefined,
    places: () => [],
    verdicts: () => [],
    ask: () => refuse,
    again: () => refuse,
    untilDue: () => refuse,
    note: () => {},
    beforeActing: refuse,
    acting: () => () => {},
    settle: () => refuse,
    settleStored: () => refuse,
    interrupted: () => {},
    wait: () => refuse,
    chosen: () => refuse,
    choose: () => {},
    unchoose: () => {},
    stick: () => refuse,
    putBack: () => refuse,
    mismatch: () => refuse
  }
}
