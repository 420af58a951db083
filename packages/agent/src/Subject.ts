/**
 * What guardrails are asked about: a goal, a tool call, its result, a summary; with what was before it.
 */
import type { RunEventOf, RunId, ToolDescription, ToolLabels } from "@durable-agents/core"
import type { Context, Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Profile } from "./Profile.ts"

interface Subject {
  readonly runId: RunId
  readonly agent: string
  readonly profile: Exclude<Profile, "off">
}

/**
 * A goal, before the model sees it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Goal extends Subject {
  readonly goal: string
}

/**
 * A tool call whose arguments fit its tool, before anything of it is done.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call extends Subject {
  /** Names the call in its run, such as `turn-3/call-2`. */
  readonly key: string
  readonly turn: number
  readonly tool: string
  readonly effect: ToolDescription["effect"]
  readonly labels: ToolLabels
  /** As its handler gets them, encoded: defaults filled in. */
  readonly arguments: Schema.Json
  /** The conversation that led to it. */
  readonly messages: ReadonlyArray<Prompt.Message>
  /** What the conversation began with: the words of who gave the goal, and of who made the agent. */
  readonly goal: string
  readonly instructions: string
  /** Who chose these arguments: a model, or the person who allowed the call and changed them. */
  readonly by: "model" | "person"
  /** The tool calls of the run before this one, those of other conversations included, in the order of the log. */
  readonly past: ReadonlyArray<Past>
  /** The verdicts of the run so far, oldest first. */
  readonly verdicts: ReadonlyArray<Recorded>
  /** The store's time in milliseconds. */
  readonly now: number
  /** The run, as it was started. */
  readonly run?: Pick<RunEventOf<"RunStarted">, "namespace" | "program" | "labels" | "requestedBy">
}

/**
 * An earlier tool call of the run.
 *
 * **Details**
 *
 * `planned`: of the same turn, and not begun. `open`: begun. `made`: its result is known, which may be a failure that the tool
 * declares. `unknown`: it may have been made. `failed`, `refused`: it was not made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Past {
  readonly key: string
  readonly turn: number
  readonly tool: string
  readonly effect: ToolDescription["effect"]
  readonly labels: ToolLabels
  readonly arguments: Schema.Json
  /** When it was first asked for, in milliseconds. */
  readonly at: number
  readonly state: "planned" | "open" | "made" | "unknown" | "failed" | "refused"
  readonly result?: Schema.Json
  readonly isFailure?: boolean
}

/**
 * What a tool answered, before the model sees it. The call has been carried out.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolResult extends Omit<Call, "messages" | "goal" | "instructions" | "by" | "past"> {
  readonly result: Schema.Json
  readonly isFailure: boolean
  /** Of the tool, as it is declared here. */
  readonly annotations?: Context.Context<never>
}

/**
 * What a model wrote in the place of older turns, before the model that goes on sees it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Summary extends Subject {
  /** Names the model call that wrote it, such as `turn-7/compaction`. */
  readonly key: string
  readonly turn: number
  /** As it will be shown. */
  readonly summary: string
}

/**
 * A verdict as it is recorded.
 *
 * @category models
 * @since 0.1.0
 */
export type Recorded = RunEventOf<"GuardrailTriggered">
