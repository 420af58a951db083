/**
 * The vocabulary of the log: what can be said about a run, and the envelope in which it is stored.
 *
 * Field names are the storage format. Fields are only added, always optional or with a decoding default, and never change
 * their meaning. Times are milliseconds since 1970 by the store's clock, money is a decimal in a string, foreign values are
 * JSON.
 */
import { DateTime, Predicate, Result, Schema } from "effect"
import { Allowance, Budget, CallUsage, Spend, Usage } from "./Budget.ts"
import { Actor, OperationKey, RunId, Seq } from "./Ids.ts"

const { Json, Natural, String: Text, optionalKey } = Schema
const Millis = Schema.Finite

/**
 * What is said about a tool for guardrails: whose words its result holds, what a call of it does to the world, which of its
 * arguments say to whom, where and how much, and whether it reads what must not leave the house.
 *
 * **Details**
 *
 * `result`: `own` is data of one's own system that no stranger can write, `third_party` holds what others wrote, such as mail,
 * `open_world` is anything. `effect`: `none` reads, `write` changes something, `send` has something leave the house or money
 * move, `destroy` cannot be undone, `fetch` asks an address for something. `sinks`: kinds by the path of an argument.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolLabels = Schema.Struct({
  result: optionalKey(Schema.Literals(["own", "third_party", "open_world"])),
  effect: optionalKey(Schema.Literals(["none", "write", "send", "destroy", "fetch"])),
  sinks: optionalKey(Schema.Record(
    Text,
    Schema.Literals(["recipient", "address", "amount", "id", "path", "url", "credential", "content", "plain"])
  )),
  private: optionalKey(Schema.Boolean)
})

/**
 * @category models
 * @since 0.1.0
 */
export type ToolLabels = typeof ToolLabels.Type

/**
 * A passage of a text, from `start` up to `end` in UTF-16 units: of the text at `path`, keys and indices joined by `/` as in a
 * JSON pointer, or of the whole if that is a text. `replacement` is what is shown in its place.
 *
 * @category models
 * @since 0.1.0
 */
