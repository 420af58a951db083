/**
 * Which events of a log belong together: outcomes and their requests, decisions and what was asked, signals and who waited.
 */
import { type Recorded, RunState } from "@durable-agents/core"
import * as Parts from "./Parts.ts"
import * as Printable from "./Printable.ts"
import * as Units from "./Units.ts"

/**
 * For every event, in words, the earlier events that it belongs to.
 *
 * @category folds
 * @since 0.1.0
 */
export const of = (events: ReadonlyArray<Recorded>): ReadonlyArray<ReadonlyArray<string>> => {
  /** The latest event that began something, by key. */
  const begun = new Map<string, Recorded>()
  const decided = new Map<string, Recorded>()
  /** In which answer of the model a tool call stands, by its id. */
  const called = new Map<string, Recorded>()
  const received = new Map<Recorded["event"], Recorded>()

  const named = (verb: string, recorded: Recorded | undefined): ReadonlyArray<string> =>
    recorded === undefined ? [] : [`${verb} event ${recorded.seq}`]

  const answers = (key: string, { at, epoch }: Recorded): ReadonlyArray<string> => {
    const first = begun.get(key)
    if (first === undefined) return []
    const lease = first.epoch === undefined || epoch === undefined || first.epoch === epoch
      ? ""
      : ` of lease ${first.epoch}`
    return [`answers event ${first.seq}${lease}, ${Units.duration(at - first.at)} later`]
  }

  let state: RunState.RunState | undefined
  return events.map((recorded) => {
    const { event, runId } = recorded
    const before = state ?? RunState.initial(runId)
    state = RunState.evolve(before, recorded)
    switch (event._tag) {
      case "LLMCallRequested":
      case "StepRequested": {
        begun.set(event.key, recorded)
        return []
      }
      case "ToolCallRequested": {
        begun.set(event.key, recorded)
        return [
          ...named("called in", called.get(event.toolCallId)),
          ...(event.approval === undefined ? [] : named("approved in", decided.get(event.approval)))
        ]
      }
      case "LLMCallCompleted": {
        for (const part of event.parts.map(Parts.read)) {
          if (part._tag === "Call") called.set(part.id, recorded)
        }
        return answers(event.key, recorded)
      }
      case "LLMCallFailed":
      case "ToolCallCompleted":
      case "ToolCallFailed":
      case "StepCompleted":
      case "StepFailed":
      case "TimerFired":
      case "WaitAbandoned":
        return answers(event.key, recorded)
      case "ApprovalRequested": {
        begun.set(event.key, recorded)
        return event.toolCallId === undefined ? [] : named("called in", called.get(event.toolCallId))
      }
      case "ApprovalGranted":
      case "ApprovalDenied": {
        decided.set(event.key, recorded)
        return answers(event.key, recorded)
      }
      case "TimerStarted": {
        begun.set(event.key, recorded)
        return []
      }
      case "SignalAwaited": {
        begun.set(event.key, recorded)
        const early = RunState.earlySignal(before, event.name)
        return early === undefined ? [] : named("met by", received.get(early))
      }
      case "SignalReceived": {
        received.set(event, recorded)
        const key = RunState.nextAwait(before, event.name)
        return key === undefined ? [] : [...answers(key, recorded), `for ${Printable.inline(key)}`]
      }
      default:
        return []
    }
  })
}
