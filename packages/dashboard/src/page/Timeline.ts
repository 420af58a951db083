/**
 * A log as a story: what belongs together stands together, where it began.
 */
import type { Schema } from "effect"
import { type Change, type Entry, facts, type Line, type MakeLine, type Recorded, type Tone } from "./Entry.ts"
import * as OperationEntry from "./OperationEntry.ts"
import { capital, decidedBy, spaced, time, who } from "./Text.ts"

type Json = Schema.Json

/** Entries in the order in which they began, and how many events they are made of. */
export interface Timeline {
  readonly entries: ReadonlyArray<Entry>
  readonly next: number
  /** Of each event, in its place: what it was, in a few words. */
  readonly points: ReadonlyArray<string>
  /** How many events there are before the run ended or was asked to. */
  readonly open: number
}

export const empty: Timeline = { entries: [], next: 0, points: [], open: 0 }

/** The entry with this id, such as the key of a call. */
export const find = ({ entries }: Timeline, id: string): Entry | undefined => entries.find((entry) => entry.id === id)

/** Goes on with the events that follow; those that it has already are left out. */
export const add = (timeline: Timeline, events: ReadonlyArray<Recorded>): Timeline => {
  const entries = [...timeline.entries]
  const places = new Map(entries.map(({ id }, index) => [id, index]))
  const points = [...timeline.points]
  let { next, open } = timeline
  for (const recorded of events) {
    if (recorded.seq < next) continue
    if (open === next && !endings.has(recorded.event._tag)) open = recorded.seq + 1
    next = recorded.seq + 1
    for (const { ifThere = false, ...change } of changes(recorded)) {
      const index = places.get(change.id)
      const before = index === undefined ? undefined : entries[index]
      if (index === undefined || before === undefined) {
        if (ifThere) continue
        places.set(change.id, entries.length)
        entries.push({
          ...blank,
          at: recorded.at,
          from: recorded.seq,
          to: recorded.seq,
          ...change,
          title: change.title ?? change.id,
          lines: change.lines ?? []
        })
      } else {
        entries[index] = {
          ...before,
          ...change,
          to: recorded.seq,
          title: change.title ?? before.title,
          facts: merge(before.facts, change.facts ?? []),
          input: before.input ?? change.input,
          lines: [...before.lines, ...(change.lines ?? [])]
        }
      }
    }
    const [first] = changes(recorded)
    const entry = first === undefined ? undefined : entries[places.get(first.id) ?? -1]
    points[recorded.seq] = entry === undefined ? recorded.event._tag : pointOf(entry)
  }
  return { entries, next, points, open }
}

const pointOf = ({ state, title }: Entry): string => state === "" ? title : `${title}: ${state}`

const endings: ReadonlySet<string> = new Set(["RunCompleted", "RunFailed", "RunCancelled", "RunCancelRequested"])

const blank = { kind: "run", tone: "plain", state: "", facts: [] } as const

const merge = (before: Entry["facts"], after: Entry["facts"]): Entry["facts"] => [
  ...before.filter(([name]) => !after.some(([other]) => other === name)),
  ...after
]

const changes = ({ at, event, seq }: Recorded): ReadonlyArray<Change> => {
  const line = (text: string, tone: Tone = "plain", value?: Json, folded?: boolean): Line => ({
    at,
    text,
    tone,
    value,
    ...(folded === undefined ? {} : { folded })
  })
  // No key holds this character.
  const note = (change: Omit<Change, "id">): ReadonlyArray<Change> => [{ id: `\0${seq}`, ...change }]
  switch (event._tag) {
    case "RunStarted":
      return note({
        title: "Run started",
        facts: facts({
          program: `${event.program} ${event.programVersion}`,
          by: who(event.requestedBy),
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
      return [
        ...note({
          title: "Run is stuck",
          tone: "bad",
          state: spaced(event.reason),
          lines: [line(event.detail, "bad")]
        }),
        ...(event.key === undefined || event.reason !== "unknownOutcome" ? [] : [{
          id: event.key,
          ifThere: true,
          tone: "bad" as const,
          state: "outcome unknown, a person has to say it",
          lines: [line("Whether its effect happened is not known.", "bad")]
        }])
      ]
    case "RunReleased":
    case "RunPaused":
    case "RunResumed":
      return note({
        kind: "person",
        title: `${acts[event._tag]} by ${who(event.actor)}`,
        lines: said(line, event.reason)
      })
    case "BudgetChanged":
      return note({
        kind: "person",
        title: `Budget changed by ${who(event.actor)}`,
        input: { ...event.budget },
        lines: said(line, event.reason)
      })
    case "RunCancelRequested":
      return note({
        kind: "person",
        tone: "care",
        title: `Cancel requested by ${who(event.actor)}`,
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
      return note({ title: `Run cancelled by ${who(event.actor)}`, tone: "bad", lines: said(line, event.reason) })

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
        facts: facts({
          tool: event.tool,
          turn: event.turn === undefined ? undefined : `${event.turn}`,
          "may decide": event.approvers === undefined ? undefined : event.approvers.join(", ") || "nobody",
          until: event.expiresAtMillis === undefined ? undefined : time(event.expiresAtMillis)
        }),
        turn: event.turn,
        input: event.arguments,
        lines: event.reason === "" ? [] : [line(event.reason)]
      }]
    case "ApprovalGranted":
      return [{
        id: event.key,
        kind: "approval",
        tone: "good",
        state: decidedBy("approved", event.actor),
        lines: [
          line(
            `${capital(decidedBy("approved", event.actor))}${event.comment === undefined ? "" : `: ${event.comment}`}`,
            "good"
          ),
          ...(event.arguments === undefined ? [] : [line("With these arguments instead", "care", event.arguments)])
        ]
      }]
    case "ApprovalDenied":
      return [{
        id: event.key,
        kind: "approval",
        tone: "bad",
        state: decidedBy("denied", event.actor),
        lines: [
          line(`${capital(decidedBy("denied", event.actor))}${event.reason === "" ? "" : `: ${event.reason}`}`, "bad")
        ]
      }]
    case "GuardrailTriggered":
      return note({
        kind: "guardrail",
        title: `${verdicts[event.shadow ?? event.action]}: ${spaced(event.rule).replaceAll("_", " ")}`,
        tone: event.action === "BLOCK" ? "bad" : event.action === "ALLOW" ? "plain" : "care",
        state: event.shadow === undefined ? "" : "only tried out",
        facts: facts({
          about: about[event.layer] ?? event.layer,
          at: event.key,
          guardrail: event.guardrail,
          counts: event.counts === true ? "towards asking a person" : undefined
        }),
        turn: event.turn,
        verdict: event
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
        facts: facts({ from: event.actor === undefined ? undefined : who(event.actor) }),
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
  ALLOW: "Let pass",
  MARK: "Said to be data, not instructions",
  REDACT: "Taken out of what the model is shown",
  ESCALATE: "A person is asked",
  BLOCK: "Stopped"
} as const

/** What a guardrail looked at. */
const about: Readonly<Record<string, string>> = {
  L1_input: "the goal",
  L2_tool_result: "the result of a tool",
  L2_summary: "a summary of older turns",
  L3_output: "a call",
  L4_run_level: "the run as a whole"
}

const said = (line: MakeLine, reason: string | undefined): ReadonlyArray<Line> =>
  reason === undefined || reason === "" ? [] : [line(reason)]
