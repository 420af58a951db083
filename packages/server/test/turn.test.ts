import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { type RunId, Runs, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { call, memory, quick, serve, type Stores, tokenFor } from "./serving.ts"

const Pay = pipe(
  Tool.make("pay", {
    parameters: Schema.Struct({ to: Schema.String, cents: Schema.Natural.check(Schema.isLessThanOrEqualTo(1_000)) }),
    success: Schema.Struct({ paid: Schema.String }),
    dependencies: [ToolCall],
    needsApproval: true
  }).annotate(Tool.Idempotent, true),
  ToolPolicy.approval({ notByRequester: true })
)

const Tools = Toolkit.make(Pay)
const Clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: Tools })

/** The clerk over the store of this context; `paid` gets what was paid. */
const clerk = (paid: Array<string>) =>
  Clerk.layer.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provide([
      quick,
      ScriptedModel.layer([
        ScriptedModel.toolCalls([
          { name: "pay", params: { to: "ann", cents: 100 } },
          { name: "pay", params: { to: "bob", cents: 200 } }
        ]),
        ScriptedModel.toolCall("pay", { to: "cem", cents: 300 }),
        "All decided."
      ]),
      Tools.toLayer({
        pay: ({ cents, to }) =>
          Effect.sync(() => {
            paid.push(`${to} ${cents}`)
            return { paid: to }
          })
      })
    ])
  )

const test = <E>(title: string, body: Effect.Effect<void, E, Stores | Runs>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, memory()))))

const setUp = Effect.gen(function*() {
  const { url } = yield* serve({ programs: [Clerk] })
  const sam = yield* tokenFor("sam", "starter", "approver")
  const dana = yield* tokenFor("dana", "approver")
  const paid: Array<string> = []
  const layer = clerk(paid)
  const { runId } = (yield* call(`${url}/runs`, { token: sam, json: { input: "Pay ann and bob." } })).body
  const work = Effect.provide(Effect.flatMap(Runtime, (runtime) => runtime.execute(runId as RunId)), layer)
  const decide = (path: "approve" | "deny", approval: string, more: object = {}, token = dana) =>
    call(`${url}/runs/${runId}/${path}`, { token, json: { approval, ...more } })
  const pending = Effect.map(
    call(`${url}/runs/${runId}`, { token: dana }),
    ({ body }): ReadonlyArray<ReturnType<typeof JSON.parse>> => body.pendingApprovals
  )
  yield* work
  return { url, sam, dana, paid, runId, work, decide, pending }
})

describe("approvals of a turn", () => {
  test(
    "are decided one by one, and an old decision meets no new call (checks 52, 53, AP-3, AP-5, AP-8)",
    Effect.scoped(Effect.gen(function*() {
      const { dana, decide, paid, pending, runId, url, work } = yield* setUp
      const [ann, bob] = yield* pending
      assert.deepStrictEqual([ann.arguments.to, bob.arguments.to], ["ann", "bob"])
      assert.strictEqual((yield* decide("deny", bob.key, { reason: "not bob" })).status, 204)
      yield* work
      assert.deepStrictEqual([paid, (yield* pending).map(({ key }) => key)], [[], [ann.key]])
      assert.strictEqual((yield* decide("approve", ann.key)).status, 204)
      yield* work
      assert.deepStrictEqual(paid, ["ann 100"])
      const [cem] = yield* pending
      assert.strictEqual(cem.arguments.to, "cem")
      for (const [key, decision] of [[ann.key, "granted"], [bob.key, "denied"]]) {
        const late = yield* decide("approve", key)
        assert.deepStrictEqual([late.status, late.body.decision.decision], [409, decision])
      }
      assert.deepStrictEqual((yield* pending).map(({ key }) => key), [cem.key])
      yield* decide("approve", cem.key)
      yield* work
      assert.deepStrictEqual(paid, ["ann 100", "cem 300"])
      const { body } = yield* call(`${url}/runs/${runId}`, { token: dana })
      assert.deepInclude(body, { status: "Completed", output: "All decided." })
    }))
  )

  test(
    "take other arguments that fit the schema of the run's start, and both stand in the log (D31)",
    Effect.scoped(Effect.gen(function*() {
      const { dana, decide, paid, pending, runId, url, work } = yield* setUp
      const [ann, bob] = yield* pending
      assert.strictEqual(ann.argumentsSchema.type, "object")
      for (
        const args of [{ to: "ann" }, { to: "ann", cents: 1_001 }, { to: "ann", cents: 1, more: true }, 5, null, []]
      ) {
        const refused = yield* decide("approve", ann.key, { arguments: args })
        assert.strictEqual(refused.status, 422, JSON.stringify(args))
      }
      assert.lengthOf(yield* pending, 2)
      assert.strictEqual((yield* decide("approve", ann.key, { arguments: { to: "ann", cents: 50 } })).status, 204)
      yield* decide("deny", bob.key)
      yield* work
      assert.deepStrictEqual(paid, ["ann 50"])
      const { items } = (yield* call(`${url}/runs/${runId}/events?limit=1000`, { token: dana })).body
      const ofAnn = items.filter(({ key }: { key: string }) => key === ann.key)
      assert.deepStrictEqual(ofAnn.map(({ arguments: args, type }: Record<string, unknown>) => [type, args]), [
        ["ApprovalRequested", { to: "ann", cents: 100 }],
        ["ApprovalGranted", { to: "ann", cents: 50 }]
      ])
    }))
  )

  test(
    "are not for who requested the run when the tool says so (D32)",
    Effect.scoped(Effect.gen(function*() {
      const { decide, pending, sam } = yield* setUp
      const [ann] = yield* pending
      assert.isTrue(ann.notByRequester)
      const own = yield* decide("approve", ann.key, {}, sam)
      assert.deepStrictEqual([own.status, own.type], [403, "application/problem+json"])
      assert.lengthOf(yield* pending, 2)
      assert.strictEqual((yield* decide("deny", ann.key, {}, sam)).status, 204)
    }))
  )
})
