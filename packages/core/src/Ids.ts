/**
 * Identifiers: runs, places in a log, and the people and systems that act on a run.
 */
import { Clock, Context, Effect, Schema } from "effect"

/**
 * The id of a run: a UUID in lower case. Version 7 (time-ordered) without a start key, version 8 (derived) with one.
 *
 * @category ids
 * @since 0.1.0
 */
export const RunId = Schema.String
  .check(Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, {
    expected: "the id of a run, which is a UUID"
  })).pipe(Schema.brand("RunId"))

/**
 * @category ids
 * @since 0.1.0
 */
export type RunId = typeof RunId.Type

/**
 * Whether something is the id of a run, for what callers have cast.
 *
 * @category ids
 * @since 0.1.0
 */
export const isRunId: (value: unknown) => value is RunId = Schema.is(RunId)

/**
 * A position in the log of one run: the first event is 0, and there are no gaps.
 *
 * @category ids
 * @since 0.1.0
 */
export const Seq = Schema.Natural

/**
 * @category ids
 * @since 0.1.0
 */
export type Seq = typeof Seq.Type

/**
 * Names one operation, wait or choice of a run: the scopes around it and its own key, joined by `/`; at most 256
 * characters. Used once per run.
 *
 * @category ids
 * @since 0.1.0
 */
export const OperationKey = Schema.NonEmptyString.check(Schema.isMaxLength(256))

/**
 * @category ids
 * @since 0.1.0
 */
export type OperationKey = typeof OperationKey.Type

/**
 * Who did something: a person, a program, a declared policy, or the system itself.
 *
 * @category models
 * @since 0.1.0
 */
export const Actor = Schema.Struct({
  kind: Schema.Literals(["person", "program", "policy", "system"]),
  id: Schema.String
})

/**
 * @category models
 * @since 0.1.0
 */
export type Actor = typeof Actor.Type

/**
 * What callers may write for an actor: an `Actor`, or the id of a person.
 *
 * @category models
 * @since 0.1.0
 */
export type ActorInput = Actor | string

/**
 * Reads a plain string as the id of a person.
 *
 * @category models
 * @since 0.1.0
 */
export const actor = (input: ActorInput): Actor => typeof input === "string" ? { kind: "person", id: input } : input

const hexOf: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/**
 * Bytes as hex digits in lower case.
 *
 * @category conversions
 * @since 0.1.0
 */
export const hex = (bytes: Uint8Array): string => bytes.reduce((text, byte) => text + (hexOf[byte] ?? ""), "")

/**
 * Writes 16 bytes as a UUID of the given version (variant RFC 9562).
 *
 * @category ids
 * @since 0.1.0
 */
export const uuid = (bytes: Uint8Array, version: 7 | 8): RunId => {
  const own = bytes.slice(0, 16)
  own[6] = ((own[6] ?? 0) & 0x0f) | (version << 4)
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80
  const text = hex(own)
  return RunId
    .make([text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-"))
}

/** Random bytes are fetched for many ids at a time: to ask for them takes longer than to get them. No byte is given out twice. */
const pool = new Uint8Array(1024)
let used = pool.length

const random16 = (): Uint8Array => {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool)
    used = 0
  }
  used += 16
  return pool.slice(used - 16, used)
}

/**
 * Where new run ids come from. The default makes UUIDv7 from the clock and the platform's secure random source.
 *
 * @category references
 * @since 0.1.0
 */
export const NextRunId = Context.Reference<Effect.Effect<RunId>>("@durable-agents/core/NextRunId", {
  defaultValue: () =>
    Effect.map(Clock.currentTimeMillis, (millis) => {
      const bytes = random16()
      for (let i = 0; i < 6; i++) bytes[i] = Math.floor(millis / 2 ** (8 * (5 - i))) % 256
      return uuid(bytes, 7)
    })
})

/**
 * The namespace that runs started here belong to, and that workers here claim from. The default is `default`.
 *
 * @category references
 * @since 0.1.0
 */
export const Namespace = Context.Reference<string>("@durable-agents/core/Namespace", {
  defaultValue: () => "default"
})
