/**
 * What guardrails found out about a call that a person is asked about: which value, from which sentence of which result, of which
 * turn, and what speaks against it. The log holds places; here they are looked up and said in words.
 */
import type { PendingApproval } from "@durable-agents/server/Api"
import { Option, Schema } from "effect"
import type { Entry, EventOf } from "./Entry.ts"
import { find, type Timeline } from "./Timeline.ts"

type Json = Schema.Json
type Verdict = EventOf<"GuardrailTriggered">

/** A passage of a text, with what stands around it in the same sentence. */
export interface Quote {
  readonly before: string
  readonly passage: string
  readonly after: string
}

/** One value that somebody should look at. */
export interface Finding {
  /** The argument, by its path; empty: all of the call. */
  readonly argument: string
  readonly values: ReadonlyArray<string>
  /** Where it was found, in words, and the entry of that call. */
  readonly source: string | undefined
  readonly entry: Entry | undefined
  readonly quote: Quote | undefined
  /** The value does not come from there; that place tells its reader to do the same. */
  readonly isOrder: boolean
  /** What speaks against it, a sentence each. */
  readonly says: ReadonlyArray<string>
}

export interface Doubt {
  readonly rule: string
  readonly guardrail: string | undefined
  readonly message: string
  readonly isTriedOut: boolean
  readonly findings: ReadonlyArray<Finding>
}

const Place = Schema.Struct({
  key: Schema.String,
  path: Schema.String,
  start: Schema.Natural,
  end: Schema.Natural,
  turn: Schema.optionalKey(Schema.Natural),
  tool: Schema.optionalKey(Schema.String),
  form: Schema.optionalKey(Schema.String)
})

const Traced = Schema.Struct({
  argument: Schema.String,
  origin: Schema.String,
  kind: Schema.optionalKey(Schema.String),
  embedded: Schema.optionalKey(Schema.Boolean),
  told: Schema.optionalKey(Schema.Boolean),
  signal: Schema.optionalKey(Schema.String),
  // Older logs say false for what is "no" now.
  asked: Schema.optionalKey(Schema.Union([Schema.String, Schema.Boolean])),
  place: Schema.optionalKey(Place),
  places: Schema.optionalKey(Schema.Natural)
})

const Leaving = Schema.Struct({ argument: Schema.String, ...Place.fields })

/** What one of them is not understood as is left out: guardrails are newer than a page may be. */
const readEvidence = Schema.decodeUnknownOption(Schema.Struct({ evidence: Schema.Array(Schema.Json) }))
const readTraced = Schema.decodeUnknownOption(Traced)
const readLeaving = Schema.decodeUnknownOption(Leaving)
const readBoth = Schema
  .decodeUnknownOption(Schema.Struct({ untrusted: Schema.Array(Schema.String), private: Schema.Array(Schema.String) }))
const readMessage = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.String }))

/** What a verdict says in its own words. */
export const messageOf = ({ detail, rule }: Verdict): string =>
  Option.match(readMessage(detail), { onNone: () => rule, onSome: ({ message }) => message })

/** The verdicts that an approval is about, with what they found. */
export const doubts = (
  timeline: Timeline,
  approval: Pick<PendingApproval, "key" | "arguments">
): ReadonlyArray<Doubt> => {
  const call = approval.key.replace(/\/approval$/, "")
  const asked = find(timeline, approval.key)
  return timeline.entries.flatMap(({ from, verdict }) =>
    verdict !== undefined && (asked === undefined || from < asked.from) && isAbout(verdict, call, approval.key)
      ? [doubtOf(timeline, verdict, approval.arguments)]
      : []
  )
}

const isAbout = ({ key, layer }: Verdict, call: string, approval: string): boolean =>
  layer === "L1_input" ? approval.endsWith("goal/approval") : layer !== "L2_tool_result" && key === call

/** One verdict with what it found. */
export const doubtOf = (timeline: Timeline, verdict: Verdict, args: Json | undefined): Doubt => ({
  rule: verdict.rule,
  guardrail: verdict.guardrail,
  message: messageOf(verdict),
  isTriedOut: verdict.shadow !== undefined,
  findings: Option.match(readEvidence(verdict.detail), {
    onSome: ({ evidence }) => evidence.flatMap((one) => findingsOf(timeline, one, args)),
    onNone: () => Option.match(readBoth(verdict.detail), { onNone: () => [], onSome: (both) => mixed(timeline, both) })
  })
})

const findingsOf = (timeline: Timeline, evidence: Json, args: Json | undefined): ReadonlyArray<Finding> =>
  Option.match(readLeaving(evidence), {
    onSome: (found) => [leaving(timeline, found, args)],
    onNone: () =>
      Option.match(readTraced(evidence), { onNone: () => [], onSome: (found) => [traced(timeline, found, args)] })
  })

