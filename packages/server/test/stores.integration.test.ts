import type {} from "@durable-agents/testing/postgresSetup"
import { Runs } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { Sqlite } from "@durable-agents/sqlite"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { anyRequest } from "./anyRequest.ts"
import { decisions } from "./decisions.ts"
import { keys } from "./keys.ts"
import { call, execute, serve, Ship, type Stores, tokenFor } from "./serving.ts"

const url = Redacted.make(inject("databaseUrl"))

const sqlite = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-server-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => Sqlite.layer({ file: join(folder, "runs.db") })
)

const postgres = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => `test_${randomUUID().replaceAll("-", "")}`),
    (schema) =>
      Effect.scoped(Effect.gen(function*() {
        const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), PgClient.PgClient)
        yield* sql`drop schema if exists ${sql(schema)} cascade`
      })).pipe(Effect.orDie)
  ),
  (schema) => Postgres.layer({ url, schema, maxConnections: 6 })
)

const count = Number(process.env["FUZZ_REQUESTS"] ?? 400)
const seed = Number(process.env["SEED"] ?? 1)

for (const [name, store] of Object.entries({ SQLite: sqlite, PostgreSQL: postgres })) {
  const test = <E>(title: string, body: Effect.Effect<void, E, Stores | Runs>) =>
    it.live(
      title,
      () => Effect.scoped(Effect.flatMap(store, (layer) => Effect.provide(body, Layer.provideMerge(Runs.layer, layer))))
    )

  describe(`servers over ${name}`, () => {
    test(
      "record one run for one Idempotency-Key, at whichever server it arrives, and refuse other content (EO-3, D36)",
      Effect.scoped(Effect.gen(function*() {
        const urls = [(yield* serve()).url, (yield* serve()).url]
        const token = yield* tokenFor("sam", "starter")
        const answers = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, index) => index),
          (index) =>
            call(`${urls[index % 2]}/runs`, {
              token,
              headers: { "idempotency-key": "order/1" },
              json: { program: "ship", input: index % 4 === 3 ? "B-2" : "A-1" }
            }),
          { concurrency: "unbounded" }
        )
        const statuses = answers.map(({ status }) => status).toSorted()
        assert.lengthOf([...new Set(answers.map(({ body }) => body.runId))], 1)
        assert.includeMembers([[18, 6], [6, 18]].map(String), [
          String([statuses.filter((each) => each === 201).length, statuses.filter((each) => each === 409).length])
        ])
        assert.lengthOf((yield* call(`${urls[0]}/runs`, { token })).body.items, 1)
      }))
    )

    test(
      "record one of the decisions that arrive at once at two of them, and the call is made once (AP-1, AP-2, HC-3)",
      Effect.scoped(Effect.gen(function*() {
        const urls = [(yield* serve()).url, (yield* serve()).url]
        const tokens = [yield* tokenFor("dana", "approver"), yield* tokenFor("kim", "approver")]
        const runs = yield* Runs
        const runId = yield* runs.start(Ship, "A-1")
        yield* runs.signal(runId, "pickup", { by: "van" })
        yield* execute(runId)
        const answers = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => index),
          (index) =>
            Effect.map(
              call(`${urls[index % 2]}/runs/${runId}/${index % 3 === 0 ? "deny" : "approve"}`, {
                token: tokens[index % 2] ?? "",
                json: { approval: "ship" }
              }),
              (answer) => ({ ...answer, actor: index % 2 === 0 ? "dana" : "kim" })
            ),
          { concurrency: "unbounded" }
        )
        const winners = answers.filter(({ status }) => status === 204)
        assert.lengthOf(winners, 1)
        for (const { body, status } of answers.filter((answer) => answer !== winners[0])) {
          assert.deepStrictEqual([status, body.decision.actor.id], [409, winners[0]?.actor])
        }
        const decided = (yield* call(`${urls[1]}/runs/${runId}`, { token: tokens[0] ?? "" })).body
        assert.deepInclude(decided, { status: "Running", pendingApprovals: [] })
        yield* execute(runId)
        assert.strictEqual((yield* runs.state(runId)).status, "Completed")
      }))
    )

    for (const [title, body] of Object.entries({ ...decisions, ...keys })) test(title, body)

    it.live(
      `answer any request, never with 5xx, and append nothing if it is refused (HC-1; ${count} requests, seed ${seed})`,
      () => Effect.scoped(Effect.flatMap(store, (layer) => anyRequest(layer, { count, seed }))),
      600_000
    )
  })
}
