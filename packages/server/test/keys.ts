/**
 * What servers promise about requests that are sent again with their key, over any store.
 */
import { Runs } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type Answer, call, serve, Ship, type Stores, tokenFor } from "./serving.ts"

const countOf = (answers: ReadonlyArray<Answer>) => (status: number) =>
  answers.filter((answer) => answer.status === status).length

/** Each with the title of its test. */
export const keys: Readonly<Record<string, Effect.Effect<void, unknown, Stores | Runs>>> = {
  "record one run for one Idempotency-Key that arrives for two programs at once, and refuse the others (EO-3, D36)":
    Effect.scoped(Effect.gen(function*() {
      const urls = [(yield* serve()).url, (yield* serve()).url]
      const token = yield* tokenFor("sam", "starter")
      const programs = [{ program: "ship", input: "A-1" }, { program: "count", input: { to: 3 } }]
      for (let round = 1; round <= 5; round++) {
        const answers = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => index),
          (index) =>
            call(`${urls[index % 2]}/runs`, {
              token,
              headers: { "idempotency-key": `order/${round}` },
              json: programs[Math.floor(index / 2) % 2]
            }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([201, 409].map(countOf(answers)), [6, 6])
        assert.lengthOf([...new Set(answers.map(({ body }) => body.runId))], 1)
        assert.lengthOf((yield* call(`${urls[0]}/runs`, { token })).body.items, round)
      }
    })),

  "let each program have a key of its own in the body, and compare what is asked for under it": Effect
    .scoped(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("sam", "starter")
      const start = (json: object, headers = {}) => call(`${url}/runs`, { token, json, headers })
      const ship = { program: "ship", input: "A-1", startKey: "заказ 1 💥" }
      const first = (yield* start(ship)).body
      assert.strictEqual(first.startKey, "заказ 1 💥")
      const own = yield* (yield* Runs).start(Ship, "A-1", { startKey: "заказ 1 💥" })
      assert.strictEqual(first.runId, own)
      assert.strictEqual((yield* start(ship)).body.runId, own)
      const other = yield* start({ program: "count", input: { to: 3 }, startKey: "заказ 1 💥" })
      assert.deepStrictEqual([other.status, other.body.runId === own], [201, false])
      const changed = yield* start({ ...ship, labels: { a: "b" } })
      assert.deepStrictEqual([changed.status, changed.body.runId], [409, own])
      const both = yield* start(ship, { "idempotency-key": "k" })
      assert.deepStrictEqual([both.status, both.body.errors[0].path], [422, ["payload", "startKey"]])
    })),

  "record one fork for one key, and refuse another one under it, and a start": Effect.scoped(Effect.gen(function*() {
    const urls = [(yield* serve()).url, (yield* serve()).url]
    const token = yield* tokenFor("olga", "starter", "operator")
    const runs = yield* Runs
    const runId = yield* runs.start(Ship, "A-1")
    yield* runs.signal(runId, "x", 1)
    const json = { reason: "again", labels: { round: "2" }, budget: { turns: 9 } }
    const fork = (more: object = {}, at = 2, url = urls[0]) =>
      call(`${url}/runs/${runId}/fork?at=${at}`, {
        token,
        headers: { "idempotency-key": "again" },
        json: { ...json, ...more }
      })
    const answers = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, index) => index),
      (index) => fork({ budget: { turns: index % 4 < 2 ? 9 : 10 } }, 2, urls[index % 2]),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual([201, 409].map(countOf(answers)), [4, 4])
    const [forkId, ...more] = new Set(answers.map(({ body }) => body.runId))
    assert.deepStrictEqual(more, [])
    const { turns } = (yield* call(`${urls[0]}/runs/${forkId}`, { token })).body.budget
    for (
      const other of [
        yield* fork({ budget: { turns } }, 1),
        yield* fork({ budget: { turns }, labels: { round: "3" } }),
        yield* fork({ budget: { turns }, reason: "other" }),
        yield* call(`${urls[0]}/runs`, {
          token,
          headers: { "idempotency-key": "again" },
          json: { program: "ship", input: "A-1" }
        })
      ]
    ) assert.deepStrictEqual([other.status, other.body.type, other.body.runId], [409, conflict, forkId])
    assert.strictEqual((yield* fork({ budget: { turns } })).body.runId, forkId)
    assert.lengthOf((yield* call(`${urls[0]}/runs`, { token })).body.items, 2)
  })),

  "let one of several signals have a key, by header or by body, and say where it stands to the others": Effect
    .scoped(Effect.gen(function*() {
      const urls = [(yield* serve()).url, (yield* serve()).url]
      const token = yield* tokenFor("sam", "starter")
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      const send = (json: object, headers: Readonly<Record<string, string>> = {}, name = "pickup", url = urls[0]) =>
        call(`${url}/runs/${runId}/signals/${name}`, { token, json, headers })
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => index),
        (index) =>
          send(
            { payload: { by: index % 4 < 2 ? "van" : "bike" } },
            { "idempotency-key": "s" },
            "pickup",
            urls[index % 2]
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([204, 409].map(countOf(answers)), [4, 4])
      const [first] = yield* Stream.runCollect(runs.events(runId, 1))
      const payload = first?.event._tag === "SignalReceived" ? first.event.payload : undefined
      assert.isDefined(payload)
      for (const { body } of answers.filter(({ status }) => status === 409)) {
        assert.deepInclude(body, { type: "urn:durable-agents:problem:signal-conflict", runId, seq: 1 })
      }
      assert.strictEqual((yield* send({ payload, id: "s" })).status, 204)
      assert.strictEqual((yield* send({ payload, id: "s" }, {}, "other")).status, 409)
      assert.strictEqual((yield* send({ payload, id: "s" }, { "idempotency-key": "s" })).status, 422)
      assert.strictEqual((yield* send({ payload, id: "📦" })).status, 204)
      assert.strictEqual((yield* runs.state(runId)).seq, 3)
    }))
}

const conflict = "urn:durable-agents:problem:start-conflict"
