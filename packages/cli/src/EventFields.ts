/**
 * How each field of an event reads in a trace.
 */
import type { RunEvent } from "@durable-agents/core"
import { Result, type Schema } from "effect"
import * as Parts from "./Parts.ts"
import * as Printable from "./Printable.ts"
import * as Units from "./Units.ts"

/**
 * The fields that are said after everything else.
 *
 * @category constants
 * @since 0.1.0
 */
export const idFields: ReadonlySet<string> = new Set<Field>([
  "schemaVersion",
  "inputDigest",
  "contentDigest",
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

/**
 * Any event.
 *
 * @category models
 * @since 0.1.0
 */
export type Event = RunEvent.RunEvent
type FieldOf<E> = E extends Event ? Exclude<keyof E, "_tag"> : never
/**
 * What a field of that name holds, in whichever event has it.
 *
 * @category models
 * @since 0.1.0
 */
export type ValueIn<E, Name> = E extends Event ? Name extends keyof E ? Exclude<E[Name], undefined> : never : never

/**
 * The name of any field of any event.
 *
 * @category models
 * @since 0.1.0
 */
export type Field = FieldOf<Event>

/**
 * A few words that share a line with others, or lines of their own.
 *
 * @category models
 * @since 0.1.0
 */
export type Shown = string | ReadonlyArray<string>

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

/**
 * Whether a text begins with the name of an error, so that it needs no label; on one line.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isNamed = (text: Schema.Json): text is string =>
  typeof text === "string" && /^[A-Z]\w*(?:Error|Exception|Failed|Failure): [^\n\r]*$/.test(text) &&
  Printable.block(text).length === 1

const value = (label: string) => (json: Schema.Json): Shown => labelledValue(label, json)
const word = (label: string) => (text: string): Shown => `${label} ${inline(text)}`
const number = (label: string) => (amount: number): Shown => `${label} ${Units.count(amount)}`
const at = (label: string) => (millis: number): Shown => `${label} ${Units.instant(millis)}`
const lasting = (label: string) => (millis: number): Shown => `${label} ${Units.duration(millis)}`

const budget = (
  { activeMillis, atLimit, costUsd, tokens, toolCalls, turns, unpriced, wallMillis }: ValueIn<Event, "budget">
): string =>
  [
    turns === undefined ? [] : Units.counted(turns, "turn"),
    toolCalls === undefined ? [] : Units.counted(toolCalls, "tool call"),
    tokens === undefined ? [] : Units.counted(tokens, "token"),
    costUsd === undefined ? [] : `${costUsd} USD`,
    wallMillis === undefined ? [] : Units.duration(wallMillis),
    activeMillis === undefined ? [] : `${Units.duration(activeMillis)} of activity`,
    unpriced === undefined ? [] : `models without a price: ${unpriced}`,
    atLimit === undefined ? [] : `at a limit: ${atLimit}`
  ].flat().join(", ") || "without limits"

const spend = ({ costUsd, tokens }: ValueIn<Event, "reserve">): string =>
  `${Units.counted(tokens, "token")}, ${costUsd} USD`

const usage = (used: ValueIn<Event, "usage">): string => {
  if ("turns" in used) {
    const { cachedInputTokens, inputTokens, outputTokens, possible, toolCalls, turns, unreportedCalls } = used
    return [
      `used ${Units.counted(turns, "turn")}`,
      Units.counted(toolCalls, "tool call"),
      `${Units.count(inputTokens)} tokens in`,
      `${Units.count(cachedInputTokens)} of them cached`,
      `${Units.count(outputTokens)} out`,
      Units.cost(used),
      unreportedCalls === 0 ? [] : `${Units.counted(unreportedCalls, "model call")} unreported`,
      possible.tokens === 0 && possible.costUsd === "0" ? [] : `possibly ${spend(possible)} more`
    ].flat().join(", ")
  }
  const { cacheWriteTokens, cachedInputTokens, costUsd, inputTokens, outputTokens, reasoningTokens } = used
  if (Object.keys(used).length === 0) return "tokens and cost not reported"
  return [
    inputTokens === undefined ? "tokens in not reported" : `${Units.count(inputTokens)} tokens in`,
    cachedInputTokens === undefined ? [] : `${Units.count(cachedInputTokens)} of them cached`,
    cacheWriteTokens === undefined ? [] : `${Units.count(cacheWriteTokens)} written to the cache`,
    outputTokens === undefined ? "tokens out not reported" : `${Units.count(outputTokens)} out`,
    reasoningTokens === undefined ? [] : `${Units.count(reasoningTokens)} of them reasoning`,
    costUsd === undefined ? "cost not known" : `${costUsd} USD`
  ].flat().join(", ")
}

const tool = ({ approval, description, effect, labels, name, parameters }: ValueIn<Event, "tools">[number]) => [
  `${inline(name)} (${effect}${approval ? ", asks for approval" : ""})`,
  ...indent([
    ...(description === undefined ? [] : labelled("description", valueLines(description))),
    ...labelled("parameters", valueLines(parameters)),
    ...(labels === undefined ? [] : labelled("labels", valueLines(labels)))
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

/**
 * How each field reads. A new field of an event does not compile until it has an entry.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fields: { readonly [Name in Field]: (value: ValueIn<Event, Name>) => Shown } = {
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
  startKeyScope: (scope) => scope === "program" ? [] : `key of the whole ${scope}`,
  contentDigest: word("content digest"),
  parent: word("parent"),
  forkedFrom: ({ reason, runId, seq }) => [
    `begins with the first ${Units.counted(seq, "event")} of ${inline(runId)}`,
    ...(reason === undefined ? [] : value("because")(reason))
  ],
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
  priceVersion: word("priced by"),
  error: (text) => isNamed(text) ? [inline(text)] : value("error")(text),
  failure: value("failure"),
  attempt: number("attempt"),
  idempotencyKey: word("idempotency key"),
  within: (parts) => parts.map((part) => `budget of ${inline(part.path)}: ${budget(part.budget)}`),
  turn: number("turn"),
  parameters: value("parameters"),
  promptDigest: word("prompt digest"),
  messageCount: (messages) => Units.counted(messages, "message"),
  estimatedTokens: (tokens) => `about ${Units.counted(tokens, "token")}`,
  reserve: (reserved) => `reserves up to ${spend(reserved)}`,
  compaction: ({ promptLength, replaces, summaryLength }) =>
    [
      `a summary of ${Units.counted(replaces, "message")}`,
      promptLength === undefined ? [] : `asked for with at most ${Units.counted(promptLength, "character")}`,
      `of which ${Units.counted(summaryLength, "character")} are shown`
    ].flat().join(", "),
  compacts: (compacts) => compacts ? "the next turn begins with a summary" : "no summary follows",
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
  argumentsSchema: value("what may be put there"),
  expiresAtMillis: at("expires"),
  onExpiry: word("on expiry"),
  approvers: (approvers) => `may be decided by ${approvers.map(inline).join(", ") || "nobody"}`,
  notByRequester: (isSo) => isSo ? "not to be allowed by who started the run" : "may be allowed by who started the run",
  comment: value("comment"),
  layer: word("layer"),
  rule: word("rule"),
  action: word("action"),
  guardrail: word("of the guardrail"),
  version: word("in version"),
  shadow: (action) => `tried out: it would have been ${action}`,
  spans: value("passages"),
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
