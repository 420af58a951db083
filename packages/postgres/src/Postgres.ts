/**
 * The store for production: log, queue and index in one PostgreSQL database, shared by any number of processes on any number of
 * machines.
 */
import {
  AccessTokens,
  EventStore,
  NextOwner,
  type Owner,
  Quotas,
  RunId,
  RunIndex,
  RunQueue,
  StoreError
} from "@durable-agents/core"
import { PgClient } from "@effect/sql-pg"
import type { Redacted, Scope } from "effect"
import { Clock, Config, Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import process from "node:process"
import { millis, texts, timeOf } from "./Columns.ts"
import * as Database from "./Database.ts"
import * as DeathWatch from "./DeathWatch.ts"
import * as Leases from "./Leases.ts"
import * as Listener from "./Listener.ts"
import * as Notice from "./Notice.ts"
import { onHostClock } from "./Patience.ts"
import * as PgAccessTokens from "./PgAccessTokens.ts"
import * as PgEventStore from "./PgEventStore.ts"
import * as PgMigrator from "./PgMigrator.ts"
import * as PgQuotas from "./PgQuotas.ts"
import * as PgRunIndex from "./PgRunIndex.ts"
import * as PgRunQueue from "./PgRunQueue.ts"
import { storeFailure } from "./StoreFailure.ts"

export { type Migrated, TablesMissing } from "./PgMigrator.ts"

/**
 * How a store uses its database, whoever connects to it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  /** The schema that holds the tables. Default `durable_agents`. Stores in different schemas know nothing of each other. */
  readonly schema?: string
  /**
   * Whether the schema and its tables are created, or brought to this build's, where they are not. Default true. `false` only
   * looks, and fails with `StoreError` if they are not there: for a role that may not create tables.
   */
  readonly migrate?: boolean
  /**
   * How long one statement may take before it counts as lost. Default 10 seconds. On a network that has fallen silent it takes the
   * driver up to 5 more to give the connection up.
   */
  readonly statementTimeout?: Duration.Input
  /**
   * How long an operation goes on trying while the database is away, restarts, is out of connections, or rolls back because of
   * others. Default 10 seconds; then it fails with `StoreError`.
   */
  readonly retryFor?: Duration.Input
  /**
   * Whether this process may have up to two connections of its own beside the pool, one to be told what others do and one to
   * find out at once when another worker's process dies. Default true. Without them, and behind a pooler in transaction mode,
   * others are seen by polling, and runs of a process that died are free when their leases end.
   */
  readonly listen?: boolean
  /**
   * How long another worker's connection must be gone before its process counts as dead and its runs are taken over. Default 50
   * milliseconds: time enough to connect again within one network. More where connections break often and are slow to make.
   */
  readonly deadAfter?: Duration.Input
  /**
   * Whose time is the store's: the database's (default), which all processes share, or that of the clock that is in place when
   * the layer is built (`context`), for tests with virtual time.
   */
  readonly clock?: "database" | "context"
}

/**
 * A database, and how a store uses it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Settings {
  /** `postgres://user:password@host:port/database`, with `?sslmode=require` for TLS. */
  readonly url: Redacted.Redacted
  /** The most connections of the pool; one suffices. Default 10. */
  readonly maxConnections?: number
  /** How long to connect may take. Default 5 seconds. */
  readonly connectTimeout?: Duration.Input
  /** How long a connection stays open that nobody uses. Default 60 seconds. */
  readonly idleTimeout?: Duration.Input
  /** Whether statements are prepared once for each connection. Default true; `false` for poolers that cannot keep them. */
  readonly prepare?: boolean
  /** How the server shows these connections. Default `durable-agents`. */
  readonly applicationName?: string
}

type Stores = EventStore | RunQueue | RunIndex | AccessTokens | Quotas

const defaultSchema = "durable_agents"

