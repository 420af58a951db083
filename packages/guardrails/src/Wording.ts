/**
 * A guardrail on wording: passages of results that read like instructions to a model are taken out of what the model is shown; a
 * person is asked about goals and arguments that do.
 */
import { Guardrails } from "@durable-agents/agent"
import type { Span } from "@durable-agents/core"
import type { Layer, Schema } from "effect"
import { Effect } from "effect"
import * as Detector from "./Detector.ts"
import * as LearnedSignal from "./LearnedSignal.ts"
import type { Channel } from "./TextSignal.ts"

/** How many of a thousand benign texts of a kind may stand out. */
interface Tolerance {
  readonly machine: number
  readonly prose: number
  readonly goal: number
  readonly args: number
}

/**
 * How many benign texts of a kind each profile lets stand out, as shares, in sources that the detector has not seen. `off` and
 * `validation` do not look at wording.
 *
 * @category models
 * @since 0.1.0
 */
export const tolerances: { readonly [Name in Exclude<Guardrails.Profile, "off" | "validation">]: Tolerance } = {
  lenient: { machine: 0.001, prose: 0.003, goal: 0.0008, args: 0.0005 },
  standard: { machine: 0.0018, prose: 0.01, goal: 0.0045, args: 0.0042 },
  strict: { machine: 0.0055, prose: 0.033, goal: 0.0195, args: 0.0095 }
}

/**
 * From which score on a text of a channel stands out under a profile; infinite where the profile does not look.
 *
 * @category models
 * @since 0.1.0
 */
export const thresholdOf = (profile: Guardrails.Profile, channel: Channel, isProse: boolean): number => {
  if (profile === "off" || profile === "validation") return Infinity
  const { args, goal, machine, prose } = tolerances[profile]
  const share = channel === "goal" ? goal : channel === "tool_args" ? args : isProse ? prose : machine
  return Detector.levelOf(share)
}

/**
 * The guardrail by itself.
 *
 * **Details**
 *
 * Of a result the passages are replaced, and the log keeps them; where a result has too many, it is withheld. About a goal, and
 * about arguments of a call with an effect, a person is asked. Nothing ends a run. Verdicts hold positions and scores.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Guardrails.Guardrail => ({
  name: "wording",
  version: LearnedSignal.signal.version,
  goal: ({ goal, profile }) =>
    Effect.map(standOut(goal, "goal", profile), (found) =>
      found === undefined ? [] : [{
        rule: "goal_wording",
        action: "ESCALATE",
        message: found.disguised
          ? "words stand in the goal in disguise, for a model to read and not for people"
          : "the goal is worded like an attempt to make a model drop its rules or say its secrets",
        detail: { score: found.score },
        spans: found.passages.map(({ end, start }) => ({ start, end }))
      }]),
  call: ({ arguments: args, effect, profile }) =>
    Effect.map(standOut(written(args), "tool_args", profile), (found) =>
      found === undefined ? [] : [{
        rule: "payload_wording",
        action: effect === "readonly" ? "BLOCK" : "ESCALATE",
        message: "the arguments look like code or commands for what is behind the tool, not like values",
        detail: { score: found.score }
      }]),
  result: ({ profile, result }) => {
    const { leaves, text } = render(result)
    return Effect.map(standOut(text, "tool_result", profile), (found): ReadonlyArray<Guardrails.Verdict> => {
      if (found === undefined) return []
      const spans = spansOf(leaves, found.passages)
      const common = { rule: "instruction_wording", detail: { score: found.score, passages: found.passages.length } }
      return spans.length === 0 || spans.length > maxSpans
        ? [{
          ...common,
          action: "BLOCK",
          counts: false,
          message: "the result reads like instructions to a model, and is withheld"
        }]
        : [{
          ...common,
          action: "REDACT",
          spans,
          message: found.disguised
            ? "words stand in the result in disguise, for a model to read and not for people"
            : "passages of the result read like instructions to a model"
        }]
    })
  }
})

const maxSpans = 64

/** What the model is shown in the place of a passage. */
const replacement = "[taken out: this passage reads like an instruction; the log has it]"

const standOut = (text: string, channel: Channel, profile: Guardrails.Profile) => {
  const least = Math.min(thresholdOf(profile, channel, false), thresholdOf(profile, channel, true))
  if (least === Infinity) return Effect.succeed(undefined)
  return Effect.map(LearnedSignal.judged(text, channel, least), ({ disguised, isProse, passages, score }) => {
    const threshold = thresholdOf(profile, channel, channel === "tool_result" && isProse)
    return score < threshold
      ? undefined
      : {
        disguised,
        score: Math.round(score * 1000) / 1000,
        passages: passages.filter((passage) => passage.score >= threshold)
      }
  })
}

interface Leaf {
  readonly path: string
  readonly start: number
  readonly length: number
}

/** A result as one text, names before values, and where each of its texts stands in it. */
const render = (result: Schema.Json): { readonly text: string; readonly leaves: ReadonlyArray<Leaf> } => {
  if (typeof result === "string") return { text: result, leaves: [{ path: "", start: 0, length: result.length }] }
  const leaves: Array<Leaf> = []
  const parts: Array<string> = []
  let length = 0
  const add = (text: string) => {
    parts.push(text)
    length += text.length
  }
  const walk = (json: Schema.Json, path: string): void => {
    if (typeof json === "string") {
      add("\"")
      leaves.push({ path, start: length, length: json.length })
      add(json)
      return add("\"")
    }
    if (json === null || typeof json !== "object") return add(String(json))
    const members = Array.isArray(json) ? json.map((value, at) => [String(at), value] as const) : Object.entries(json)
    add(Array.isArray(json) ? "[" : "{")
    for (const [at, [name, value]] of members.entries()) {
      if (at > 0) add(", ")
      if (!Array.isArray(json)) add(`"${name}": `)
      const key = name.replaceAll("~", "~0").replaceAll("/", "~1")
      walk(value, path === "" ? key : `${path}/${key}`)
    }
    add(Array.isArray(json) ? "]" : "}")
  }
  walk(result, "")
  return { text: parts.join(""), leaves }
}

const spansOf = (
  leaves: ReadonlyArray<Leaf>,
  passages: ReadonlyArray<{ readonly start: number; readonly end: number }>
): ReadonlyArray<Span> =>
  leaves.flatMap(({ length, path, start }) =>
    passages.flatMap((passage) => {
      const first = Math.max(0, passage.start - start)
      const last = Math.min(length, passage.end - start)
      return last > first ? [{ ...(path === "" ? {} : { path }), start: first, end: last, replacement }] : []
    })
  )

/**
 * Arguments as the detector has learned them: JSON with blanks.
 *
 * @category encoders
 * @since 0.1.0
 */
export const written = (json: Schema.Json): string => {
  if (json === null || typeof json !== "object") return JSON.stringify(json)
  return Array.isArray(json)
    ? `[${json.map(written).join(", ")}]`
    : `{${Object.entries(json).map(([name, value]) => `${JSON.stringify(name)}: ${written(value)}`).join(", ")}}`
}

/**
 * The guardrail, beside those below.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, Guardrails.UnusableGuardrails> = Guardrails.layerAdd({ guardrails: [make()] })
