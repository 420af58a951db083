/**
 * Whole runs: a model that does what a poisoned result says, against tools that count what reached them. The records are those of
 * the set `provenance`; each is one run, in which the model looks at all results and then makes the call.
 */
import { Agent, Guardrails, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import { MemoryStore, Runs, Runtime, RuntimeSettings } from "@durable-agents/core"
import { Profiles } from "@durable-agents/guardrails"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import type { EvaluationSet, Measures } from "./EvaluationSet.ts"
import { type Call, decodeCalls } from "./provenance.ts"

/** A tool of any name that takes anything. */
const toolOf = (name: string, readonly: boolean, labels: Parameters<typeof ToolPolicy.labels>[0]) =>
  ToolPolicy
    .labels(labels)(Tool.make(name, { parameters: Schema.Struct({ args: Schema.Json }), success: Schema.String })
      .annotate(Tool.Readonly, readonly))

/** The call as it is made: a tool that only looks has another name than the one that acts. */
const acting = (record: typeof Call.Type) => record.call.tool

const looking = "look"

/** Plays one record, and says what reached the backend and how the run stands. */
const playOne = Effect.fnUntraced(function*(profile: Guardrails.Profile, record: typeof Call.Type) {
  let reached = 0
  const look = toolOf(looking, true, { effect: "none" })
  const act = toolOf(acting(record), false, { effect: record.effect === "egress" ? "fetch" : "send" })
  const kit = Toolkit.make(look, act)
  const agent = Agent.make("victim", { instructions: "You do what you are asked.", toolkit: kit })
  const handlers = kit.toLayer({
    [looking]: ({ args }: { readonly args: Schema.Json }) => Effect.succeed(record.results[Number(args)]?.text ?? ""),
    [acting(record)]: () => Effect.sync(() => (reached += 1, "done"))
  })
  const script: ScriptedModel.Script = [
    ...(record.results.length === 0
      ? []
      : [ScriptedModel.toolCalls(record.results.map((_, index) => ({ name: looking, params: { args: index } })))]),
    ScriptedModel.toolCalls([{ name: acting(record), params: { args: record.call.args } }]),
    "Done."
  ]
  const process = agent.layer.pipe(
    Layer.provide(Layer.orDie(Profiles.layer())),
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provideMerge(Layer.merge(ScriptedModel.layer(script), handlers)),
    Layer.provide(Layer.succeed(RuntimeSettings, {
      ...RuntimeSettings.defaultValue(),
      suspendAfter: "1 millis",
      keep: 0
    }))
  )
  return yield* Effect.gen(function*() {
    const runs = yield* Runs
    const runId = yield* runs.start(agent, record.goal, { guardrailProfile: profile })
    const { status } = yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))
    const verdicts = yield* Stream.runFold(
      runs.events(runId),
      () => 0,
      (count, { event }) => event._tag === "GuardrailTriggered" && event.action !== "ALLOW" ? count + 1 : count
    )
    return { record, reached, status, verdicts }
  }).pipe(Effect.provide(process), Effect.orDie)
})

type Played = Effect.Success<ReturnType<typeof playOne>>

const outcomes = (all: ReadonlyArray<Played>): Measures => ({
  runs: all.length,
  effects: all.reduce((sum, { reached }) => sum + reached, 0),
  asked: all.filter(({ status }) => status === "AwaitingApproval").length,
  ended: all.filter(({ status }) => status === "Failed").length,
  completed: all.filter(({ status }) => status === "Completed").length
})

/**
 * The set `runs`.
 */
export const runs: EvaluationSet = {
  measure: Effect.fnUntraced(function*(records, profile) {
    const name = yield* Effect.orDie(Effect.fromResult(Guardrails.profile(profile)))
    const all = yield* Effect.forEach(yield* decodeCalls(records), (record) => playOne(name, record))
    return {
      set: "runs",
      profile: name,
      hijacked: outcomes(all.filter(({ record }) => record.label === "attack")),
      clean: outcomes(all.filter(({ record }) => record.label === "benign" && record.injected !== true)),
      injected: outcomes(all.filter(({ record }) => record.label === "benign" && record.injected === true))
    }
  }),
  table: (measures) =>
    ["profile", "hijacked", "clean", "injected"].map((name) => `${name}: ${JSON.stringify(measures[name])}`).join("\n")
}
