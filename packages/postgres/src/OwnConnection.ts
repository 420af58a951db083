/**
 * Connections outside of the pool, made again whenever they break.
 */
import { PgConnection } from "@effect/sql-pg"
import type { Duration, Scope } from "effect"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { onHostClock, pauseAfter } from "./Patience.ts"
import { storeFailure, timedOut } from "./StoreFailure.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface OwnConnection {
  readonly connection: PgConnection.PgConnection
  /** When the server was started: what is remembered of another start has gone with it. */
  readonly serverStart: string
  /** Runs one statement, bounded in time. */
  readonly ask: (
    statement: string,
    parameters?: ReadonlyArray<unknown>,
    longest?: Duration.Input
  ) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
}

const Greeting = Schema.Struct({ pid: Schema.Int, start: Schema.String })
const decodeGreeting = Schema.decodeUnknownSync(Schema.Tuple([Greeting]))

/**
 * Connects, uses the connection for as long as it lasts, and begins again when it breaks: at once, then after longer and longer
 * pauses. Ends only if there is a pooler between this process and the server, with which no connection is one's own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const keep = (
  config: PgConnection.Config,
  use: (own: OwnConnection) => Effect.Effect<never, SqlError, Scope.Scope>,
  lost: () => void
): Effect.Effect<void> => {
  let failures = 0

  const once = Effect.gen(function*() {
    const made = yield* PgConnection.make(config)
    const connection = yield* made.pin
    const ask: OwnConnection["ask"] = (statement, parameters = [], longest = "5 seconds") =>
      Effect.timeoutOrElse(
        Effect.map(connection.query(statement, parameters, false), ({ rows }) => rows),
        { duration: longest, orElse: () => Effect.fail(timedOut()) }
      )
    const [{ pid, start }] =
      decodeGreeting(yield* ask("select pg_backend_pid() as pid, to_json(pg_postmaster_start_time()) #>> '{}' as start"))
    if (pid !== made.processId) {
      yield* Effect
        .logInfo("There is a pooler between this process and PostgreSQL: runs of processes that die are free when their leases end, " +
          "and what others do is seen by polling")
      return
    }
    failures = 0
    return yield* use({ connection, serverStart: start, ask })
  }).pipe(Effect.scoped)

  const again: Effect.Effect<void> = Effect.catch(once, (error) => {
    lost()
    failures += 1
    const told = failures === 1
      ? Effect.logDebug(storeFailure("listen", error).message)
      : failures === 2
      ? Effect.logWarning(`${storeFailure("listen", error).message}; until it works again, only polling goes on`)
      : Effect.void
    return told.pipe(Effect.andThen(failures === 1 ? Effect.void : pauseAfter(failures)), Effect.andThen(again))
  })

  return onHostClock(again)
}
