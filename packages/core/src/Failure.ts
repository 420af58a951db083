/**
 * Why an attempt has no result.
 */
import type { Schema } from "effect"
import type { FailureReason } from "./RunEvent.ts"

/**
 * What went wrong, before it is an event.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly reason: FailureReason
  readonly error: string
  readonly failure?: Schema.Json
  readonly outcome?: "unknown"
  /** It would fail in the same way again. */
  readonly hopeless?: boolean
}
