/**
 * A log as a story: what belongs together stands together, where it began.
 */
import type { Schema } from "effect"
import { type Change, type Entry, facts, type Line, type MakeLine, type Recorded, type Tone } from "./Entry.ts"
import * as OperationEntry from "./OperationEntry.ts"
import { spaced, time } from "./Text.ts"

type Json = Schema.Json

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
    case "LLMCallCompleted":
    case "ToolCallRequested":
    case "ToolCallCompleted":
    case "StepRequested":
    case "StepCompleted":
    case "LLMCallFailed":
    case "ToolCallFailed":
    case "StepFailed":
      return [OperationEntry.change(event, line)]
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
