/**
 * What was found out about a call, as verdicts: evidence for the log, and plain words for the person who is asked.
 */
import type { Guardrails } from "@durable-agents/agent"
import type { Schema } from "effect"
import type * as Origins from "./Origins.ts"
import * as Passages from "./Passages.ts"
import type * as Policy from "./Policy.ts"
import type { Judged } from "./Provenance.ts"

/**
 * The verdicts about a call: one for each rule that says something of its values.
 *
 * @category conversions
 * @since 0.1.0
 */
export const verdicts = (
  call: Pick<Guardrails.Call, "tool">,
  judged: ReadonlyArray<Judged>
): ReadonlyArray<Guardrails.Verdict> => {
  const told = judged.filter(({ action }) => action !== "allow")
  return Array.from(Map.groupBy(told, ({ action, rule }) => `${action} ${rule}`)).map(([, group]) => {
    const [first] = group
    const action = first?.action ?? "mark"
    return {
      rule: first?.rule ?? "provenance",
      action: actions[action],
      message: group.slice(0, 5).map((one) => words(one, false)).join("; "),
      ...(action === "ask" ? { shown: group.slice(0, 5).map((one) => words(one, true)).join("; ") } : {}),
      detail: { tool: call.tool, evidence: group.slice(0, 20).map(evidence) },
      counts: false
    }
  })
}

const actions: { readonly [Name in Policy.Action]: Guardrails.Verdict["action"] } = {
  allow: "ALLOW",
  mark: "MARK",
  ask: "ESCALATE",
  refuse: "BLOCK"
}

/** Where it was found and what speaks against it: positions and kinds, never the value. */
const evidence = ({ facts, place, rule, traced: { places, sink } }: Judged): Schema.JsonObject => ({
  argument: sink.path,
  kind: sink.kind,
  origin: facts.origin,
  rule: rule ?? "",
  ...(facts.embedded ? { embedded: true } : {}),
  ...(facts.told ? { told: true } : {}),
  ...(facts.ordered ? { ordered: true } : {}),
  ...(facts.signal === "none" ? {} : { signal: facts.signal }),
  ...(facts.asked === "yes" ? {} : { asked: false }),
  ...(place === undefined ? {} : {
    place: {
      key: place.source.key ?? "",
      turn: place.source.turn ?? 0,
      tool: place.source.tool ?? "",
      path: place.path,
      start: place.start,
      end: place.end,
      ...(place.form === undefined ? {} : { form: place.form })
    },
    places: places.length
  })
})

/**
 * What speaks against a value, as a person says it; with the value and the sentence that it comes from, or without.
 *
 * @category words
 * @since 0.1.0
 */
export const words = ({ facts, place, traced: { sink } }: Judged, whole: boolean): string => {
  const value = whole
    ? `\`${sink.path}\` ${facts.embedded ? "holds" : "is"} ${quote(sink.value)}`
    : facts.embedded
    ? `a value in \`${sink.path}\``
    : `\`${sink.path}\``
  if (facts.kind === "call") {
    return `${notAsked[facts.asked]}${place === undefined ? "" : `; ${order(place, whole)}`}`
  }
  if (facts.origin === "model" || facts.origin === "nowhere") {
    const known = facts.origin === "model" ? "only the model has said it; " : ""
    return `${value}: ${known}it is neither in the request nor in any result${
      place === undefined ? "" : `; ${order(place, whole)}`
    }`
  }
  if (place === undefined) return value
  return [
    `${value}${whole ? ", which" : ""} comes from ${source(place)}${
      place.form === undefined ? "" : `, where it stood as ${place.form}`
    }${whole ? `: ${quote(Passages.sentence(place.text, ...within(place)))}` : ""}`,
    "it is not in the request",
    ...(facts.told
      ? ["that text itself tells its reader to do this"]
      : facts.ordered
      ? ["that sentence itself tells its reader to do something"]
      : []),
    ...(facts.twin ? ["another one stands near it that differs in a sign or two"] : []),
    ...(facts.signal === "none"
      ? []
      : [`it reads ${facts.signal === "strong" ? "very much " : ""}like an instruction to a model`]),
    ...(facts.asked === "yes" ? [] : [notAsked[facts.asked]])
  ].join("; ")
}

const notAsked: { readonly [How in Policy.Facts["asked"]]: string } = {
  yes: "the request asks for such a thing",
  half: "the request does not quite ask for this",
  no: "the request does not speak of doing such a thing"
}

const order = (place: Origins.Place, whole: boolean): string =>
  `${source(place)} holds a passage that tells its reader to do this${
    whole ? `: ${quote(Passages.sentence(place.text, place.start, place.end))}` : ""
  }`

/** Of an encoded text, only that it stood there is known. */
const within = ({ end, form, start }: Origins.Place): readonly [number, number] =>
  form === undefined ? [start, end] : [0, 0]

const source = ({ path, source, start, text, form }: Origins.Place): string => {
  const paragraph = form === undefined ? Passages.paragraph(text, start) : 1
  return `${paragraph > 1 ? `paragraph ${paragraph} of ` : ""}${path === "" ? "" : `\`${path}\` of `}what \`${
    source.tool ?? ""
  }\` returned in turn ${source.turn ?? 0}`
}

const excerpt = (text: string): string => text.length <= 200 ? text : `${text.slice(0, 200).toWellFormed()} …`

const quote = (text: string): string => `"${excerpt(text).replace(/\s+/g, " ").replaceAll("\"", "'")}"`
