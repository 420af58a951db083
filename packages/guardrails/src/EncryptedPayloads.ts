/**
 * Keeps what runs say encrypted in the store: AES-256-GCM, under keys that have ids, so that keys can be changed.
 */
import {
  EventStore,
  Json,
  PayloadCodec,
  RunEvent,
  RunIndex,
  RunQueue,
  type RunSummary,
  StoreError,
  type WaitSummary
} from "@durable-agents/core"
import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

/**
 * Keys by their ids, and which of them encrypts. The others only decrypt what was stored under them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The id of the key under which is stored from now on. Ids have letters, digits, `_` and `-`. */
  readonly current: string
  /** 32 bytes each, in base64. */
  readonly keys: Readonly<Record<string, Redacted.Redacted<string>>>
}

/**
 * Keys that cannot be used.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnusableKey
  extends Schema.TaggedError<UnusableKey>("@durable-agents/guardrails/UnusableKey")("UnusableKey", {
    key: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `The key \`${this.key}\` ${this.detail}`
  }
}

/**
 * Encrypts the payloads of the log: inputs, goals, prompts, arguments, results, answers, outputs, failures, what verdicts and
 * approvals say. What the engine reads without the program (keys, names, attempts, times, usage, digests) stays readable.
 *
 * **Details**
 *
 * Events that were stored before are read as they are. To change keys add one, make it `current`, and keep the old ones as long
 * as there are runs that were written under them. An event cannot be read under a key that is not there: the store fails, with
 * the id of that key. Build it below `Runs`, `Runtime` and `Worker`, like any codec.
 *
 * **Gotchas**
 *
 * Digests of inputs and prompts are those of the plain text. What lists show of a run is stored beside the log: `layerSummaries`
 * encrypts that.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<never, UnusableKey> =>
  Layer.effect(PayloadCodec, Effect.fromResult(codec(options)))

/**
 * Encrypts what lists show of runs as well: what waits ask, why, and with which arguments, and why a run ended. Put it over the
 * store, and below everything else.
 *
 * **Details**
 *
 * Names, labels, keys, status and times stay readable, since lists are searched by them. Who reads the store without this layer
 * sees texts that begin with `enc:v1:`.
 *
 * **Example**
 *
 * ```ts
 * import { EncryptedPayloads } from "@durable-agents/guardrails"
 * import { Sqlite } from "@durable-agents/sqlite"
 * import { Layer, Redacted } from "effect"
 *
 * const keys = { current: "2026", keys: { "2026": Redacted.make("32 bytes in base64") } }
 * const Stores = EncryptedPayloads.layerSummaries(keys).pipe(
 *   Layer.merge(EncryptedPayloads.layer(keys)),
 *   Layer.provideMerge(Sqlite.layer({ file: "runs.db" }))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerSummaries = (
  options: Options
): Layer.Layer<EventStore | RunQueue | RunIndex, UnusableKey, EventStore | RunQueue | RunIndex> =>
  Layer.effectContext(Effect.gen(function*() {
    const { current, key, ring } = yield* Effect.fromResult(ringOf(options))
    const store = yield* EventStore
    const queue = yield* RunQueue
    const index = yield* RunIndex
    const sealed = (json: unknown, place: string) => seal(json, place, current, key)
    const opened = (json: unknown, place: string) => open(json, place, ring)
    const hidden = (summary: RunSummary) => shown(summary, "encode", sealed)
    const plain = (summary: RunSummary) => shown(summary, "decode", opened)
    return Context.make(EventStore, {
      ...store,
      append: (runId, append) =>
        append.next?.summary === undefined
          ? store.append(runId, append)
          : Effect.flatMap(hidden(append.next.summary), (summary) =>
            store.append(runId, { ...append, next: { ...append.next, summary } }))
    }).pipe(
      Context.add(RunQueue, {
        ...queue,
        release: (release) =>
          release.summary === undefined
            ? queue.release(release)
            : Effect.flatMap(hidden(release.summary), (summary) => queue.release({ ...release, summary }))
      }),
      Context.add(RunIndex, {
        get: (runId) =>
          Effect.flatMap(
            index.get(runId),
            (found) =>
              Option.match(found, {
                onNone: () => Effect.succeedNone,
                onSome: (summary) => Effect.asSome(plain(summary))
              })
          ),
        list: (options) =>
          Effect.flatMap(
            index.list(options),
            (page) => Effect.map(Effect.forEach(page.items, plain), (items) => ({ ...page, items }))
          ),
        pendingApprovals: (options) =>
          Effect.flatMap(index.pendingApprovals(options), (page) =>
            Effect.map(
              Effect.forEach(
                page.items,
                (entry) => Effect.map(waitOf(entry.approval, "decode", opened), (approval) => ({ ...entry, approval }))
              ),
              (items) => ({ ...page, items })
            ))
      })
    )
  }))

type Change = (json: unknown, place: string) => Result.Result<unknown, string>

const shown = (
  summary: RunSummary,
  operation: "encode" | "decode",
  change: Change
): Effect.Effect<RunSummary, StoreError> =>
  Effect.gen(function*() {
    const waits = yield* Effect.forEach(summary.waits, (wait) => waitOf(wait, operation, change))
    const reason = yield* changed(summary.reason, "RunSummary.reason", operation, change)
    return { ...summary, waits, ...(typeof reason === "string" ? { reason } : {}) }
  })

const waitOf = (
  wait: WaitSummary,
  operation: "encode" | "decode",
  change: Change
): Effect.Effect<WaitSummary, StoreError> =>
  Effect.gen(function*() {
    const subject = yield* changed(wait.subject, "WaitSummary.subject", operation, change)
    const reason = yield* changed(wait.reason, "WaitSummary.reason", operation, change)
    const args = yield* changed(wait.arguments, "WaitSummary.arguments", operation, change)
    return {
      ...wait,
      subject: String(subject),
      ...(typeof reason === "string" ? { reason } : {}),
      ...(isJson(args) ? { arguments: args } : {})
    }
  })

const isJson = Schema.is(Schema.Json)

const changed = (
  json: unknown,
  place: string,
  operation: "encode" | "decode",
  change: Change
): Effect.Effect<unknown, StoreError> =>
  json === undefined
    ? Effect.undefined
    : Effect.mapError(Effect.fromResult(change(json, place)), (detail) => new StoreError({ operation, detail }))

/**
 * The codec by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const codec = (options: Options): Result.Result<PayloadCodec, UnusableKey> =>
  Result.map(ringOf(options), ({ current, key, ring }) => ({
    encode: (event) => transform(event, "encode", (json, place) => seal(json, place, current, key)),
    decode: (event) => transform(event, "decode", (json, place) => open(json, place, ring))
  }))

interface Ring {
  readonly current: string
  readonly key: Uint8Array
  readonly ring: ReadonlyMap<string, Uint8Array>
}

const ringOf = ({ current, keys }: Options): Result.Result<Ring, UnusableKey> => {
  const ring = new Map<string, Uint8Array>()
  for (const [id, secret] of Object.entries(keys)) {
    const bytes = Buffer.from(Redacted.value(secret), "base64")
    if (!/^[\w-]{1,64}$/.test(id)) return unusable(id, "has an id that is not letters, digits, `_` and `-`")
    if (bytes.length !== 32) return unusable(id, `has ${bytes.length} bytes; it wants 32, in base64`)
    ring.set(id, bytes)
  }
  const key = ring.get(current)
  if (key === undefined) return unusable(current, "is the current one and is not among the keys")
  return Result.succeed({ current, key, ring })
}

const unusable = (key: string, detail: string) => Result.fail(new UnusableKey({ key, detail }))

/** Members of events that hold what somebody said. */
const secretMembers = new Set([
  "input",
  "goal",
  "systemPrompt",
  "arguments",
  "result",
  "output",
  "parts",
  "payload",
  "failure",
  "error",
  "mismatch",
  "subject",
  "reason",
  "comment",
  "detail",
  "spans"
])

