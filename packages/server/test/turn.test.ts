import { Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { decisions, setUp } from "./decisions.ts"
import { call, memory, type Stores } from "./serving.ts"

const test = <E>(title: string, body: Effect.Effect<void, E, Stores | Runs>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, memory()))))

describe("servers", () => {
  for (const [title, body] of Object.entries(decisions)) test(title, body)
})

describe("approvals of a turn", () => {
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
