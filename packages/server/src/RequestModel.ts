/**
 * What requests of the API may say, in their paths, queries, headers and bodies.
 */
import { Budget, IsoTime, OperationKey, RunId, Seq } from "@durable-agents/core"
import { Option, Schema, SchemaGetter } from "effect"

const { Json, String: Text, optional, optionalKey } = Schema

/**
 * The id of a run in a path: a UUID, which may be written in upper case too.
 *
 * @category fields
 * @since 0.1.0
 */
export const RunIdParam = Text.pipe(Schema.decodeTo(RunId, {
  decode: SchemaGetter.transform((text) => text.toLowerCase()),
  encode: SchemaGetter.passthrough()
}))

/** Without a check, an empty text would be 0. */
const WholeNumber = Text.check(Schema.isPattern(/^\d{1,15}$/, { expected: "a whole number" }))
  .pipe(Schema.decodeTo(Schema.FiniteFromString))

/**
 * How many items a page may have.
 *
 * @category fields
 * @since 0.1.0
 */
export const Limit = WholeNumber.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: 1000 })
).annotate({ description: "1 to 1,000; default 100" })

/**
 * A position in a log.
 *
 * @category fields
 * @since 0.1.0
 */
export const Position = WholeNumber.pipe(Schema.decodeTo(Seq))

/**
 * A time by which lists are filtered.
 *
 * @category fields
 * @since 0.1.0
 */
export const Instant = WholeNumber.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799_999 })).annotate({
  description: "Milliseconds since 1970"
})

/**
 * Text that every store can compare with what it holds.
 *
 * @category fields
 * @since 0.1.0
 */
export const Filter = Text.check(
  Schema.isMaxLength(2000),
  Schema.isPattern(/^[^\0\p{Cs}]*$/u, { expected: "text that every store can hold" })
)

/** What a header carries as it is. */
const isHeaderText = Schema.makeFilter((text: string) =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && text.trim() === text
    ? undefined
    : "must have letters of Latin-1 and no blanks around it; a key in the body may be any text"
)

/**
 * The value of an `Idempotency-Key`. What no header can carry is refused before it is sent.
 *
 * @category fields
 * @since 0.1.0
 */
export const IdempotencyKey = Schema.NonEmptyString.check(Schema.isMaxLength(2000), isHeaderText).annotate({
  description: "Sending the same again with the same key changes nothing; anything else with that key is refused"
})

/** A name in a body, by which the same thing is found again. */
const Key = Schema.NonEmptyString.check(Schema.isMaxLength(2000))

/** A run that may do nothing cannot be meant. Calls of tools are another matter. */
const StartBudget = Budget.Budget.check(Schema.makeFilter((budget: Budget.Budget) => {
  const { activeMillis, costUsd = "1", tokens, turns, wallMillis } = budget
  const zero = Object.entries({ turns, tokens, wallMillis, activeMillis }).find(([, cap]) => cap === 0)?.[0]
  const nothing = zero ?? (/[1-9]/.test(costUsd) ? undefined : "costUsd")
  return nothing === undefined ? undefined : `\`${nothing}\` must be more than 0`
}))

/** Another one would be read by the clock of the server, and a day that there is not as another day. */
const TimeWithOffset = Text
  .check(Schema.makeFilter((text: string) =>
    Option.isSome(IsoTime.read(text)) ? undefined : "must be a time with its offset, such as 2030-01-01T09:00:00+01:00"
  )).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

/**
 * What a new run is made of.
 *
 * @category models
 * @since 0.1.0
 */
export const StartRequest = Schema.Struct({
  /** May be left out where the server knows one program only. */
  program: optional(Text),
  input: optionalKey(Json),
  /** A key of the program's own, as code gives it: the same order number may name a run of two programs. Any text. */
  startKey: optional(Key),
  labels: optional(Schema.Record(Text, Text)),
  /** Named limits replace those of the program. */
  budget: optional(StartBudget),
  /** Not before this time, in ISO 8601 with its offset, or in milliseconds since 1970. */
  startAt: optional(Schema.Union([TimeWithOffset, Schema.DateTimeUtcFromMillis])),
  priority: optional(Schema.Int),
  /** Needs the role `operator`. */
  systemPrompt: optional(Text),
  /** Anything weaker than the program's own needs the role `operator`. */
  guardrailProfile: optional(Text)
}).annotate({ identifier: "StartRequest" })

/**
 * @category models
 * @since 0.1.0
 */
export type StartRequest = typeof StartRequest.Type

/**
 * Allows exactly the request that it names.
 *
 * @category models
 * @since 0.1.0
 */
export const ApproveRequest = Schema.Struct({
  /** The `key` of the pending approval. */
  approval: OperationKey,
  /** Instead of the arguments that were shown. */
  arguments: optionalKey(Json),
  comment: optional(Text)
}).annotate({ identifier: "ApproveRequest" })

/**
 * Refuses exactly the request that it names. The reason reaches the model.
 *
 * @category models
 * @since 0.1.0
 */
export const DenyRequest = Schema.Struct({
  approval: OperationKey,
  reason: optional(Text)
}).annotate({ identifier: "DenyRequest" })

/**
 * A body that may be left out: why it is done.
 *
 * @category models
 * @since 0.1.0
 */
export const Why = [Schema.Struct({ reason: optional(Text) }).annotate({ identifier: "Why" }), Schema.Null] as const

/**
 * How an operation ended that the log does not know the end of.
 *
 * @category models
 * @since 0.1.0
 */
export const ResolveRequest = Schema.Union([
  Schema.Struct({ key: OperationKey, outcome: Schema.Literal("happened"), output: Json }),
  Schema.Struct({ key: OperationKey, outcome: Schema.Literal("didNotHappen"), error: Text })
]).annotate({ identifier: "ResolveRequest" })

/**
 * Limits that replace those of an open run.
 *
 * @category models
 * @since 0.1.0
 */
export const BudgetRequest = Schema.Struct({ budget: Budget.Budget, reason: optional(Text) })
  .annotate({ identifier: "BudgetRequest" })

/**
 * What a signal carries, and the `id` under which it arrives once, in place of an `Idempotency-Key`; may be left out.
 *
 * @category models
 * @since 0.1.0
 */
export const SignalRequest = [
  Schema.Struct({ payload: optionalKey(Json), id: optional(Key) }).annotate({ identifier: "SignalRequest" }),
  Schema.Null
] as const

/**
 * What a fork says otherwise than its original; may be left out.
 *
 * @category models
 * @since 0.1.0
 */
export const ForkRequest = [
  Schema.Struct({
    reason: optional(Text),
    startKey: optional(Key),
    labels: optional(Schema.Record(Text, Text)),
    budget: optional(StartBudget)
  }).annotate({ identifier: "ForkRequest" }),
  Schema.Null
] as const
