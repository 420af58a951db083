/**
 * The server that is measured, and what it counts.
 */
import * as PostgresServer from "@durable-agents/testing/PostgresServer"
import { PgClient } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"

/**
 * What the server has counted so far.
 *
 * @category models
 * @since 0.1.0
 */
export interface Counters {
  /** Transactions that wrote something: each of them waits for the disk, alone or with others. */
  readonly commits: number
  readonly walBytes: number
}

/**
 * @category services
 * @since 0.1.0
 */
export class Server extends Context.Service<Server, {
  readonly url: string
  /** Of the server, as it says. */
  readonly version: string
  /** The settings that decide how durable a commit is, as they are. */
  readonly durability: Readonly<Record<string, string>>
  /** A connection for looking: what measures do not count. */
  readonly sql: PgClient.PgClient
  readonly counters: Effect.Effect<Counters>
  /** What an effect makes it count, beside its result. Nothing else may write at the same time. */
  readonly counting: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<readonly [A, Counters], E, R>
  /** The name of a schema that is not there yet, and is gone with the scope. */
  readonly newSchema: Effect.Effect<string, never, Scope.Scope>
  /** Bytes on disk of the tables of a schema, indexes included. */
  readonly bytesOf: (schema: string) => Effect.Effect<number>
}>()("@durable-agents/bench/Server") {}

/**
 * A server of its own with default durability, or the one behind a URL.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (url: string | undefined): Layer.Layer<Server> =>
  Layer.effect(
    Server,
    Effect.gen(function*() {
      const found = url ?? (yield* PostgresServer.make({ durable: true, settings: apartFromCheckpoints })).url
      const connected = yield* Layer.build(PgClient.layer({ url: Redacted.make(found), maxConnections: 2 }))
      const sql = Context.get(connected, PgClient.PgClient)
      const one = <A>(schema: Schema.ConstraintDecoder<A>, statement: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
        Effect.orDie(Effect.flatMap(statement, (rows) => Schema.decodeUnknownEffect(schema)(rows[0])))
      const counters = one(
        Schema.Struct({ commits: Schema.Finite, walBytes: Schema.Finite }),
        sql`select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
          pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes"`
      )
      const { version, ...durability } = yield* one(
        Schema.Struct({
          version: Schema.String,
          fsync: Schema.String,
          synchronous_commit: Schema.String,
          full_page_writes: Schema.String
        }),
        sql`select current_setting('server_version') as version, current_setting('fsync') as fsync,
          current_setting('synchronous_commit') as synchronous_commit,
          current_setting('full_page_writes') as full_page_writes`
      )
      return {
        url: found,
        version,
        durability,
        sql,
        counters,
        counting: (effect) =>
          Effect.gen(function*() {
            const before = yield* counters
            const result = yield* effect
            const after = yield* counters
            return [result, {
              commits: after.commits - before.commits,
              walBytes: after.walBytes - before.walBytes
            }] as const
          }),
        newSchema: Effect.acquireRelease(
          Effect.sync(() => `bench_${randomUUID().replaceAll("-", "")}`),
          (schema) => Effect.orDie(sql`drop schema if exists ${sql(schema)} cascade`)
        ),
        bytesOf: (schema) =>
          Effect.map(
            one(
              Schema.Struct({ bytes: Schema.Finite }),
              sql`select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes
                from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname = ${schema}`
            ),
            ({ bytes }) => bytes
          )
      }
    })
  ).pipe(Layer.orDie)

/** No checkpoint falls into a round of one system and not into that of the other. */
const apartFromCheckpoints = { max_wal_size: "8GB", checkpoint_timeout: "1h" }
