/**
 * The guardrail on origins: a call with an effect whose values come from what others wrote, and who said that it should be made.
 */
import { Guardrails } from "@durable-agents/agent"
import type { ToolDescription, ToolLabels } from "@durable-agents/core"
import { Effect } from "effect"
import type { Layer, Schema } from "effect"
import * as Actions from "./Actions.ts"
import * as Evidence from "./Evidence.ts"
import * as Origins from "./Origins.ts"
import * as Passages from "./Passages.ts"
import * as Policy from "./Policy.ts"
import * as Sinks from "./Sinks.ts"
import * as Sources from "./Sources.ts"
import { remembered, type Signal, TextSignal } from "./TextSignal.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Default `Policy.standard`. */
  readonly policy?: ReadonlyArray<Policy.Row>
  /** What tells which passages read like instructions. Default: nothing does. */
  readonly signal: Signal
  /** Tries it out: what it says is recorded and changes nothing. */
  readonly shadow?: boolean
}

/**
 * A value of a call with all that is known of it, and what the policy says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Judged {
  readonly traced: Origins.Traced
  readonly facts: Policy.Facts
  readonly action: Policy.Action
  readonly rule: string | undefined
  /** The place in results that speaks most against it. */
  readonly place: Origins.Place | undefined
}

/**
 * A guardrail that traces the values of calls with an effect, and does what the policy says of them.
 *
 * **Details**
 *
 * Under `off` it is not asked. Arguments that a person has put in are that person's, and are not traced.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ policy = Policy.standard, shadow = false, signal }: Options): Guardrails.Guardrail => {
  const sourceOf = Sources.cache()
  const known = remembered(signal)
  return {
    name: "provenance",
    version: `${Policy.version(policy)} signal ${signal.version}`,
    shadow,
    call: (call) => {
      if (call.by === "person") return Effect.succeed([])
      const sources = [
        Sources.ofText("request", call.goal),
        Sources.ofText("instructions", call.instructions),
        ...call.past.filter(({ result }) => result !== undefined).map((past) => sourceOf(call.runId, past)),
        Sources.ofText("model", said(call.messages))
      ]
      return Effect.map(
        judge({ ...call, sources, policy, signal: known }),
        (judged) => Evidence.verdicts(call, judged)
      )
    }
  }
}

/**
 * The same for all agents whose layers are built over it, beside the guardrails below, with the signal that is provided.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Partial<Options> = {}): Layer.Layer<never, Guardrails.UnusableGuardrails> =>
  Guardrails.layerAdd(Effect.map(TextSignal, (signal) => ({ guardrails: [make({ signal, ...options })] })))

/** What the model itself has written. */
const said = (messages: Guardrails.Call["messages"]): string =>
  messages.flatMap(({ content, role }) =>
    role !== "assistant" || typeof content === "string"
      ? []
      : content.flatMap((part) => part.type === "text" ? [part.text] : [])
  ).join("\n\n")

/**
 * What a call is judged by.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  readonly tool: string
  readonly effect: ToolDescription["effect"]
  readonly labels: ToolLabels
  readonly arguments: Schema.Json
  readonly profile: Guardrails.Profile
  readonly goal: string
  readonly sources: ReadonlyArray<Sources.Source>
  readonly policy: ReadonlyArray<Policy.Row>
  readonly signal: Signal
}

/**
 * Judges every value of a call; none of a call without an effect.
 *
 * @category operations
 * @since 0.1.0
 */