const traced = (timeline: Timeline, found: typeof Traced.Type, args: Json | undefined): Finding => {
  const { argument, asked, embedded, kind, origin, place, places = 1, signal, told } = found
  const isCall = kind === "call"
  const isUnfounded = origin === "model" || origin === "nowhere"
  return {
    argument: isCall ? "" : argument,
    values: embedded === true || isCall ? [] : scalarsAt(args, argument),
    ...located(timeline, place),
    isOrder: isUnfounded,
    says: isCall ? notAsked(asked) : [
      ...(embedded === true ? ["It stands within a longer text."] : []),
      ...(origin === "model" ? ["Only the model has said it."] : []),
      ...(isUnfounded ? ["It is neither in the request nor in any result."] : ["It is not in the request."]),
      ...(place?.form === undefined ? [] : [`There it stood encoded, as ${place.form}.`]),
      ...(told === true && !isUnfounded ? ["That text itself tells its reader to do this."] : []),
      ...(signal === undefined || isUnfounded
        ? []
        : [`It reads ${signal === "strong" ? "very much " : ""}like an instruction to a model.`]),
      ...(isUnfounded ? [] : notAsked(asked)),
      ...(places > 1 ? [`It stands in ${places} places; this one speaks most against it.`] : [])
    ]
  }
}

const notAsked = (asked: typeof Traced.Type["asked"]): ReadonlyArray<string> =>
  asked === undefined || asked === "yes" || asked === true
    ? []
    : asked === "half"
    ? ["The request does not quite ask for this."]
    : ["The request does not speak of doing such a thing."]

const leaving = (timeline: Timeline, found: typeof Leaving.Type, args: Json | undefined): Finding => ({
  argument: found.argument,
  values: scalarsAt(args, found.argument),
  ...located(timeline, { ...found, form: "" }),
  isOrder: false,
  says: [
    "It holds what that call returned, which is private, and it would leave the house.",
    ...(found.form === undefined || found.form === "" ? [] : [`It would leave encoded, as ${found.form}.`])
  ]
})

const mixed = (
  timeline: Timeline,
  both: { readonly untrusted: ReadonlyArray<string>; readonly private: ReadonlyArray<string> }
) =>
  ([["Words of strangers were read.", both.untrusted], ["Private data was read.", both.private]] as const).flatMap((
    [says, keys]
  ) =>
    keys.map((key): Finding => {
      const entry = find(timeline, key)
      return {
        argument: "",
        values: [],
        entry,
        source: sourceOf(entry, key, "", ""),
        quote: undefined,
        isOrder: false,
        says: [says]
      }
    })
  )

const located = (
  timeline: Timeline,
  place: typeof Place.Type | undefined
): Pick<Finding, "source" | "entry" | "quote"> => {
  if (place === undefined) return { source: undefined, entry: undefined, quote: undefined }
  const entry = find(timeline, place.key)
  const text = entry?.output === undefined ? undefined : textAt(entry.output, place.path)
  // Of what stood encoded only that it did is known.
  const isPlain = place.form === undefined || place.form === ""
  return {
    entry,
    source: sourceOf(entry, place.key, place.path, text ?? "", isPlain ? place.start : 0),
    quote: text === undefined || !isPlain ? undefined : quote(text, place.start, place.end)
  }
}

const sourceOf = (entry: Entry | undefined, key: string, path: string, text: string, start = 0): string => {
  const paragraph = text.slice(0, start).split(/\n[ \t]*\n/).length
  return [
    ...(paragraph > 1 ? [`paragraph ${paragraph} of`] : []),
    ...(path === "" ? [] : [`“${path}” in`]),
    entry?.tool === undefined ? `the result of ${key}` : `what ${entry.tool} returned`,
    ...(entry?.turn === undefined ? [] : [`in turn ${entry.turn}`])
  ].join(" ")
}

/** The text or the number at a path, whose keys are joined as in a JSON pointer; or the name of the member, if that is no text. */
export const textAt = (json: Json, path: string): string | undefined => {
  const keys = path === "" ? [] : path.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
  const value = keys.reduce<unknown>(
    (at, key) => typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Object(at)[key] : undefined,
    json
  )
  return typeof value === "string" || typeof value === "number"
    ? `${value}`
    : value === undefined
    ? undefined
    : keys.at(-1)
}

/** Texts and numbers at a path of arguments, in which lists have no index. */
const scalarsAt = (json: Json | undefined, path: string): ReadonlyArray<string> =>
  path === "" ? [] : path.split(".").reduce<ReadonlyArray<unknown>>(
    (all, key) =>
      all.flatMap((one) => {
        const value: unknown = typeof one === "object" && one !== null && Object.hasOwn(one, key)
          ? Object(one)[key]
          : []
        return Array.isArray(value) ? value.flat(8) : [value]
      }),
    [json]
  ).flatMap((value) => typeof value === "string" || typeof value === "number" ? [`${value}`] : [])

/** The sentence around a passage, as far as it is not too long. */
export const quote = (text: string, start: number, end: number): Quote => {
  const before = text.slice(Math.max(0, start - reach), start)
  const after = text.slice(end, end + reach)
  const begin = Array.from(before.matchAll(/[.!?]["')\]]?\s+|\n/g)).at(-1)
  const stop = /[.!?](?=["')\]]?(?:\s|$))|\n/.exec(after)
  return {
    before: begin === undefined
      ? `${start > reach ? "…" : ""}${before}`.toWellFormed()
      : before.slice(begin.index + begin[0].length),
    passage: text.slice(start, end),
    after: stop === null
      ? `${after}${end + reach < text.length ? "…" : ""}`.toWellFormed()
      : after.slice(0, stop.index + 1).trimEnd()
  }
}

const reach = 240
