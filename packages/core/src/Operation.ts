/**
 * One recorded operation of any kind: ask, act, record; retries and recovery included. Steps, model calls and tool calls are
 * made of it.
 */
import { Cause, Clock, Duration, Effect, Exit, Fiber, Option } from "effect"
import type { CurrentStep, Outer } from "./CurrentStep.ts"
import { inside, NestedOperation } from "./CurrentStep.ts"
import type { Failure } from "./Failure.ts"
import type { OperationKey } from "./Ids.ts"
import type { Answer } from "./Journal.ts"
import { Allowances, Journal } from "./Journal.ts"
import { Limits } from "./Limits.ts"
import * as Payload from "./Payload.ts"
import * as Retry from "./Retry.ts"
import type { FailureFields, Request } from "./RunDecision.ts"
import type { RunEvent } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, Operation, OperationKind, RequestEvent } from "./RunState.ts"
import * as Telemetry from "./Telemetry.ts"

export type { Failure } from "./Failure.ts"
export type { Retry } from "./Retry.ts"

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
  readonly retry: Retry.Retry<E>
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
        const own = {
          journal,
          restore,
          spec: within.length === 0 ? spec : { ...spec, request: { ...spec.request, within } }
        }
        return Effect.flatMap(restore(journal.ask(own.spec.request)), (answer) => continue_(own, answer))
      }))
  )

type Outcome = CompletedEvent | FailedEvent

