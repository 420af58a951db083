import type { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../src/PgMigrator.ts"
import { contractOn } from "./fixtures/contract.ts"
import { byHand, newRole, newSchema } from "./fixtures/database.ts"
import { dump } from "./fixtures/dump.ts"
import { step } from "./fixtures/events.ts"
import { partition, partitioned } from "./fixtures/partition.ts"
import { eventsOf, start, storeOn, upTo } from "./fixtures/stores.ts"

const together = { concurrency: "unbounded" } as const

/** Everything in a schema, one statement each, in no order of meaning. Indexes of partitions have names of no meaning. */
const statements = (sql: PgClient.PgClient, schema: string) =>
  Effect.map(dump(sql, schema), (text) =>
    text.replace(/;\n$/, "").split(";\n\n")
      .map((statement) =>
        statement.replace(/^CREATE INDEX \w+ ON (\w+_\d) /, "CREATE INDEX ON $1 ").replace(" ON ONLY ", " ON ")
      )
      .toSorted())

const count = (sql: PgClient.PgClient, table: string) =>
  Effect.map(sql.unsafe<{ count: number }>(`select count(*)::int as count from ${table}`), ([row]) => row?.count)

contractOn("Postgres, partitioned by run", { runs: 5, waiting: 500, prepare: partition })

describe("tables that are partitioned by run", () => {
  it.live("hold what they held, and are what they were, each partition with the settings of the whole", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      const before = yield* storeOn(schema, { listen: false })
      const runIds = yield* Effect.forEach(upTo(40), () => start(before), together)
      const logs = yield* Effect.forEach(runIds, (runId) => eventsOf(before, runId))
      const sql = yield* byHand
      const whole = yield* statements(sql, schema)

      yield* partition(sql, schema)
      assert.sameMembers(yield* statements(sql, schema), [...partitioned(whole, 4)])
      const after = yield* storeOn(schema, { listen: false })
      assert.deepStrictEqual(yield* Effect.forEach(runIds, (runId) => eventsOf(after, runId)), logs)
      for (const part of upTo(4)) {
        for (const table of ["events", "runs"]) {
          assert.isAtLeast((yield* count(sql, `${schema}.${table}_${part}`)) ?? 0, 1)
        }
      }

      // A process that was there before goes on too, and to do it twice is to do it once.
      yield* partition(sql, schema)
      for (const runId of runIds.slice(0, 5)) {
        yield* before.store.append(runId, { expected: 1, epoch: 1, events: [step] })
      }
      assert.sameMembers(yield* statements(sql, schema), [...partitioned(whole, 4)])
    }))

  it.live("have events that are never changed, also where one partition is named", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      const on = yield* storeOn(schema, { listen: false })
      yield* Effect.forEach(upTo(40), () => start(on), together)
      const sql = yield* byHand
      yield* partition(sql, schema)
      for (const table of ["events", "events_0", "events_1", "events_2", "events_3"]) {
        for (const change of ["update $ set type = 'x'", "delete from $", "truncate $"]) {
          const refused = yield* Effect.flip(sql.unsafe(change.replace("$", `${schema}.${table}`)))
          assert.include(String(refused.reason.cause), "never changed")
        }
      }
      assert.strictEqual(yield* count(sql, `${schema}.events`), 40)
    }))

  it.live("belong to whom they belonged, with the same rights on them", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      yield* storeOn(schema, { listen: false })
      const sql = yield* byHand
      const { role: owner } = yield* newRole()
      const { role: reader } = yield* newRole()
      yield* sql.unsafe(`alter table ${schema}.events owner to ${owner}`)
      yield* sql.unsafe(`grant select on ${schema}.events to ${reader} with grant option`)
      yield* sql.unsafe(`grant insert on ${schema}.events to public`)
      const rights = sql.unsafe(`
        select c.relname, pg_get_userbyid(c.relowner) as owner, c.relacl::text as rights
        from pg_class c where c.oid = '${schema}.events'::regclass`)
      const before = yield* rights
      yield* partition(sql, schema)
      assert.deepStrictEqual(yield* rights, before)
      assert.deepStrictEqual(
        yield* sql
          .unsafe(`select distinct tableowner as owner from pg_tables where schemaname = '${schema}' and tablename ~ '^events'`),
        [{ owner }]
      )
    }))

  it.live("are the same whichever migrations came before and which after", () =>
    Effect.gen(function*() {
      const sql = yield* byHand
      const run = Effect.fnUntraced(function*(isPartitionedAfter: (migration: number) => boolean) {
        const schema = yield* newSchema
        yield* sql`create schema ${sql(schema)}`
        for (const { sql: text, version } of migrations()) {
          yield* sql`set search_path to ${sql(schema)}`
          yield* sql.unsafe(`do $migration$ begin ${text} end $migration$`)
          if (isPartitionedAfter(version)) yield* partition(sql, schema)
        }
        return yield* statements(sql, schema)
      })
      assert.deepStrictEqual(yield* run(() => true), yield* run((version) => version === migrations().length))
    }))
})
