/**
 * Guardrails to provide to agents, as Layers: rules that cannot be talked out of first, wording last.
 */

// Where values come from
export * as Actions from "./Actions.ts"
export * as CanonicalText from "./CanonicalText.ts"
export * as Encodings from "./Encodings.ts"
export * as Evidence from "./Evidence.ts"
export * as Imperatives from "./Imperatives.ts"
export * as Orders from "./Orders.ts"
export * as Origins from "./Origins.ts"
export * as Policy from "./Policy.ts"
export * as Provenance from "./Provenance.ts"
export * as Requests from "./Requests.ts"
export * as Sinks from "./Sinks.ts"
export * as Sources from "./Sources.ts"
export * as Things from "./Things.ts"
export * as Verbs from "./Verbs.ts"

// All together
export * as Profiles from "./Profiles.ts"

// What calls do together
export * as Amounts from "./Amounts.ts"
export * as Cycles from "./Cycles.ts"
export * as Exfiltration from "./Exfiltration.ts"
export * as Leaks from "./Leaks.ts"
export * as Limits from "./Limits.ts"
export * as RuleOfTwo from "./RuleOfTwo.ts"
export * as Scope from "./Scope.ts"
export * as SharedLimits from "./SharedLimits.ts"

// What a text looks like
export * as Detector from "./Detector.ts"
export * as Disguise from "./Disguise.ts"
export * as LearnedSignal from "./LearnedSignal.ts"
export * as Patterns from "./Patterns.ts"
export * as Reading from "./Reading.ts"
export * as TextSignal from "./TextSignal.ts"
export * as Tokens from "./Tokens.ts"
export * as Wording from "./Wording.ts"

// What another model says
export * as Classifier from "./Classifier.ts"
export * as Extraction from "./Extraction.ts"
export * as Quotation from "./Quotation.ts"

// Personal data and secrets
export * as EncryptedPayloads from "./EncryptedPayloads.ts"
export { UnusableKey } from "./EncryptedPayloads.ts"
export * as MaskedModel from "./MaskedModel.ts"
export * as PersonalData from "./PersonalData.ts"
export * as Placeholders from "./Placeholders.ts"
