/**
 * Guardrails to provide to agents, as Layers: rules that cannot be talked out of first, wording last.
 */

// Where values come from
export * as Actions from "./Actions.ts"
export * as CanonicalText from "./CanonicalText.ts"
export * as Encodings from "./Encodings.ts"
export * as Evidence from "./Evidence.ts"
export * as Origins from "./Origins.ts"
export * as Policy from "./Policy.ts"
export * as Provenance from "./Provenance.ts"
export * as Sinks from "./Sinks.ts"
export * as Sources from "./Sources.ts"

// What a text looks like
export * as TextSignal from "./TextSignal.ts"
