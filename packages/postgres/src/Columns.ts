/**
 * Values on their way into statements and out of them.
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Many values of one column, as a parameter. In parentheses it is a query of its own, so that the server cannot count them while
 * it plans, and keeps one plan for any number.
 */
const column =
  (type: keyof typeof PgTypes.OID) =>
  (sql: SqlClient, values: ReadonlyArray<string | number | boolean | null>): Fragment =>
    sql`(select ${Result.getOrThrow(PgTypes.array(values, PgTypes.OID[type]))})`

/**
 * @category columns
 * @since 0.1.0
 */
export const uuids = column("uuid")

/**
 * @category columns
 * @since 0.1.0
 */
export const texts = column("text")

/**
 * @category columns
 * @since 0.1.0
 */
export const integers = column("int4")

/**
 * @category columns
 * @since 0.1.0
 */
export const floats = column("float8")

/**
 * @category columns
 * @since 0.1.0
 */
export const booleans = column("bool")

/**
 * A condition that always holds, for the column of an `unnest … with ordinality`. The planner takes it for one that seldom does,
 * expects one row, and so looks rows up by their keys in plans that it makes while the tables are still empty, and keeps.
 *
 * @category columns
 * @since 0.1.0
 */
export const expectOne = (sql: SqlClient, place: string): Fragment => sql.literal(`${place} % 1 = 0`)

/**
 * A number of milliseconds as a parameter, always of the same type.
 *
 * @category columns
 * @since 0.1.0
 */
export const millis = (value: number | null): PgTypes.Parameter => PgTypes.float8(value)

/**
 * A time as the queue keeps it: whole milliseconds, never earlier than asked for, and one that the server can hold.
 *
 * @category columns
 * @since 0.1.0
 */
export const wakeMillis = (time: number | null): number | null =>
  time === null ? null : Math.max(0, Math.min(Math.ceil(time), latestMillis))

/**
 * The latest time that is stored, in the year 9999.
 *
 * @category columns
 * @since 0.1.0
 */
export const latestMillis = 253_370_764_800_000

/**
 * Milliseconds since 1970 as a time.
 *
 * @category columns
 * @since 0.1.0
 */
export const timeOf = (sql: SqlClient, since1970: Fragment | PgTypes.Parameter): Fragment =>
  sql`to_timestamp(${since1970}::float8 / 1000)`

/**
 * A time as milliseconds since 1970.
 *
 * @category columns
 * @since 0.1.0
 */
export const millisOf = (sql: SqlClient, time: Fragment): Fragment =>
  sql`(extract(epoch from ${time}::timestamptz(3)) * 1000)::float8`
