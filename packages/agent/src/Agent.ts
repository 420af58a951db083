/**
 * Agents: a language model and its tools as a durable program.
 */
import type { Budget, BudgetExceeded, Payload, Programs } from "@durable-agents/core"
import { Journal, Program, RunState, Step } from "@durable-agents/core"
import type { Schedule } from "effect"
import { Duration, Effect, HashMap, Layer, Result, Schema } from "effect"
import type { LanguageModel, Tool } from "effect/ai"
import { AgentError } from "./AgentError.ts"
import * as Compaction from "./Compaction.ts"
import { converse, type Definition, unknownHere } from "./Conversing.ts"
import * as FinalAnswer from "./FinalAnswer.ts"
import * as Guardrails from "./Guardrails.ts"
import * as ModelError from "./ModelError.ts"
import { startStep, Told } from "./Told.ts"
import type * as ToolCall from "./ToolCall.ts"
import { answerStep, callOf } from "./ToolCheck.ts"
import * as Tools from "./Tools.ts"

/**
 * An agent: a program whose input is a goal and whose output is the model's final answer, a text unless its shape is declared.
 *
 * @category models
 * @since 0.1.0
 */
export interface Agent<out R, in out Output = string> extends Program.Program<string, Output, AgentError> {
  /** Registers the agent; the model, the handlers of its tools and what they need are taken from where the layer is built. */
  readonly layer: Layer.Layer<never, never, R | Programs>
  /** The agent inside another program, with its own keys below `key`. What it was told is recorded there. */
  readonly run: (key: string, goal: string) => Effect.Effect<Output, AgentError | BudgetExceeded, R | Journal>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options<I extends Tools.Input, Output = string> {
  /** The system prompt. A run keeps the one it was started with. */
  readonly instructions: string
  /** A toolkit, or a list of tools and toolkits. */
  readonly toolkit?: I
  /**
   * The shape of the answer. The model gives it by a tool named `final_answer`; one that does not fit goes back to it, as long as
   * the budget lasts.
   */
  readonly output?: Payload.PureSchema<Output>
  readonly version?: string
  /** The guardrails of a run that is not started under others. Default `validation`. */
  readonly guardrailProfile?: Guardrails.Profile
  /**
   * What a run may spend when its start does not say so. Inside another program (`run`): what the agent may spend there, within
   * what the run has left.
   */
  readonly budget?: Budget.Budget
  /**
   * The most tokens of one answer, reasoning included. Asked of the provider, and set aside before each call under a limit on
   * tokens or money. Default: 16,384 for models in the table of prices; others are asked for nothing.
   */
  readonly maxOutputTokens?: number
  /** The name under which the model is recorded when its layer does not give one. */
  readonly model?: string
  /** When a failed model call is tried again, if it can succeed at all. Default: from 1 s, at most a minute, jittered. */
  readonly retry?: Schedule.Schedule<unknown, ModelError.ModelError>
  /** Attempts of one model call in all. Default 100, which outlasts an hour. The 15th time-out or bug among them is final. */
  readonly attempts?: number
  /**
   * Before a prompt gets longer than this, the model is asked for a summary of older turns, which replaces them in later prompts
   * and not in the log. It costs a turn. Default: nothing is summarised.
   */
  readonly compaction?: Compaction.Settings
  /** How long one attempt of a model call may take. Default 10 minutes. */
  readonly timeout?: Duration.Input
  /**
   * Asks the model for a stream and tells `ModelDeltas` what comes. What is recorded is the same. The layer of the model must be
   * able to. Default false.
   */
  readonly stream?: boolean
}

/**
 * What an agent with these tools needs.
 *
 * @category models
 * @since 0.1.0
 */
export type Services<I> = LanguageModel.LanguageModel | ServicesOf<Tools.Of<I>>

type ServicesOf<T> = HandlersOf<T> | Exclude<Tool.HandlerServices<T>, ToolCall.ToolCall>

type HandlersOf<T> = T extends Tool.Any ? Tool.RequiresHandler<T> extends true ? Tool.Handler<T["name"]> : never : never

/** A goal that says something. */
const Goal = Schema.String.check(Schema.makeFilter((goal) => goal.trim() !== "" || "a goal must not be blank"))

/**
 * Defines an agent. Throws if its name, or the tools it is given, cannot be used.
 *
 * **Details**
 *
 * Each turn calls the model, then carries out the calls in its answer: those that only read together, those with an effect one
 * after the other, those that need approval when it is granted. The model is called again when all have an outcome; the text of
 * an answer without calls is the output.
 *
 * **Gotchas**
 *
 * A blank goal is refused by `Runs.start` and a defect in `run`.
 *
 * **Example**
 *
 * ```ts
 * import { Agent } from "@durable-agents/agent"
 * import { Schema } from "effect"
 * import { Tool } from "effect/ai"
 *
 * const Weather = Tool.make("weather", {
 *   description: "The weather in a city, today.",
 *   parameters: Schema.Struct({ city: Schema.String }),
 *   success: Schema.String
 * }).annotate(Tool.Readonly, true)
 *
 * const Traveller = Agent.make("traveller", { instructions: "You plan trips.", toolkit: [Weather] })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <I extends Tools.Input = readonly [], Output = string>(
  name: string,
  options: Options<I, Output>
): Agent<Services<I>, Output> => {
  const finalAnswer = options.output === undefined ? undefined : Result.getOrThrow(FinalAnswer.make(options.output))
  const output: Payload.PureSchema<Output> = options.output ?? Schema.String as never
  const tools = Result.getOrThrow(Tools.make(name, options.toolkit ?? [], finalAnswer))
  const profile = Result.getOrThrow(Guardrails.profile(options.guardrailProfile ?? "validation"))
  const compaction = options.compaction === undefined
    ? undefined
    : Result.getOrThrow(Compaction.settings(options.compaction))
  const definition: Definition = {
    agent: name,
    tools,
    finalAnswer,
    model: options.model,
    retry: options.retry ?? ModelError.patient,
    attempts: options.attempts ?? 100,
    maxOutputTokens: options.maxOutputTokens,
    timeout: Duration.fromInputUnsafe(options.timeout ?? "10 minutes"),
    stream: options.stream ?? false,
    compaction
  }
  const program = Program.make<string, Output, AgentError>(name, {
    input: Goal,
    output,
    error: AgentError,
    version: options.version ?? "1",
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    description: {
      tools: tools.descriptions,
      systemPrompt: options.instructions,
      guardrailProfile: profile,
      guardrailProfiles: Guardrails.Profile.literals,
      ...(options.model === undefined ? {} : { model: options.model })
    },
    missing: missing(tools)
  })
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(output))
  /** An answer was read with this very schema. */
  const answer = (json: Schema.Json) => Effect.orDie(decode(json))
  return {
    ...program,
    layer: program.toLayer((goal) =>
      Effect.flatMap(Journal, ({ started }) =>
        Effect.flatMap(
          converse(definition, {
            goal,
            systemPrompt: started.systemPrompt ?? "",
            tools: started.tools,
            guardrailProfile: started.guardrailProfile
          }),
          answer
        ))
    ).pipe(Layer.merge(usable(name, tools, profile))),
    run: (key, goal) =>
      Step.scope(key, {
        budget: options.budget
      })(Effect.flatMap(told(definition, options.instructions, goal, profile), (start) =>
        Effect.flatMap(
          converse(definition, start),
          // Code after the agent relies on this answer, so a change of its shape must not change what it was.
          (json) => finalAnswer === undefined ? answer(json) : Step.run(answerStep, { output })(answer(json))
        )))
  }
}

