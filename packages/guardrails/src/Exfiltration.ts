/**
 * What was read in private must not leave the house in an argument: as it is, in part, or encoded.
 */
import { Guardrails } from "@durable-agents/agent"
import { Effect } from "effect"
import type { Layer, Schema } from "effect"
import * as CanonicalText from "./CanonicalText.ts"
import * as Encodings from "./Encodings.ts"
import * as Origins from "./Origins.ts"
import * as Policy from "./Policy.ts"
import * as Sinks from "./Sinks.ts"
import * as Sources from "./Sources.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Passages of any result that must not leave the house either, such as keys and passwords. */
  readonly secrets?: (text: string) => ReadonlyArray<{ readonly start: number; readonly end: number }>
}

/**
 * A guardrail about calls by which something leaves the house: sent, or asked for at an address.
 *
 * **Details**
 *
 * What is private is what a tool is labelled with, and what `secrets` finds. A value or a passage of 32 characters counts, unless
 * the request or the instructions hold it. Under `validation` what was encoded on its way out is asked about, under `lenient` and
 * `standard` also what goes to somebody whom the request does not name, under `strict` all of it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ secrets = () => [] }: Options = {}): Guardrails.Guardrail => {
  const sourceOf = Sources.cache()
  return {
    name: "exfiltration",
    call: (call) =>
      Effect.sync(() => {
        const effect = call.labels.effect ?? (call.effect === "readonly" ? "fetch" : "send")
        if (call.by === "person" || (effect !== "send" && effect !== "fetch")) return []
        const said = [Sources.ofText("request", call.goal), Sources.ofText("instructions", call.instructions)]
        const results = call.past.filter(({ result }) => result !== undefined)
        const hidden = [
          ...results.filter(({ labels }) => labels.private === true).map((past) => sourceOf(call.runId, past)),
          ...results.flatMap(({ key, labels, result = null, tool, turn }) =>
            Sources.leaves(result).flatMap(([, text]) => {
              const found = secrets(text).map(({ end, start }) => text.slice(start, end))
              return found.length === 0
                ? []
                : [Sources.ofResult({ key, labels: { ...labels, private: true }, tool, turn, result: found })]
            })
          )
        ]
        if (hidden.length === 0) return []
        const leaving = values(call.arguments).map((value) => ({ ...value, traced: trace(value.sink, said, hidden) }))
          .filter(({ traced }) => traced.places.length > 0)
        if (leaving.length === 0) return []
        const wasEncoded = leaving.some(({ form }) => form !== undefined)
        const strictness = Policy.strictness[call.profile]
        const asks = wasEncoded || strictness >= Policy.strictness.strict ||
          (strictness >= Policy.strictness.lenient && !goesToRequested(call, said))
        const from = Array.from(new Set(leaving.map(({ traced }) => traced.places[0]?.source.tool ?? "")))
        const fields = Array.from(new Set(leaving.map(({ sink }) => `\`${sink.path}\``)))
        const words = `${fields.join(", ")} ${fields.length === 1 ? "holds" : "hold"} what ${
          from.map((tool) => `\`${tool}\``).join(", ")
        } returned, which is private${wasEncoded ? ", encoded" : ""}, and it would leave the house`
        return [{
          rule: "private_data_leaves",
          action: asks ? "ESCALATE" : "MARK",
          message: words,
          detail: {
            tool: call.tool,
            encoded: wasEncoded,
            evidence: leaving.slice(0, 20).map(({ form = "", sink, traced: { places: [place] } }) => ({
              argument: sink.path,
              form,
              key: place?.source.key ?? "",
              path: place?.path ?? "",
              start: place?.start ?? 0,
              end: place?.end ?? 0
            }))
          },
          counts: false
        }]
      })
  }
}

/**
 * What is private is watched beside what the guardrails below do.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<never, Guardrails.UnusableGuardrails> =>
  Guardrails.layerAdd({ guardrails: [make(options)] })

interface Leaving {
  readonly sink: Sinks.Sink
  /** In which encoding it would leave. */
  readonly form: string | undefined
}

/** Values and passages of arguments, those that stand encoded included. */
const values = (args: Schema.Json): ReadonlyArray<Leaving> => {
  const texts = Sinks.scalars(args).flatMap(([path, value]) => [
    { path, text: String(value), form: undefined },
    ...Encodings.decoded(String(value)).map(({ form, text }) => ({ path, text, form }))
  ])
  return texts.flatMap(({ form, path, text }) => [
    ...Sinks.of({ [path]: text }, { [path]: "content" }).sinks.map((sink) => ({ sink: { ...sink, path }, form })),
    ...passages(text).map((value) => ({ sink: { path, kind: "id" as const, value, embedded: true }, form })),
    // What stands encoded is looked for as a whole as well, however short it is.
    ...(form === undefined ? [] : [{ sink: { path, kind: "id" as const, value: text, embedded: true }, form }])
  ])
}

const length = 32
const most = 200

/** Passages that are too long to be said by chance, at word borders, half of each in the next one. */
const passages = (text: string): ReadonlyArray<string> => {
  const canonical = CanonicalText.value(text)
  const found: Array<string> = []
  for (let at = 0; at + length <= canonical.length && found.length < most; at += length / 2) {
    const from = at === 0 ? 0 : canonical.indexOf(" ", at) + 1
    if (from === 0 && at > 0) break
    const end = canonical.indexOf(" ", from + length)
    found.push(canonical.slice(from, end < 0 ? canonical.length : end))
    if (end < 0) break
  }
  return found
}

/** Where a value stands in private, unless the person or the maker of the agent has said it. */
const trace = (
  sink: Sinks.Sink,
  said: ReadonlyArray<Sources.Source>,
  hidden: ReadonlyArray<Sources.Source>
): Origins.Traced => {
  const [traced] = Origins.trace([sink], said)
  return traced !== undefined && traced.origin !== "nowhere"
    ? traced
    : Origins.trace([sink], hidden)[0] ?? { sink, origin: "nowhere", places: [] }
}

/** To whom it goes is what the request says. */
const goesToRequested = (call: Guardrails.Call, said: ReadonlyArray<Sources.Source>): boolean => {
  const targets = Sinks.of(call.arguments, call.labels.sinks).sinks.filter(({ embedded, kind }) =>
    !embedded && (kind === "recipient" || kind === "url" || kind === "address")
  )
  return targets.length > 0 && Origins.trace(targets, said).every(({ origin }) => origin !== "nowhere")
}
