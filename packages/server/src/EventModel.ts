/**
 * Recorded events as the API shows them: one JSON object an event, the same as in exports and stored logs.
 */
import { type Recorded, RunEvent, RunId, Seq } from "@durable-agents/core"
import { type Result, Schema } from "effect"
import { Status } from "./RunModel.ts"

/**
 * One event: its envelope, the name of its type, and the fields of that type (`docs/reference/events.md`). `at` is ISO 8601.
 *
 * @category models
 * @since 0.1.0
 */
export interface EventLine {
  readonly runId: RunId
  readonly seq: Seq
  readonly at: string
  readonly epoch?: number
  readonly type: string
  // Without `undefined`, which JSON does not have, `epoch` would not fit for who compiles without `exactOptionalPropertyTypes`.
  readonly [field: string]: Schema.Json | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export const EventLine: Schema.Codec<EventLine, Readonly<Record<string, Schema.Json | undefined>>> = Schema
  .StructWithRest(
    Schema.Struct({
      runId: RunId,
      seq: Seq,
      at: Schema.String,
      epoch: Schema.optionalKey(Schema.Natural),
      type: Schema.String
    }),
    [Schema.Record(Schema.String, Schema.Json)]
  ).annotate({ identifier: "Event" })

/**
 * The event that a line holds, for folds and for exhaustive matching; fails with why it cannot be read.
 *
 * @category codecs
 * @since 0.1.0
 */
export const recordedOf = (line: EventLine): Result.Result<Recorded, string> => RunEvent.fromLine(JSON.stringify(line))

/**
 * A page of one log. `next` is the position to read on from, absent if the log has no more events now.
 *
 * @category models
 * @since 0.1.0
 */
export const EventPage = Schema.Struct({
  items: Schema.Array(EventLine),
  next: Schema.optionalKey(Seq)
}).annotate({ identifier: "EventPage" })

/**
 * What a feed sends: every event once, in order, with its position as `id`; after the end of the run one `end`, and no more.
 *
 * @category models
 * @since 0.1.0
 */
export const FeedEvent = Schema.Union([
  Schema.Struct({
    id: Schema.String,
    event: Schema.Literal("message"),
    data: Schema.fromJsonString(EventLine)
  }),
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    event: Schema.Literal("end"),
    data: Schema.fromJsonString(Schema.Struct({ status: Status }))
  })
])

/**
 * @category models
 * @since 0.1.0
 */
export type FeedEvent = typeof FeedEvent.Type
