/**
 * Programs: what can be run, as a definition for who starts it, and as a handler for who executes it.
 */
import { Clock, Context, Effect, Layer, References, Scheduler, Schema, Tracer } from "effect"
import type { Budget, BudgetExceeded } from "./Budget.ts"
import { decodeRefusal } from "./Budget.ts"
import { RunId } from "./Ids.ts"
import { Allowances, Journal, Path } from "./Journal.ts"
import type { PureSchema } from "./Payload.ts"
import * as Payload from "./Payload.ts"
import type { ToolDescription } from "./RunEvent.ts"
import { type RunState, status } from "./RunState.ts"
import { RunStatus } from "./RunStatus.ts"

/**
 * Program and tool names: letters, digits, `_` and `-`, at most 64.
 *
 * @category models
 * @since 0.1.0
 */
export const Name = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/))

/**
 * What is recorded about a program when a run of it starts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Description {
  readonly tools?: ReadonlyArray<ToolDescription>
  readonly systemPrompt?: string
  readonly model?: string
  /** The guardrails that a run is under when its start does not say so, and all that it can be under. */
  readonly guardrailProfile?: string
  readonly guardrailProfiles?: ReadonlyArray<string>
}

/**
 * The definition of a program, without its handler: all that starting a run needs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Program<in out Input, in out Output, in out Error> {
  readonly name: string
  readonly version: string
  readonly input: PureSchema<Input>
  readonly output: PureSchema<Output>
  readonly error: PureSchema<Error>
  /** What a run of it may spend when its start does not say so. */
  readonly budget: Budget | undefined
  readonly description: Description
  /** Registers what the program does. Its services are taken from where the layer is built. */
  readonly toLayer: <R>(
    handler: (input: Input) => Effect.Effect<Output, Error | BudgetExceeded, R>
  ) => Layer.Layer<never, never, Exclude<R, Journal> | Programs>
}

/**
 * A program with its handler, as the runtime keeps it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Registered {
  readonly name: string
  readonly version: string
  readonly input: PureSchema
  readonly output: PureSchema
  readonly error: PureSchema
  readonly handler: (input: unknown) => Effect.Effect<unknown, unknown, Journal>
  /** What of this log the process cannot do, such as a granted call of a tool that it does not have. */
  readonly missing: (state: RunState) => string | undefined
}

/**
 * The programs that this process can execute.
 *
 * @category services
 * @since 0.1.0
 */
export class Programs extends Context.Service<Programs, {
  readonly register: (program: Registered) => Effect.Effect<void>
  readonly get: (name: string) => Registered | undefined
  readonly names: () => ReadonlyArray<string>
}>()("@durable-agents/core/Programs") {
  /**
   * An empty registry. Program layers fill it, so all of them must be built over the same one.
   */
  static readonly layer: Layer.Layer<Programs> = Layer.sync(Programs, () => {
    const programs = new Map<string, Registered>()
    return {
      register: (program) =>
        Effect.suspend(() =>
          programs.has(program.name)
            ? Effect.die(new DuplicateProgram({ name: program.name }))
            : Effect.sync(() => void programs.set(program.name, program))
        ),
      get: (name) => programs.get(name),
      names: () => Array.from(programs.keys())
    }
  })
}

/**
 * Two programs of one process have the same name.
 *
 * @category errors
 * @since 0.1.0
 */
export class DuplicateProgram
  extends Schema.TaggedError<DuplicateProgram>("@durable-agents/core/DuplicateProgram")("DuplicateProgram", {
    name: Schema.String
  })
{
  override get message() {
    return `The program \`${this.name}\` is registered twice`
  }
}

