import { EventStore } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import type { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Array, Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { migrations } from "../src/PgMigrator.ts"
import { byHand, newSchema, url } from "./fixtures/database.ts"
import { dump } from "./fixtures/dump.ts"

const upTo = (count: number): ReadonlyArray<number> => Array.makeBy(count, (i) => i)

/** One process that opens the store, and closes it again. */
const open = (schema: string, options: Partial<Postgres.Options> = {}) =>
  Effect.flatMap(EventStore, (store) => store.now).pipe(
    Effect.provide(Postgres.layer({ url, schema, maxConnections: 1, ...options }), { local: true }),
    Effect.asVoid
  )

const refusal = (schema: string, options?: Partial<Postgres.Options>) =>
  Effect.map(Effect.flip(open(schema, options)), (error) => {
    assert.strictEqual(error._tag, "StoreError")
    assert.notInclude(error.message, "\n")
    return error.message
  })

const noted = (sql: PgClient.PgClient, schema: string) =>
  sql<{ version: number; name: string; applied_at: Date }>`
    select version, name, applied_at from ${sql(schema)}.migrations order by version`

describe("the tables", () => {
  it.live("are those of test/schema.sql", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      yield* open(schema)
      const found = yield* dump(yield* byHand, schema)
      const file = new URL("schema.sql", import.meta.url)
      // UPDATE_SCHEMA=1 writes what is found, after a migration was added.
      if (process.env["UPDATE_SCHEMA"] !== undefined) writeFileSync(file, found)
      assert.strictEqual(found, readFileSync(file, "utf8"))
    }))

  it.live("are the same if the files are run as they are, in a schema of any name", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      const sql = yield* byHand
      yield* sql`create schema ${sql(schema)}`
      yield* sql`set search_path to ${sql(schema)}`
      for (const { sql: text } of migrations()) yield* sql.unsafe(`do $files$ begin ${text} end $files$`)
      const found = yield* dump(sql, schema)
      const expected = readFileSync(new URL("schema.sql", import.meta.url), "utf8")
      assert.strictEqual(found, expected.replace(/create table migrations [^;]*;\n\n/, ""))
    }))

  it.live("are created once when twenty processes open a new schema at the same moment (PG-9, check 19)", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      yield* Effect.forEach(upTo(20), () => open(schema), { concurrency: "unbounded" })
      const sql = yield* byHand
      const before = yield* noted(sql, schema)
      assert.deepStrictEqual(before.map(({ version }) => version), migrations().map(({ version }) => version))
      yield* open(schema)
      assert.deepStrictEqual(yield* noted(sql, schema), before)
    }))

  it.live("are also made by one that opens no store, which says what there was to do", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      const outcomes = yield* Effect.forEach(upTo(5), () => Postgres.migrate({ url, schema }), {
        concurrency: "unbounded"
      })
      assert.sameMembers(outcomes, ["created", "found", "found", "found", "found"])
      yield* open(schema, { migrate: false })
      const sql = yield* byHand
      yield* sql`drop table ${sql(schema)}.run_summaries, ${sql(schema)}.run_labels, ${sql(schema)}.pending_approvals`
      yield* sql`delete from ${sql(schema)}.migrations where version = 4`
      assert.strictEqual(yield* Postgres.migrate({ url, schema }), "upgraded")
      assert.strictEqual(yield* Postgres.migrate({ url, schema }), "found")
      yield* open(schema, { migrate: false })
    }))

  it.live("are in the schema that the environment names, where the code names none", () =>
    Effect.gen(function*() {
      const [named, given] = [yield* newSchema, yield* newSchema]
      const env = { DATABASE_URL: Redacted.value(url), DURABLE_AGENTS_SCHEMA: named }
      const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      const opened = (layer: ReturnType<typeof Postgres.layerConfig>) =>
        Effect.scoped(Layer.build(Layer.provide(layer, provider)))
      yield* opened(Postgres.layerConfig({ listen: Config.succeed(false) }))
      yield* open(named, { migrate: false })
      yield* opened(Postgres.layerConfig({ schema: Config.succeed(given) }))
      yield* open(given, { migrate: false })
      for (const env of [{}, { DURABLE_AGENTS_SCHEMA: "" }]) {
        const name = yield* Effect.orDie(Postgres.schemaFromEnvironment.parse(ConfigProvider.fromEnv({ env })))
        assert.strictEqual(name, "durable_agents")
      }
    }))

  it.live("may be in a schema whose name has to be quoted, and in no other", () =>
    Effect.gen(function*() {
      const schema = `${yield* newSchema} "Odd"; drop`
      yield* open(schema)
      const sql = yield* byHand
      assert.lengthOf(yield* sql`select from pg_namespace where nspname = ${schema}`, 1)
      yield* sql`drop schema ${sql(schema)} cascade`
      for (const name of ["", "x".repeat(64), "nul \u0000"]) assert.include(yield* refusal(name), "name of a schema")
    }))
})

describe("a schema that is not this build's", () => {
  it.live("is refused if a newer build has changed it in a breaking way, and used if in another way", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      yield* open(schema)
      const sql = yield* byHand
      const note = (version: number, name: string, breaking: boolean) =>
        sql`insert into ${
          sql(schema)
        }.migrations (version, name, digest, breaking) values (${version}, ${name}, '', ${breaking})`
      yield* note(97, "add_priority", false)
      yield* open(schema)
      yield* note(98, "split_events", true)
      assert.include(yield* refusal(schema), "was changed by a newer build (migration 98, `split_events`)")
    }))

  it.live("is refused if one of its migrations was another one", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      yield* open(schema)
      const sql = yield* byHand
      yield* sql`update ${sql(schema)}.migrations set digest = 'sha256:0' where version = 2`
      assert.include(yield* refusal(schema), "has another migration 2, `create_runs`, than this build")
    }))

  it.live("is refused as it was found if another program's tables stand in the way", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      const sql = yield* byHand
      yield* sql`create schema ${sql(schema)}`
      yield* sql`create table ${sql(schema)}.runs (distance real)`
      assert.include(yield* refusal(schema), "relation \"runs\" already exists (SQLSTATE 42P07)")
      assert.strictEqual(yield* dump(sql, schema), "create table runs (\n  distance real\n);\n")
    }))

  it.live("is only looked at where it must not be changed", () =>
    Effect.gen(function*() {
      const schema = yield* newSchema
      const sql = yield* byHand
      assert.include(yield* refusal(schema, { migrate: false }), `schema \`${schema}\` holds no runs`)
      assert.lengthOf(yield* sql`select from pg_namespace where nspname = ${schema}`, 0)
      yield* open(schema)
      yield* open(schema, { migrate: false })
      yield* sql`delete from ${sql(schema)}.migrations where version = 4`
      assert.include(yield* refusal(schema, { migrate: false }), "is of an older build")
      const { cause } = yield* Effect.flip(open(schema, { migrate: false }))
      assert.instanceOf(cause, Postgres.TablesMissing)
    }))

  it.live("is refused in a database that cannot hold every text", () =>
    Effect.gen(function*() {
      const name = (yield* newSchema).slice(0, 40)
      const sql = yield* byHand
      yield* sql`create database ${sql(name)} encoding 'SQL_ASCII' locale 'C' template template0`
      const other = new URL(Redacted.value(url))
      other.pathname = `/${name}`
      const refused = yield* refusal("public", { url: Redacted.make(other.href) })
      yield* sql`drop database ${sql(name)} with (force)`
      assert.include(refused, "is encoded in SQL_ASCII")
    }))
})
