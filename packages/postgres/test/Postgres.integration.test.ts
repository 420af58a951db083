import { storeContract, StoreControl } from "@durable-agents/testing/storeContract"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { make } from "../src/Postgres.ts"
import { clear, sharedSchema, url } from "./fixtures/database.ts"

const schema = sharedSchema()

/** A database whose clock can be moved on. */
const control = Layer.effect(
  StoreControl,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    yield* sql`create schema if not exists ${sql(schema)}`
    yield* sql`create table if not exists ${sql(schema)}.clock (ahead interval not null)`
    yield* sql`delete from ${sql(schema)}.clock`
    yield* sql`insert into ${sql(schema)}.clock values ('0')`
    yield* clear(sql, schema)
    return StoreControl.of({
      advance: (millis) =>
        Effect.orDie(sql`
          update ${sql(schema)}.clock set ahead = ahead + make_interval(secs => ${String(millis / 1000)}::float8)`),
      plant: ({ payload, runId, seq, type }) =>
        Effect.orDie(sql`
          insert into ${sql(schema)}.events (run_id, seq, type, payload, created_at)
          values (${runId}::uuid, ${seq}, ${type}, ${payload}::json, now())`)
    })
  })
)

const stores = Layer
  .effectContext(Effect.flatMap(
    PgClient.PgClient,
    (client) =>
      make(
        client,
        { schema },
        (sql) => sql`date_trunc('milliseconds', now() + (select ahead from ${sql(schema)}.clock))`
      )
  ))

storeContract(
  "Postgres",
  () =>
    stores.pipe(Layer.provideMerge(control), Layer.provide(PgClient.layer({ url, maxConnections: 4 })), Layer.orDie),
  { runs: 25, timeoutMillis: 60_000 }
)
