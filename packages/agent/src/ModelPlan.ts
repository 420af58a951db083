/**
 * Several models in the place of one: which of them an attempt of a model call asks, by what is recorded of the attempts before.
 */
import type { Operation, RunState } from "@durable-agents/core"
import { Cause, Context, Duration, Effect, type ExecutionPlan, Layer, Option, Schedule } from "effect"
import { LanguageModel, Model } from "effect/ai"
import * as ModelError from "./ModelError.ts"

/**
 * An `ExecutionPlan` whose every step provides a `LanguageModel`, and whose schedules and conditions, if any, are about a `ModelError`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan<E, R> {
  readonly captureRequirements: Effect.Effect<{ readonly steps: Steps<E> }, never, R>
}

type Steps<E> = ExecutionPlan.ExecutionPlan<{
  provides: LanguageModel.LanguageModel
  input: ModelError.ModelError
  error: E
  requirements: never
}>["steps"]

/**
 * Models that are asked one after the other: the next one when the one before has failed for good, or as often as it may.
 *
 * **Details**
 *
 * All attempts are attempts of one model call: each is recorded with the name of the model that it asks, and a process that takes
 * over goes on with the model that is next by what is recorded. A step asks as often as `attempts` says, by its `schedule`, while
 * its `while` agrees; without a schedule, by that of the agent; without both, once. A failure that cannot pass ends the step after
 * one request. A time-out, or a bug in a layer, is a failure like any other, with the reason `Timeout` or `Defect`. Before a step is
 * entered, its own `while` is asked about the failure that led there, and the step is left out if it disagrees. The first request
 * of a step follows at once. `schedule` and `while` are evaluated again from the recorded failures, so they must be pure: the same
 * failures, the same answer. The agent's `attempts` are those of all steps together.
 *
 * **Gotchas**
 *
 * The layers of all steps are built at once. Outside agents it is the model of the first step.
 *
 * **Example**
 *
 * ```ts
 * import { Anthropic } from "@durable-agents/anthropic"
 * import { type ModelError, ModelPlan } from "@durable-agents/agent"
 * import { OpenAi } from "@durable-agents/openai"
 * import { Config, ExecutionPlan, Layer, Schedule } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Models = ModelPlan.layer(ExecutionPlan.make(
 *   {
 *     provide: Anthropic.layerConfig(),
 *     attempts: 4,
 *     schedule: Schedule.exponential("1 second"),
 *     // Who is told to wait for minutes asks somebody else.
 *     while: ({ retryAfterMillis = 0 }: ModelError) => retryAfterMillis < 30_000
 *   },
 *   { provide: OpenAi.layerConfig({ model: Config.succeed("gpt-5.4-mini") }), attempts: 10 }
 * )).pipe(Layer.provide(FetchHttpClient.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R>(
  plan: Plan<E, R>
): Layer.Layer<LanguageModel.LanguageModel | Model.ModelName, E, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const { steps: [first, ...rest] } = yield* plan.captureRequirements
    const begin = yield* built(first)
    const model = { ...Context.get(begin.models, LanguageModel.LanguageModel) }
    plans.set(model, [begin, ...(yield* Effect.forEach(rest, built))])
    return Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, begin.name ?? "unknown"))
  }))

/** Belongs to the model and not to the context, where it would outlive its model: an agent can be given another one. */
const plans = new WeakMap<LanguageModel.LanguageModel, ReadonlyArray<Step>>()

interface Step {
  readonly models: Context.Context<LanguageModel.LanguageModel>
  readonly name: string | undefined
  readonly attempts: number | undefined
  readonly schedule: Schedule.Schedule<unknown, ModelError.ModelError, unknown> | undefined
  readonly agrees: ((error: ModelError.ModelError) => Effect.Effect<boolean, unknown>) | undefined
}

const built = <E>({ attempts, provide, schedule, while: agrees }: Steps<E>[number]) =>
  Effect.map(Context.isContext(provide) ? Effect.succeed(provide) : Layer.build(provide), (models): Step => ({
    models,
    name: Option.getOrUndefined(Context.getOption(models, Model.ModelName)),
    attempts,
    schedule,
    agrees
  }))

/**
 * Whom one model call asks: where its plan stands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Route {
  /** The models that it may still ask. */
  readonly names: () => readonly [string, ...ReadonlyArray<string>]
  /** Provides the model that the current attempt asks. */
  readonly provide: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly retry: Pick<Operation.Retry<ModelError.ModelError>, "schedule" | "after" | "unknown">
}