/**
 * Defines a program.
 *
 * **Details**
 *
 * `input`, `output` and `error` must encode to JSON. Without `error` the program has no failures of its own; `BudgetExceeded`
 * may end any. `version` is recorded with each run; it changes nothing by itself.
 *
 * **Example**
 *
 * ```ts
 * import { Program, Step, Timer } from "@durable-agents/core"
 * import { Effect, Schema } from "effect"
 *
 * const Reminder = Program.make("reminder", { input: Schema.String, output: Schema.String })
 *
 * const ReminderLayer = Reminder.toLayer(Effect.fn("Reminder")(function*(text) {
 *   yield* Timer.sleep("a-day", "1 day")
 *   return yield* Effect.succeed(`Remember: ${text}`).pipe(Step.run("send", { output: Schema.String }))
 * }))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <Input, Output, Error = never>(name: string, options: {
  readonly input: PureSchema<Input>
  readonly output: PureSchema<Output>
  readonly error?: PureSchema<Error>
  readonly version?: string
  readonly budget?: Budget
  readonly description?: Description
  readonly missing?: Registered["missing"]
}): Program<Input, Output, Error> => {
  const never: PureSchema<Error> = Schema.Never as never
  const program = {
    name: Schema.decodeSync(Name)(name),
    version: options.version ?? "1",
    input: options.input,
    output: options.output,
    error: options.error ?? never,
    budget: options.budget,
    description: options.description ?? {}
  }
  return {
    ...program,
    toLayer: <R>(handler: (input: Input) => Effect.Effect<Output, Error | BudgetExceeded, R>) =>
      Layer.effectDiscard(Effect.gen(function*() {
        const programs = yield* Programs
        // What belongs to a run is that of the worker that executes it, spans and annotations included.
        const context = Context.omit(
          Journal,
          Path,
          Allowances,
          Clock.Clock,
          Scheduler.Scheduler,
          Tracer.Tracer,
          Tracer.ParentSpan,
          References.CurrentLogAnnotations
        )(yield* Effect.context<Exclude<R, Journal>>())
        yield* programs.register({
          name: program.name,
          version: program.version,
          input: program.input,
          output: program.output,
          error: program.error,
          missing: options.missing ?? (() => undefined),
          handler: (input) =>
            Effect.provideContext(handler(input as Input), context) as Effect.Effect<unknown, unknown, Journal>
        })
      }))
  }
}

/**
 * A run has no output of its program, and no failure that the program declares: it has not ended, was cancelled, had a bug, or
 * what is recorded does not fit the program as it is now.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoOutput extends Schema.TaggedError<NoOutput>("@durable-agents/core/NoOutput")("NoOutput", {
  runId: RunId,
  status: RunStatus,
  detail: Schema.String
}) {
  override get message() {
    return `Run \`${this.runId}\` has no output (status ${this.status}): ${this.detail}`
  }
}

/**
 * What a run of this program came to, decoded: its output, or its own failure.
 *
 * **Example**
 *
 * ```ts
 * import { Program, type RunId, Runs } from "@durable-agents/core"
 * import { Effect, Schema } from "effect"
 *
 * const Reminder = Program.make("reminder", { input: Schema.String, output: Schema.Date })
 *
 * const sentAt = (runId: RunId) =>
 *   Effect.flatMap(Runs, (runs) => runs.await(runId)).pipe(Effect.flatMap((run) => Program.outputOf(Reminder, run)))
 * ```
 *
 * @category results
 * @since 0.1.0
 */
export const outputOf = <Input, Output, Error>(
  program: Program<Input, Output, Error>,
  { state }: { readonly state: RunState }
): Effect.Effect<Output, Error | BudgetExceeded | NoOutput> => {
  const without = (detail: string) => new NoOutput({ runId: state.runId, status: status(state), detail })
  const { end, started } = state
  if (started?.program !== program.name) {
    return Effect.fail(without(`it is a run of \`${started?.program ?? ""}\`, not of \`${program.name}\``))
  }
  const unreadable = (error: { readonly message: string }) =>
    without(`what is recorded does not fit \`${program.name}\`: ${error.message}`)
  if (end?._tag === "RunCompleted") {
    return Effect.mapError(Effect.fromResult(Payload.decoder(program.output)(end.output)), unreadable)
  }
  if (end?._tag !== "RunFailed") {
    return Effect.fail(without(end === undefined ? "it has not ended" : end.reason || "it was cancelled"))
  }
  if (end.reason === "BudgetExceeded") {
    return Effect.flatMap(Effect.mapError(decodeRefusal(end.failure), unreadable), Effect.fail)
  }
  return end.failure === undefined
    ? Effect.fail(without(end.error))
    : Effect.flatMap(
      Effect.mapError(Effect.fromResult(Payload.decoder(program.error)(end.failure)), unreadable),
      Effect.fail
    )
}
