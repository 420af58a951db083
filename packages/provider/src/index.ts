/**
 * What layers of language models over HTTP share: one request and its answer or stream of events, and what a failure means.
 */
export * as Endpoint from "./Endpoint.ts"
export * as FailureTable from "./FailureTable.ts"
export * as Json from "./Json.ts"
export * as JsonSchema from "./JsonSchema.ts"
export * as ModelSpan from "./ModelSpan.ts"
export * as Parameters from "./Parameters.ts"
export * as ProviderFailure from "./ProviderFailure.ts"
export * as RequestOptions from "./RequestOptions.ts"
export * as RetryAfter from "./RetryAfter.ts"
export * as StreamParts from "./StreamParts.ts"
