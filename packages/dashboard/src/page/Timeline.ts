/**
 * A log as a story: what belongs together stands together, where it began.
 */
import type { recordedOf } from "@durable-agents/server/Api"
import type { Result } from "effect"
import { Schema } from "effect"
import { duration, spaced, time } from "./Text.ts"

type Recorded = Result.Result.Success<ReturnType<typeof recordedOf>>
type Event = Recorded["event"]
type EventOf<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>
type Json = Schema.Json

export type { Recorded }

/** One line of what happened within an entry. */
export interface Line {
  readonly at: number
  readonly tone: Tone
  readonly text: string
  readonly value?: Json | undefined
}

/** How something is to be taken. */
export type Tone = "plain" | "good" | "bad" | "wait" | "care"

export interface Entry {
  /** Unique within the log. */
  readonly id: string
  readonly at: number
  readonly kind: "run" | "model" | "tool" | "step" | "approval" | "guardrail" | "wait" | "person"
  readonly title: string
  readonly tone: Tone
  /** In a word: how it stands. */
  readonly state: string
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  /** What went in, such as arguments. */
  readonly input?: Json | undefined
  readonly lines: ReadonlyArray<Line>
}

/** Entries in the order in which they began, and how many events they are made of. */
export interface Timeline {
  readonly entries: ReadonlyArray<Entry>
  readonly next: number
}

export const empty: Timeline = { entries: [], next: 0 }

/** Goes on with the events that follow; those that it has already are left out. */
export const add = (timeline: Timeline, events: ReadonlyArray<Recorded>): Timeline => {
  const entries = [...timeline.entries]
  const places = new Map(entries.map(({ id }, index) => [id, index]))
  let next = timeline.next
  for (const recorded of events) {
    if (recorded.seq < next) continue
    next = recorded.seq + 1
    for (const change of changes(recorded)) {
      const index = places.get(change.id)
      const before = index === undefined ? undefined : entries[index]
      if (index === undefined || before === undefined) {
        places.set(change.id, entries.length)
        entries.push({
          ...blank,
          at: recorded.at,
          ...change,
          title: change.title ?? change.id,
          lines: change.lines ?? []
        })
      } else {
        entries[index] = {
          ...before,
          ...change,
          title: change.title ?? before.title,
          facts: merge(before.facts, change.facts ?? []),
          input: before.input ?? change.input,
          lines: [...before.lines, ...(change.lines ?? [])]
        }
      }
    }
  }
  return { entries, next }
}

type Change = Partial<Omit<Entry, "at">> & Pick<Entry, "id">

const blank = { kind: "run", tone: "plain", state: "", facts: [] } as const

const merge = (before: Entry["facts"], after: Entry["facts"]): Entry["facts"] => [
  ...before.filter(([name]) => !after.some(([other]) => other === name)),
  ...after
]

