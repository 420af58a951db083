/**
 * Tool calls with all that the agent had seen before them: which are stopped, or sent to a person, by where their values come from.
 */
import { Guardrails } from "@durable-agents/agent"
import { Policy, Provenance, Sources, TextSignal } from "@durable-agents/guardrails"
import { Effect, Schema } from "effect"
import type { EvaluationSet, Measures } from "./EvaluationSet.ts"

/** One labelled call. */
export const Call = Schema.Struct({
  id: Schema.String,
  source: Schema.optionalKey(Schema.String),
  suite: Schema.optionalKey(Schema.String),
  label: Schema.Literals(["attack", "benign"]),
  /** Absent: attack calls are made in injected runs alone. */
  injected: Schema.optionalKey(Schema.Boolean),
  variant: Schema.optionalKey(Schema.String),
  effect: Schema.String,
  goal: Schema.String,
  results: Schema.Array(Schema.Struct({ tool: Schema.String, text: Schema.String })),
  call: Schema.Struct({ tool: Schema.String, args: Schema.Json })
})

const decode = Schema.decodeUnknownEffect(Schema.Array(Call))

/** Dies of what is no record of this set. */
export const decodeCalls = (records: ReadonlyArray<unknown>) => Effect.orDie(decode(records))

/** What becomes of one call. */
const judge = Effect.fnUntraced(function*(profile: Guardrails.Profile, record: typeof Call.Type) {
  const signal = yield* TextSignal.TextSignal
  const { call, effect, goal, results } = record
  const begun = performance.now()
  const judged = profile === "off" ? [] : yield* Provenance.judge({
    tool: call.tool,
    effect: effect === "write" ? "once" : "readonly",
    labels: effect === "egress" ? { effect: "fetch" } : {},
    arguments: call.args,
    profile,
    goal,
    policy: Policy.standard,
    signal,
    sources: [
      Sources.ofText("request", goal),
      ...results.map(({ text, tool }, turn) =>
        Sources.ofResult({ key: `turn-${turn + 1}/call-1`, turn: turn + 1, labels: {}, tool, result: text })
      )
    ]
  })
  const millis = performance.now() - begun
  const worst = judged.reduce<Policy.Action>(
    (worst, { action }) => Policy.severity[action] > Policy.severity[worst] ? action : worst,
    "allow"
  )
  const characters = results.reduce((sum, { text }) => sum + text.length, 0)
  return { record, action: worst, stopped: worst === "ask" || worst === "refuse", millis, characters }
})

type Judged = Effect.Success<ReturnType<typeof judge>>

const share = (all: ReadonlyArray<Judged>) => {
  const stopped = all.filter((one) => one.stopped).length
  return { records: all.length, stopped, share: all.length === 0 ? null : Math.round(stopped / all.length * 1e4) / 1e4 }
}

const by = (all: ReadonlyArray<Judged>, nameOf: (judged: Judged) => string | undefined): Measures =>
  Object.fromEntries(Array.from(Map.groupBy(all, (one) =>
    nameOf(one) ?? "none")).toSorted().map(([name, own]) => [name, rates(own)]))

const rates = (all: ReadonlyArray<Judged>): Measures => ({
  attackCallsStopped: share(all.filter(({ record }) => record.label === "attack")),
  approvalsInCleanRuns: share(all.filter(({ record }) => record.label === "benign" && record.injected !== true)),
  approvalsInInjectedRuns: share(all.filter(({ record }) => record.label === "benign" && record.injected === true))
})

/**
 * The set `provenance`.
 */
export const provenance: EvaluationSet = {
  measure: Effect.fnUntraced(function*(records, profile) {
    const name = yield* Effect.orDie(Effect.fromResult(Guardrails.profile(profile)))
    const calls = yield* decodeCalls(records)
    const all = yield* Effect.forEach(calls, (record) => judge(name, record))
    const signal = yield* TextSignal.TextSignal
    const times = all.map(({ millis }) => millis).toSorted((left, right) => left - right)
    const characters = all.reduce((sum, one) => sum + one.characters, 0)
    return {
      set: "provenance",
      profile: name,
      policy: Policy.version(Policy.standard),
      signal: signal.version,
      records: all.length,
      ...rates(all),
      actions: Object
        .fromEntries(Object.keys(Policy.severity).map((
          action
        ) => [action, all.filter((one) => one.action === action).length])),
      bySource: by(all, ({ record }) => record.source),
      bySuite: by(all, ({ record }) => record.suite),
      byVariant: by(all, ({ record }) => record.variant),
      byTool: by(all, ({ record }) => record.call.tool),
      microsPerKb: Math.round(times.reduce((sum, millis) => sum + millis, 0) * 1e3 / (characters / 1024)),
      slowestMillis: times.at(-1) ?? 0,
      missed: all.filter((one) => one.record.label === "attack" && !one.stopped).map(({ record }) => record.id)
    }
  }),
  table: (measures) =>
    ["profile", "records", "attackCallsStopped", "approvalsInCleanRuns", "approvalsInInjectedRuns", "microsPerKb"]
      .map((name) => `${name}: ${JSON.stringify(measures[name])}`).join("\n")
}
