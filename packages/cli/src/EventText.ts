/**
 * What one event says in a trace: a mark, a headline, and every field that the headline does not say.
 */
import { RunEvent, type RunEventOf } from "@durable-agents/core"
import { Result, type Schema } from "effect"
import * as Parts from "./Parts.ts"
import * as Printable from "./Printable.ts"
import type { Tone } from "./Style.ts"
import * as Units from "./Units.ts"
import * as WorkerName from "./WorkerName.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface EventText {
  /** At most two characters. */
  readonly mark: string
  readonly tone: Tone
  /** One printable line. */
  readonly headline: string
  /** A few printable words each. */
  readonly facts: ReadonlyArray<string>
  /** Printable lines, as long as they are. */
  readonly details: ReadonlyArray<string>
  /** Digests, ids and the like: a few printable words each, for who looks for them. */
  readonly ids: ReadonlyArray<string>
}

/** Said after everything else. */
const idFields: ReadonlySet<string> = new Set<Field>([
  "schemaVersion",
  "inputDigest",
  "systemPromptHash",
  "promptDigest",
  "idempotencyKey",
  "toolCallId",
  "providerRequestId",
  "signalId",
  "parent",
  "traceparent",
  "owner",
  "heldBy"
])

type Event = RunEvent.RunEvent
type FieldOf<E> = E extends Event ? Exclude<keyof E, "_tag"> : never
type ValueIn<E, Name> = E extends Event ? Name extends keyof E ? Exclude<E[Name], undefined> : never : never

/**
 * The name of any field of any event.
 *
 * @category models
 * @since 0.1.0
 */
export type Field = FieldOf<Event>

/** A few words that share a line with others, or lines of their own. */
type Shown = string | ReadonlyArray<string>

const inline = Printable.inline
const indent = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `  ${line}`)

