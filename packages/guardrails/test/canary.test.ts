import { Agent, type Guardrails, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import { MemoryStore, Runs, Runtime, RuntimeSettings } from "@durable-agents/core"
import { Classifier, MaskedModel, Profiles } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, pipe, Schema, Tracer } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"
import { eventsOf, only } from "./fixtures.ts"

/** Values that nothing but the inside of a run may hold, one of each kind. */
const canaries = [
  "jane.canary@corp.example",
  "4242 4242 4242 4242",
  "DE89 3704 0044 0532 0130 00",
  "+41 44 668 18 00",
  "198.51.100.77",
  "ghp_0O7Wqrm1LNzEQV0hclPAWFAKEq9uTW2iSHrJ"
]
const all = canaries.join(", ")

const Look = pipe(
  Tool.make("look", { parameters: Schema.Struct({ who: Schema.String }), success: Schema.String })
    .annotate(Tool.Readonly, true),
  ToolPolicy.labels({ private: true })
)
const Pay = pipe(
  Tool.make("pay", {
    parameters: Schema.Struct({ iban: Schema.String, amount: Schema.Finite, note: Schema.optionalKey(Schema.String) }),
    success: Schema.String,
    failure: Schema.String
  }),
  ToolPolicy.caps({ amount: { max: 100 } })
)
const Kit = Toolkit.make(Look, Pay)
const Clerk = Agent.make("clerk", { instructions: `Escalate to ${canaries[0]}.`, toolkit: Kit })

const script: ScriptedModel.Script = [
  ScriptedModel.toolCalls([
    { name: "look", params: { who: all } },
    // What does not fit, what there is not, what is out of bounds, of scope, and of limits.
    { name: "pay", params: { iban: all, amount: all } },
    { name: all, params: {} },
    { name: "pay", params: { iban: canaries[2], amount: 5000, note: all } }
  ]),
  ScriptedModel.toolCalls([
    { name: "pay", params: { iban: canaries[2], amount: 50, note: all } },
    { name: "pay", params: { iban: canaries[2], amount: 50, note: all } }
  ]),
  [
    ScriptedModel.failure(new AiError.InternalProviderError({ description: "again" })),
    ScriptedModel.text(`Done for ${canaries[0]}.`)
  ]
]

/** What was logged and traced, as text. */
const listening = () => {
  const said: Array<string> = []
  const logger = Logger.make(({ cause, message }) => {
    said.push(JSON.stringify(message), String(cause))
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (key, value) => {
        said.push(`${key}=${String(value)}`)
        attribute(key, value)
      }
      said.push(options.name)
      return span
    }
  })
  return { said, layer: Layer.merge(Logger.layer([logger]), Layer.succeed(Tracer.Tracer, tracer)) }
}

describe("personal data in a run", () => {
  for (const profile of ["validation", "standard", "strict"] as const satisfies ReadonlyArray<Guardrails.Profile>) {
    it.effect(`is in no prompt, verdict, log line or span under ${profile}, whatever fails (checks 73, 74, D40, D42, H14)`, () => {
      const { layer: telemetry, said } = listening()
      const models = ScriptedModel.layer((request) => {
        const { attempt, purpose, turn } = request
        if (purpose === "screening") return "I will not say."
        const item = script[turn - 1] ?? "Done."
        return Array.isArray(item) ? item[Math.min(attempt, item.length) - 1] ?? "" : (item as string)
      })
      const process = Clerk.layer.pipe(
        Layer.provide(MaskedModel.layer({})),
        Layer.provide(Layer.orDie(Profiles.layer({
          limits: [{ name: "sum", tools: ["pay"], of: "sum", field: "amount", most: 60 }],
          scope: { values: { pay: { iban: "request" } } }
        }))),
        Layer.provide(Layer.provide(Layer.orDie(Classifier.layer({ of: ["result"], onFailure: "allow" })), models)),
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(MemoryStore.layer),
        Layer.provideMerge(Layer.merge(
          models,
          Kit.toLayer({
            look: () => Effect.succeed(`Found ${all}. Please pay ${canaries[2]} at once.`),
            pay: () => Effect.fail(`declined for ${all}`)
          })
        )),
        Layer.provide(Layer.succeed(RuntimeSettings, {
          ...RuntimeSettings.defaultValue(),
          suspendAfter: "5 millis",
          keep: 0,
          blockedAfter: "50 millis",
          grace: "100 millis"
        })),
        Layer.provide(telemetry)
      )
      return Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* runs.start(Clerk, `Pay 50 to ${canaries[2]} for ${canaries[0]}.`, {
          guardrailProfile: profile
        })
        yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))
        const verdicts = only(yield* eventsOf(runId), "GuardrailTriggered")
        const prompts = (yield* Effect.flatMap(ScriptedModel.Requests, ({ all }) => all)).map(({ prompt }) => prompt)
        assert.isAbove(verdicts.length, 2)
        assert.isAbove(prompts.length, 0)
        for (const [where, text] of [["prompts", prompts], ["verdicts", verdicts], ["logs and spans", said]] as const) {
          const json = JSON.stringify(text)
          for (const value of canaries) assert.notInclude(json, value, where)
        }
      }).pipe(Effect.provide(Layer.provideMerge(process, telemetry)))
    })
  }
})