/**
 * Refuses tools without a handler, which only the types would have said, and settings that guard nothing of these tools. Says so
 * where a profile adds nothing to `validation`.
 */
const usable = (agent: string, { byName, unhandled }: Tools.Tools, profile: Guardrails.Profile) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { caps, guardrails } = yield* Guardrails.Guardrails
    const unusable = unhandled(yield* Effect.context<never>())
    if (unusable !== undefined) return yield* Effect.die(unusable)
    for (const [tool, own] of Object.entries(caps)) {
      const path = byName.get(tool)?.uncapped(own)
      if (path !== undefined) {
        const detail = `names \`${path}\`, and \`${tool}\` has no such parameter`
        return yield* Effect.die(new Guardrails.UnusableGuardrails({ setting: `caps.${tool}`, detail }))
      }
    }
    // Detectors come as guardrails; without any, these profiles differ from `validation` in a threshold.
    if (profile === "off" || profile === "validation" || guardrails.length > 0) return
    yield* Effect
      .logWarning(`The agent \`${agent}\` is under the guardrail profile \`${profile}\`, and no guardrails are provided to it: what is checked is that of \`validation\``)
  }))

/** Which tool a log wants carried out that this process does not have. */
const missing = ({ byName }: Tools.Tools) => (state: RunState.RunState): string | undefined => {
  const profile = state.started?.guardrailProfile
  if (profile !== undefined && Result.isFailure(Guardrails.profile(profile))) {
    return unknownHere(profile)
  }
  for (const place of HashMap.values(state.places)) {
    const tool = wanted(state, place)
    if (tool !== undefined && !byName.has(tool)) return `the tool \`${tool}\` is not available here (\`${place.key}\`)`
  }
  return undefined
}

/** The tool of a call that was begun, or that was allowed and has not begun. */
const wanted = (state: RunState.RunState, place: RunState.Place): string | undefined => {
  switch (place._tag) {
    case "Operation":
      return place.kind === "tool" && place.outcome === undefined ? place.name : undefined
    case "Approval": {
      const call = RunState.placeAt(state, callOf(place.key))
      return place.decision?._tag === "ApprovalGranted" && call === undefined
        ? place.request.tool
        : undefined
    }
    default:
      return undefined
  }
}

const told = (
  { agent, tools }: Definition,
  systemPrompt: string,
  goal: string,
  guardrailProfile: Guardrails.Profile
) =>
  Effect.flatMap(
    Effect.orDie(Schema.decodeEffect(Goal)(goal)),
    () =>
      Effect.succeed({ agent, goal, systemPrompt, tools: tools.descriptions, guardrailProfile })
        .pipe(Step.run(startStep, { output: Told }))
  )