/** `reason` is a word in these, which the engine reads. */
const reasonIsAWord = new Set(["RunFailed", "LLMCallFailed", "ToolCallFailed", "StepFailed", "RunStuck"])

const isSecret = (event: RunEvent.RunEvent, member: string): boolean =>
  secretMembers.has(member) && !(member === "reason" && reasonIsAWord.has(event._tag)) &&
  !(member === "spans" && event._tag === "GuardrailTriggered")

const transform = (
  event: RunEvent.RunEvent,
  operation: "encode" | "decode",
  change: (json: unknown, place: string) => Result.Result<unknown, string>
): Effect.Effect<RunEvent.RunEvent, StoreError> => {
  if (event._tag === "UnknownEvent") return Effect.succeed(event)
  const changed: Record<string, unknown> = {}
  for (const [member, value] of Object.entries<unknown>(event)) {
    const next = value !== undefined && isSecret(event, member)
      ? change(value, `${event._tag}.${member}`)
      : Result.succeed(value)
    if (Result.isFailure(next)) return Effect.fail(new StoreError({ operation, detail: next.failure }))
    changed[member] = next.success
  }
  return isEvent(changed)
    ? Effect.succeed(changed)
    : Effect.fail(new StoreError({ operation, detail: `what was decrypted is no event \`${event._tag}\`` }))
}

const isEvent = Schema.is(RunEvent.RunEvent)

const mark = "enc:v1:"

/** Texts become texts, lists lists, and everything else a text. */
const seal = (json: unknown, place: string, id: string, key: Uint8Array): Result.Result<unknown, string> => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(`${id} ${place}`))
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(json), "utf8"),
    cipher.final(),
    cipher.getAuthTag()
  ])
  const text = `${mark}${id}:${sealed.toString("base64")}`
  return Result.succeed(Array.isArray(json) ? [text] : text)
}

const open = (json: unknown, place: string, ring: ReadonlyMap<string, Uint8Array>): Result.Result<unknown, string> => {
  const text: unknown = Array.isArray(json) && json.length === 1 ? json[0] : json
  if (typeof text !== "string" || !text.startsWith(mark)) return Result.succeed(json)
  const [id = "", sealed = ""] = text.slice(mark.length).split(":")
  const key = ring.get(id)
  if (key === undefined) {
    return Result.fail(`the key \`${id}\` is needed to read \`${place}\` and is not among the keys`)
  }
  const bytes = Buffer.from(sealed, "base64")
  return Result.mapError(
    Result.try((): unknown => {
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(`${id} ${place}`))
        .setAuthTag(bytes.subarray(-16))
      return Json.parse(`${decipher.update(bytes.subarray(12, -16), undefined, "utf8")}${decipher.final("utf8")}`)
    }),
    () => `\`${place}\` was changed in the store, or \`${id}\` is not the key that it was encrypted with`
  )
}
