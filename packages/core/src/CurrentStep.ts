/**
 * What an attempt is given: its keys, no journal, and a scheduler that does not count for the run.
 */
import { Context, Effect, References, Scheduler, Schema } from "effect"
import type { OperationKey, RunId } from "./Ids.ts"
import { Journal } from "./Journal.ts"
import type { Operation } from "./RunState.ts"

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

/**
 * An effect as an attempt of this operation. It finds its keys; whatever it asks the journal for is a `NestedOperation`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const inside = <A, E, R>(
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

/**
 * What an attempt needs from its program: all but what it is given itself.
 *
 * @category models
 * @since 0.1.0
 */
export type Outer<R> = Exclude<R, CurrentStep | Journal>

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
