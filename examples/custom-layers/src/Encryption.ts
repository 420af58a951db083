/**
 * Encrypts what runs are about before it reaches the store: goals, arguments, results, what models and people said. What the
 * engine needs to find its way (types, keys, names of tools, times, who decided) stays readable.
 */
import { PayloadCodec, RunEvent, type RunEventOf, StoreError } from "@durable-agents/core"
import { Effect, Layer, Redacted, Schema } from "effect"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

/** Keys of 32 bytes by name. Old ones are kept as long as there are events that were sealed with them. */
export interface KeyRing {
  readonly current: string
  readonly keys: ReadonlyMap<string, Redacted.Redacted<Uint8Array>>
}

/** Puts the codec in place for everything that is built over it: `Runs`, `Runtime`, `Worker`. */
export const layer = (ring: KeyRing): Layer.Layer<never> =>
  Layer.succeed(PayloadCodec, {
    encode: (event) => change(event, (value, context) => seal(ring, value, context)),
    decode: (event) => change(event, (value, context) => unseal(ring, value, context))
  })

/** The fields that hold content, by event. What is not listed is stored as it is. */
const secret: { readonly [Tag in RunEvent.RunEvent["_tag"]]?: ReadonlyArray<keyof RunEventOf<Tag>> } = {
  // The digests of a short text give it away to whoever tries all short texts.
  RunStarted: ["input", "inputDigest", "contentDigest", "goal", "systemPrompt", "systemPromptHash"],
  RunStuck: ["detail"],
  RunReleased: ["reason"],
  RunPaused: ["reason"],
  RunResumed: ["reason"],
  BudgetChanged: ["reason"],
  RunCompleted: ["output"],
  RunFailed: ["error", "failure"],
  RunCancelRequested: ["reason"],
  RunCancelled: ["reason"],
  LLMCallRequested: ["promptDigest"],
  LLMCallCompleted: ["parts"],
  LLMCallFailed: ["error", "failure"],
  ToolCallRequested: ["arguments"],
  ToolCallCompleted: ["result", "mismatch"],
  ToolCallFailed: ["error", "failure", "arguments"],
  StepCompleted: ["output"],
  StepFailed: ["error", "failure"],
  ApprovalRequested: ["subject", "reason", "arguments"],
  ApprovalGranted: ["comment", "arguments"],
  ApprovalDenied: ["reason"],
  GuardrailTriggered: ["detail"],
  SignalReceived: ["payload"]
}

type Change = (value: Schema.Json, context: string) => Schema.Json

/** An event is read back from its stored form, so what comes out is an event whatever `f` did. */
const change = (event: RunEvent.RunEvent, f: Change): Effect.Effect<RunEvent.RunEvent, StoreError> => {
  const names: ReadonlyArray<string> = secret[event._tag] ?? []
  if (names.length === 0) return Effect.succeed(event)
  return Effect.try({
    try: () => {
      const { payload, type } = RunEvent.encode(event)
      const fields = Object.entries(readFields(payload)).map(([name, value]) => [
        name,
        // Bound to its place: a sealed value that was moved to another field does not open.
        names.includes(name) ? f(value, `${type}.${name}`) : value
      ])
      return RunEvent.decode(type, Object.fromEntries(fields))
    },
    catch: (cause) =>
      new StoreError({ operation: "codec", detail: `a sealed field of \`${event._tag}\` cannot be used`, cause })
  })
}

const readFields = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))
const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

const prefix = "sealed:"

/** Texts and JSON become a text. A list stays a list, of one, since the schema of its field asks for one. */
const seal = (ring: KeyRing, value: Schema.Json, context: string): Schema.Json => {
  // Never twice under one key: 96 random bits are good for billions of values.
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", keyOf(ring, ring.current), nonce).setAAD(Buffer.from(context))
  const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()])
  const sealed = `${prefix}${ring.current}:${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64")}`
  return Array.isArray(value) ? [sealed] : sealed
}

/** What was stored before there was a codec is not sealed, and stays as it is. */
const unseal = (ring: KeyRing, value: Schema.Json, context: string): Schema.Json => {
  const sealed = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof sealed !== "string" || !sealed.startsWith(prefix)) return value
  const [name = "", base64 = ""] = sealed.slice(prefix.length).split(":")
  const bytes = Buffer.from(base64, "base64")
  const decipher = createDecipheriv("aes-256-gcm", keyOf(ring, name), bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(12, 28))
  return readJson(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8"))
}

const keyOf = ({ keys }: KeyRing, name: string): Uint8Array => {
  const key = keys.get(name)
  if (key === undefined) throw new Error(`there is no key named \`${name}\``)
  return Redacted.value(key)
}