export const Span = Schema.Struct({
  path: optionalKey(Text),
  start: Natural,
  end: Natural,
  replacement: optionalKey(Text)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Span = typeof Span.Type

/**
 * One tool as the model was told about it when the run began.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolDescription = Schema.Struct({
  name: Text,
  description: optionalKey(Text),
  parameters: Json,
  effect: Schema.Literals(["readonly", "idempotent", "lookup", "once"]),
  approval: Schema.Boolean,
  labels: optionalKey(ToolLabels)
})

/**
 * @category models
 * @since 0.1.0
 */
export type ToolDescription = typeof ToolDescription.Type

/**
 * Why an attempt of an operation has no result.
 *
 * **Details**
 *
 * `Error`: the operation's own failure. `Defect`: a bug in its code. `Timeout`: it took longer than declared. `Interrupted`:
 * the program stopped waiting for it. `Crashed`: its worker died. `TooLarge`, `Unencodable`: it has a result that cannot be
 * recorded. `BudgetExceeded`, `Refused`: it was never requested, since the budget or the program did not let it. `Resolved`: an
 * operator said so.
 *
 * @category models
 * @since 0.1.0
 */
export const FailureReason = Schema.Literals([
  "Error",
  "Defect",
  "Timeout",
  "Interrupted",
  "Crashed",
  "TooLarge",
  "Unencodable",
  "BudgetExceeded",
  "Refused",
  "Resolved"
])

/**
 * @category models
 * @since 0.1.0
 */
export type FailureReason = typeof FailureReason.Type

/** Of the first event that an execution writes which can say it: its span, in the form of the header of that name. */
const traced = { traceparent: optionalKey(Text) }

const requested = {
  key: OperationKey,
  /** Counts from 1; every attempt has its own request. */
  attempt: Natural,
  idempotencyKey: Text,
  /** Budgets of parts of the run that it belongs to, outermost first: those that no earlier request has named as they are now. */
  within: optionalKey(Schema.Array(Allowance)),
  ...traced
}

const outcome = {
  key: OperationKey,
  attempt: Natural,
  durationMillis: optionalKey(Millis),
  /** Up to which position the program had been shown the log when it got this outcome; absent if that is `seq - 1`. */
  shown: optionalKey(Natural),
  /** Who recorded it, if not the operation itself. */
  actor: optionalKey(Actor)
}

const completed = {
  ...outcome,
  /** An earlier attempt ended with its worker, so the effect may have been asked for more than once. */
  recovered: optionalKey(Schema.Boolean)
}

const failed = {
  ...outcome,
  reason: FailureReason,
  /** For people. */
  error: Text,
  /** The typed failure, encoded with the operation's own error schema, or the refused limit. */
  failure: optionalKey(Json),
  /** No further attempt follows. */
  final: Schema.Boolean,
  /** Whether the effect happened is not known. */
  outcome: optionalKey(Schema.Literal("unknown")),
  /** When the next attempt is due, as the retry schedule chose it once. */
  wakeAtMillis: optionalKey(Millis)
}

const turn = { turn: Natural }

/** The arguments of one tool call as its handler gets them, encoded. */
const call = { ...turn, tool: Text, toolCallId: Text }

/**
 * What a model call does that summarises a conversation.
 *
 * @category models
 * @since 0.1.0
 */
export const Compaction = Schema.Struct({
  /** How many messages its summary replaces in later prompts, after the goal. */
  replaces: Natural,
  /** How much of the summary is shown, in characters of JSON. */
  summaryLength: Natural,
  /** How long the prompt may be that asks for it, in characters of JSON. Absent: as long as what it says. */
  promptLength: optionalKey(Natural)
})

/**
 * Everything that can stand in a log.
 *
 * @category models
 * @since 0.1.0
 */
export const RunEvent = Schema.TaggedUnion({
  RunStarted: {
    schemaVersion: Schema.Literal(1),
    namespace: Text,
    program: Text,
    programVersion: Text,
    input: Json,
    inputDigest: Text,
    tools: Schema.Array(ToolDescription),
    budget: Budget,
    labels: Schema.Record(Text, Text),
    requestedBy: Actor,
    priority: Schema.Int,
    startAtMillis: optionalKey(Millis),
    startKey: optionalKey(Text),
    /** Whether each program has its own keys, or all of the namespace share them. */
    startKeyScope: optionalKey(Schema.Literals(["program", "namespace"])),
    /** Of all that was asked for under the start key. */
    contentDigest: optionalKey(Text),
    parent: optionalKey(Text),
    /** The run whose first `seq` events this log begins with. */
    forkedFrom: optionalKey(Schema.Struct({ runId: RunId, seq: Seq, reason: optionalKey(Text) })),
    /** The span in which the run was started. */
    traceparent: optionalKey(Text),
    goal: optionalKey(Text),
    model: optionalKey(Text),
    systemPrompt: optionalKey(Text),
    systemPromptHash: optionalKey(Text),
    guardrailProfile: optionalKey(Text)
  },
  RunRecovered: { epoch: Natural, owner: Text, ...traced },
  RunStuck: { reason: Text, detail: Text, key: optionalKey(Text), heldBy: optionalKey(Text) },
  RunReleased: { actor: Actor, reason: optionalKey(Text) },
  RunPaused: { actor: Actor, reason: optionalKey(Text) },
  RunResumed: { actor: Actor, reason: optionalKey(Text) },
  BudgetChanged: { budget: Budget, actor: Actor, reason: optionalKey(Text) },
  RunCancelRequested: { actor: Actor, reason: Text },
  RunCompleted: { output: Json, usage: Usage },
  RunFailed: {
    reason: Schema.Literals(["Error", "Defect", "BudgetExceeded", "GuardrailBlocked", "Unencodable"]),
    error: Text,
    failure: optionalKey(Json),
    usage: Usage
  },
  RunCancelled: { reason: Text, actor: Actor, usage: Usage },

  LLMCallRequested: {
    ...requested,
    ...turn,
    model: Text,
    parameters: optionalKey(Json),
    promptDigest: Text,
    messageCount: Natural,
    estimatedTokens: Natural,
    reserve: optionalKey(Spend),
    compaction: optionalKey(Compaction)
  },
  LLMCallCompleted: {
    ...completed,
    ...turn,
    model: optionalKey(Text),
    /** The answer as encoded response parts; never decoded with a toolkit's schema. */
    parts: Schema.Array(Json),
    stopReason: Text,
    usage: CallUsage,
    /** Which prices the cost was computed from, or that the provider said it. */
    priceVersion: optionalKey(Text),
    providerRequestId: optionalKey(Text)
  },
  LLMCallFailed: {
    ...failed,
    ...turn,
    /** The prompt was too long for the provider, and the next turn begins with a summary. */
    compacts: optionalKey(Schema.Boolean),
    /** Of an answer that was given and cannot be recorded: what the provider reported, with its cost. */
    usage: optionalKey(CallUsage),
    priceVersion: optionalKey(Text)
  },

  ToolCallRequested: { ...requested, ...call, arguments: Json, approval: optionalKey(Text) },
  ToolCallCompleted: {
    ...completed,
    ...call,
    result: Json,
    /** The tool answered with its declared failure. */
    isFailure: optionalKey(Schema.Boolean),
    /** The effect happened, but its result does not fit the declared schema; `result` says what could be kept. */
    mismatch: optionalKey(Text)
  },
  ToolCallFailed: { ...failed, ...call, arguments: optionalKey(Json), idempotencyKey: optionalKey(Text) },

  StepRequested: requested,
  StepCompleted: { ...completed, output: Json },
  StepFailed: failed,

  BranchDecided: { key: OperationKey, winner: Text },

  ApprovalRequested: {
    key: OperationKey,
    subject: Text,
    reason: Text,
    turn: optionalKey(Natural),
    tool: optionalKey(Text),
    toolCallId: optionalKey(Text),
    arguments: optionalKey(Json),
    /** The JSON schema of what may be put in their place; absent: that of the tool, if there is one. */
    argumentsSchema: optionalKey(Json),
    expiresAtMillis: optionalKey(Millis),
    /** What an expired request counts as. */
    onExpiry: optionalKey(Schema.Literals(["deny", "approve"])),
    approvers: optionalKey(Schema.Array(Text)),
    /** Whoever started the run may not allow it. */
    notByRequester: optionalKey(Schema.Boolean),
    ...traced
  },
  ApprovalGranted: { key: OperationKey, actor: Actor, comment: optionalKey(Text), arguments: optionalKey(Json) },
  ApprovalDenied: { key: OperationKey, actor: Actor, reason: Text },

  GuardrailTriggered: {
    key: optionalKey(Text),
    turn: optionalKey(Natural),
    layer: Text,
    rule: Text,
    action: Schema.Literals(["ALLOW", "MARK", "REDACT", "ESCALATE", "BLOCK"]),
    detail: Json,
    /** Which guardrail said it, and the version of its rules and detectors. */
    guardrail: optionalKey(Text),
    version: optionalKey(Text),
    /** What it would have done, if it were not only being tried out; `action` is `ALLOW` then. */
    shadow: optionalKey(Schema.Literals(["MARK", "REDACT", "ESCALATE", "BLOCK"])),
    /** The passages that it is about. With `REDACT` the model is shown their replacements; the log keeps the text. */
    spans: optionalKey(Schema.Array(Span)),
    /** It counts towards asking a person about what the run does next. */
    counts: optionalKey(Schema.Boolean),
    /** The run ends because of it. */
    ends: optionalKey(Schema.Boolean),
    latencyMillis: optionalKey(Millis)
  },

  TimerStarted: { key: OperationKey, untilMillis: Millis, ...traced },
  TimerFired: { key: OperationKey },

  SignalAwaited: { key: OperationKey, name: Text, ...traced },
  SignalReceived: { name: Text, payload: Json, actor: optionalKey(Actor), signalId: optionalKey(Text) },

  WaitAbandoned: { key: OperationKey },

  /** Never written: how an event reads that this build does not know or cannot decode. It keeps a run from being executed. */
  UnknownEvent: { type: Text, payload: Json, problem: Text }
})

/**
 * @category models
 * @since 0.1.0
 */
export type RunEvent = typeof RunEvent.Type

/**
 * One case of the vocabulary.
 *
 * @category models
 * @since 0.1.0
 */
export type RunEventOf<Tag extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: Tag }>

/**
 * An event in its envelope: whose log, which position, when by the store's clock, and the lease of the worker that wrote it
 * (absent for decisions from outside).
 *
 * @category models
 * @since 0.1.0
 */
export interface Recorded {
  readonly runId: RunId
  readonly seq: Seq
  readonly at: number
  readonly epoch?: number
  readonly event: RunEvent
}

/**
 * An event as stores keep it: the name of its type, and its fields as JSON text that any database can hold.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoredEvent {
  readonly type: string
  readonly payload: string
}

/**
 * Writes an event for a store. U+0000 becomes U+2400 and a lone surrogate U+FFFD, since databases refuse them; everything
 * that enters a log is cleaned in the same way before it is used, so this changes nothing that was checked at a border. An
 * `UnknownEvent` is written as what it was read from, so copying a log keeps what this build does not know.
 *
 * @category codecs
 * @since 0.1.0
 */
export const encode = (event: RunEvent): StoredEvent =>
  event._tag === "UnknownEvent"
    ? { type: event.type, payload: cleanText(JSON.stringify(event.payload)) }
    : { type: event._tag, payload: cleanText(JSON.stringify({ ...event, _tag: undefined })) }

const parts = (event: RunEvent): { readonly type: string; readonly fields: unknown } => {
  if (event._tag === "UnknownEvent") return { type: event.type, fields: event.payload }
  const { _tag, ...fields } = event
  return { type: _tag, fields }
}

/**
 * Rewrites JSON text so that every database can hold it.
 *
 * @category codecs
 * @since 0.1.0
 */
export const cleanText = (json: string): string =>
  json.includes("\\u0000") || json.includes("\\ud")
    ? json.replace(/\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g, (found) =>
      found === "\\\\" ? found : found === "\\u0000" ? "\u2400" : "\ufffd")
    : json

/**
 * A text as every database holds it, for comparing it with what was stored.
 *
 * @category codecs
 * @since 0.1.0
 */
export const cleanString = (text: string): string => JSON.parse(cleanText(JSON.stringify(text)))

type Decoder = (fields: object) => Result.Result<RunEvent, Schema.SchemaError>

/** One for each type, made when it is needed: the union would look for the type among all of them. */
const decoders = new Map<string, Decoder>()

const decoderOf = (type: keyof typeof RunEvent.cases): Decoder => {
  const known = decoders.get(type)
  if (known !== undefined) return known
  const decoder: Decoder = Schema.decodeUnknownResult(RunEvent.cases[type])
  decoders.set(type, decoder)
  return decoder
}

/**
 * Reads an event from a store. What this build does not know, or cannot decode, is an `UnknownEvent`: reading never fails.
 * Unknown fields are dropped; an optional field that is null reads as absent, unless null is one of its values.
 *
 * @category codecs
 * @since 0.1.0
 */
export const decode = (type: string, fields: unknown): RunEvent => {
  if (!isKnown(type)) return unknownEvent(type, fields, `this build does not know events of type \`${type}\``)
  const result = decoderOf(type)({ ...Object(fields), _tag: type })
  if (Result.isSuccess(result)) return result.success
  const tolerant = decoderOf(type)({ ...withoutNulls(type, Object(fields)), _tag: type })
  return Result.isSuccess(tolerant)
    ? tolerant.success
    : unknownEvent(type, fields, `the fields of this \`${type}\` cannot be read: ${result.failure.message}`)
}

const isKnown = (type: string): type is keyof typeof RunEvent.cases =>
  Object.hasOwn(RunEvent.cases, type) && type !== "UnknownEvent"

const withoutNulls = (type: keyof typeof RunEvent.cases, fields: object): object => {
  const declared: Readonly<Record<string, Schema.Constraint>> = RunEvent.cases[type].fields
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => {
    const field = Object.hasOwn(declared, name) ? declared[name] : undefined
    return value !== null || field === undefined || Schema.is(field)(null)
  }))
}