export const judge = (subject: Subject): Effect.Effect<ReadonlyArray<Judged>> => {
  const { goal, labels, policy, profile, sources, tool } = subject
  const signal = remembered(subject.signal)
  const { more, sinks } = Sinks.of(subject.arguments, labels.sinks)
  const effect = effectOf(subject, sinks)
  if (effect === "none") return Effect.succeed([])
  const verbs = Actions.of(tool)
  const asked = Actions.isAskedFor(verbs, goal)
  const handedOver = Actions.isHandedOver(goal)
  return Effect.forEach(Origins.trace(sinks, sources), (traced) =>
    Effect.map(
      isUnfounded(traced) && effect !== "fetch"
        ? orders(sources, verbs, signal)
        : Effect.forEach(traced.places, (place) => weigh(place, verbs, signal)),
      (weighed): Judged => {
        const all = weighed.length === 0 ? [nothing] : weighed
        const judged = all.map(({ level, place, told }) => {
          const facts: Policy.Facts = {
            effect,
            origin: traced.origin,
            kind: traced.sink.kind,
            embedded: traced.sink.embedded,
            told,
            signal: level,
            hidden: place?.form !== undefined,
            asked,
            handedOver
          }
          return { traced, facts, place, ...Policy.decide(policy, profile, facts) }
        })
        return judged.reduce((worst, one) => Policy.severity[one.action] > Policy.severity[worst.action] ? one : worst)
      }
    )).pipe(Effect.map((judged) => more ? judged.map(tooMany) : judged))
}

const isUnfounded = ({ origin }: Origins.Traced): boolean => origin === "nowhere" || origin === "model"

/** The first passage of a result that very much reads like an instruction, and tells its reader to do this. */
const orders = (
  sources: ReadonlyArray<Sources.Source>,
  verbs: ReadonlySet<string>,
  signal: Signal
): Effect.Effect<ReadonlyArray<Weighed>> =>
  Effect.gen(function*() {
    const { strong } = signal.levels.tool_result
    for (const source of sources) {
      if (source.origin !== "third_party" && source.origin !== "open_world") continue
      for (const { path, text } of source.texts) {
        for (const { end, score, start } of yield* signal.score(text, "tool_result")) {
          if (score < strong || !Actions.isToldBy(verbs, text.slice(start, end))) continue
          return [{ place: { source, path, text, start, end }, told: true, level: "strong" }]
        }
      }
    }
    return []
  })

interface Weighed {
  readonly place: Origins.Place | undefined
  readonly told: boolean
  readonly level: Policy.Facts["signal"]
}

const nothing: Weighed = { place: undefined, told: false, level: "none" }

/** Who hides one value among a hundred is not to be waved through. */
const tooMany = (judged: Judged): Judged =>
  judged.facts.origin === "request" || judged.action !== "allow"
    ? judged
    : { ...judged, action: "mark", rule: "too_many_values" }

/** How much a place speaks for an instruction in the result. */
const weigh = (
  place: Origins.Place,
  verbs: ReadonlySet<string>,
  signal: Signal
): Effect.Effect<Weighed> => {
  const [start, end] = Passages.around(
    place.text,
    place.form === undefined ? place.start : 0,
    place.form === undefined ? place.end : 0
  )
  const told = Actions.isToldBy(verbs, place.text.slice(start, end))
  const { strong, weak } = signal.levels.tool_result
  return Effect.map(signal.score(place.text, "tool_result"), (passages) => {
    const score = Math.max(0, ...passages.flatMap((one) => one.end > start && one.start < end ? [one.score] : []))
    return { place, told, level: score >= strong ? "strong" : score >= weak ? "weak" : "none" }
  })
}

/** What a call does, as it is labelled, or as class, name and arguments of its tool let expect. */
const effectOf = (
  { effect, labels, tool }: Pick<Subject, "effect" | "labels" | "tool">,
  sinks: ReadonlyArray<Sinks.Sink>
): NonNullable<ToolLabels["effect"]> => {
  if (labels.effect !== undefined) return labels.effect
  if (effect === "readonly") return sinks.some(({ embedded, kind }) => kind === "url" && !embedded) ? "fetch" : "none"
  const verbs = Actions.of(tool)
  if (verbs.has("erase")) return "destroy"
  return verbs.has("send") || verbs.has("invite") || verbs.has("grant") ? "send" : "write"
}
