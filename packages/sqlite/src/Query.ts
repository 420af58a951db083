/**
 * Prepared statements whose rows are decoded where they enter.
 */
import { Schema } from "effect"
import type { DatabaseSync, SQLInputValue } from "node:sqlite"

/**
 * @category models
 * @since 0.1.0
 */
export interface Query<Row> {
  readonly all: (...parameters: ReadonlyArray<SQLInputValue>) => ReadonlyArray<Row>
  readonly first: (...parameters: ReadonlyArray<SQLInputValue>) => Row | undefined
}

/**
 * Prepares a statement that returns rows of this schema. A row that does not fit is a bug or a damaged file: it throws, like
 * the statement itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const query = <Fields extends Schema.Struct.Fields>(
  connection: DatabaseSync,
  sql: string,
  row: Schema.Struct<Fields> & Schema.ConstraintDecoder<unknown>
): Query<Schema.Struct<Fields>["Type"]> => {
  const statement = connection.prepare(sql)
  const decode = Schema.decodeUnknownSync(row)
  return {
    all: (...parameters) => statement.all(...parameters).map((found) => decode(found)),
    first: (...parameters) => {
      const found = statement.get(...parameters)
      return found === undefined ? undefined : decode(found)
    }
  }
}
