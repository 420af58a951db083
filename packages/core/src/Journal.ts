/**
 * The log of the run that this fiber executes, as its operations and waits see it.
 */
import type { Effect } from "effect"
import { Context, Schema } from "effect"
import type { Allowance, Budget } from "./Budget.ts"
import type { RunId } from "./Ids.ts"
import { RunId as RunIdSchema } from "./Ids.ts"
import type { Request } from "./RunDecision.ts"
import type { KeyMismatch } from "./RunError.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, Operation, Place, Wait } from "./RunState.ts"

/**
 * Another worker has taken the run over. This one must not append, and does not.
 *
 * @category errors
 * @since 0.1.0
 */
export class LeaseLost extends Schema.TaggedError<LeaseLost>("@durable-agents/core/LeaseLost")("LeaseLost", {
  runId: RunIdSchema
}) {
  override get message() {
    return `Run \`${this.runId}\` is now leased by another worker`
  }
}

/**
 * What the log says about an operation that the program asks for.
 *
 * **Details**
 *
 * `Outcome`: it is over. `Attempt`: a new attempt is stored, act now. `InDoubt`: the latest attempt has no outcome and this
 * process did not make it. `Waiting`: it failed before and its next attempt has a time.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer =
  | { readonly _tag: "Outcome"; readonly event: CompletedEvent | FailedEvent }
  | { readonly _tag: "Attempt"; readonly operation: Operation }
  | { readonly _tag: "InDoubt"; readonly operation: Operation }
  | { readonly _tag: "Waiting"; readonly operation: Operation }

/**
 * The live log of one run: replays what is recorded, records what is new.
 *
 * **When to use**
 *
 * Operations, timers, signals, approvals and branches are built on it. Programs use those.
 *
 * **Details**
 *
 * Every effect here ends with an interrupt when the run is suspended, handed over or shut down.
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<Journal, {
  readonly runId: RunId
  readonly started: RunEventOf<"RunStarted">
  /** The store's time in milliseconds, as far as this process knows it. */
  readonly now: () => number
  /** The limits of the run that hold now. */
  readonly budget: () => Budget
  /** What the log holds at a key, for programs that must not decide again what was decided. */
  readonly recorded: (key: string) => Place | undefined
  /** All that stands in the log by a key, in no order: what guardrails judge a run as a whole by. */
  readonly places: () => Iterable<Place>
  /** The verdicts of guardrails so far, oldest first. */
  readonly verdicts: () => Iterable<RunEventOf<"GuardrailTriggered">>
  /** Asks for an operation, once per key and execution: what is recorded, or a stored first request. */
  readonly ask: (asked: Request) => Effect.Effect<Answer>
  /** Stores the request of the next attempt of an operation that was asked for. */
  readonly again: (asked: Request) => Effect.Effect<Answer>
  /** Waits out the wake time of a failed operation. */
  readonly untilDue: (key: string, wakeAt: number) => Effect.Effect<void>
  /** Records a failure that is not final; the program is not given it. Never waits. */
  readonly note: (failure: FailedEvent) => void
  /** Makes sure that this worker still holds the lease, right before a side effect. */
  readonly beforeActing: Effect.Effect<void>
  /** Marks the operation as acting; nothing is suspended until the returned function is called. */
  readonly acting: (key: string) => () => void
  /**
   * Records the final outcome at once, whatever happens to the fiber; the inner effect gives it to the program in its turn.
   * `before` is stored with it, ahead of it.
   */
  readonly settle: (
    event: CompletedEvent | FailedEvent,
    before?: ReadonlyArray<RunEvent>
  ) => Effect.Effect<Effect.Effect<CompletedEvent | FailedEvent>>
  /** Records an outcome found by recovery; the program gets it when it is stored. */
  readonly settleStored: (
    key: string,
    build: (operation: Operation) => CompletedEvent | FailedEvent
  ) => Effect.Effect<CompletedEvent | FailedEvent>
  /** The program stopped waiting for an operation: records that, unless the run itself is leaving. Never waits. */
  readonly interrupted: (event: FailedEvent) => void
  /** Opens a wait, and ends when it has its answer. `before` is stored with it, ahead of it. */
  readonly wait: (
    event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested">,
    before?: ReadonlyArray<RunEvent>
  ) => Effect.Effect<Wait>
  /** Waits for a recorded choice, made here or before. */
  readonly chosen: (key: string) => Effect.Effect<string>
  /** Proposes a choice; the first one that is stored stands. Never waits. */
  readonly choose: (key: string, winner: string) => void
  /** No branch is left that could be chosen: ends the wait for the choice with an interrupt. */
  readonly unchoose: (key: string) => void
  /** Parks the run for an operator and ends the execution. Returns only while the run is being cancelled, which goes first. */
  readonly stick: (stuck: Omit<RunEventOf<"RunStuck">, "_tag">) => Effect.Effect<void>
  /**
   * Ends the execution and returns the run to the queue for a worker that can go on with it, such as one that has the tool that
   * is asked for. Returns only while the run is being cancelled, which goes first.
   */
  readonly putBack: (detail: string) => Effect.Effect<void>
  /** Ends the execution: the code and the log do not fit. */
  readonly mismatch: (error: KeyMismatch) => Effect.Effect<never>
}>()("@durable-agents/core/Journal") {}

/**
 * Where in the program this fiber is: the scopes around it, joined by `/`.
 *
 * @category references
 * @since 0.1.0
 */
export const Path = Context.Reference<string>("@durable-agents/core/Path", { defaultValue: () => "" })

/**
 * The budgets of the scopes around this fiber, outermost first.
 *
 * @category references
 * @since 0.1.0
 */
export const Allowances = Context.Reference<ReadonlyArray<Allowance>>("@durable-agents/core/Allowances", {
  defaultValue: () => []
})

/**
 * A key below the scopes that are around it.
 *
 * @category keys
 * @since 0.1.0
 */
export const below = (path: string, key: string): string => path === "" ? key : `${path}/${key}`
