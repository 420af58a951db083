import { EventStore, type RunEvent, type RunId, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { call, memory, serve, Ship, tokenFor } from "./serving.ts"

const desk = Effect.gen(function*() {
  const { url } = yield* serve()
  const token = yield* tokenFor("olga", "operator")
  const runs = yield* Runs
  const store = yield* EventStore
  /** A run with these events in its log. */
  const runWith = Effect.fnUntraced(function*(...events: ReadonlyArray<RunEvent.RunEvent>) {
    const runId = yield* runs.start(Ship, "A-1", { requestedBy: "sam" })
    if (events.length > 0) yield* store.append(runId, { expected: 1, events })
    return runId
  })
  const post = (runId: RunId, path: string, json: unknown = {}) => call(`${url}/runs/${runId}/${path}`, { token, json })
  const last = (runId: RunId) => Effect.map(Stream.runCollect(runs.events(runId)), (events) => events.at(-1)?.event)
  return { runs, runWith, post, last }
})

const test = <E>(title: string, body: Effect.Effect<void, E, Effect.Services<typeof desk>>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, memory()))))

const actor = { kind: "person", id: "olga" } as const
const requested = { _tag: "StepRequested", key: "pack", attempt: 1, idempotencyKey: "a".repeat(64) } as const
const stuck = { _tag: "RunStuck", reason: "poison", detail: "six takeovers" } as const

describe("an operator", () => {
  test(
    "lets a stuck run go on, once, by name and with a reason",
    Effect.gen(function*() {
      const { last, post, runWith } = yield* desk
      const runId = yield* runWith(stuck)
      assert.strictEqual((yield* post(runId, "release", { reason: "fixed" })).status, 204)
      assert.deepStrictEqual(yield* last(runId), { _tag: "RunReleased", actor, reason: "fixed" })
      const again = yield* post(runId, "release")
      assert.deepStrictEqual([again.status, again.body.type], [409, "urn:durable-agents:problem:run-closed"])
    })
  )

  test(
    "says how an operation ended, once; the first word stands, in their name",
    Effect.gen(function*() {
      const { last, post, runWith, runs } = yield* desk
      const happened = yield* runWith(requested)
      const didNot = yield* runWith(requested)
      const output = { key: "pack", outcome: "happened", output: { parcel: 7 } }
      const error = { key: "pack", outcome: "didNotHappen", error: "no parcel" }
      assert.strictEqual((yield* post(happened, "resolve", output)).status, 204)
      assert.deepInclude(yield* last(happened), { _tag: "StepCompleted", key: "pack", actor, output: { parcel: 7 } })
      assert.strictEqual((yield* post(didNot, "resolve", error)).status, 204)
      assert.deepInclude(yield* last(didNot), { _tag: "StepFailed", key: "pack", actor, error: "no parcel" })
      for (const runId of [happened, didNot]) {
        const { seq } = yield* runs.state(runId)
        for (const json of [output, error, { ...output, key: "another" }]) {
          assert.strictEqual((yield* post(runId, "resolve", json)).status, 409, JSON.stringify(json))
        }
        for (
          const json of [{}, { key: "pack" }, { key: "pack", outcome: "happened" }, { ...output, outcome: "perhaps" }]
        ) {
          assert.strictEqual((yield* post(runId, "resolve", json)).status, 422, JSON.stringify(json))
        }
        assert.strictEqual((yield* runs.state(runId)).seq, seq)
      }
    })
  )

  test(
    "changes nothing by asking again, and the first reason stands; limits are set as often as they are sent",
    Effect.gen(function*() {
      const { post, runWith, runs } = yield* desk
      const runId = yield* runWith(requested)
      const acts = [
        ["pause", { reason: "first" }, "RunPaused"],
        ["cancel", { reason: "first" }, "RunCancelRequested"],
        ["budget", { budget: { turns: 9 }, reason: "first" }, "BudgetChanged"]
      ] as const
      for (const [path, json] of acts) {
        assert.strictEqual((yield* post(runId, path, json)).status, 204)
        assert.strictEqual((yield* post(runId, path, { ...json, reason: "second" })).status, 204)
      }
      const events = yield* Stream.runCollect(runs.events(runId))
      const reasons = (tag: string) =>
        events.flatMap(({ event }) => event._tag === tag && "reason" in event ? [event.reason] : [])
      assert.deepStrictEqual(acts.map(([, , tag]) => reasons(tag)), [["first"], ["first"], ["first", "second"]])
      assert.strictEqual((yield* runs.state(runId)).budget.turns, 9)
    })
  )

  test(
    "is named in the log by everything they do, whatever the body says",
    Effect.gen(function*() {
      const { last, post, runWith } = yield* desk
      const runId = yield* runWith()
      const acts = [
        ["signals/pickup", { payload: 1 }, "SignalReceived"],
        ["pause", {}, "RunPaused"],
        ["resume", {}, "RunResumed"],
        ["budget", { budget: { turns: 9 } }, "BudgetChanged"]
      ] as const
      for (const [path, json, tag] of acts) {
        assert.strictEqual((yield* post(runId, path, { ...json, actor: "eve", by: "eve" })).status, 204, path)
        assert.deepInclude(yield* last(runId), { _tag: tag, actor })
      }
      const forked = yield* post(runId, "fork?at=1", { actor: "eve", requestedBy: "eve" })
      assert.deepStrictEqual([forked.status, forked.body.requestedBy], [201, actor])
      assert.strictEqual((yield* post(runId, "cancel", { actor: "eve", reason: "late" })).status, 204)
      assert.deepInclude(yield* last(runId), { _tag: "RunCancelled", actor, reason: "late" })
    })
  )
})
