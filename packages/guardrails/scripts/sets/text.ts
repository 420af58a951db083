/**
 * Wording: which texts a profile would not let pass as they are, by channel, category and source.
 */
import type { Guardrails } from "@durable-agents/agent"
import { Guardrails as Port } from "@durable-agents/agent"
import { RunId } from "@durable-agents/core"
import { LearnedSignal, Wording } from "@durable-agents/guardrails"
import { Effect, Result, Schema } from "effect"
import type { EvaluationSet } from "./EvaluationSet.ts"
import { kilobytes, share, timed } from "./measuring.ts"

const Line = Schema.Struct({
  id: Schema.String,
  source: Schema.String,
  channel: Schema.Literals(["goal", "tool_result", "tool_args"]),
  label: Schema.Literals(["attack", "benign"]),
  category: Schema.String,
  hard: Schema.optionalKey(Schema.Boolean),
  text: Schema.String
})

/**
 * A record with what was decided about it.
 */
export interface Judged {
  readonly line: Pick<typeof Line.Type, "id" | "source" | "channel" | "label" | "category" | "hard">
  readonly flagged: boolean
  readonly ends?: boolean
}

const decode = Schema.decodeUnknownEffect(Schema.Array(Line))

const pure = new Set([
  "log",
  "command_output",
  "device_output",
  "json_output",
  "security_log",
  "shell_session",
  "code_qa",
  "hard_encoded_content"
])
const all = new Set([...pure, "app_data", "long_output"])
const override = new Set(["indirect_override", "embedded_machine_output", "long_context"])

/**
 * The measures of GUARDRAILS that records of this kind allow.
 */
export const measuresOf = (judged: ReadonlyArray<Judged>) => {
  const rate = (label: "attack" | "benign", of: (line: Judged["line"]) => boolean) => {
    const own = judged.filter(({ line }) => line.label === label && of(line))
    const counted = own.filter(({ flagged }) => flagged === (label === "benign")).length
    return {
      records: own.length,
      [label === "benign" ? "flagged" : "passed"]: counted,
      rate: share(counted, own.length)
    }
  }
  const isResult = ({ channel }: Judged["line"]) => channel === "tool_result"
  const by = (key: (line: Judged["line"]) => string) =>
    Object.fromEntries(Array.from(new Set(judged.map(({ line }) => key(line)))).sort().map((name) => [name, {
      falsePositives: rate("benign", (line) => key(line) === name),
      attackSuccess: rate("attack", (line) => key(line) === name)
    }]))
  return {
    falsePositives: {
      pureMachineOutput: rate("benign", (line) => isResult(line) && pure.has(line.category)),
      allMachineOutput: rate("benign", (line) => isResult(line) && all.has(line.category)),
      proseResults: rate("benign", (line) => isResult(line) && !all.has(line.category)),
      goals: rate("benign", ({ channel }) => channel === "goal"),
      arguments: rate("benign", ({ channel }) => channel === "tool_args"),
      hard: rate("benign", ({ hard }) => hard === true),
      longOutput: rate("benign", ({ category }) => category === "long_output"),
      all: rate("benign", () => true)
    },
    attackSuccess: {
      overrideResults: rate("attack", (line) => isResult(line) && override.has(line.category)),
      plainResults: rate("attack", (line) => line.category === "indirect_plain"),
      obfuscated: rate("attack", (line) => line.category === "obfuscated"),
      allResults: rate("attack", isResult),
      goals: rate("attack", ({ channel }) => channel === "goal"),
      arguments: rate("attack", ({ channel }) => channel === "tool_args"),
      all: rate("attack", () => true)
    },
    byChannel: by(({ channel }) => channel),
    byCategory: by(({ category, channel }) => `${channel}/${category}`),
    bySource: by(({ source }) => source)
  }
}

const runId = RunId.make("00000000-0000-7000-8000-000000000000")

/** What the guardrail says of a record, told what it is told in a run. */
const verdictsOf = (
  { call, goal, result }: Guardrails.Guardrail,
  profile: Guardrails.Profile,
  { channel, text }: typeof Line.Type
): Effect.Effect<ReadonlyArray<Guardrails.Verdict>> => {
  if (profile === "off") return Effect.succeed([])
  const subject = { runId, agent: "evaluation", profile }
  if (channel === "goal") return goal?.({ ...subject, goal: text }) ?? Effect.succeed([])
  const operation = {
    ...subject,
    key: "turn-1/call-1",
    turn: 1,
    tool: "tool",
    effect: "once" as const,
    labels: {},
    verdicts: [],
    now: 0
  }
  return channel === "tool_result"
    ? result?.({ ...operation, arguments: {}, result: text, isFailure: false }) ?? Effect.succeed([])
    : call?.({
      ...operation,
      arguments: Result.getOrElse(decodeJson(text), () => text),
      messages: [],
      goal: "",
      instructions: "",
      by: "model",
      past: []
    }) ?? Effect.succeed([])
}

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** Whether a verdict would end the run: what says so, and a goal that is blocked. */
const isEnd = ({ action, ends }: Guardrails.Verdict, { channel }: Judged["line"]): boolean =>
  action === "BLOCK" && (ends === true || channel === "goal")

const endedOf = (benign: ReadonlyArray<Judged>) => {
  const ended = benign.filter(({ ends }) => ends === true).length
  return { records: benign.length, ended, rate: share(ended, benign.length) }
}

/**
 * The set `text`.
 */
export const text: EvaluationSet = {
  measure: (records, name) =>
    Effect.gen(function*() {
      const lines = yield* Effect.orDie(decode(records))
      const profile = Result.getOrThrow(Port.profile(name))
      const guardrail = Wording.make()
      const { result: judged, took } = yield* timed(Effect.forEach(lines, (line) =>
        Effect.map(verdictsOf(guardrail, profile, line), (verdicts): Judged => ({
          line,
          flagged: verdicts.some(({ action }) =>
            action !== "ALLOW"
          ),
          ends: verdicts.some((verdict) => isEnd(verdict, line))
        }))))
      return {
        set: "text",
        profile,
        version: LearnedSignal.signal.version,
        records: lines.length,
        ...measuresOf(judged),
        runsEndedOnBenignInput: endedOf(judged.filter(({ line }) =>
          line.label === "benign"
        )),
        microsecondsPerKilobyte: took / kilobytes(lines.map(({ text }) => text))
      }
    }),
  table: (measures) => JSON.stringify(measures, null, 2)
}
