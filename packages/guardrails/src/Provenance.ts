/**
 * The guardrail on origins: a call with an effect whose values come from what others wrote, and who said that it should be made.
 */
import { Guardrails } from "@durable-agents/agent"
import type { ToolDescription, ToolLabels } from "@durable-agents/core"
import { Effect } from "effect"
import type { Layer, Schema } from "effect"
import * as Actions from "./Actions.ts"
import * as Evidence from "./Evidence.ts"
import * as Imperatives from "./Imperatives.ts"
import * as Orders from "./Orders.ts"
import * as Origins from "./Origins.ts"
import * as Passages from "./Passages.ts"
import * as Policy from "./Policy.ts"
import * as Requests from "./Requests.ts"
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
    version: `${Policy.version(policy)} words ${Actions.version} signal ${signal.version}`,
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
  const action = Actions.of(tool)
  const asked = Actions.askedFor(action, goal)
  const left = Requests.leaves(action, goal)
  const traced = Origins.trace(sinks, sources)
  const orders = once(Orders.find(action, subject, signal))
  const anyOrders = once(Orders.find(action, subject, signal, traced))
  const all = asked !== "yes" && effect !== "fetch" && isForeign(subject) ? [...traced, itself(tool)] : traced
  return Effect.forEach(all, (traced) =>
    Effect.map(
      isUnfounded(traced) && effect !== "fetch"
        ? traced.sink.kind === "call" ? anyOrders : orders
        : Effect.forEach(traced.places, (place) => weigh(place, action, signal)),
      (weighed): Judged => {
        const isOther = Requests.namesOther(action, goal, traced.sink)
        const own = traced.sink.kind === "call" ? asked : Requests.askedWith(asked, action, goal, traced.sink)
        const judged = (weighed.length === 0 ? [nothing] : weighed).map(({ level, ordered, place, told, words }) => {
          const facts: Policy.Facts = {
            effect,
            origin: traced.origin,
            kind: traced.sink.kind,
            embedded: traced.sink.embedded,
            told,
            ordered,
            // A short sentence is one, too, where the request speaks of nothing like it.
            prose: words >= (own === "no" ? 4 : 6),
            signal: level,
            rival: words >= 6 && hasRival(traced.sink, place, sources),
            twin: Requests.hasTwin(traced.sink, place),
            hidden: place?.form !== undefined,
            // Who names an address asks for that one.
            asked: own === "yes" && told && isOther ? "half" : own,
            handedOver: (left === "actions" || (left === "values" && own === "yes" &&
              (!told || (!isOther && Requests.isLeftTo(action, goal, traced.sink, place))))) &&
              (!told || Requests.isNamed(goal, place, sources))
          }
          return { traced, facts, place, ...Policy.decide(policy, profile, facts) }
        })
        return judged.reduce((worst, one) => Policy.severity[one.action] > Policy.severity[worst.action] ? one : worst)
      }
    )).pipe(Effect.map((judged) => more ? judged.map(tooMany) : judged))
}

/** What comes of an effect, which is run when it is first wanted. */
const once = <A>(effect: Effect.Effect<A>): Effect.Effect<A> => {
  let known: { readonly value: A } | undefined
  return Effect.suspend(() =>
    known === undefined
      ? Effect.tap(effect, (value) => Effect.sync(() => known = { value }))
      : Effect.succeed(known.value)
  )
}

/** What stands in a sentence of a result, beside another value of its shape: near it, or in another result. */
const hasRival = (
  sink: Sinks.Sink,
  place: Origins.Place | undefined,
  sources: ReadonlyArray<Sources.Source>
): boolean => {
  if (place === undefined || sink.kind !== "recipient") return false
  let left = 20_000
  return [
    place.text.slice(Math.max(0, place.start - 4000), place.end + 4000),
    ...sources.filter((source) => source.key !== undefined && source !== place.source)
      .flatMap(({ texts }) => texts.map(({ text }) => text))
  ].some((text) => {
    const part = text.slice(0, left)
    left -= part.length
    return Requests.hasOther(sink, part)
  })
}

const isUnfounded = ({ origin }: Origins.Traced): boolean => origin === "nowhere" || origin === "model"

/** The call by itself, with all that it says which is no value. */
const itself = (tool: string): Origins.Traced => ({
  sink: { path: "", kind: "call", value: tool, embedded: false },
  origin: "nowhere",
  places: []
})

/**
 * Something that the call says is in nothing trusted, or it says nothing at all. What is all in the request is never judged by what
 * results say.
 */
const isForeign = ({ arguments: args, sources }: Subject): boolean => {
  const trusted = sources.filter(({ origin }) => origin === "request" || origin === "instructions" || origin === "own")
  const said = Sinks.scalars(args).filter(([, value]) => String(value).trim() !== "").map(([path, value]) => ({
    path,
    kind: "id" as const,
    value: String(value),
    embedded: false
  }))
  return said.length === 0 || Origins.trace(said, trusted).some(({ origin }) => origin === "nowhere")
}

const nothing: Orders.Weighed = { place: undefined, told: false, ordered: false, words: 0, level: "none" }

/** Who hides one value among a hundred is not to be waved through. */
const tooMany = (judged: Judged): Judged =>
  judged.facts.origin === "request" || judged.action !== "allow"
    ? judged
    : { ...judged, action: "mark", rule: "too_many_values" }

/** How much a place speaks for an instruction in the result. */
const weigh = (
  place: Origins.Place,
  action: Actions.Action,
  signal: Signal
): Effect.Effect<Orders.Weighed> => {
  const [start, end] = place.form === undefined
    ? Passages.around(place.text, place.start, place.end)
    : Passages.around(place.text, 0, 0)
  const isMarker = Passages.isMarker(place.text, place.start, place.end)
  const [from, until] = place.form === undefined
    ? Passages.statement(place.text, place.start, place.end)
    : [0, place.text.length]
  // An order stands before what it is about, or behind it in the same line or field.
  const told = !isMarker &&
    Imperatives.of(action, place.text, place.source.imperatives).some((one) =>
      one.start >= start && one.end <= end &&
      (one.start < place.start || !Passages.isApart(place.text.slice(place.end, one.start)))
    )
  const ordered = !isMarker &&
    place.source.imperatives(place.text).some((one) => one.start >= from && one.end <= until)
  const words = Passages.words(`${place.text.slice(from, place.start)} ${place.text.slice(place.end, until)}`)
  return Effect.map(Orders.levelOf(place, signal), (level) => ({ place, told, ordered, words, level }))
}

const sending = ["send", "pay", "refund", "invite", "grant", "publish"]

/** What a call does, as it is labelled, or as class, name and arguments of its tool let expect. */
const effectOf = (
  { effect, labels, tool }: Pick<Subject, "effect" | "labels" | "tool">,
  sinks: ReadonlyArray<Sinks.Sink>
): NonNullable<ToolLabels["effect"]> => {
  if (labels.effect !== undefined) return labels.effect
  if (effect === "readonly") return sinks.some(({ embedded, kind }) => kind === "url" && !embedded) ? "fetch" : "none"
  const { names } = Actions.of(tool)
  if (names.has("erase")) return "destroy"
  return sending.some((name) => names.has(name)) ? "send" : "write"
}