/**
 * All ports over a PostgreSQL database, by its URL.
 *
 * **Details**
 *
 * Appends that wait at the same moment share one statement and one commit. What is acknowledged is as durable as a commit of the
 * server is. All times are the database's. Closing the scope first stores what was asked for.
 *
 * It also names workers (`NextOwner`), and holds a lock under each name, so that the runs of a process that has died are free
 * within a fraction of a second.
 *
 * **Gotchas**
 *
 * The store takes no part in transactions of the application. Needs PostgreSQL 15 or newer, and a database encoded in UTF8.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Stores, StoreError> =>
  Layer.effectContext(Effect.flatMap(connect(options), (client) => build(client, options)))

const connect = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<PgClient.PgClient, StoreError, Scope.Scope> {
  const { applicationName = "durable-agents", connectTimeout, idleTimeout, maxConnections = 10, prepare, url } = options
  const connected = PgClient.layer({
    url,
    maxConnections,
    applicationName,
    connectTimeout,
    idleTimeout,
    prepare,
    // A connection that leads nowhere is found out although nobody uses it.
    keepAlive: "10 seconds"
  })
  const context = yield* Effect.mapError(onHostClock(Layer.build(connected)), (error) => storeFailure("open", error))
  return Context.get(context, PgClient.PgClient)
})

/**
 * Brings a database to this build's tables and says what there was to do, for a deployment whose other processes may not create
 * tables (`migrate: false`). Doing it again, and by several at once, changes nothing.
 *
 * @category migrations
 * @since 0.1.0
 */
export const migrate = (options: Options): Effect.Effect<PgMigrator.Migrated, StoreError> =>
  Effect.scoped(Effect.gen(function*() {
    const client = yield* connect({ ...options, maxConnections: 1 })
    return yield* PgMigrator.migrate(yield* open(client, options, databaseNow), { create: true })
  }))

/**
 * The same by configuration; the URL is `DATABASE_URL` unless another one is given, and the schema is `DURABLE_AGENTS_SCHEMA`
 * where none is.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  config: Config.Wrap<Omit<Options, "url">> & { readonly url?: Config.Config<Redacted.Redacted> } = {}
): Layer.Layer<Stores, Config.ConfigError | StoreError> => {
  const { url = Config.Redacted("DATABASE_URL"), ...rest } = config
  return Layer.unwrap(Effect.gen(function*() {
    const options = yield* Config.unwrap<Omit<Options, "url">>(rest)
    return layer({ ...options, schema: options.schema ?? (yield* schemaFromEnvironment), url: yield* url })
  }))
}

/**
 * The name of the schema that `DURABLE_AGENTS_SCHEMA` gives, and the default where it is missing or empty.
 *
 * @category settings
 * @since 0.1.0
 */
export const schemaFromEnvironment: Config.Config<string> = Config.String("DURABLE_AGENTS_SCHEMA").pipe(
  Config.withDefault(""),
  Config.map((name) => name === "" ? defaultSchema : name)
)

/**
 * The same over the application's own client: its pool, its TLS settings, its way to get a password.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (settings: Settings = {}): Layer.Layer<Stores, StoreError, PgClient.PgClient> =>
  Layer.effectContext(Effect.flatMap(PgClient.PgClient, (client) => build(client, settings)))

const build = Effect.fnUntraced(function*(client: PgClient.PgClient, settings: Settings) {
  const clock = yield* Clock.Clock
  const contextNow = (sql: SqlClient) => timeOf(sql, millis(Math.floor(clock.currentTimeMillisUnsafe())))
  return yield* make(client, settings, settings.clock === "context" ? contextNow : databaseNow)
})

/** Whole milliseconds, never later than they are: what is due now is due. */
const databaseNow = (sql: SqlClient): Fragment => sql.literal("date_trunc('milliseconds', now())")

