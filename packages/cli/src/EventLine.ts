/**
 * What one event says in a single line: the fields that tell the story, long values shortened.
 */
import { type Recorded, RunEvent } from "@durable-agents/core"
import type { Schema } from "effect"
import * as Parts from "./Parts.ts"
import * as Printable from "./Printable.ts"
import * as Units from "./Units.ts"
import * as WorkerName from "./WorkerName.ts"

const quote = (text: string): string =>
  `'${Printable.jsonText(JSON.stringify(text)).slice(1, -1).replaceAll("\\\"", "\"").replaceAll("'", "\\'")}'`

const literal = (value: Schema.Json, depth = 0): string => {
  if (typeof value === "string") return quote(value)
  if (typeof value !== "object" || value === null) return `${value}`
  if (depth === 8) return "..."
  return Array.isArray(value)
    ? `[${value.map((item) => literal(item, depth + 1)).join(", ")}]`
    : `{${Object.entries(value).map(([name, item]) => `${quote(name)}: ${literal(item, depth + 1)}`).join(", ")}}`
}

const longest = 160

const shorten = (value: Schema.Json): string => {
  const whole = literal(value)
  if (whole.length <= longest) return whole
  if (typeof value !== "string") return Array.isArray(value) ? "[...]" : "{...}"
  return quote(`${Array.from(value.slice(0, longest)).slice(0, -1).join("")}...`)
}

type Field = readonly [name: string, value: Schema.Json | undefined]

const pairs = (...fields: ReadonlyArray<Field>): ReadonlyArray<string> =>
  fields.flatMap(([name, value]) => value === undefined ? [] : [`${name}=${shorten(value)}`])

const attempt = (attempt: number): number | undefined => attempt > 1 ? attempt : undefined
const flag = (set: boolean | undefined, text: string): ReadonlyArray<string> => set === true ? [`[${text}]`] : []
const by = (actor: Parameters<typeof Units.actor>[0]): Field => ["by", Units.actor(actor)]

const answer = (parts: ReadonlyArray<Schema.Json>): ReadonlyArray<string> => {
  const known = parts.map(Parts.read)
  const calls = known.filter((part) => part._tag === "Call")
  const text = known.map((part) => part._tag === "Text" && part.kind === "text" ? part.text : "").join("")
  return calls.length === 0
    ? ["->", shorten(text)]
    : ["->", calls.map(({ name, params }) => `${Printable.inline(name)}(${shorten(params)})`).join(", ")]
}

/** Names of workers are long and differ at their end. */
const inShort = (owner: string, here: string | undefined): string => {
  const name = WorkerName.shortened(owner, here)
  return name.length <= 40 ? name : `...${name.slice(-12)}`
}

