import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { byHand, newSchema, url } from "./fixtures/database.ts"
import { step } from "./fixtures/events.ts"
import { poolerTo } from "./fixtures/pooler.ts"
import { claim, lengthOf, start, storeOn, upTo } from "./fixtures/stores.ts"

const together = { concurrency: "unbounded" } as const

describe("a pooler in transaction mode", () => {
  for (const prepare of [true, false]) {
    it.live(
      `serves the store, which then goes by time and polling alone (PG-8; prepare: ${prepare})`,
      () =>
        Effect.gen(function*() {
          const schema = yield* newSchema
          const pooled = yield* poolerTo(url)
          const stores = yield* Effect.forEach(upTo(3), () => storeOn(schema, { url: pooled, prepare }), together)
          const [one, two] = stores
          if (one === undefined || two === undefined) return
          const owner = yield* one.nextOwner
          const runIds = yield* Effect.forEach(upTo(40), (i) => start(stores[i % 3] ?? one), together)
          const claims = yield* claim(one, owner)
          assert.sameMembers(claims.map(({ runId }) => runId), [...runIds])
          yield* Effect.forEach(claims, ({ epoch, runId }) =>
            Effect.gen(function*() {
              for (const i of upTo(5)) yield* one.store.append(runId, { expected: 1 + i, epoch, events: [step] })
            }), together)
          assert.deepStrictEqual(
            yield* Effect.forEach(runIds, (runId) => lengthOf(two, runId), together),
            upTo(40).map(() => 6)
          )
          assert.deepStrictEqual(yield* claim(two, "other"), [])
          const sql = yield* byHand
          const workers = yield* sql<{ locked: boolean }>`
          select locked_since is not null as locked from ${sql(schema)}.workers`
          assert.deepStrictEqual(workers, [{ locked: false }])
        }),
      60_000
    )
  }
})