const changes = ({ at, event, seq }: Recorded): ReadonlyArray<Change> => {
  const line = (text: string, tone: Tone = "plain", value?: Json): Line => ({ at, text, tone, value })
  const note = (change: Omit<Change, "id">): ReadonlyArray<Change> => [{ id: `event ${seq}`, ...change }]
  switch (event._tag) {
    case "RunStarted":
      return note({
        title: "Run started",
        facts: facts({
          program: `${event.program} ${event.programVersion}`,
          by: event.requestedBy.id,
          model: event.model,
          "guardrail profile": event.guardrailProfile,
          "forked from": event.forkedFrom === undefined
            ? undefined
            : `${event.forkedFrom.runId}, ${event.forkedFrom.seq} events`
        }),
        input: event.input
      })
    case "RunRecovered":
      return note({
        title: `A worker took the run up again, attempt ${event.epoch}`,
        tone: "care",
        facts: [["worker", event.owner]]
      })
    case "RunStuck":
      return note({
        title: "Run is stuck",
        tone: "bad",
        state: spaced(event.reason),
        lines: [line(event.detail, "bad")]
      })
    case "RunReleased":
    case "RunPaused":
    case "RunResumed":
      return note({
        kind: "person",
        title: `${acts[event._tag]} by ${event.actor.id}`,
        lines: said(line, event.reason)
      })
    case "BudgetChanged":
      return note({
        kind: "person",
        title: `Budget changed by ${event.actor.id}`,
        input: { ...event.budget },
        lines: said(line, event.reason)
      })
    case "RunCancelRequested":
      return note({
        kind: "person",
        tone: "care",
        title: `Cancel requested by ${event.actor.id}`,
        lines: said(line, event.reason)
      })
    case "RunCompleted":
      return note({ title: "Run completed", tone: "good", lines: [line("Output", "good", event.output)] })
    case "RunFailed":
      return note({
        title: `Run failed: ${spaced(event.reason)}`,
        tone: "bad",
        lines: [line(event.error, "bad", event.failure)]
      })
    case "RunCancelled":
      return note({ title: `Run cancelled by ${event.actor.id}`, tone: "bad", lines: said(line, event.reason) })

    case "LLMCallRequested":
      return [{
        id: event.key,
        kind: "model",
        ...running(
          event,
          event.compaction === undefined ? `Turn ${event.turn}: ask the model` : `Turn ${event.turn}: summarise`,
          line
        ),
        facts: [["model", event.model], ["messages", `${event.messageCount}`]]
      }]
    case "LLMCallCompleted":
      return [{
        id: event.key,
        kind: "model",
        ...succeeded(event),
        facts: facts({
          "tokens in": numberText(event.usage.inputTokens),
          "tokens out": numberText(event.usage.outputTokens),
          cost: event.usage.costUsd === undefined ? undefined : `$${event.usage.costUsd}`,
          took: tookText(event.durationMillis),
          stopped: event.stopReason
        }),
        lines: [...recoveredLine(event, line), ...event.parts.map((part) => partLine(part, line))]
      }]
    case "ToolCallRequested":
      return [{
        id: event.key,
        kind: "tool",
        ...running(event, `Call ${event.tool}`, line),
        facts: facts({ turn: `${event.turn}`, "allowed by": event.approval }),
        input: event.arguments
      }]
    case "ToolCallCompleted":
      return [{
        id: event.key,
        kind: "tool",
        ...succeeded(event),
        ...(event.isFailure === true ? { tone: "care" as const, state: "answered with a failure" } : {}),
        facts: facts({ took: tookText(event.durationMillis), "recorded by": event.actor?.id }),
        lines: [
          ...recoveredLine(event, line),
          ...(event.mismatch === undefined ? [] : [line(event.mismatch, "care")]),
          line("Result", "plain", event.result)
        ]
      }]
    case "StepRequested":
      return [{ id: event.key, kind: "step", ...running(event, `Step ${event.key}`, line) }]
    case "StepCompleted":
      return [{
        id: event.key,
        kind: "step",
        ...succeeded(event),
        facts: facts({ took: tookText(event.durationMillis), "recorded by": event.actor?.id }),
        lines: [...recoveredLine(event, line), line("Output", "plain", event.output)]
      }]
    case "LLMCallFailed":
      return [{ id: event.key, kind: "model", ...failed(event, `Turn ${event.turn}: ask the model`, line) }]
    case "ToolCallFailed":
      return [{ id: event.key, kind: "tool", ...failed(event, `Call ${event.tool}`, line), input: event.arguments }]
    case "StepFailed":
      return [{ id: event.key, kind: "step", ...failed(event, `Step ${event.key}`, line) }]
    case "BranchDecided":
      return note({ title: `${event.winner} was first in ${event.key}` })

    case "ApprovalRequested":
      return [{
        id: event.key,
        kind: "approval",
        title: `Asked for approval: ${event.subject}`,
        tone: "wait",
        state: "waits for a decision",
        facts: facts({ tool: event.tool, approvers: event.approvers?.join(", ") }),
        input: event.arguments,
        lines: event.reason === "" ? [] : [line(event.reason)]
      }]
    case "ApprovalGranted":
      return [{
        id: event.key,
        kind: "approval",
        tone: "good",
        state: `approved by ${event.actor.id}`,
        lines: [
          line(`Approved by ${event.actor.id}${event.comment === undefined ? "" : `: ${event.comment}`}`, "good"),
          ...(event.arguments === undefined ? [] : [line("With these arguments instead", "care", event.arguments)])
        ]
      }]
    case "ApprovalDenied":
      return [{
        id: event.key,
        kind: "approval",
        tone: "bad",
        state: `denied by ${event.actor.id}`,
        lines: [line(`Denied by ${event.actor.id}${event.reason === "" ? "" : `: ${event.reason}`}`, "bad")]
      }]
    case "GuardrailTriggered":
      return note({
        kind: "guardrail",
        title: `Guardrail ${event.rule}: ${verdicts[event.shadow ?? event.action]}`,
        tone: event.action === "BLOCK" ? "bad" : event.action === "ALLOW" ? "plain" : "care",
        state: event.shadow === undefined ? "" : "only tried out",
        facts: facts({ about: event.key, layer: event.layer, guardrail: event.guardrail }),
        input: event.detail
      })
    case "TimerStarted":
      return [{
        id: event.key,
        kind: "wait",
        title: `Sleep ${event.key}`,
        tone: "wait",
        state: "sleeps",
        facts: [["until", time(event.untilMillis)]]
      }]
    case "TimerFired":
      return [{ id: event.key, kind: "wait", tone: "plain", state: "woke", lines: [line("Woke")] }]
    case "SignalAwaited":
      return [{
        id: event.key,
        kind: "wait",
        title: `Wait for the signal ${event.name}`,
        tone: "wait",
        state: "waited for"
      }]
    case "SignalReceived":
      return note({
        kind: "wait",
        title: `Signal ${event.name} came`,
        tone: "plain",
        facts: facts({ from: event.actor?.id }),
        input: event.payload
      })
    case "WaitAbandoned":
      return [{
        id: event.key,
        tone: "plain",
        state: "not waited for any more",
        lines: [line("Not waited for any more")]
      }]
    case "UnknownEvent":
      return note({
        title: `An event of type ${event.type} that this page does not know`,
        tone: "care",
        input: event.payload
      })
  }
}

