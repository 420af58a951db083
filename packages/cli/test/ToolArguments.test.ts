import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import { Program, Runs, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as ToolArguments from "../src/ToolArguments.ts"

const parameters = Schema.Struct({
  orderId: Schema.NonEmptyString,
  cents: Schema.Natural,
  lines: Schema.Array(Schema.Struct({ sku: Schema.String, count: Schema.optionalKey(Schema.Int) })),
  kind: Schema.optionalKey(Schema.Literals(["full", "part"])),
  note: Schema.NullOr(Schema.String)
})

const described: Schema.Json = JSON
  .parse(JSON.stringify(Tool.getJsonSchema(Tool.make("refund", { parameters, success: Schema.Void }))))

describe("ToolArguments.mismatch", () => {
  it.prop("finds nothing wrong with what the tool takes", { value: parameters }, ({ value }) => {
    assert.isUndefined(ToolArguments.mismatch(described, JSON.parse(JSON.stringify(value))))
  })

  it.prop("finds what the tool would not take", { value: Schema.Json }, ({ value }) => {
    const fits = Schema.is(parameters)(value)
    assert.strictEqual(ToolArguments.mismatch(described, value) === undefined, fits)
  })

  it("says what is wrong in one line", () => {
    const value = { orderId: "", cents: -1, lines: [{ sku: 1 }], note: null }
    assert.strictEqual(
      ToolArguments.mismatch(described, value),
      "Expected a value with a length of at least 1 at [\"orderId\"]; Expected a value greater than or equal to 0 at " +
        "[\"cents\"]; Expected string at [\"lines\"][0][\"sku\"]"
    )
  })

  it("holds open what a schema says that cannot be checked here, and what is no schema", () => {
    const value = { a: 1 }
    assert.isUndefined(ToolArguments.mismatch({ type: "object", dependentRequired: { a: ["b"] } }, value))
    assert.isUndefined(ToolArguments.mismatch({ $ref: "https://example.com/schema" }, value))
    for (const schema of [null, true, "object", [], {}, { type: "object" }]) {
      assert.isUndefined(ToolArguments.mismatch(schema, value))
    }
  })
})

describe("ToolArguments.check", () => {
  const Pay = Tool.make("pay", {
    parameters: Schema.Struct({ cents: Schema.Natural }),
    success: Schema.String,
    dependencies: [ToolCall],
    needsApproval: true
  })
  const Kit = Toolkit.make(Pay)
  const Clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: Kit })
  const Desk = Program.make("desk", { input: Schema.String, output: Schema.String, error: Schema.Unknown })
  const App = Layer.merge(Clerk.layer, Desk.toLayer((goal) => Clerk.run("inside", goal))).pipe(
    Layer.provideMerge(Runtime.layerMemory),
    Layer.provide([
      ScriptedModel.layer([ScriptedModel.toolCall("pay", { cents: 5 })]),
      Kit.toLayer({ pay: () => Effect.succeed("paid") })
    ])
  )

  for (const program of [Clerk, Desk]) {
    it.live(`knows the tools of the agent that asks, in a run of ${program.name}`, () =>
      Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* runs.start<string, string, unknown>(
          program as Program.Program<string, string, unknown>,
          "Pay."
        )
        const { pendingApprovals } = yield* (yield* Runtime).execute(runId)
        const approval = pendingApprovals[0]?.key ?? ""
        yield* ToolArguments.check(runId, approval, { cents: 6 })
        const wrong = yield* Effect.flip(ToolArguments.check(runId, approval, { cents: -6 }))
        assert.match(wrong.message, /^The arguments do not fit `pay`: Expected a value greater than or equal to 0/)
        // What does not wait is for the decision to refuse.
        yield* ToolArguments.check(runId, "other", { cents: -6 })
      }).pipe(Effect.provide(App)))
  }
})
