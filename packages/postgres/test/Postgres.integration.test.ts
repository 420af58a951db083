import { Postgres } from "@durable-agents/postgres"
import { storeContract, StoreControl } from "@durable-agents/testing/storeContract"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { make } from "../src/Postgres.ts"
import { byHand, clear, grant, newRole, sharedSchema, url } from "./fixtures/database.ts"

const schema = sharedSchema()

/** Tables, and a clock that only moves when it is told to. */
const control = Layer.effect(
  StoreControl,
  Effect.gen(function*() {
    const sql = yield* byHand
    yield* Layer.build(Postgres.layer({ url, schema, maxConnections: 1, listen: false }))
    yield* sql`create table if not exists ${sql(schema)}.clock (at timestamptz(3) not null)`
    yield* sql`delete from ${sql(schema)}.clock`
    yield* sql`insert into ${sql(schema)}.clock values (now())`
    yield* clear(sql, schema)
    return StoreControl.of({
      advance: (millis) =>
        Effect
          .orDie(sql`update ${sql(schema)}.clock set at = at + make_interval(secs => ${
            String(millis / 1000)
          }::float8)`),
      plant: ({ payload, runId, seq, type }) =>
        Effect.orDie(sql`
          insert into ${sql(schema)}.events (run_id, seq, type, payload, created_at)
          values (${runId}::uuid, ${seq}, ${type}, ${payload}::json, now())`)
    })
  })
)

/** The store as a role that can neither change nor delete events (check 8), by that clock. */
const stores = Layer.effectContext(Effect.gen(function*() {
  const sql = yield* byHand
  const { role, url } = yield* newRole()
  yield* grant(sql, schema, role)
  yield* sql`grant select on ${sql(schema)}.clock to ${sql(role)}`
  const own = yield* Layer.build(PgClient.layer({ url, maxConnections: 4 }))
  return yield* make(
    Context.get(own, PgClient.PgClient),
    { schema },
    (sql) => sql`(select at from ${sql(schema)}.clock)`
  )
}))

storeContract("Postgres", () => Layer.orDie(Layer.provideMerge(stores, control)), { runs: 25, timeoutMillis: 60_000 })
