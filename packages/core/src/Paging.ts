/**
 * Pages of lists: how long they are, and the cursors between them.
 */
import { Effect, Option, Schema } from "effect"
import { StoreError } from "./EventStore.ts"
import { RunId } from "./Ids.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Absent on the last page. */
  readonly next?: string
}

/**
 * What identifies an item's place in its list, whatever else is in the list.
 *
 * @category models
 * @since 0.1.0
 */
export type Position = ReadonlyArray<string | number>

/**
 * How many items a page holds: 1 to 1,000, and 100 unless it is said.
 *
 * @category limits
 * @since 0.1.0
 */
export const size = (limit = 100): number => Math.min(1000, Math.max(1, Math.floor(limit)))

/**
 * The page of rows that were read: one row more than it holds says that there is another page.
 *
 * @category pages
 * @since 0.1.0
 */
export const page = <Row, A>(
  rows: ReadonlyArray<Row>,
  size: number,
  item: (row: Row) => A,
  position: (row: Row) => Position
): Page<A> => {
  const items = rows.slice(0, size).map(item)
  const last = rows.length > size ? rows[size - 1] : undefined
  return last === undefined ? { items } : { items, next: JSON.stringify(position(last)) }
}

/**
 * The position in a list of runs: when the run was started, and its id.
 *
 * @category positions
 * @since 0.1.0
 */
export const RunPosition = Schema.Tuple([Schema.Finite, RunId])

/**
 * The position in a list of approvals: since when one waits, its run and its key.
 *
 * @category positions
 * @since 0.1.0
 */
export const ApprovalPosition = Schema.Tuple([Schema.Finite, RunId, Schema.String])

/**
 * Where a page begins; fails if that is no cursor of this list.
 *
 * @category positions
 * @since 0.1.0
 */
export const positionOf = <A extends Position, I>(
  operation: string,
  schema: Schema.Codec<A, I>
): (cursor: string | undefined) => Effect.Effect<A | undefined, StoreError> => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  return (cursor) =>
    cursor === undefined
      ? Effect.succeed(undefined)
      : Option.match(decode(cursor), {
        onNone: () => Effect.fail(new StoreError({ operation, detail: `\`${cursor}\` is not a cursor of this list` })),
        onSome: Effect.succeed
      })
}
