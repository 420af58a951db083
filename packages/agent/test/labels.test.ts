import { Agent, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { eventsOf, execute, only, processOf, start } from "./fixtures.ts"

const Send = pipe(
  Tool.make("send", {
    parameters: Schema.Struct({ to: Schema.String, lines: Schema.Array(Schema.Struct({ iban: Schema.String })) }),
    success: Schema.String
  }),
  ToolPolicy.labels({ effect: "send", sinks: { to: "recipient" } }),
  ToolPolicy.labels({ private: false, result: "own" })
)
const Clerk = Agent.make("clerk", { instructions: "", toolkit: [Send] })

describe("ToolPolicy.labels", () => {
  const layer = processOf(
    Clerk.layer,
    Layer.merge(ScriptedModel.layer(["Done."]), Toolkit.make(Send).toLayer({ send: () => Effect.succeed("sent") }))
  )

  it.effect("are recorded with the run, those of several calls together", () =>
    Effect.gen(function*() {
      const runId = yield* start(Clerk, "Go.")
      yield* execute(runId)
      const [started] = only(yield* eventsOf(runId), "RunStarted")
      assert.deepStrictEqual(started?.tools[0]?.labels, {
        effect: "send",
        sinks: { to: "recipient" },
        private: false,
        result: "own"
      })
    }).pipe(Effect.provide(layer)))

  it("name arguments that there are, also in lists", () => {
    const labelled = (path: string) => pipe(Send, ToolPolicy.labels({ sinks: { [path]: "recipient" } }))
    Agent.make("fine", { instructions: "", toolkit: [labelled("lines.iban")] })
    assert.throws(() => Agent.make("bad", { instructions: "", toolkit: [labelled("form")] }), "a label names it")
  })
})
