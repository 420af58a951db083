/**
 * What a guardrail asks a language model about: the port for checks that are model calls themselves.
 */
import type { Context, Duration, Result, Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import type { Verdict } from "./Guardrails.ts"
import type { Boundary } from "./ModelBoundary.ts"
import type { Call, Goal, ToolResult } from "./Subject.ts"

/**
 * A check that asks a model. What it asks, and what an answer means, are functions: the call between them is made by the agent,
 * recorded and paid for like any call of a model.
 *
 * **Details**
 *
 * It is asked after all other checks of a goal or of a call, and not about what these have stopped. About a result it is asked
 * when that stands in the log, and before the model is shown it. What was asked once in a run is not asked again: the same
 * question to the same model has the answer that is recorded.
 *
 * A call counts against the limits of its run. If they do not allow it, the run ends as it would at any other call of a model.
 *
 * @category models
 * @since 0.1.0
 */
export interface Screen {
  /** The model, with its name. */
  readonly model: Context.Context<LanguageModel.LanguageModel>
  /** How it is recorded, if its layer gives it no name. */
  readonly modelName?: string | undefined
  /** Default 1024. */
  readonly maxOutputTokens?: number | undefined
  /** How long one attempt may take. Default 30 seconds; after the second that takes longer there is no answer. */
  readonly timeout?: Duration.Input | undefined
  /** What is changed on the way to the model and back, unless the agent has a `ModelBoundary` itself. */
  readonly boundary?: Boundary | undefined
  readonly goal?: (goal: Goal) => Question | undefined
  readonly call?: (call: Call) => Question | undefined
  readonly result?: (result: ToolResult) => Question | undefined
}

/**
 * One question, and what an answer to it means.
 *
 * **Details**
 *
 * The model answers by calling a tool whose arguments have the shape of `answer`. Nothing else that it says is an answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Question {
  readonly instructions: string
  /** What is judged. */
  readonly text: string
  readonly answer: Schema.Constraint
  /** What an answer means, or a failure in words. Pure: it may be asked again, and must say the same. */
  readonly verdicts: (answer: Result.Result<Schema.Json, string>) => ReadonlyArray<ScreenVerdict>
}

/**
 * A verdict on what a model answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface ScreenVerdict extends Verdict {
  /** Of a result, with `REDACT`: the model of the agent is shown this answer, and nothing of the result. */
  readonly showsAnswer?: boolean
}
