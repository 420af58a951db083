/**
 * Asks guardrails about what stands in a log, and says what they would have done otherwise. Changes nothing, and acts on nothing.
 */
import type { Recorded, RunEventOf, ToolDescription } from "@durable-agents/core"
import { RunState } from "@durable-agents/core"
import { Effect, HashMap, Option, Schema } from "effect"
import type * as Guardrails from "./Guardrails.ts"
import { Guardrails as Settings } from "./Guardrails.ts"
import * as ModelCall from "./ModelCall.ts"
import * as Past from "./Past.ts"
import type { Profile } from "./Profile.ts"
import * as Profile_ from "./Profile.ts"
import * as Rules from "./Rules.ts"
import { Told } from "./Told.ts"
import { approvalOf, keyOf } from "./ToolCheck.ts"
import type { Call } from "./Transcript.ts"
import * as Transcript from "./Transcript.ts"

/**
 * What becomes of something, by its verdicts: the worst of them.
 *
 * @category models
 * @since 0.1.0
 */
export type Consequence = "allowed" | "marked" | "changed" | "asked" | "refused" | "ended"

/**
 * A goal, a call or a result of which the guardrails of now say something else than the log.
 *
 * @category models
 * @since 0.1.0
 */
export interface Difference {
  /** The model call that the goal was given to, or the tool call. */
  readonly key: string
  /** The position of what was judged. */
  readonly seq: number
  readonly what: "goal" | "call" | "result"
  readonly tool?: string
  readonly before: Consequence
  readonly after: Consequence
  /** The rules that led to either. */
  readonly rulesBefore: ReadonlyArray<string>
  readonly rulesAfter: ReadonlyArray<string>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Rescored {
  /** How many goals, calls and results were judged. */
  readonly judged: number
  readonly differences: ReadonlyArray<Difference>
}

/**
 * Judges the goals, calls and results of a log with the guardrails that are provided, such as by
 * `Effect.provide(Profiles.layer())`, under a profile or under the one that each run has.
 *
 * **Details**
 *
 * Each is judged by what the log held when it was decided. What built-in rules have said stands, and so does what a model was asked
 * (`screen`), or what a quota did not permit: none of it is decided again; caps of `Guardrails.layer` that are stricter now show. What is only tried out (`shadow`)
 * counts for nothing.
 *
 * **Gotchas**
 *
 * A call of a run that went on otherwise would not have been made at all: each difference is about one decision, not about what
 * would have come of it. Guardrails that read `messages` find none.
 *
 * @category operations
 * @since 0.1.0
 */
export const log = Effect.fn("Rescore.log")(function*(
  events: ReadonlyArray<Recorded>,
  options: { readonly profile?: Profile } = {}
): Effect.fn.Return<Rescored, Profile_.UnknownProfile> {
  const given = yield* Settings
  const settings = { ...given, guardrails: given.guardrails.filter(({ reserves = false }) => !reserves) }
  const stays = new Set(given.guardrails.flatMap(({ name, reserves = false }) => reserves ? [name] : []))
  const [first] = events
  if (first === undefined) return { judged: 0, differences: [] }
  const verdicts = Map.groupBy(
    events.flatMap(({ event }) => event._tag === "GuardrailTriggered" ? [event] : []),
    ({ key, layer }) => `${key ?? ""} ${phaseOf(layer)}`
  )
  const said = (key: string, what: Difference["what"]) => verdicts.get(`${key} ${what}`) ?? []
  const differences: Array<Difference> = []
  const told = new Map<string, Beginning>()
  const subjects: Array<Subject> = []
  let state = RunState.initial(first.runId)
  for (const recorded of events) {
    const { event } = recorded
    state = RunState.fold(state, [recorded])
    const { started } = state
    if (started === undefined) continue
    if (event._tag === "RunStarted") {
      const { goal = "", program, systemPrompt = "" } = event
      told.set("", { ...event, agent: program, goal, systemPrompt })
    } else if (event._tag === "StepCompleted" && event.key.endsWith("/start")) {
      const start = Option.getOrUndefined(decodeTold(event.output))
      if (start !== undefined) told.set(event.key.slice(0, -"/start".length), start)
    } else if (event._tag === "LLMCallRequested" || event._tag === "LLMCallCompleted") {
      const path = pathOf(event)
      const beginning = path === undefined ? undefined : told.get(path)
      if (path === undefined || beginning === undefined) continue
      if (event._tag === "LLMCallCompleted") {
        subjects.push(...callsOf(state, started, recorded, event, path, beginning, events))
      } else if (event.turn === 1 && event.attempt === 1) {
        subjects.push({ what: "goal", recorded, key: event.key, beginning, subject: { goal: beginning.goal } })
      }
    } else if (event._tag === "ToolCallCompleted") {
      subjects.push(...resultsOf(state, recorded, event, told))
    }
  }
  for (const { beginning, key, recorded, subject, tool, what } of subjects) {
    const profile = yield* Effect.fromResult(Profile_.profile(options.profile ?? beginning.guardrailProfile ?? "off"))
    const before = said(key, what)
    const found = profile === "off"
      ? []
      : yield* judge(settings, { key, what, tool }, { ...subject, runId: first.runId, agent: beginning.agent, profile })
    const after = profile === "off"
      ? []
      : [
        ...before.filter((verdict) => stands(verdict) || stays.has(verdict.guardrail ?? "")),
        ...found.map(({ event }) => event)
      ]
    if (consequence(before) === consequence(after)) continue
    differences.push({
      key,
      seq: recorded.seq,
      what,
      ...(tool === undefined ? {} : { tool }),
      before: consequence(before),
      after: consequence(after),
      rulesBefore: rulesOf(before),
      rulesAfter: rulesOf(after)
    })
  }
  return { judged: subjects.length, differences }
})

interface Beginning {
  readonly agent: string
  readonly goal: string
  readonly systemPrompt: string
  readonly tools: ReadonlyArray<ToolDescription>
  readonly guardrailProfile?: string
}

interface Subject {
  readonly what: Difference["what"]
  readonly key: string
  readonly tool?: string
  readonly recorded: Recorded
  readonly beginning: Beginning
  readonly subject: object
}

type Verdict = RunEventOf<"GuardrailTriggered">

const decodeTold = Schema.decodeUnknownOption(Told)

/** The scopes around an agent whose answer is wanted; undefined for any other call. */
const pathOf = ({ key, turn }: { readonly key: string; readonly turn: number }): string | undefined => {
  const path = key.slice(0, -ModelCall.keyOf({ path: "", turn }).length - 1)
  return key === ModelCall.keyOf({ path, turn }) ? path : undefined
}

/** The calls in an answer that guardrails were asked about, as they would have been when it was there. */
const callsOf = (
  state: RunState.RunState,
  started: RunEventOf<"RunStarted">,
  recorded: Recorded,
  { parts, turn }: RunEventOf<"LLMCallCompleted">,
  path: string,
  beginning: Beginning,
  events: ReadonlyArray<Recorded>
): ReadonlyArray<Subject> => {
  const planned: Array<Past.Planned> = []
  const later = laterOf(events)
  return Transcript.read(parts, turn, new Set()).calls.flatMap((call): ReadonlyArray<Subject> => {
    const key = keyOf({ path, turn }, call)
    const args = later.get(key)
    if (args === undefined) return []
    const { effect = "once", labels = {} } = beginning.tools.find(({ name }) => name === call.tool) ?? {}
    const journal = {
      started: { ...started, tools: beginning.tools },
      places: () => HashMap.values(state.places),
      now: () => recorded.at
    }
    const subject: Omit<Guardrails.Call, "runId" | "agent" | "profile"> = {
      key,
      turn,
      tool: call.tool,
      effect,
      labels,
      arguments: args.arguments,
      messages: [],
      goal: beginning.goal,
      instructions: beginning.systemPrompt,
      by: "model",
      past: Past.of(journal, { byName: new Map() }, key, [...planned]),
      verdicts: Array.from(state.verdicts),
      now: recorded.at
    }
    if (args.made) planned.push({ key, turn, tool: call.tool, arguments: args.arguments })
    return [{ what: "call", key, tool: call.tool, recorded, beginning, subject }]
  })
}

/** What came of each call: with which arguments, and whether it was begun or asked about. Built once for a log. */
const laterOf = (
  events: ReadonlyArray<Recorded>
): ReadonlyMap<Call["id"], { readonly arguments: Schema.Json; readonly made: boolean }> => {
  const known = outcomes.get(events)
  if (known !== undefined) return known
  const found = new Map<string, { readonly arguments: Schema.Json; readonly made: boolean }>()
  const misfit = new Set<string>()
  for (const { event } of events) {
    if (
      event._tag === "GuardrailTriggered" && (event.rule === "schema_invalid" || event.rule === "allowlist_violation")
    ) {
      misfit.add(event.key ?? "")
    }
    if (event._tag === "ApprovalRequested" && event.toolCallId !== undefined) {
      const key = event.key.slice(0, -approvalOf("").length)
      if (!found.has(key)) found.set(key, { arguments: event.arguments ?? {}, made: true })
    }
    if (event._tag === "ToolCallRequested" && !found.has(event.key)) {
      found.set(event.key, { arguments: event.arguments, made: true })
    }
    // What did not fit its tool, guardrails were not asked about.
    if (
      event._tag === "ToolCallFailed" && event.arguments !== undefined && !found.has(event.key) &&
      !misfit.has(event.key)
    ) {
      found.set(event.key, { arguments: event.arguments, made: false })
    }
  }
  outcomes.set(events, found)
  return found
}

const outcomes = new WeakMap<ReadonlyArray<Recorded>, ReturnType<typeof laterOf>>()

const resultsOf = (
  state: RunState.RunState,
  recorded: Recorded,
  { isFailure = false, key, result, tool, turn }: RunEventOf<"ToolCallCompleted">,
  told: ReadonlyMap<string, Beginning>
): ReadonlyArray<Subject> => {
  const path = /^(?:(.*)\/)?turn-\d+\/[^/]+$/.exec(key)?.[1] ?? ""
  const beginning = told.get(path)
  const place = RunState.placeAt(state, key)
  const request = place?._tag === "Operation" ? place.request : undefined
  if (beginning === undefined) return []
  const { effect = "once", labels = {} } = beginning.tools.find(({ name }) => name === tool) ?? {}
  const subject: Omit<Guardrails.ToolResult, "runId" | "agent" | "profile"> = {
    key,
    turn,
    tool,
    effect,
    labels,
    arguments: request?._tag === "ToolCallRequested" ? request.arguments : {},
    result,
    isFailure,
    verdicts: Array.from(state.verdicts),
    now: recorded.at
  }
  return [{ what: "result", key, tool, recorded, beginning, subject }]
}

const judge = (
  settings: Guardrails.Settings,
  { key, tool = "", what }: Pick<Difference, "key" | "what"> & { readonly tool: string | undefined },
  subject: object
): Effect.Effect<ReadonlyArray<Rules.Found>> => {
  const about = { key, turn: 0, when: layers[what] }
  const asked = Rules.askAll(about, settings, (guardrail) => guardrail[what] as never, subject)
  return what !== "call" ? asked : Effect.map(asked, (found) => [
    ...Rules.overCap(about, tool, [settings.caps[tool] ?? {}], (subject as Guardrails.Call).arguments),
    ...found
  ])
}

const layers = { goal: "L1_input", call: "L3_output", result: "L2_tool_result" } as const

const phaseOf = (layer: string): Difference["what"] | "other" =>
  layer === "L1_input" ? "goal" : layer === "L2_tool_result" ? "result" : layer === "L2_summary" ? "other" : "call"

/** Built-in rules, other than caps of a layer, and what a model said. */
const stands = ({ detail, guardrail }: Verdict): boolean =>
  guardrail === undefined || typeof Object(detail).by === "string"

const severity: { readonly [Action in Verdict["action"]]: number } = {
  ALLOW: 0,
  MARK: 1,
  REDACT: 2,
  ESCALATE: 3,
  BLOCK: 4
}

const consequences = ["allowed", "marked", "changed", "asked", "refused", "ended"] as const

const consequence = (verdicts: ReadonlyArray<Verdict>): Consequence =>
  consequences[Math.max(0, ...verdicts.map(({ action, ends }) => ends === true ? 5 : severity[action]))] ?? "allowed"

const rulesOf = (verdicts: ReadonlyArray<Verdict>): ReadonlyArray<string> =>
  Array.from(new Set(verdicts.flatMap(({ action, rule }) => action === "ALLOW" ? [] : [rule])))