/** An operation that is under way, and what makes what it waits for interruptible. */
interface Performing<A, E, R> {
  readonly journal: Journal["Service"]
  readonly spec: Spec<A, E, R>
  readonly restore: <B, F, S>(effect: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>
}

const continue_ = <A, E, R>(
  own: Performing<A, E, R>,
  answer: Answer
): Effect.Effect<Outcome, never, Outer<R>> => {
  const { journal, spec } = own
  switch (answer._tag) {
    case "Outcome":
      return Effect.succeed(answer.event)
    case "Attempt":
      return attempt(own, answer.operation)
    case "InDoubt":
      return recover(own, answer.operation, crashed)
    case "Waiting":
      return next(
        own,
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
  own: Performing<A, E, R>,
  operation: Operation
): Effect.Effect<Outcome, never, Outer<R>> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const { journal, restore, spec } = own
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
          ? complete(own, operation, exit.value.value, fields)
          : recover(own, operation, timedOut(spec.timeout), fields.durationMillis)
      }
      const error = Cause.findErrorOption(exit.cause)
      if (Option.isSome(error)) {
        return fail(own, operation, fields.durationMillis, error.value)
      }
      return Effect.flatMap(Effect.exit(restore(Effect.void)), (wanted) => {
        if (Exit.isSuccess(wanted)) {
          return recover(own, operation, defect(exit.cause), fields.durationMillis)
        }
        journal.interrupted(spec.request.failed({ ...fields, ...abandoned, outcome: "unknown" }))
        return Effect.failCause(wanted.cause)
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

const complete = <A, E, R>(
  own: Performing<A, E, R>,
  operation: Operation,
  value: A,
  fields: Omit<OutcomeFields, "recovered">
): Effect.Effect<Outcome, never, Outer<R>> =>
  record(own, fields, own.spec.completed(value, outcomeFields(operation, fields)))

const outcomeFields = (operation: Operation, fields: Omit<OutcomeFields, "recovered">): OutcomeFields =>
  operation.doubtful > 0 ? { ...fields, recovered: true } : fields

const record = <A, E, R>(
  own: Performing<A, E, R>,
  fields: Omit<OutcomeFields, "recovered">,
  completed: Effect.Effect<CompletedEvent, Failure>
): Effect.Effect<Outcome> => {
  const { journal, spec } = own
  const outcome = Effect.matchEager(completed, {
    onFailure: (failure): Outcome => spec.request.failed({ ...fields, ...failure, final: true }),
    onSuccess: (event): Outcome => event
  })
  return Effect.flatMapEager(
    Exit.isExit(outcome) ? outcome : underWay(journal, fields.key, outcome),
    (event) => give(own, event)
  )
}

const fail = <A, E, R>(
  own: Performing<A, E, R>,
  operation: Operation,
  durationMillis: number,
  error: E
): Effect.Effect<Outcome, never, Outer<R>> => {
  const { journal, spec } = own
  return Effect.flatMap(
    underWay(
      journal,
      operation.key,
      Effect.flatMap(
        recordable(spec.failure(error)),
        (failure) =>
          Effect.map(
            Retry.nextDelay(spec.retry, operation, error, failure, journal.now()),
            (delay) => ({ failure, delay })
          )
      )
    ),
    ({ delay, failure }) => {
      if (Option.isSome(delay)) {
        return again(own, operation, { ...failure, durationMillis }, delay.value)
      }
      const fields = { key: operation.key, attempt: operation.attempt, durationMillis }
      return spec.answered === undefined
        ? give(own, spec.request.failed({ ...fields, ...failure, final: true }))
        : record(own, fields, spec.answered(error, outcomeFields(operation, fields)))
    }
  )
}

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
  own: Performing<A, E, R>,
  event: Outcome
): Effect.Effect<Outcome> => Effect.flatMap(own.journal.settle(event, own.spec.beside?.(event)), own.restore)

const again = <A, E, R>(
  own: Performing<A, E, R>,
  operation: Operation,
  failure: Failure & { readonly durationMillis?: number },
  delay: Duration.Duration
): Effect.Effect<Outcome, never, Outer<R>> => {
  const { journal, spec } = own
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
  return next(own, operation, answer)
}

/** The next attempt; if the program stops waiting before it begins, the operation is closed. */
const next = <A, E, R>(
  own: Performing<A, E, R>,
  operation: Operation,
  answer: Effect.Effect<Answer>
): Effect.Effect<Outcome, never, Outer<R>> =>
  own.restore(answer).pipe(
    Effect.onInterrupt(() =>
      Effect.sync(() =>
        own.journal
          .interrupted(own.spec.request.failed({ key: operation.key, attempt: operation.attempt, ...abandoned }))
      )
    ),
    Effect.flatMap((found) => continue_(own, found))
  )

/** What the policy says about an attempt without a known outcome. */
const recover = <A, E, R>(
  own: Performing<A, E, R>,
  operation: Operation,
  failure: Failure,
  durationMillis?: number
): Effect.Effect<Outcome, never, Outer<R>> => {
  const { journal, restore, spec } = own
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
        ? give(own, event)
        : restore(journal.settleStored(operation.key, () => event))
    })
  )
  const repeat = Effect.suspend(() => {
    if (hopeless || Retry.isLast(spec.retry, operation, live)) return recordUnknown
    const { unknown } = spec.retry
    if (live && unknown !== undefined) {
      const delay = Retry.nextDelay(spec.retry, operation, unknown(failure), failure, journal.now())
      return Effect.flatMap(
        underWay(journal, operation.key, delay),
        (chosen) => Option.isNone(chosen) ? recordUnknown : again(own, operation, fields, chosen.value)
      )
    }
    return live
      ? again(own, operation, fields, Retry.backoff(operation.attempt))
      : next(own, operation, journal.again(spec.request))
  })
  if (spec.recovery === "fail") return recordUnknown
  if (spec.recovery === "repeat") return repeat
  const lookup = Effect.exit(restore(inside(journal, operation, within(spec.recovery.lookup, spec.timeout))))
  return Effect.flatMap(underWay(journal, operation.key, lookup), (exit) => {
    if (Exit.isSuccess(exit)) {
      return Option.isNone(exit.value) ? recordUnknown : Option.match(exit.value.value, {
        onNone: () => repeat,
        onSome: (value) =>
          complete(own, { ...operation, doubtful: operation.doubtful + 1 }, value, {
            key: operation.key,
            attempt: operation.attempt,
            durationMillis: durationMillis ?? 0
          })
      })
    }
    return Effect.flatMap(Effect.exit(restore(Effect.void)), (wanted) => {
      if (Exit.isSuccess(wanted)) return recordUnknown
      journal.interrupted(spec.request.failed({ ...fields, ...abandoned, outcome: "unknown" }))
      return Effect.failCause(wanted.cause)
    })
  })
}

const howDidItEnd = ({ key, name }: Operation, { error }: Failure): string =>
  `nobody knows how \`${key}\`${name === "" ? "" : ` (\`${name}\`)`} ended: ${error}; resolve it, then release the run`

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