/**
 * The way of a model call through the models in place: one, or those of a plan, from where the recorded failures have led.
 *
 * @category constructors
 * @since 0.1.0
 */
export const route = Effect.fnUntraced(function*(
  model: LanguageModel.LanguageModel,
  options: { readonly model: string | undefined; readonly retry: Schedule.Schedule<unknown, ModelError.ModelError> },
  place: RunState.Place | undefined
): Effect.fn.Return<Route> {
  const { model: given = "unknown", retry } = options
  const steps = plans.get(model)
  if (steps === undefined) {
    const name = Option.getOrElse(yield* Effect.serviceOption(Model.ModelName), () => given)
    return {
      names: () => [name],
      provide: (effect) => effect,
      retry: { schedule: ModelError.whileRetryable(retry), after: ModelError.askedDelay }
    }
  }
  let at = 0
  let moved = false
  const schedule = walk(steps, retry, (step, isNew) => {
    at = step
    moved = isNew
  })
  if (place?._tag === "Operation" && place.outcome === undefined) yield* repeat(schedule, place)
  return {
    names: () => [steps[at]?.name ?? given, ...steps.slice(at + 1).map(({ name }) => name ?? given)],
    provide: (effect) =>
      Effect.suspend(() => Effect.provideContext(effect, steps[at]?.models ?? Context.empty() as never)),
    retry: {
      schedule,
      // What one provider asks for does not concern the next.
      after: (error) => moved ? undefined : ModelError.askedDelay(error),
      unknown: ModelError.ofUnknown
    }
  }
})

/** Goes the way that was gone. */
const repeat = (schedule: Schedule.Schedule<unknown, ModelError.ModelError>, { failures }: RunState.Operation) =>
  Effect.flatMap(
    Schedule.toStep(schedule),
    (step) =>
      Effect.forEach(failures, ({ at, event }) =>
        Option.match(ModelError.read(event), {
          onNone: () => Effect.void,
          onSome: (error) => Effect.exit(step(at, error))
        }), { discard: true })
  )

/** A plan as one schedule over all its failures. Says after each where it stands. */
const walk = (
  steps: ReadonlyArray<Step>,
  retry: Schedule.Schedule<unknown, ModelError.ModelError>,
  stand: (step: number, isNew: boolean) => void
): Schedule.Schedule<number, ModelError.ModelError> =>
  Schedule.fromStep(Effect.gen(function*() {
    stand(0, false)
    const drivers = yield* Effect.forEach(steps, ({ schedule }) =>
      Schedule.toStep(ModelError.whileRetryable(schedule ?? retry)))
    let at = 0
    let failures = 0
    const delayAt = (now: number, error: ModelError.ModelError) => {
      const { agrees, attempts, schedule } = steps[at] ?? none
      const driver = drivers[at]
      failures += 1
      const most = attempts ?? (schedule === undefined ? 1 : Infinity)
      if (failures >= most || driver === undefined) {
        return Effect.succeedNone
      }
      return Effect.flatMap(isAgreed(agrees, error), (agreed) =>
        agreed
          ? driver(now, error).pipe(
            Effect.map(([, delay]) =>
              Option.some(delay)
            ),
            Effect.catchCause(() => Effect.succeedNone)
          )
          : Effect.succeedNone)
    }
    return (now: number, error: ModelError.ModelError) =>
      Effect.gen(function*() {
        const delay = yield* delayAt(now, error)
        if (Option.isSome(delay)) {
          stand(at, false)
          return [at, delay.value] satisfies [number, Duration.Duration]
        }
        for (let next = at + 1; next < steps.length; next++) {
          if (!(yield* isAgreed(steps[next]?.agrees, error))) continue
          at = next
          failures = 0
          stand(at, true)
          return [at, Duration.zero] satisfies [number, Duration.Duration]
        }
        return yield* Cause.done(at)
      })
  }))

const none: Pick<Step, "attempts" | "schedule" | "agrees"> = {
  attempts: undefined,
  schedule: undefined,
  agrees: undefined
}

/** A condition that fails does not hold. */
const isAgreed = (agrees: Step["agrees"], error: ModelError.ModelError): Effect.Effect<boolean> =>
  agrees === undefined
    ? Effect.succeed(true)
    : Effect.catchCause(agrees(error), () => Effect.succeed(false))