type MakeLine = (text: string, tone?: Tone, value?: Json) => Line
type Requested = EventOf<"LLMCallRequested" | "ToolCallRequested" | "StepRequested">
type Completed = EventOf<"LLMCallCompleted" | "ToolCallCompleted" | "StepCompleted">
type Failed = EventOf<"LLMCallFailed" | "ToolCallFailed" | "StepFailed">

const running = ({ attempt }: Requested, title: string, line: MakeLine) => ({
  title,
  tone: "wait" as const,
  state: attempt > 1 ? `attempt ${attempt} runs` : "runs",
  lines: attempt > 1 ? [line(`Attempt ${attempt}`)] : []
})

const succeeded = ({ attempt, recovered }: Completed) => ({
  tone: "good" as const,
  state: recovered === true ? "done, recovered" : attempt > 1 ? `done at attempt ${attempt}` : "done"
})

const recoveredLine = ({ recovered }: Completed, line: MakeLine): ReadonlyArray<Line> =>
  recovered === true
    ? [
      line(
        "Recovered: an earlier attempt ended with its worker, so the effect may have been asked for more than once.",
        "care"
      )
    ]
    : []

const failed = (event: Failed, title: string, line: MakeLine) => ({
  title,
  tone: event.final ? "bad" as const : "care" as const,
  state: event.outcome === "unknown" ? "outcome unknown" : event.final ? "failed" : "failed, tries again",
  lines: [
    line(
      `Attempt ${event.attempt} failed (${spaced(event.reason)}): ${event.error}`,
      event.final ? "bad" : "care",
      event.failure
    ),
    ...(event.outcome === "unknown" ? [line("Whether its effect happened is not known.", "bad")] : [])
  ]
})

const acts = { RunReleased: "Released", RunPaused: "Paused", RunResumed: "Resumed" } as const

const verdicts = {
  ALLOW: "allowed",
  MARK: "marked",
  REDACT: "masked",
  ESCALATE: "asks a person",
  BLOCK: "blocked"
} as const

const said = (line: MakeLine, reason: string | undefined): ReadonlyArray<Line> =>
  reason === undefined || reason === "" ? [] : [line(reason)]

const Part = {
  text: Schema.is(Schema.Struct({ type: Schema.Literals(["text", "reasoning"]), text: Schema.String })),
  call: Schema.is(Schema.Struct({ type: Schema.Literal("tool-call"), name: Schema.String, params: Schema.Json }))
}

/** One part of a model's answer. */
const partLine = (part: Json, line: MakeLine): Line =>
  Part.text(part)
    ? line(part.type === "text" ? "Says" : "Thinks", "plain", part.text)
    : Part.call(part)
    ? line(`Wants to call ${part.name}`, "plain", part.params)
    : line("Answers with", "plain", part)

const facts = (all: Readonly<Record<string, string | undefined>>): Entry["facts"] =>
  Object.entries(all).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])

const numberText = (value: number | undefined): string | undefined => value === undefined ? undefined : `${value}`

const tookText = (millis: number | undefined): string | undefined => millis === undefined ? undefined : duration(millis)
