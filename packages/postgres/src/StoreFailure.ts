/**
 * What the driver and the server say went wrong, read once: whether it passes, and what may be told of it.
 *
 * Nothing of it is passed on as it is. Errors of the driver may hold the connection URL or what was to be stored, and the details
 * of the server's may hold what is stored.
 */
import { StoreError } from "@durable-agents/core"
import { Option, Schema } from "effect"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"

const decodeCoded = Schema.decodeUnknownOption(Schema.Struct({
  /** An SQLSTATE of the server, or what Node calls the failure of a socket. */
  code: Schema.String,
  message: Schema.optional(Schema.String)
}))

const decodeState = Schema.decodeUnknownOption(Schema.String.check(Schema.isPattern(/^[0-9A-Z]{5}$/)))

/** The SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html), if the server has answered. */
const sqlState = ({ reason }: SqlError): string | undefined =>
  Option.getOrUndefined(Option.flatMap(decodeCoded(reason.cause), ({ code }) => decodeState(code)))

/**
 * SQLSTATEs, and beginnings of them, that mean "not now". Connections (08), resources (53), a server that shuts down or starts
 * (57P), the ends of transactions that got in each other's way (40), time-outs of locks (55P03) and statements (57014), a server
 * that has just become a replica (25006), and statements that a pooler has prepared elsewhere (26000, 42P05).
 */
const passing = ["08", "53", "57P01", "57P02", "57P03", "57P05", "40", "55P03", "57014", "25006", "26000", "42P05"]

const noAnswer = "the server did not answer in time"

/** What may be told of the driver's own errors, by how they begin: the rest of them may hold parts of the URL. */
const driverSays: ReadonlyArray<readonly [beginning: string, told: string, passes: boolean]> = [
  ["Connection timed out", noAnswer, true],
  ["Server refused TLS", "the server does not take TLS connections, and the URL asks for one", false],
  ["No username configured", "neither the URL nor the environment names a user", false],
  ["Invalid connection URL", "what should be the URL of the database is not a URL", false],
  ["Unsupported connection URL", "the URL of the database must begin with postgres://", false],
  ["Unrecognized sslmode", "the URL of the database has an sslmode that is not known", false],
  ["Invalid ", "the URL of the database has a part that cannot be read", false],
  ["Reserved startup parameter", "a startup parameter is set that is not to be set", false],
  ["Startup parameter", "a startup parameter cannot be sent", false],
  ["keepAlive", "the time of keepAlive is out of its range", false]
]

const driverSaid = ({ reason }: SqlError) =>
  driverSays.find(([beginning]) => reason.message?.startsWith(`PgConnection: ${beginning}`))

/**
 * A statement has taken longer than it may.
 *
 * @category errors
 * @since 0.1.0
 */
export const timedOut = (): SqlError =>
  new SqlError({ reason: new StatementTimeoutError({ cause: new Error(noAnswer), message: noAnswer }) })

/**
 * Whether the same may succeed a moment later.
 *
 * @category predicates
 * @since 0.1.0
 */
export const passes = (error: SqlError): boolean => {
  const state = sqlState(error)
  return state === undefined
    ? error.isRetryable && (driverSaid(error)?.[2] ?? true)
    : passing.some((beginning) => state.startsWith(beginning))
}

/**
 * Whether a row with this key is there already.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isTaken = ({ reason }: SqlError): boolean => reason._tag === "UniqueViolation"

/**
 * Says in one line what went wrong, without a value, a password or an address.
 *
 * @category errors
 * @since 0.1.0
 */
export const storeFailure = (operation: string, error: SqlError): StoreError => {
  const coded = Option.getOrUndefined(decodeCoded(error.reason.cause))
  const state = sqlState(error)
  const detail = state === undefined
    ? withoutState(error, coded?.code)
    : `${firstLine(coded?.message)} (SQLSTATE ${state})`
  const code = state ?? coded?.code
  return new StoreError({
    operation,
    detail,
    cause: Object.assign(new Error(detail), code === undefined ? {} : { code })
  })
}

const withoutState = (error: SqlError, code: string | undefined): string => {
  const known = driverSaid(error)
  if (known !== undefined) return known[1]
  switch (error.reason._tag) {
    case "StatementTimeoutError":
      return noAnswer
    case "ConnectionError":
      return `there is no connection to the database${code === undefined ? "" : ` (${code})`}`
    case "AuthenticationError":
      return "the server and this client could not agree on how to log in: is there a password?"
    default:
      return "the driver did not understand what it sent or got"
  }
}

const firstLine = (text = "the server gave no reason"): string => text.split("\n", 1).join("").slice(0, 300)
