/**
 * One kind of labelled records, and what is measured with them.
 */
import type { Effect, Schema } from "effect"

/** What was measured: JSON, with counts. */
export type Measures = Schema.JsonObject

export interface EvaluationSet {
  /** Judges all records under a profile. Dies of an unknown profile, and of a record that is not of this set. */
  readonly measure: (records: ReadonlyArray<unknown>, profile: string) => Effect.Effect<Measures>
  /** The same for people. */
  readonly table: (measures: Measures) => string
}