const words = (event: RunEvent.RunEvent, here: string | undefined): ReadonlyArray<string> =>
  RunEvent.RunEvent.match(event, {
    RunStarted: ({ goal, input, program }) =>
      goal === undefined ? pairs(["program", program], ["input", input]) : pairs(["goal", goal]),
    RunRecovered: ({ epoch, owner }) => pairs(["lease", epoch], ["worker", inShort(owner, here)]),
    RunStuck: ({ detail, key, reason }) => pairs(["reason", reason], ["detail", detail], ["key", key]),
    RunReleased: ({ actor, reason }) => pairs(by(actor), ["reason", reason]),
    RunPaused: ({ actor, reason }) => pairs(by(actor), ["reason", reason]),
    RunResumed: ({ actor, reason }) => pairs(by(actor), ["reason", reason]),
    BudgetChanged: ({ actor, budget, reason }) => pairs(["budget", budget], by(actor), ["reason", reason]),
    RunCancelRequested: ({ actor, reason }) => pairs(by(actor), ["reason", reason]),
    RunCompleted: ({ output }) => pairs([typeof output === "string" ? "final_answer" : "output", output]),
    RunFailed: ({ error, reason }) => pairs(["reason", reason], ["error", error]),
    RunCancelled: ({ actor, reason }) => pairs(by(actor), ["reason", reason]),
    LLMCallRequested: (event) => pairs(["turn", event.turn], ["attempt", attempt(event.attempt)]),
    LLMCallCompleted: ({ key, parts, recovered, turn }) => [
      ...pairs(["turn", turn]),
      ...answer(parts),
      ...flag(key.endsWith("/compaction"), "summary"),
      ...flag(recovered, "recovered")
    ],
    LLMCallFailed: ({ attempt, error, outcome, turn }) =>
      pairs(["turn", turn], ["attempt", attempt], ["error", error], ["outcome", outcome]),
    ToolCallRequested: (event) => [
      ...pairs(["turn", event.turn]),
      `${Printable.inline(event.tool)}(...)`,
      ...pairs(["attempt", attempt(event.attempt)])
    ],
    ToolCallCompleted: ({ isFailure, mismatch, recovered, result, tool, turn }) => [
      ...pairs(["turn", turn]),
      `${Printable.inline(tool)} -> ${shorten(result)}`,
      ...flag(isFailure, "failure"),
      ...flag(mismatch !== undefined, "mismatch"),
      ...flag(recovered, "recovered")
    ],
    ToolCallFailed: ({ attempt, error, outcome, reason, tool, turn }) => [
      ...pairs(["turn", turn]),
      Printable.inline(tool),
      ...pairs(["attempt", attempt], ["reason", reason], ["error", error], ["outcome", outcome])
    ],
    StepRequested: (event) => [Printable.inline(event.key), ...pairs(["attempt", attempt(event.attempt)])],
    StepCompleted: ({ key, output, recovered }) => [
      `${Printable.inline(key)} -> ${shorten(output)}`,
      ...flag(recovered, "recovered")
    ],
    StepFailed: ({ attempt, error, key, outcome, reason }) => [
      Printable.inline(key),
      ...pairs(["attempt", attempt], ["reason", reason], ["error", error], ["outcome", outcome])
    ],
    BranchDecided: ({ key, winner }) => [Printable.inline(key), ...pairs(["winner", winner])],
    ApprovalRequested: ({ key, reason, subject, tool, turn }) => [
      ...pairs(["turn", turn]),
      tool === undefined ? Printable.inline(key) : `${Printable.inline(tool)}(...)`,
      ...pairs(["subject", subject], ["reason", reason])
    ],
    ApprovalGranted: ({ actor, comment, key }) => [Printable.inline(key), ...pairs(by(actor), ["comment", comment])],
    ApprovalDenied: ({ actor, key, reason }) => [Printable.inline(key), ...pairs(by(actor), ["reason", reason])],
    GuardrailTriggered: ({ action, detail, layer, rule, turn }) => [
      ...pairs(["turn", turn]),
      action,
      ...pairs(["layer", layer], ["rule", rule], ["detail", detail])
    ],
    TimerStarted: ({ key, untilMillis }) => [Printable.inline(key), ...pairs(["until", Units.instant(untilMillis)])],
    TimerFired: ({ key }) => [Printable.inline(key)],
    SignalAwaited: ({ key, name }) => [Printable.inline(key), ...pairs(["signal", name])],
    SignalReceived: ({ actor, name, payload }) => [
      Printable.inline(name),
      ...pairs(["payload", payload], ...(actor === undefined ? [] : [by(actor)]))
    ],
    WaitAbandoned: ({ key }) => [Printable.inline(key)],
    UnknownEvent: ({ payload, problem }) => [...pairs(["payload", payload]), Printable.inline(`(${problem})`)]
  })

/**
 * One event on one line. Shortens values beyond 160 characters. `here` is the machine whose workers are named without it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const make = ({ event, seq }: Recorded, here?: string): string => {
  const type = event._tag === "UnknownEvent" ? Printable.inline(event.type) : event._tag
  return [`seq=${`${seq}`.padStart(3)} `, `${type.padEnd(18)}`, ...words(event, here)].join(" ").trimEnd()
}
