/**
 * What an agent inside another program is told, recorded so that code which was edited does not change it.
 */
import { below, RunEvent } from "@durable-agents/core"
import { Schema } from "effect"

/**
 * @category models
 * @since 0.1.0
 */
export const Told = Schema.Struct({
  agent: Schema.String,
  goal: Schema.String,
  systemPrompt: Schema.String,
  tools: Schema.Array(RunEvent.ToolDescription),
  guardrailProfile: Schema.optionalKey(Schema.String)
})

/**
 * The step that records it, beside the turns of the agent.
 *
 * @category keys
 * @since 0.1.0
 */
export const startStep = "start"

/**
 * Names that step in its run.
 *
 * @category keys
 * @since 0.1.0
 */
export const startOf = (path: string): string => below(path, startStep)
