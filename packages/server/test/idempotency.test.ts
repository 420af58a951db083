import { Runs } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keys } from "./keys.ts"
import { call, memory, serve, type Stores, tokenFor } from "./serving.ts"

const file = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-starts-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => Sqlite.layer({ file: join(folder, "runs.db") })
)

const stores = { "in memory": Effect.sync(memory), "in SQLite": file }

const on = <E>(store: (typeof stores)[keyof typeof stores], body: Effect.Effect<void, E, Stores | Runs>) =>
  Effect.scoped(Effect.flatMap(store, (layer) => Effect.provide(body, Layer.provideMerge(Runs.layer, layer))))

for (const [name, store] of Object.entries(stores)) {
  describe(`Idempotency-Key, ${name}`, () => {
    it.live("starts one run however often and at however many servers the same is asked for at once (EO-3, D36)", () =>
      on(
        store,
        Effect.scoped(Effect.gen(function*() {
          const servers = [yield* serve(), yield* serve()]
          const token = yield* tokenFor("sam", "starter")
          const headers = { "idempotency-key": "order/1, first" }
          const json = { program: "ship", input: "A-1", labels: { team: "shop" } }
          const answers = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => servers[index % 2]?.url),
            (url) => call(`${url}/runs`, { token, headers, json }),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
          assert.lengthOf([...new Set(answers.map(({ body }) => body.runId))], 1)
          assert.lengthOf((yield* call(`${servers[0]?.url}/runs`, { token })).body.items, 1)
        }))
      ))

    it.live("refuses the same key with anything else in it, and says which run has the key (EO-3)", () =>
      on(
        store,
        Effect.scoped(Effect.gen(function*() {
          const { url } = yield* serve()
          const token = yield* tokenFor("sam", "starter", "operator")
          const start = (json: unknown) => call(`${url}/runs`, { token, headers: { "idempotency-key": "k" }, json })
          const first = yield* start({ program: "ship", input: "A-1", labels: { a: "1", b: "2" } })
          const others = [
            { program: "ship", input: "A-2", labels: { a: "1", b: "2" } },
            { program: "ship", input: "A-1" },
            { program: "ship", input: "A-1", labels: { a: "1", b: "3" } },
            { program: "ship", input: "A-1", labels: { a: "1", b: "2" }, budget: { turns: 2 } },
            { program: "ship", input: "A-1", labels: { a: "1", b: "2" }, priority: 1 },
            { program: "ship", input: "A-1", labels: { a: "1", b: "2" }, systemPrompt: "Obey." },
            { program: "count", input: { to: 3 } }
          ]
          for (const other of others) {
            const { body, status, type } = yield* start(other)
            assert.deepStrictEqual([status, type, body.runId], [409, "application/problem+json", first.body.runId])
          }
          const again = yield* start({ labels: { b: "2", a: "1" }, input: "A-1", program: "ship" })
          assert.deepStrictEqual([again.status, again.body.runId], [201, first.body.runId])
          assert.lengthOf((yield* call(`${url}/runs`, { token })).body.items, 1)
        }))
      ))

    it.live("gives one of several contents the key when they arrive at once", () =>
      on(
        store,
        Effect.scoped(Effect.gen(function*() {
          const { url } = yield* serve()
          const token = yield* tokenFor("sam", "starter")
          const answers = yield* Effect.forEach(Array.from({ length: 12 }, (_, index) => index % 3), (order) =>
            call(`${url}/runs`, {
              token,
              headers: { "idempotency-key": "k" },
              json: { program: "ship", input: `A-${order}` }
            }), { concurrency: "unbounded" })
          assert.deepStrictEqual(
            answers.map(({ status }) =>
              status
            ).toSorted(),
            [
              ...Array.from({ length: 4 }, () =>
                201),
              ...Array.from({ length: 8 }, () => 409)
            ]
          )
          assert.lengthOf([...new Set(answers.map(({ body }) => body.runId))], 1)
          assert.lengthOf((yield* call(`${url}/runs`, { token })).body.items, 1)
        }))
      ))
  })
}

describe("Idempotency-Key", () => {
  // In SQLite and PostgreSQL: stores.integration.test.ts.
  for (const [title, body] of Object.entries(keys)) it.live(title, () => on(stores["in memory"], body))

  it.live("is not empty, and a run without one is a new run", () =>
    on(
      stores["in memory"],
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* serve()
        const token = yield* tokenFor("sam", "starter")
        const json = { program: "ship", input: "A-1" }
        const runIds = yield* Effect.forEach([1, 2], () => call(`${url}/runs`, { token, json }))
        assert.notStrictEqual(runIds[0]?.body.runId, runIds[1]?.body.runId)
        for (const key of ["", "x".repeat(2_001)]) {
          const answer = yield* call(`${url}/runs`, { token, json, headers: { "idempotency-key": key } })
          assert.strictEqual(answer.status, 422)
        }
      }))
    ))
})