const labelled = (label: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 1 ? [`${label}: ${lines[0]}`] : [`${label}:`, ...indent(lines)]

const readsAsJson = (text: string): boolean =>
  text.trim() === "" || Result.isSuccess(Result.try(() => JSON.parse(text)))

/** A string stands as it is, unless it could be taken for another value. */
const valueLines = (value: Schema.Json): ReadonlyArray<string> =>
  typeof value === "string" && !readsAsJson(value) ? Printable.block(value) : Printable.json(value)

/**
 * A value below its label, or beside it if it is short.
 *
 * @category conversions
 * @since 0.1.0
 */
export const labelledValue = (label: string, value: Schema.Json): ReadonlyArray<string> =>
  labelled(label, valueLines(value))

/** Whether a text begins with the name of an error, so that it needs no label; on one line. */
export const isNamed = (text: Schema.Json): text is string =>
  typeof text === "string" && /^[A-Z]\w*(?:Error|Exception|Failed|Failure): [^\n\r]*$/.test(text) &&
  Printable.block(text).length === 1

const value = (label: string) => (json: Schema.Json): Shown => labelledValue(label, json)
const word = (label: string) => (text: string): Shown => `${label} ${inline(text)}`
const number = (label: string) => (amount: number): Shown => `${label} ${Units.count(amount)}`
const at = (label: string) => (millis: number): Shown => `${label} ${Units.instant(millis)}`
const lasting = (label: string) => (millis: number): Shown => `${label} ${Units.duration(millis)}`

const budget = ({ costUsd, tokens, toolCalls, turns, wallMillis }: ValueIn<Event, "budget">): string =>
  [
    turns === undefined ? [] : Units.counted(turns, "turn"),
    toolCalls === undefined ? [] : Units.counted(toolCalls, "tool call"),
    tokens === undefined ? [] : Units.counted(tokens, "token"),
    costUsd === undefined ? [] : `${costUsd} USD`,
    wallMillis === undefined ? [] : Units.duration(wallMillis)
  ].flat().join(", ") || "without limits"

const spend = ({ costUsd, tokens }: ValueIn<Event, "reserve">): string =>
  `${Units.counted(tokens, "token")}, ${costUsd} USD`

const usage = (used: ValueIn<Event, "usage">): string => {
  if ("turns" in used) {
    const { cachedInputTokens, costUsd, inputTokens, outputTokens, possible, toolCalls, turns, unreportedCalls } = used
    return [
      `used ${Units.counted(turns, "turn")}`,
      Units.counted(toolCalls, "tool call"),
      `${Units.count(inputTokens)} tokens in`,
      `${Units.count(cachedInputTokens)} of them cached`,
      `${Units.count(outputTokens)} out`,
      `${costUsd} USD`,
      unreportedCalls === 0 ? [] : `${Units.counted(unreportedCalls, "model call")} unreported`,
      possible.tokens === 0 && Number(possible.costUsd) === 0 ? [] : `possibly ${spend(possible)} more`
    ].flat().join(", ")
  }
  const { cachedInputTokens, costUsd, inputTokens, outputTokens } = used
  if (Object.keys(used).length === 0) return "tokens and cost not reported"
  return [
    inputTokens === undefined ? "tokens in not reported" : `${Units.count(inputTokens)} tokens in`,
    cachedInputTokens === undefined ? [] : `${Units.count(cachedInputTokens)} of them cached`,
    outputTokens === undefined ? "tokens out not reported" : `${Units.count(outputTokens)} out`,
    costUsd === undefined ? "cost not reported" : `${costUsd} USD`
  ].flat().join(", ")
}

const tool = ({ approval, description, effect, name, parameters }: ValueIn<Event, "tools">[number]) => [
  `${inline(name)} (${effect}${approval ? ", asks for approval" : ""})`,
  ...indent([
    ...(description === undefined ? [] : labelled("description", valueLines(description))),
    ...labelled("parameters", valueLines(parameters))
  ])
]

const part = (recorded: Schema.Json): ReadonlyArray<string> => {
  const known = Parts.read(recorded)
  if (known._tag === "Other") return labelled("part", valueLines(known.part))
  const rest = Object.keys(known.rest).length === 0 ? [] : labelled("further", valueLines(known.rest))
  return known._tag === "Text"
    ? [...labelled(known.kind, valueLines(known.text)), ...indent(rest)]
    : [
      `calls ${inline(known.name)}, call id ${inline(known.id)}`,
      ...indent([...labelled("arguments", valueLines(known.params)), ...rest])
    ]
}

/** How each field reads. A new field of an event does not compile until it has an entry. */
const fields: { readonly [Name in Field]: (value: ValueIn<Event, Name>) => Shown } = {
  schemaVersion: number("log format"),
  namespace: word("namespace"),
  program: word("program"),
  programVersion: word("version"),
  input: value("input"),
  inputDigest: word("input digest"),
  tools: (tools) => tools.length === 0 ? [] : ["tools:", ...indent(tools.flatMap(tool))],
  budget: (limits) => `budget ${budget(limits)}`,
  labels: (labels) => Object.keys(labels).length === 0 ? [] : value("labels")(labels),
  requestedBy: (who) => `requested by ${Units.actor(who)}`,
  priority: number("priority"),
  startAtMillis: at("not before"),
  startKey: word("start key"),
  parent: word("parent"),
  traceparent: word("traceparent"),
  goal: value("goal"),
  model: word("model"),
  systemPrompt: value("system prompt"),
  systemPromptHash: word("system prompt digest"),
  guardrailProfile: word("guardrail profile"),
  epoch: number("lease"),
  owner: word("worker"),
  reason: value("reason"),
  detail: value("detail"),
  key: word("key"),
  heldBy: word("held by"),
  actor: (who) => `by ${Units.actor(who)}`,
  output: value("output"),
  usage,
  error: (text) => isNamed(text) ? [inline(text)] : value("error")(text),
  failure: value("failure"),
  attempt: number("attempt"),
  idempotencyKey: word("idempotency key"),
  turn: number("turn"),
  parameters: value("parameters"),
  promptDigest: word("prompt digest"),
  messageCount: (messages) => Units.counted(messages, "message"),
  estimatedTokens: (tokens) => `about ${Units.counted(tokens, "token")}`,
  reserve: (reserved) => `reserves up to ${spend(reserved)}`,
  durationMillis: lasting("took"),
  shown: number("given to the program after event"),
  recovered: (recovered) => recovered ? "an earlier attempt ended with its worker" : "no attempt was lost",
  parts: (parts) => parts.flatMap(part),
  stopReason: word("stop reason"),
  providerRequestId: word("request id"),
  final: (final) => final ? "no further attempt" : "not the last attempt",
  outcome: () => "outcome unknown",
  wakeAtMillis: at("next attempt due"),
  tool: word("tool"),
  toolCallId: word("call id"),
  arguments: value("arguments"),
  approval: word("approval"),
  result: value("result"),
  isFailure: (isFailure) => isFailure ? "the tool's declared failure" : "not a failure of the tool",
  mismatch: value("mismatch"),
  winner: word("winner"),
  subject: value("subject"),
  expiresAtMillis: at("expires"),
  onExpiry: word("on expiry"),
  approvers: (approvers) => `may be decided by ${approvers.map(inline).join(", ") || "nobody"}`,
  comment: value("comment"),
  layer: word("layer"),
  rule: word("rule"),
  action: word("action"),
  counts: (counts) => counts ? "counts towards asking a person" : "does not count towards asking a person",
  ends: (ends) => ends ? "ends the run" : "does not end the run",
  latencyMillis: lasting("took"),
  untilMillis: at("until"),
  name: word("signal"),
  payload: value("payload"),
  signalId: word("signal id"),
  type: word("type"),
  problem: value("problem")
}

interface Headline extends Pick<EventText, "mark" | "tone" | "headline"> {
  /** The fields that the headline says in full. */
  readonly says: ReadonlyArray<Field>
}

const say = (mark: string, tone: Tone, headline: string, ...says: ReadonlyArray<Field>): Headline => ({
  mark,
  tone,
  headline,
  says
})

const attempt = ({ attempt }: { readonly attempt: number }): string => attempt > 1 ? ` [attempt ${attempt}]` : ""

const completion = (event: RunEventOf<"LLMCallCompleted" | "ToolCallCompleted" | "StepCompleted">): string =>
  `${attempt(event)}${event.recovered === true ? " [recovered]" : ""}`

const failed = (
  what: string,
  event: RunEventOf<"LLMCallFailed" | "ToolCallFailed" | "StepFailed">,
  ...says: ReadonlyArray<Field>
): Headline =>
  say(
    "!!",
    "bad",
    `${what} failed: ${event.reason}${attempt(event)}${event.outcome === "unknown" ? " [outcome unknown]" : ""}`,
    "reason",
    ...says
  )

const headlineOf = (event: Event, here: string | undefined): Headline =>
  RunEvent.RunEvent.match(event, {
    // A goal in words is recorded as the input and once more by that name.
    RunStarted: ({ goal, input, program }) =>
      goal === input
        ? say("*", "strong", `a run of ${inline(program)} starts`, "program", "goal")
        : say("*", "strong", `a run of ${inline(program)} starts`, "program"),
    RunRecovered: ({ epoch, owner }) => {
      const name = WorkerName.shortened(owner, here)
      const headline = `another worker takes over with lease ${epoch}: ${inline(name)}`
      return name === owner ? say("!!", "odd", headline, "epoch", "owner") : say("!!", "odd", headline, "epoch")
    },
    RunStuck: ({ reason }) => say("!!", "bad", `the run is stuck: ${inline(reason)}`, "reason"),
    RunReleased: ({ actor }) => say("*", "strong", `released by ${Units.actor(actor)}`, "actor"),
    RunPaused: ({ actor }) => say("*", "wait", `paused by ${Units.actor(actor)}`, "actor"),
    RunResumed: ({ actor }) => say("*", "strong", `resumed by ${Units.actor(actor)}`, "actor"),
    BudgetChanged: ({ actor }) => say("*", "strong", `budget changed by ${Units.actor(actor)}`, "actor"),
    RunCancelRequested: ({ actor }) => say("no", "bad", `cancel requested by ${Units.actor(actor)}`, "actor"),
    RunCompleted: () => say("*", "good", "the run completes"),
    RunFailed: ({ reason }) => say("!!", "bad", `the run fails: ${reason}`, "reason"),
    RunCancelled: ({ actor }) => say("no", "bad", `the run is cancelled, as ${Units.actor(actor)} wanted`, "actor"),
    LLMCallRequested: (event) => say(".", "plain", `asks the model ${inline(event.model)}${attempt(event)}`, "model"),
    LLMCallCompleted: (event) => {
      const calls = event.parts.map(Parts.read).filter((part) => part._tag === "Call").map(({ name }) => inline(name))
      const does = calls.length === 0 ? "answers" : `calls ${calls.join(", ")}`
      return say(">", "strong", `the model ${does}${completion(event)}`)
    },
    LLMCallFailed: (event) => failed("the model", event),
    ToolCallRequested: (event) => say("->", "strong", `calls ${inline(event.tool)}${attempt(event)}`, "tool"),
    ToolCallCompleted: (event) =>
      event.isFailure === true
        ? say("!!", "bad", `${inline(event.tool)} answers with a failure${completion(event)}`, "tool", "isFailure")
        : say("ok", "good", `${inline(event.tool)} returns${completion(event)}`, "tool"),
    ToolCallFailed: (event) => failed(inline(event.tool), event, "tool"),
    StepRequested: (event) => say("->", "strong", `begins step ${inline(event.key)}${attempt(event)}`, "key"),
    StepCompleted: (event) => say("ok", "good", `step ${inline(event.key)} completes${completion(event)}`, "key"),
    StepFailed: (event) => failed(`step ${inline(event.key)}`, event, "key"),
    BranchDecided: ({ key, winner }) =>
      say("=>", "strong", `${inline(key)}: ${inline(winner)} comes first`, "key", "winner"),
    ApprovalRequested: ({ subject }) => say("##", "wait", `asks for approval: ${inline(subject)}`, "subject"),
    ApprovalGranted: ({ actor }) => say("ok", "good", `approved by ${Units.actor(actor)}`, "actor"),
    ApprovalDenied: ({ actor }) => say("no", "bad", `denied by ${Units.actor(actor)}`, "actor"),
    GuardrailTriggered: ({ action, layer, rule }) =>
      say("!!", "odd", `guardrail ${action}: ${inline(rule)} (${inline(layer)})`, "action", "layer", "rule"),
    TimerStarted: ({ key, untilMillis }) =>
      say("zz", "wait", `${inline(key)}: sleeps until ${Units.instant(untilMillis)}`, "key", "untilMillis"),
    TimerFired: ({ key }) => say("zz", "good", `${inline(key)}: wakes up`, "key"),
    SignalAwaited: ({ name }) => say("<-", "wait", `waits for signal ${inline(name)}`, "name"),
    SignalReceived: ({ actor, name }) =>
      actor === undefined
        ? say("<-", "good", `signal ${inline(name)}`, "name")
        : say("<-", "good", `signal ${inline(name)} from ${Units.actor(actor)}`, "name", "actor"),
    WaitAbandoned: ({ key }) => say("--", "plain", `${inline(key)}: no longer waited for`, "key"),
    UnknownEvent: ({ problem, type }) => say("??", "bad", `${inline(type)}: ${inline(problem)}`, "type", "problem")
  })

type Entry<Name extends Field> = readonly [Name, ValueIn<Event, Name>]

const show = <Name extends Field>([name, value]: Entry<Name>): Shown => fields[name](value)

/** `Object.entries` forgets which fields there are. */
const entriesOf = ({ _tag, ...fields }: Event) => Object.entries(fields) as ReadonlyArray<Entry<Field>>

/**
 * What an event says. `links` says which other events it belongs to.
 *
 * @category conversions
 * @since 0.1.0
 */
export const make = (
  event: Event,
  options: {
    readonly links?: ReadonlyArray<string>
    readonly without?: ReadonlyArray<Field>
    /** The machine whose workers are named without it. */
    readonly here?: string | undefined
  } = {}
): EventText => {
  const { headline, mark, says, tone } = headlineOf(event, options.here)
  const texts = entriesOf(event)
    .filter(([name]) => !says.includes(name) && options.without?.includes(name) !== true)
    .map((entry) => ({ isId: idFields.has(entry[0]), shown: show(entry) }))
  const short = (isId: boolean) =>
    texts.flatMap((text) => typeof text.shown === "string" && text.isId === isId ? [text.shown] : [])
  return {
    mark,
    tone,
    headline,
    facts: [...(options.links ?? []), ...short(false)],
    details: texts.flatMap(({ shown }) => typeof shown === "string" ? [] : shown),
    ids: short(true)
  }
}
