/**
 * The bundled agent: one program, on the tools, toolkits and language models of `effect/ai`.
 */

// An agent, and how it fails
export * as Agent from "./Agent.ts"
export { AgentError, CompactionFailed, ModelFailed, NoAnswer, TranscriptTooLong } from "./AgentError.ts"

// Its tools
export { ToolCall } from "./ToolCall.ts"
export * as ToolPolicy from "./ToolPolicy.ts"
export { DuplicateTool, UnusableTool } from "./Tools.ts"

// What is checked
export type { Cap, Caps } from "./Caps.ts"
export * as Guardrails from "./Guardrails.ts"
export { UnknownProfile, UnusableGuardrails } from "./Guardrails.ts"
export * as Rescore from "./Rescore.ts"

// Its model
export * as ModelBoundary from "./ModelBoundary.ts"
export { CurrentModelCall } from "./ModelCall.ts"
export * as ModelDeltas from "./ModelDeltas.ts"
export { ModelError } from "./ModelError.ts"
export * as ModelPlan from "./ModelPlan.ts"
export * as Prices from "./Prices.ts"
export * as RecordedModel from "./RecordedModel.ts"
export * as ScriptedModel from "./ScriptedModel.ts"
export { Tokenizer } from "./Tokens.ts"

// The protocol of turns, for tools that read logs
export * as AgentState from "./AgentState.ts"
export * as Transcript from "./Transcript.ts"
export * as Verify from "./Verify.ts"