/**
 * The ports, by whatever time.
 *
 * **Details**
 *
 * Spans are of what callers ask for; what the store does by itself, for all of them together, has none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  client: PgClient.PgClient,
  settings: Settings,
  now: (sql: SqlClient) => Fragment
): Effect.Effect<Context.Context<Stores>, StoreError, Scope.Scope> =>
  Effect.withTracerEnabled(ports(client, settings, now), false)

const ports = Effect.fnUntraced(function*(
  client: PgClient.PgClient,
  settings: Settings,
  now: (sql: SqlClient) => Fragment
): Effect.fn.Return<Context.Context<Stores>, StoreError, Scope.Scope> {
  const database = yield* open(client, settings, now)
  yield* PgMigrator.migrate(database, { create: settings.migrate ?? true })
  let watch: DeathWatch.DeathWatch | undefined
  const told = yield* Notice.make(database, () => watch?.again())
  const { nextOwner, notice, ...owners } = settings.listen === false
    ? alone(told)
    : yield* listening(client, database, told, settings.deadAfter ?? "50 millis")
  watch = owners.watch
  const leases = Leases.make()
  return Context.make(EventStore, yield* PgEventStore.make(database, notice, leases)).pipe(
    Context.add(RunQueue, PgRunQueue.make(database, notice, leases, owners)),
    Context.add(RunIndex, PgRunIndex.make(database)),
    Context.add(AccessTokens, PgAccessTokens.make(database)),
    Context.add(Quotas, PgQuotas.make(database)),
    Context.add(NextOwner, nextOwner)
  )
})

const open = Effect.fnUntraced(function*(
  client: PgClient.PgClient,
  settings: Settings,
  now: (sql: SqlClient) => Fragment
): Effect.fn.Return<Database.Database, StoreError> {
  const { retryFor = "10 seconds", schema = defaultSchema, statementTimeout = "10 seconds" } = settings
  if (!isName(schema)) {
    return yield* new StoreError({ operation: "open", detail: `\`${schema}\` cannot be the name of a schema` })
  }
  return Database.make(client, {
    schema,
    statementTimeoutMillis: toMillis(statementTimeout),
    retryForMillis: toMillis(retryFor),
    now
  })
})

/** A new name: whose process it is, and a random end, so that it never comes again. */
const newOwner: Effect.Effect<Owner> = Effect.sync(() =>
  ["postgres", encodeURIComponent(hostname()), process.pid, randomUUID()].join("/")
)

const alone = (notice: Notice.Notice) => ({
  notice,
  nextOwner: newOwner,
  watch: undefined,
  lockedSince: () => undefined,
  letGo: () => Effect.void
})

const listening = Effect.fnUntraced(function*(
  client: PgClient.PgClient,
  database: Database.Database,
  notice: Notice.Notice,
  deadAfter: Duration.Input
) {
  const { once, schema, sql, tables } = database
  const listener = yield* Listener.make({
    config: client.config,
    channel: schema,
    heard: notice.heard,
    reconnected: (owners) =>
      once(Database.rowsOf(Schema.Struct({ run_id: RunId }))(sql`
        select r.run_id::text as run_id from ${tables.runs} r
        where r.lease_owner = any (${texts(sql, owners)}::text[])`)).pipe(
        Effect.map((rows) => notice.missed(rows.map(({ run_id }) => run_id))),
        Effect.ignore
      )
  })
  const watch = yield* DeathWatch.make(database, client.config, notice, listener, deadAfter)
  return {
    notice: {
      ...notice,
      changes: (runId: RunId) => Effect.andThen(listener.start, notice.changes(runId)),
      wakeups: Stream.unwrap(Effect.as(listener.start, notice.wakeups))
    },
    nextOwner: Effect.gen(function*() {
      const owner = yield* newOwner
      yield* listener.hold(owner)
      if (listener.lockedSince(owner) !== undefined) yield* watch.start
      return owner
    }),
    watch,
    lockedSince: listener.lockedSince,
    letGo: listener.letGo
  }
})

/** The server shortens longer names, and two of them may then be one. */
const isName = (name: string): boolean => name !== "" && !name.includes("\u0000") && Buffer.byteLength(name) <= 63

const toMillis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))
