/**
 * Calls of models and tools, and steps, with all their attempts: one entry each.
 */
import { Schema } from "effect"
import { type Change, type EventOf, facts, type Line, type MakeLine } from "./Entry.ts"
import { duration, time } from "./Text.ts"

type Json = Schema.Json

/** What an event about an operation changes of its entry. */
export const change = (event: Requested | Completed | Failed, line: MakeLine): Change => {
  switch (event._tag) {
    case "LLMCallRequested":
      return {
        id: event.key,
        kind: "model",
        ...running(event, asking(event, event.compaction === undefined ? "ask the model" : "summarise"), line),
        facts: facts({ within: within(event.key), model: event.model, messages: `${event.messageCount}` })
      }
    case "LLMCallCompleted":
      return {
        id: event.key,
        kind: "model",
        ...succeeded(event),
        facts: facts({
          "tokens in": numberText(event.usage.inputTokens),
          "of these cached": numberText(event.usage.cachedInputTokens),
          "tokens out": numberText(event.usage.outputTokens),
          cost: event.usage.costUsd === undefined ? "not known" : `$${event.usage.costUsd}`,
          took: tookText(event.durationMillis),
          stopped: event.stopReason
        }),
        lines: [...recoveredLine(event, line), ...event.parts.map((part) => partLine(part, line))]
      }
    case "ToolCallRequested":
      return {
        id: event.key,
        kind: "tool",
        ...running(event, `Call ${event.tool}`, line),
        facts: facts({ within: within(event.key), turn: `${event.turn}`, "allowed by": event.approval }),
        turn: event.turn,
        tool: event.tool,
        idempotencyKey: event.idempotencyKey,
        input: isEmpty(event.arguments) ? undefined : event.arguments
      }
    case "ToolCallCompleted":
      return {
        id: event.key,
        kind: "tool",
        ...succeeded(event),
        ...(event.isFailure === true ? { tone: "care" as const, state: "answered with a failure" } : {}),
        facts: facts({ took: tookText(event.durationMillis), "recorded by": event.actor?.id }),
        output: event.result,
        lines: [
          ...recoveredLine(event, line),
          ...(event.mismatch === undefined ? [] : [line(event.mismatch, "care")]),
          line("Result", "plain", event.result)
        ]
      }
    case "StepRequested":
      return {
        id: event.key,
        kind: "step",
        ...running(event, `Step ${event.key}`, line),
        idempotencyKey: event.idempotencyKey
      }
    case "StepCompleted":
      return {
        id: event.key,
        kind: "step",
        ...succeeded(event),
        facts: facts({ took: tookText(event.durationMillis), "recorded by": event.actor?.id }),
        output: event.output,
        lines: [...recoveredLine(event, line), line("Output", "plain", event.output)]
      }
    case "LLMCallFailed":
      return { id: event.key, kind: "model", ...failed(event, asking(event, "ask the model"), line) }
    case "ToolCallFailed":
      return {
        id: event.key,
        kind: "tool",
        ...failed(event, `Call ${event.tool}`, line),
        turn: event.turn,
        tool: event.tool,
        input: event.arguments
      }
    case "StepFailed":
      return { id: event.key, kind: "step", ...failed(event, `Step ${event.key}`, line) }
  }
}

/** What a model is asked for; a guardrail that asks one has its name at the end of the key. */
const asking = ({ key, turn }: EventOf<"LLMCallRequested" | "LLMCallFailed">, otherwise: string): string => {
  const [, guardrail] = key.split("/screening/")
  return `Turn ${turn}: ${guardrail === undefined ? otherwise : `ask a model for the guardrail ${guardrail}`}`
}

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
  facts: facts({ "recorded by": event.actor?.id }),
  lines: [
    line(
      `Attempt ${event.attempt} ${failures[event.reason]}: ${event.error}`,
      event.final ? "bad" : "care",
      event.failure
    ),
    ...(event.final || event.wakeAtMillis === undefined
      ? []
      : [line(`To be tried again at ${time(event.wakeAtMillis)}`)]),
    ...(event.outcome === "unknown" ? [line("Whether its effect happened is not known.", "bad")] : [])
  ]
})

/** How an attempt ended, in words. */
const failures: { readonly [Reason in Failed["reason"]]: string } = {
  Error: "failed",
  Defect: "failed because of a bug",
  Timeout: "took too long",
  Interrupted: "was not waited for any more",
  Crashed: "ended with its worker",
  TooLarge: "has a result that is too large to be recorded",
  Unencodable: "has a result that cannot be recorded",
  BudgetExceeded: "was not made, since the budget does not allow it",
  Refused: "was not made, since it was refused",
  Resolved: "did not happen, as somebody has found out"
}

const Part = {
  text: Schema.is(Schema.Struct({ type: Schema.Literals(["text", "reasoning"]), text: Schema.String })),
  call: Schema.is(Schema.Struct({ type: Schema.Literal("tool-call"), name: Schema.String, params: Schema.Json }))
}

/** One part of a model's answer. */
const partLine = (part: Json, line: MakeLine): Line =>
  Part.text(part)
    ? line(part.type === "text" ? "Says" : "Thinks", "plain", part.text)
    : Part.call(part)
    // The arguments stand at the call as well.
    ? line(`Wants to call ${part.name}`, "plain", isEmpty(part.params) ? undefined : part.params, true)
    : line("Answers with", "plain", part)

/** The part of a program that an agent's operation belongs to. */
const within = (key: string): string | undefined => /^(.+)\/turn-\d+\//.exec(key)?.[1]

const isEmpty = (value: Json): boolean => JSON.stringify(value) === "{}"

const numberText = (value: number | undefined): string | undefined => value === undefined ? undefined : `${value}`

const tookText = (millis: number | undefined): string | undefined => millis === undefined ? undefined : duration(millis)
