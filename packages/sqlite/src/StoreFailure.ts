/**
 * What node:sqlite throws, read once and turned into the port's error.
 */
import { StoreError } from "@durable-agents/core"
import { Option, Schema } from "effect"

const Thrown = Schema.Struct({ errcode: Schema.Int, message: Schema.String })

const decodeThrown = Schema.decodeUnknownOption(Thrown)

/** The primary result code (sqlite.org/rescode.html); an extended one carries it in its lowest byte. */
const resultCode = (cause: unknown): number | undefined =>
  Option.getOrUndefined(Option.map(decodeThrown(cause), ({ errcode }) => errcode & 0xff))

/** SQLITE_BUSY and SQLITE_PROTOCOL: a lock is taken, or the log's index is just being rebuilt. */
const locked: ReadonlyArray<number | undefined> = [5, 15]

/**
 * Whether another connection holds a lock, so that trying again helps.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isBusy = (cause: unknown): boolean => locked.includes(resultCode(cause))

/**
 * Says in one line, and in terms of the file, what went wrong.
 *
 * @category errors
 * @since 0.1.0
 */
export const storeFailure = (file: string, operation: string, cause: unknown): StoreError =>
  new StoreError({ operation, detail: detail(file, cause), cause })

const detail = (file: string, cause: unknown): string => {
  switch (resultCode(cause)) {
    case 5:
    case 15:
      return `another process has kept \`${file}\` locked for too long`
    case 8:
      return `\`${file}\` is read-only`
    case 10:
      return `\`${file}\` could not be read or written: ${firstLine(cause)}`
    case 11:
      return `\`${file}\` is damaged: ${firstLine(cause)}`
    case 13:
      return `there is no space left for \`${file}\``
    case 14:
      return `\`${file}\` cannot be opened: its folder must exist, and this process must be allowed to write there`
    case 26:
      return `\`${file}\` is not an SQLite database`
    default:
      return `\`${file}\`: ${firstLine(cause)}`
  }
}

const firstLine = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split("\n", 1).join("").slice(0, 300)
}
