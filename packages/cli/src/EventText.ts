/**
 * What one event says in a trace: a mark, a headline, and every field that the headline does not say.
 */
import { RunEvent, type RunEventOf } from "@durable-agents/core"
import { type Event, type Field, fields, idFields, type Shown, type ValueIn } from "./EventFields.ts"
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

const inline = Printable.inline

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
    LLMCallRequested: (event) => {
      const what = event.key.includes("/screening/")
        ? " for a guardrail"
        : event.compaction === undefined
        ? ""
        : " for a summary"
      return say(".", "plain", `asks the model ${inline(event.model)}${what}${attempt(event)}`, "model")
    },
    LLMCallCompleted: (event) => {
      const calls = event.parts.map(Parts.read).filter((part) => part._tag === "Call").map(({ name }) => inline(name))
      const does = event.key.endsWith("/compaction")
        ? "summarises the turns before"
        : event.key.includes("/screening/")
        ? "answers a guardrail"
        : calls.length === 0
        ? "answers"
        : `calls ${calls.join(", ")}`
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
