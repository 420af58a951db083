/**
 * One PostgreSQL database as this process uses it: its tables, its time, and how its statements are asked.
 */
import type { StoreError } from "@durable-agents/core"
import { Clock, Context, Duration, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { hostClock, monotonicMillis, pauseAfter } from "./Patience.ts"
import { passes, storeFailure, timedOut } from "./StoreFailure.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Database {
  /** Without transformations of names: statements and rows are as they are written here. */
  readonly sql: SqlClient
  readonly schema: string
  /** The names of the store's tables, with their schema. */
  readonly tables: Readonly<Record<Table, Fragment>>
  /** The store's time. */
  readonly now: () => Fragment
  /** How long a failure that passes is waited for, in milliseconds. */
  readonly retryForMillis: number
  /** Runs statements once, in real time, apart from any transaction of the caller. Ends within the time-out of statements. */
  readonly once: <A, E>(
    statements: Effect.Effect<A, E | SqlError>,
    longest?: Duration.Input
  ) => Effect.Effect<A, E | SqlError>
  /** Runs statements that only read, and again as long as they fail for a reason that passes. */
  readonly read: <A>(operation: string, statements: Effect.Effect<A, SqlError>) => Effect.Effect<A, StoreError>
  /**
   * Runs statements that write, and again as long as they fail for a reason that passes: they must do the same twice as once.
   * Whoever asked waits for the answer even if interrupted, pauses between attempts apart. `attempt` counts from 1. One attempt
   * may take `longest`, by default as long as any statement.
   */
  readonly write: <A>(
    operation: string,
    statements: (attempt: number) => Effect.Effect<A, SqlError>,
    longest?: Duration.Input
  ) => Effect.Effect<A, StoreError>
}

/**
 * @category models
 * @since 0.1.0
 */
export type Table =
  | "events"
  | "runs"
  | "workers"
  | "run_summaries"
  | "run_labels"
  | "pending_approvals"
  | "access_tokens"
  | "quota_reservations"
  | "migrations"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly schema: string
  readonly statementTimeoutMillis: number
  readonly retryForMillis: number
  /** Whose time is the store's: an expression of SQL. */
  readonly now: (sql: SqlClient) => Fragment
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (client: SqlClient, options: Options): Database => {
  const { now, retryForMillis, schema, statementTimeoutMillis } = options
  const sql = client.withoutTransforms()
  const leave = Context.omit(client.transactionService)
  const statementTimeout = Duration.millis(statementTimeoutMillis)

  const table = (name: Table): Fragment => sql.literal(`${quoted(schema)}.${name}`)

  const apart = (context: Context.Context<never>): Context.Context<never> =>
    Context.add(
      Context.getOrUndefined(context, client.transactionService) === undefined ? context : leave(context),
      Clock.Clock,
      hostClock
    )

  const inPlace = Effect.updateContext<never, never>(apart)

  const once: Database["once"] = (statements, longest = statementTimeout) =>
    inPlace(Effect.timeoutOrElse(statements, { duration: longest, orElse: () => Effect.fail(timedOut()) }))

  const again = <A>(
    operation: string,
    attempt: (attempt: number) => Effect.Effect<A, SqlError>,
    pause: <B>(effect: Effect.Effect<B>) => Effect.Effect<B>,
    longest?: Duration.Input
  ): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => {
      const until = monotonicMillis() + retryForMillis
      const from = (count: number): Effect.Effect<A, StoreError> =>
        Effect.catch(once(attempt(count), longest), (error) =>
          passes(error) && monotonicMillis() < until
            ? Effect.andThen(pause(pauseAfter(count)), Effect.suspend(() => from(count + 1)))
            : Effect.fail(storeFailure(operation, error)))
      return from(1)
    })

  return {
    sql,
    schema,
    tables: {
      events: table("events"),
      runs: table("runs"),
      workers: table("workers"),
      run_summaries: table("run_summaries"),
      run_labels: table("run_labels"),
      pending_approvals: table("pending_approvals"),
      access_tokens: table("access_tokens"),
      quota_reservations: table("quota_reservations"),
      migrations: table("migrations")
    },
    now: () => now(sql),
    retryForMillis,
    once,
    read: (operation, statements) => again(operation, () => statements, (pause) => pause),
    write: (operation, statements, longest) =>
      Effect.uninterruptibleMask((restore) => again(operation, statements, restore, longest))
  }
}

/**
 * Reads rows. One that does not fit is a bug, or not ours.
 *
 * **Gotchas**
 *
 * To make a decoder takes longer than to decode a row: keep it in a constant.
 *
 * @category columns
 * @since 0.1.0
 */
export const rowsOf = <Row extends Schema.ConstraintDecoder<unknown>>(row: Row) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => Effect.map(statement, (rows) => decode(rows))
}

const quoted = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`