const unknownEvent = (type: string, fields: unknown, problem: string): RunEvent => ({
  _tag: "UnknownEvent",
  type,
  payload: isJson(fields) ? fields : null,
  problem: oneLine(problem)
})

const isJson = Schema.is(Json)
const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 400).toWellFormed()

/**
 * The one JSON form of a recorded event (export, event feeds, stored logs): the envelope, `type`, then the event's fields.
 * `at` is ISO 8601 in UTC, in whole milliseconds. The `epoch` of a `RunRecovered` is that of its envelope, and stands here once.
 *
 * @category codecs
 * @since 0.1.0
 */
export const toLine = (recorded: Recorded): string => {
  const { event, ...envelope } = recorded
  const { fields, type } = parts(event)
  const head = { ...envelope, at: DateTime.formatIso(DateTime.makeUnsafe(envelope.at)), type }
  return cleanText(JSON.stringify({ ...head, ...(Predicate.isObject(fields) ? fields : { payload: fields }), ...head }))
}

const Line = Schema.fromJsonString(Schema.StructWithRest(
  Schema.Struct({
    runId: RunId,
    seq: Seq,
    at: Schema.DateTimeUtcFromString,
    epoch: optionalKey(Natural),
    type: Text
  }),
  [Schema.Record(Text, Schema.Unknown)]
))

const decodeLine = Schema.decodeUnknownResult(Line)

/**
 * Reads what `toLine` wrote.
 *
 * @category codecs
 * @since 0.1.0
 */
export const fromLine = (line: string): Result.Result<Recorded, string> =>
  Result.mapBoth(decodeLine(line), {
    onFailure: (error) => oneLine(error.message),
    onSuccess: ({ at, epoch, runId, seq, type, ...fields }) => ({
      runId,
      seq,
      at: at.epochMilliseconds,
      ...(epoch === undefined ? {} : { epoch }),
      event: decode(type, type === "RunRecovered" ? { ...fields, epoch } : fields)
    })
  })
