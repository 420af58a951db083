import { Agent, ScriptedModel } from "@durable-agents/agent"
import { Approval, Program, Runs, Runtime, Timer } from "@durable-agents/core"
import { People, runProgram, type Script } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

const Text = Program.make("text", { input: Schema.String, output: Schema.String })

const said = (decision: Approval.Decision): string =>
  decision._tag === "Denied"
    ? `${decision.actor.id} said no: ${decision.reason}`
    : `${decision.actor.id} said yes to ${JSON.stringify(decision.arguments)}`

/** Asks for these approvals side by side, and says what was decided. */
const asking = (outside: Script, ...approvals: ReadonlyArray<readonly [string, Partial<Approval.Options>?]>) =>
  Effect.map(
    runProgram({
      program: Text,
      input: "",
      layer: Text.toLayer(() =>
        Effect.map(
          Effect.forEach(approvals, ([key, options]) =>
            Effect.map(Approval.request(key, { subject: "?", ...options }), said), { concurrency: "unbounded" }),
          (all) =>
            all.join("; ")
        )
      ),
      outside
    }),
    ({ output }) => output
  )

const Refund = Tool.make("refund", {
  parameters: Schema.Struct({ cents: Schema.Natural }),
  success: Schema.String,
  needsApproval: true
})
const Mail = Tool.make("mail", {
  parameters: Schema.Struct({ to: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
const Tools = Toolkit.make(Refund, Mail)
const Support = Agent.make("support", { instructions: "Help.", toolkit: Tools })

/** An agent that wants both tools; what they were called with. */
const supported = (outside: Script) =>
  Effect.map(
    runProgram({
      program: Support,
      input: "Help me.",
      world: () => new Array<string>(),
      layer: (done) =>
        Support.layer.pipe(Layer.provide([
          ScriptedModel.layer([
            ScriptedModel.toolCalls([
              { name: "refund", params: { cents: 6400 } },
              { name: "mail", params: { to: "sam" } }
            ]),
            "Done."
          ]),
          Tools.toLayer({
            refund: ({ cents }) => Effect.sync(() => `${done.push(`refund ${cents}`)}`),
            mail: ({ to }) => Effect.sync(() => `${done.push(`mail ${to}`)}`)
          })
        ])),
      effects: (done) => done,
      outside
    }),
    ({ effects }) => effects
  )

describe("People", () => {
  it.effect("approve what is asked as it was shown", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* asking(People.approve, ["ok"]),
        "person@example.com said yes to undefined"
      )
    }))

  it.effect("deny with a reason, or without one", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* asking(People.deny("too much"), ["ok"]), "person@example.com said no: too much")
      assert.strictEqual(yield* asking(People.deny(), ["ok"]), "person@example.com said no: ")
    }))

  it.effect("approve with other arguments, given or made from what was shown", () =>
    Effect.gen(function*() {
      const ask = ["ok", { arguments: { cents: 6400 } }] as const
      assert.strictEqual(yield* asking(People.edit({ cents: 1 }), ask), "person@example.com said yes to {\"cents\":1}")
      assert.strictEqual(
        yield* asking(People.edit((shown) => [shown, "edited"]), ask),
        "person@example.com said yes to [{\"cents\":6400},\"edited\"]"
      )
    }))

  it.effect("have a name: that which is given, or that of the first who may decide", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* asking(People.as("lee", People.deny("no")), ["ok"]), "lee said no: no")
      assert.strictEqual(
        yield* asking(People.approve, ["ok", { approvers: ["dana", "lee"] }]),
        "dana said yes to undefined"
      )
      assert.strictEqual(
        yield* asking(People.as("outer", People.as("inner", People.deny("no"))), ["ok"]),
        "inner said no: no"
      )
    }))

  it.effect("are asked in order, and the first who has an answer decides", () =>
    Effect.gen(function*() {
      const rules = [
        People.byKey({ a: People.as("ann", People.deny("mine")) }),
        People.decide(
          ({ key }) => key === "b" ? undefined : People.as("bob", People.deny("also mine")),
          People.as("cat", People.approve)
        ),
        People.as("dan", People.approve)
      ]
      assert.strictEqual(
        yield* asking(rules, ["a"], ["b"], ["c"]),
        "ann said no: mine; cat said yes to undefined; bob said no: also mine"
      )
    }))

  it.effect("decide by tool, and by the arguments of the tool", () =>
    Effect.gen(function*() {
      const limit = (cents: number) =>
        People.decide(
          People.forTool(Refund, (args) => args.cents > cents ? People.deny("too much") : People.approve),
          People.approve
        )
      assert.deepStrictEqual(yield* supported(limit(5000)), ["mail sam"])
      assert.deepStrictEqual(yield* supported(limit(7000)), ["refund 6400", "mail sam"])
      assert.deepStrictEqual(
        yield* supported(People.byTool({
          refund: People.edit({ cents: 1 }),
          mail: ({ arguments: shown }) => People.deny(JSON.stringify(shown))
        })),
        ["refund 1"]
      )
    }))

  it.effect("take their time, so that what else is due comes first", () =>
    Effect.gen(function*() {
      const late = (days: number) =>
        asking(People.after(`${days} days`, People.approve), ["ok", { expiresIn: "3 days" }])
      assert.strictEqual(yield* late(2), "person@example.com said yes to undefined")
      assert.strictEqual(yield* late(4), "expiry said no: nobody decided in time")
    }))

  it.effect("take the time of all rules around them together", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Approval.request("ok", { subject: "?" }), "")),
        outside: People.after("1 hour", People.decide(People.after("1 day", People.approve)))
      })
      assert.strictEqual(done.view.state.updatedAt, 25 * 3_600_000)
    }))

  it.effect("decide about a run without a driver, too", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runtime = yield* Runtime
      const runId = yield* runs.start(Text, "")
      const parked = yield* runtime.execute(runId)
      yield* People.as("dana", People.deny("not now")).act(parked)
      const done = yield* runtime.execute(runId)
      assert.strictEqual(done.output, "dana said no: not now")
      const late = yield* Effect.flip(People.approve.act(parked))
      assert.strictEqual(late._tag, "ApprovalNotPending")
    }).pipe(Effect
      .provide(Text.toLayer(() => Effect.map(Approval.request("ok", { subject: "?" }), said))
        .pipe(Layer.provideMerge(Runtime.layerMemory)))))

  it.effect("leave what they have no answer to", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(asking(People.byKey({ a: People.approve }), ["a"], ["b"]))
      assert.isTrue(error._tag === "NotMoving" && error.status === "AwaitingApproval")
      assert.include(error.message, "`b` asks for a decision")
      assert.notInclude(error.message, "`a` asks for a decision")
    }))

  it.effect("are not asked about what a timer has decided", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Timer.sleep("nap", "1 day"), "rested")),
        outside: People.deny("never")
      })
      assert.strictEqual(done.output, "rested")
    }))
})
