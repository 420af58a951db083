/**
 * Guardrails to provide to agents, as Layers: rules that cannot be talked out of first, wording last.
 */

// What a text looks like
export * as TextSignal from "./TextSignal.ts"
