/**
 * The tables of the store, and how a database gets them: whoever is first creates them, all others find them.
 */
import { StoreError } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { type Database, rowsOf } from "./Database.ts"

/**
 * One file of `sql/`: a change of the tables. A breaking one keeps older builds from working with them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly breaking: boolean
  readonly sql: string
  /** The SHA-256 of the file. */
  readonly digest: string
}

const folder = new URL("../sql/", import.meta.url)
const fileName = /^(\d{4})_(\w+)\.sql$/

const read = (file: string): ReadonlyArray<Migration> => {
  const [, version, name] = fileName.exec(file) ?? []
  if (version === undefined || name === undefined) return []
  const sql = readFileSync(new URL(file, folder), "utf8").replaceAll("\r\n", "\n")
  const digest = createHash("sha256").update(sql).digest("hex")
  return [{ version: Number(version), name, breaking: /^-- breaking: /m.test(sql), sql, digest: `sha256:${digest}` }]
}

let known: ReadonlyArray<Migration> | undefined

/**
 * All migrations, oldest first.
 *
 * @category migrations
 * @since 0.1.0
 */
export const migrations = (): ReadonlyArray<Migration> => known ??= readdirSync(folder).sort().flatMap(read)

const Server = Schema.Struct({ version: Schema.Int, encoding: Schema.String, migrated: Schema.Boolean })

const Applied = Schema.Struct({
  version: Schema.Int,
  name: Schema.String,
  digest: Schema.String,
  breaking: Schema.Boolean
})

const oldestServer = 15

/** To build an index of a large table takes a while. */
const longest = "1 hour"

/**
 * What became of the tables: made where there were none, brought from an older build's to this one's, or found as they must be.
 *
 * @category models
 * @since 0.1.0
 */
export type Migrated = "created" | "upgraded" | "found"

/**
 * Tables of this build are not there: none of them, or those that an older build did not have. It is the `cause` of the
 * `StoreError` with which a store is refused that may not create them.
 *
 * @category errors
 * @since 0.1.0
 */
export class TablesMissing
  extends Schema.TaggedError<TablesMissing>("@durable-agents/postgres/TablesMissing")("TablesMissing", {
    schema: Schema.String,
    /** Whether there are none. */
    all: Schema.Boolean
  })
{
  override get message() {
    return this.all
      ? `schema \`${this.schema}\` holds no runs: it is not a store of durable-agents`
      : `schema \`${this.schema}\` is of an older build: let one that may create tables open it once`
  }
}

/**
 * Brings the database to this build's tables; with `create: false` it only looks whether it has them. Fails where they were
 * changed in a way that this build cannot work with.
 *
 * @category migrations
 * @since 0.1.0
 */
export const migrate = (
  database: Database,
  { create }: { readonly create: boolean }
): Effect.Effect<Migrated, StoreError> =>
  Effect.gen(function*() {
    const { read, schema, sql, tables } = database
    const [server] = yield* read(
      "open",
      rowsOf(Server)(sql`
        select current_setting('server_version_num')::int / 10000 as version,
          current_setting('server_encoding') as encoding,
          exists (
            select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
            where n.nspname = ${schema} and c.relname = 'migrations'
          ) as migrated`)
    )
    if (server !== undefined && server.version < oldestServer) {
      return yield* refuse(`this is PostgreSQL ${server.version}; ${oldestServer} is the oldest that works`)
    }
    if (server !== undefined && server.encoding !== "UTF8") {
      return yield* refuse(`the database is encoded in ${server.encoding}, which cannot hold every text: it must be UTF8`)
    }
    const applied = server?.migrated === true
      ? yield* read("open", rowsOf(Applied)(sql`select version, name, digest, breaking from ${tables.migrations}`))
      : []
    const problem = unfit(applied)
    if (problem !== undefined) return yield* refuse(`schema \`${schema}\` ${problem}`)
    if (missing(applied).length === 0) return "found"
    if (!create) {
      const cause = new TablesMissing({ schema, all: applied.length === 0 })
      return yield* new StoreError({ operation: "open", detail: cause.message, cause })
    }
    return yield* apply(database)
  })

/** In one transaction, so that a lock of that transaction is enough: behind a pooler there is no other. */
const apply = ({ schema, sql, tables, write }: Database): Effect.Effect<Migrated, StoreError> => {
  const all = Effect.gen(function*(): Effect.fn.Return<Migrated, SqlError> {
    yield* sql`select pg_advisory_xact_lock(hashtextextended(${`durable-agents migrations ${schema}`}, 0))`
    const found = yield* sql`select from pg_catalog.pg_namespace where nspname = ${schema}`
    // `if not exists` would ask for the right to create schemas even where there is nothing to create.
    if (found.length === 0) yield* sql`create schema ${sql(schema)}`
    yield* sql`set local search_path to ${sql(schema)}`
    yield* sql`
      create table if not exists migrations (
        version integer not null primary key,
        name text not null,
        digest text not null,
        breaking boolean not null,
        applied_at timestamptz not null default now()
      )`
    const applied = yield* rowsOf(Applied)(sql`select version, name, digest, breaking from ${tables.migrations}`)
    const changes = missing(applied)
    for (const { breaking, digest, name, sql: text, version } of changes) {
      // Every statement is prepared, which takes one at a time; a block is one.
      yield* sql.unsafe(`do $migration$ begin\n${text}\nend $migration$`)
      yield* sql`
        insert into ${tables.migrations} (version, name, digest, breaking)
        values (${version}, ${name}, ${digest}, ${breaking})`
    }
    // Another process may have been first.
    return changes.length === 0 ? "found" : applied.length === 0 ? "created" : "upgraded"
  })
  return write("migrate", () => sql.withTransaction(all), longest)
}

const missing = (applied: ReadonlyArray<typeof Applied.Type>): ReadonlyArray<Migration> => {
  const versions = new Set(applied.map(({ version }) => version))
  return migrations().filter(({ version }) => !versions.has(version))
}

/** Why this build cannot work with what it has found. */
const unfit = (applied: ReadonlyArray<typeof Applied.Type>): string | undefined => {
  const own = new Map(migrations().map((migration) => [migration.version, migration]))
  for (const { breaking, digest, name, version } of applied) {
    const ours = own.get(version)
    if (ours === undefined && breaking) {
      return `was changed by a newer build (migration ${version}, \`${name}\`): use that build or a later one`
    }
    if (ours !== undefined && ours.digest !== digest) {
      return `has another migration ${version}, \`${name}\`, than this build: its tables are not those of a release`
    }
  }
  return undefined
}

const refuse = (detail: string) => Effect.fail(new StoreError({ operation: "open", detail }))
