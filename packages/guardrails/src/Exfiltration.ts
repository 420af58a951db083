/**
 * What was read in private must not leave the house in an argument: as it is, in part, or encoded.
 */
import { Guardrails } from "@durable-agents/agent"
import { Effect } from "effect"
import type { Layer, Schema } from "effect"
import * as CanonicalText from "./CanonicalText.ts"
import * as Encodings from "./Encodings.ts"
import * as Leaks from "./Leaks.ts"
import * as Origins from "./Origins.ts"
import * as PersonalData from "./PersonalData.ts"
import * as Policy from "./Policy.ts"
import * as Sinks from "./Sinks.ts"
import * as Sources from "./Sources.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What must not leave the house whatever a tool is labelled with. Default `PersonalData.kinds`. */
  readonly kinds?: ReadonlyArray<PersonalData.Kind>
}

/**
 * A guardrail about calls by which something leaves the house: sent, or asked for at an address.
 *
 * **Details**
 *
 * What is private is what tools labelled so returned, in values and passages of 32 characters, and personal data and secrets in any
 * result; not what the request or the instructions hold, nor an address that the call goes to. It is found as it is, in base64, hex,
 * percent escapes and the like, also one inside another; personal data but mail addresses, and secrets, also backwards, spread, and in
 * two parts, of which one may have left in an earlier call. Under `validation` a person is asked about what was hidden on its way out,
 * and about secrets that go to somebody whom the request does not name; under `lenient` and `standard` about all that goes to such a
 * one; under `strict` about all of it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ kinds = PersonalData.kinds }: Options = {}): Guardrails.Guardrail => {
  const sourceOf = Sources.cache()
  const sensitiveOf = sensitive(kinds)
  return {
    name: "exfiltration",
    version: `1 ${kinds.map(({ name }) => name).join(" ")}`,
    call: (call) =>
      Effect.sync(() => {
        if (call.by === "person" || !isOut(call)) return []
        const said = [Sources.ofText("request", call.goal), Sources.ofText("instructions", call.instructions)]
        const found = [
          ...ofLabelled(call, said, sourceOf),
          ...ofKinds(call, said, sensitiveOf)
        ]
        if (found.length === 0) return []
        const hidden = found.some(({ form }) => form !== undefined)
        const isSecret = found.some(({ kind }) => kind === "secret")
        const strictness = Policy.strictness[call.profile]
        const least = isSecret ? Policy.strictness.validation : Policy.strictness.lenient
        const asks = hidden || strictness >= Policy.strictness.strict ||
          (strictness >= least && !goesToRequested(call, said))
        return [{
          rule: "private_data_leaves",
          action: asks ? "ESCALATE" : "MARK",
          message: words(found),
          detail: {
            tool: call.tool,
            encoded: hidden,
            evidence: found.slice(0, 20).map(({ argument, end, form = "", key, kind, path, start }) => ({
              argument,
              form,
              kind,
              key,
              path,
              start,
              end
            }))
          },
          counts: false
        }]
      })
  }
}

/** Something private that would leave: where it would stand, and where it was read. */
interface Found {
  readonly argument: string
  readonly form: string | undefined
  /** What it is, if that can be told by itself. */
  readonly kind: string
  readonly tool: string
  readonly key: string
  readonly path: string
  readonly start: number
  readonly end: number
}

const isOut = ({ effect, labels }: Pick<Guardrails.Past, "effect" | "labels">): boolean => {
  const own = labels.effect ?? (effect === "readonly" ? "fetch" : "send")
  return own === "send" || own === "fetch"
}

const words = (found: ReadonlyArray<Found>): string => {
  const from = Array.from(new Set(found.map(({ tool }) => `\`${tool}\``)))
  const fields = Array.from(new Set(found.map(({ argument }) => `\`${argument}\``)))
  const kinds = Array.from(new Set(found.map(({ kind }) => kind))).filter((kind) => kind !== "")
  const forms = Array.from(new Set(found.flatMap(({ form }) => form ?? [])))
  return `${fields.join(", ")} ${fields.length === 1 ? "holds" : "hold"} what ${
    from.join(", ")
  } returned, which is private${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}${
    forms.length === 0 ? "" : `, hidden (${forms.join(", ")})`
  }, and it would leave the house`
}

/** Values and passages of what tools labelled private returned. */
const ofLabelled = (
  call: Guardrails.Call,
  said: ReadonlyArray<Sources.Source>,
  sourceOf: ReturnType<typeof Sources.cache>
): ReadonlyArray<Found> => {
  const hidden = call.past
    .filter(({ labels, result }) => result !== undefined && labels.private === true)
    .map((past) => sourceOf(call.runId, past))
  if (hidden.length === 0) return []
  return values(call.arguments).flatMap(({ form, sink }) => {
    const [place] = trace(sink, said, hidden).places
    return place === undefined ? [] : [{
      argument: sink.path,
      form,
      kind: "",
      tool: place.source.tool ?? "",
      key: place.source.key ?? "",
      path: place.path,
      start: place.start,
      end: place.end
    }]
  })
}

/** Personal data and secrets of any result. */
const ofKinds = (
  call: Guardrails.Call,
  said: ReadonlyArray<Sources.Source>,
  sensitiveOf: ReturnType<typeof sensitive>
): ReadonlyArray<Found> => {
  const known = call.past.flatMap((past) => past.result === undefined ? [] : sensitiveOf(call.runId, past))
  if (known.length === 0) return []
  const all = Array.from(new Map(known.map((one) => [one.value, one])).values()).slice(-mostValues)
  const leaving = Leaks.of(call.arguments)
  const before = call.past
    .filter((past) => isOut(past) && (past.state === "made" || past.state === "open"))
    .slice(-8).flatMap(({ arguments: args }) => Leaks.of(args))
  const targets = new Set(Sinks.of(call.arguments, call.labels.sinks).sinks
    .filter(({ embedded, kind }) => !embedded && kind !== "url" && kind !== "credential")
    .map(({ value }) => CanonicalText.value(value)))
  return all.flatMap(({ kind, value, ...rest }) => {
    if (kind !== "secret" && targets.has(CanonicalText.value(value))) return []
    const leak = Leaks.find({ value, isCode: kind !== "email" && kind !== "ip" }, leaving, before)
    if (leak === undefined) return []
    const [traced] = Origins.trace([{ path: leak.path, kind: "id", value, embedded: true }], said)
    return traced !== undefined && traced.origin !== "nowhere"
      ? []
      : [{ ...rest, kind, argument: leak.path, form: leak.form }]
  })
}

/** The last ones count, if there are more. */
const mostValues = 2000

interface Sensitive extends Omit<Found, "argument" | "form"> {
  readonly value: string
}

/** What of these kinds results hold; a recorded result never changes. */
const sensitive = (kinds: ReadonlyArray<PersonalData.Kind>) => {
  const kept = new Map<string, ReadonlyArray<Sensitive>>()
  return (runId: string, { key, result = null, tool }: Guardrails.Past): ReadonlyArray<Sensitive> => {
    const name = `${runId}/${key}`
    const known = kept.get(name)
    if (known !== undefined) return known
    const found = Sources.leaves(result).flatMap(([path, text]) =>
      PersonalData.find(text, kinds).map(({ end, kind, start }) => ({
        kind,
        tool,
        key,
        path,
        start,
        end,
        value: text.slice(start, end)
      }))
    ).slice(0, 500)
    kept.set(name, found)
    for (const oldest of kept.keys()) {
      if (kept.size <= 2000) break
      kept.delete(oldest)
    }
    return found
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
