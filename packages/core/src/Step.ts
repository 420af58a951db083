/**
 * Steps: any effect, recorded. What a step did is in the log before the program goes on to something that depends on it.
 */
import type { Schedule } from "effect"
import { Duration, Effect, Option, Result, Schema } from "effect"
import type { BudgetExceeded } from "./Budget.ts"
import { Budget, decodeRefusal, stated } from "./Budget.ts"
import { CurrentStep, type Outer } from "./CurrentStep.ts"
import { noArguments } from "./Digest.ts"
import type { Journal } from "./Journal.ts"
import { Allowances, below, Path } from "./Journal.ts"
import { KeyReused, NotRecordable } from "./JournalService.ts"
import type { OutcomeFields, Recovery } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import * as Payload from "./Payload.ts"
import * as Progress from "./Progress.ts"
import type { RunEventOf } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent } from "./RunState.ts"
import * as Timer from "./Timer.ts"

/**
 * An operation that ended without a result and without a failure of its own: it took too long, its outcome is unknown, or what
 * it returned cannot be recorded.
 *
 * @category errors
 * @since 0.1.0
 */
export class OperationFailed
  extends Schema.TaggedError<OperationFailed>("@durable-agents/core/OperationFailed")("OperationFailed", {
    key: Schema.String,
    reason: Schema.String,
    detail: Schema.String,
    /** Whether the effect happened is not known. */
    unknown: Schema.Boolean
  })
{
  override get message() {
    return `\`${this.key}\` ended without a result (${this.reason}): ${this.detail}`
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options<A, E, R> {
  /** How the result is recorded. */
  readonly output: Payload.PureSchema<A>
  /** When a typed failure is tried again. Continued after a crash; delays above 5 seconds release the worker. */
  readonly retry?: Schedule.Schedule<unknown, E>
  /** Attempts in all, those whose outcome is unknown included. Default: as many as `retry` allows. */
  readonly attempts?: number
  /** After this the attempt is over and its outcome unknown. */
  readonly timeout?: Duration.Input
  /** What happens to an attempt whose outcome is unknown. Default `repeat`, with the same idempotency key. */
  readonly recovery?: Recovery<A, R>
}

/**
 * Options for an effect that can fail.
 *
 * @category models
 * @since 0.1.0
 */
export interface FallibleOptions<A, E, R> extends Options<A, E, R> {
  /** How typed failures are recorded; must cover every failure that the effect can have. */
  readonly error: Payload.PureSchema<E>
}

/**
 * Makes an effect a step.
 *
 * @category models
 * @since 0.1.0
 */
export type Recorded<A, E, O, R2> = <R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<
  A,
  E | BudgetExceeded | FailureOf<O>,
  Outer<R | R2> | Journal
>

type FailureOf<O> = O extends { readonly timeout: Duration.Input } | { readonly recovery: "fail" } ? OperationFailed
  : never

/**
 * Runs an effect once per key and records its outcome; on replay returns the record without running it.
 *
 * **Details**
 *
 * `output` and `error` must encode to JSON below 1 MiB; an effect that can fail needs `error`, or does not compile. What the program gets is the decoded record, the first time too, so
 * that it sees the same in every replay. A step that took too long or whose outcome is unknown fails with `OperationFailed` if
 * `timeout` or `recovery: "fail"` is given; a bug in the effect, and a result that cannot be recorded, are defects of the
 * program.
 *
 * **Gotchas**
 *
 * After a crash the effect may run again: pass `Step.idempotencyKey` to the outside world. Steps do not nest.
 *
 * **Example**
 *
 * ```ts
 * import { Step } from "@durable-agents/core"
 * import { Effect, Schema } from "effect"
 *
 * const invoice = Effect.succeed({ number: "2026-17" }).pipe(
 *   Step.run("create-invoice", { output: Schema.Struct({ number: Schema.String }) })
 * )
 * ```
 *
 * @category steps
 * @since 0.1.0
 */
export const run: {
  <A, E, R2 = never, const O extends object = object>(
    key: string,
    options: O & FallibleOptions<A, E, R2>
  ): Recorded<A, E, O, R2>
  <A, R2 = never, const O extends object = object>(
    key: string,
    options: O & Options<A, never, R2> & { readonly error?: never }
  ): Recorded<A, never, O, R2>
} = (<A, E, R2>(
  key: string,
  options: Options<A, E, R2> & { readonly error?: Payload.PureSchema<E> }
) => {
  const codec = makeCodec<A, E>(options.output, options.error)
  const retry: Operation.Retry<E> = {
    schedule: options.retry,
    attempts: options.attempts ?? Infinity,
    decode: (failure) => failure === undefined ? Option.none() : Result.getSuccess(codec.decodeFailure(failure))
  }
  const timeoutMillis = options.timeout === undefined ? undefined : Timer.millis(options.timeout)
  const timeout = timeoutMillis === undefined ? undefined : Duration.millis(timeoutMillis)
  const isTyped = timeout !== undefined || options.recovery === "fail"
  return <R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      Path,
      (path) =>
        Number.isNaN(timeoutMillis) ?
          Effect.die(new NotRecordable({ key: below(path, key), detail: "its time-out is no time" })) :
          Effect.flatMap(
            Operation.perform<A, E, R | R2>({
              request: stepRequest(below(path, key)),
              act: effect,
              completed: codec.completed,
              failure: codec.failure,
              recovery: options.recovery ?? "repeat",
              retry,
              timeout
            }),
            (outcome) => codec.result(outcome, isTyped)
          )
    )
  // What the implementation cannot say: `OperationFailed` is a failure only where the options can bring it about.
}) as never

const stepRequest = (key: string) =>
  Operation.request({
    key,
    kind: "step",
    name: "",
    arguments: noArguments,
    requested: (attempt) => ({ _tag: "StepRequested", ...attempt }),
    failed: (fields) => ({ _tag: "StepFailed", ...fields })
  })

const makeCodec = <A, E>(output: Payload.PureSchema<A>, error: Payload.PureSchema<E> | undefined) => {
  const encode = Payload.encoder(output)
  const decode = Payload.decoder(output)
  const never: Payload.PureSchema<E> = Schema.Never as never
  const decodeFailure = Payload.decoder(error ?? never)
  return {
    decodeFailure,
    completed: (value: A, fields: OutcomeFields) =>
      Effect.map(encode(value), (json): CompletedEvent => ({ _tag: "StepCompleted", ...fields, output: json })),
    failure: (failure: E): Operation.Failure => {
      const description = Payload.describe(failure)
      const encodeFailure = Schema.encodeUnknownResult(Schema.toCodecJson(error ?? never))
      const encoded = Result.flatMap(Result.try(() => encodeFailure(failure)), (found) => found)
      return Result.isSuccess(encoded)
        ? { reason: "Error", error: description, failure: encoded.success }
        : { reason: "Unencodable", error: `its failure does not fit the declared schema: ${description}` }
    },
    result: (outcome: CompletedEvent | FailedEvent, typed: boolean) => {
      if (outcome._tag === "StepCompleted") {
        return Effect.mapError(Effect.fromResult(decode(outcome.output)), (error) =>
          new OperationFailed({
            key: outcome.key,
            reason: "Unreadable",
            detail: `the recorded output does not fit the schema: ${error.message}`,
            unknown: false
          })).pipe(Effect.orDie)
      }
      return outcome._tag === "StepFailed" ? failWith(outcome, decodeFailure, typed) : Effect.never
    }
  }
}

const failWith = <E>(
  event: RunEventOf<"StepFailed">,
  decodeFailure: ReturnType<typeof Payload.decoder<E>>,
  typed: boolean
): Effect.Effect<never, E | BudgetExceeded | OperationFailed> => {
  if (event.reason === "BudgetExceeded") {
    return Effect.flatMap(Effect.orDie(decodeRefusal(event.failure)), Effect.fail)
  }
  const failed = new OperationFailed({
    key: event.key,
    reason: event.reason,
    detail: event.error,
    unknown: event.outcome === "unknown"
  })
  if (event.reason === "Error" || event.failure !== undefined) {
    const decoded = decodeFailure(event.failure)
    return Result.isSuccess(decoded) ? Effect.fail(decoded.success) : Effect.die(failed)
  }
  return typed && (event.reason === "Timeout" || event.outcome === "unknown") ? Effect.fail(failed) : Effect.die(failed)
}

/**
 * The idempotency key of the operation around this: the same for all its attempts.
 *
 * @category steps
 * @since 0.1.0
 */
export const idempotencyKey: Effect.Effect<string, never, CurrentStep> = Effect.map(
  CurrentStep,
  (step) => step.idempotencyKey
)

/**
 * Says what the operation around this is doing, to whoever listens to `Progress.reports` in this process now. Never recorded.
 *
 * @category steps
 * @since 0.1.0
 */
export const progress = (value: Schema.Json): Effect.Effect<void, never, CurrentStep> =>
  Effect.flatMap(
    CurrentStep,
    ({ attempt, key, runId }) => Progress.report({ runId, key, attempt, value })
  )

/**
 * Puts a name in front of all keys that an effect uses, so that each iteration or branch has its own. With a `budget`, what is
 * done inside may not spend more than that, nor more than the run has left.
 *
 * **Details**
 *
 * What was spent is counted from the log, by keys: it holds over crashes, and a scope that is entered again has what is left
 * of its budget. Time counts from the first thing that was recorded inside. `BudgetExceeded` then says in `within` whose limit
 * it was. The budget is that of the code that runs now. It is recorded with the first request inside (`within`), and again
 * when it has changed.
 *
 * **Example**
 *
 * ```ts
 * import { Step } from "@durable-agents/core"
 * import { Effect, Schema } from "effect"
 *
 * const fetched = Effect.succeed("a page").pipe(
 *   Step.run("fetch", { output: Schema.String }),
 *   Step.scope("research", { budget: { wallMillis: 60_000 } }),
 *   Effect.catchTag("BudgetExceeded", () => Effect.succeed("no page within a minute"))
 * )
 * ```
 *
 * @category scopes
 * @since 0.1.0
 */
export const scope = (name: string, options: { readonly budget?: Budget | undefined } = {}) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Path, (path) => {
    const inside = Effect.provideService(effect, Path, below(path, name))
    const { budget } = options
    return budget === undefined ? inside : Effect.flatMap(
      Effect.orDie(Effect.fromResult(decodeBudget(stated(budget)))),
      (own) =>
        Effect.updateService(inside, Allowances, (around) => [...around, { path: below(path, name), budget: own }])
    )
  })

const decodeBudget = Schema.decodeUnknownResult(Budget)

/**
 * `Effect.forEach` whose iterations have a scope each, named by the item's own key.
 *
 * **Details**
 *
 * The keys must mean the same item whenever the run is replayed: an id, never an index into something that can change its order.
 * They must be different: two equal ones are a defect (`KeyReused`) before anything is done for any item.
 *
 * @category scopes
 * @since 0.1.0
 */
export const forEach = <A, B, E, R>(
  items: Iterable<A>,
  options: {
    readonly key: (item: A) => string
    readonly concurrency?: number | "unbounded"
  },
  f: (item: A) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.suspend(() => {
    const keyed = Array.from(items, (item) => ({ item, key: options.key(item) }))
    const known = new Set<string>()
    for (const { key } of keyed) {
      if (known.has(key)) return Effect.flatMap(Path, (path) => Effect.die(new KeyReused({ key: below(path, key) })))
      known.add(key)
    }
    return Effect.forEach(keyed, ({ item, key }) => scope(key)(f(item)), { concurrency: options.concurrency ?? 1 })
  })
