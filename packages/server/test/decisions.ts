/**
 * What servers promise about decisions, over any store.
 */
import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { EventStore, type RunId, Runs, Runtime } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Effect, Layer, pipe, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { connect } from "node:net"
import { call, execute, quick, request, serve, Ship, type Stores, tokenFor } from "./serving.ts"

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

/** A run of the clerk that waits for two decisions, and what is done to it. */
export const setUp = Effect.gen(function*() {
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

/** Each with the title of its test. */
export const decisions: Readonly<Record<string, Effect.Effect<void, unknown, Stores | Runs>>> = {
  "decide the approvals of a turn one by one, and let no old decision meet a new call (checks 52, 53, AP-3, AP-5, AP-8)":
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
    })),

  "judge by the store's clock whether a decision comes too late, and then say what the request counts as": Effect
    .scoped(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("dana", "approver")
      const runs = yield* Runs
      const store = yield* EventStore
      const policy = { kind: "policy", id: "expiry" }
      const cases = [
        { after: -1, onExpiry: "deny", decide: "approve", stands: "denied" },
        { after: -1, onExpiry: "approve", decide: "deny", stands: "granted" },
        { after: -1, decide: "approve" },
        { after: 60_000, onExpiry: "deny", decide: "approve" },
        { after: 60_000, onExpiry: "approve", decide: "deny" }
      ] as const
      for (
        const { after, decide, stands, onExpiry } of cases.map((each) => ({
          stands: undefined,
          onExpiry: undefined,
          ...each
        }))
      ) {
        const runId = yield* runs.start(Ship, "A-1")
        const expiresAtMillis = (yield* store.now) + after
        yield* store.append(runId, {
          expected: 1,
          events: [{
            _tag: "ApprovalRequested",
            key: "ship",
            subject: "Ship it?",
            reason: "",
            expiresAtMillis,
            ...(onExpiry === undefined ? {} : { onExpiry })
          }]
        })
        const shown = (yield* call(`${url}/runs/${runId}`, { token })).body.pendingApprovals[0]
        assert.deepStrictEqual([shown.expiresAt, shown.onExpiry], [expiresAtMillis, onExpiry])
        const { body, status } = yield* call(`${url}/runs/${runId}/${decide}`, { token, json: { approval: "ship" } })
        const { seq } = yield* runs.state(runId)
        if (stands === undefined) assert.deepStrictEqual([status, seq], [204, 3])
        else assert.deepStrictEqual([status, seq, body.decision], [409, 2, { decision: stands, actor: policy }])
      }
    })),

  "refuse a decision about a run that does not wait for it, and say how the run stands (checks 49, 50, 85, AP-4)":
    Effect
      .scoped(Effect.gen(function*() {
        const { url } = yield* serve()
        const token = yield* tokenFor("dana", "approver")
        const runs = yield* Runs
        const decide = (runId: string) =>
          Effect.map(
            Effect.forEach(["approve", "deny"], (path) =>
              call(`${url}/runs/${runId}/${path}`, { token, json: { approval: "ship" } })),
            (answers) =>
              answers.map(({ body, status }) => [status, body.runStatus])
          )
        const runId = yield* runs.start(Ship, "A-1")
        const twice = (status: number, runStatus?: string) => [[status, runStatus], [status, runStatus]]
        assert.deepStrictEqual(yield* decide(runId), twice(409, "Pending"))
        yield* execute(runId)
        yield* call(`${url}/runs/${runId}/deny`, { token, json: { approval: "ship", reason: "no" } })
        yield* execute(runId)
        const { seq } = yield* runs.state(runId)
        assert.deepStrictEqual(yield* decide(runId), twice(409, "Completed"))
        assert.deepStrictEqual(yield* decide("00000000-0000-7000-8000-000000000000"), twice(404))
        assert.strictEqual((yield* runs.state(runId)).seq, seq)
      })),

  "record a decision as a whole or not at all when its sender hangs up (HC-2)": Effect.scoped(Effect.gen(function*() {
    const { port, url } = yield* serve()
    const token = yield* tokenFor("dana", "operator")
    const runs = yield* Runs
    const runId = yield* runs.start(Ship, "A-1")
    const body = "{\"payload\":{\"by\":\"van\"}}"
    const bytes = request(token, [`content-length: ${body.length}`], `/runs/${runId}/signals/pickup`) + body
    for (let cut = 1; cut <= bytes.length; cut += cut > bytes.length - 30 ? 1 : 17) {
      const socket = connect(port, "127.0.0.1")
      yield* Effect.callback<void>((resume) => {
        socket.on("error", () => {})
        socket.on("close", () => resume(Effect.void))
        socket.write(bytes.slice(0, cut), () => cut % 2 === 0 ? socket.destroy() : socket.resetAndDestroy())
      })
    }
    assert.strictEqual((yield* call(`${url}/runs/${runId}/signals/last`, { token, json: {} })).status, 204)
    const events = yield* Stream.runCollect(runs.events(runId))
    for (const { event } of events.slice(1, -1)) {
      assert.deepInclude(event, { _tag: "SignalReceived", name: "pickup", payload: { by: "van" } })
    }
  }))
}
