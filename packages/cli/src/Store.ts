/**
 * The `--store` flag: which database a command looks into.
 */
import { type EventStore, type RunIndex, type RunQueue, StoreError } from "@durable-agents/core"
import { Config, Effect, FileSystem, Layer, Option, Result } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Printable from "./Printable.ts"

/**
 * A store, by the address that the user gave.
 *
 * @category models
 * @since 0.1.0
 */
export interface Store {
  readonly _tag: "Sqlite"
  readonly file: string
}

/**
 * Reads the address of a store. What is refused may hold a password, so no message repeats it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (address: string): Result.Result<Store, string> => {
  const file = /^sqlite:(.*)$/is.exec(address)?.[1]
  if (file === undefined) {
    // Nothing but a path may be repeated.
    const meant = /^[^:@?#]*[./\\][^:@?#]*$/.test(address) ? `; did you mean \`sqlite:${address}\`?` : ""
    return Result.fail(`this build has no other stores than sqlite:FILE${meant}`)
  }
  if (file === "") return Result.fail("sqlite: lacks the path of a file")
  return /[?#]|^\/\/[^/]*@/.test(file)
    ? Result.fail("sqlite: takes the path of a file, without user, password or parameters")
    : Result.succeed({ _tag: "Sqlite", file })
}

/**
 * @category flags
 * @since 0.1.0
 */
export const flag: Flag.Flag<Store> = Flag.String("store").pipe(
  Flag.withMetavar("sqlite:FILE"),
  Flag.withDescription("The store that holds the runs; the default is in DURABLE_AGENTS_STORE"),
  Flag.withFallbackConfig(Config.String("DURABLE_AGENTS_STORE")),
  Flag.mapEffect((address) =>
    Effect.mapError(
      Effect.fromResult(parse(address)),
      (problem) => new CliError.ValidationError({ message: `Bad store: ${problem}` })
    )
  )
)

/**
 * What a command does with a store: looks into it, writes to it, or creates it where it is missing.
 *
 * @category models
 * @since 0.1.0
 */
export type Access = "read" | "write" | "create"

/**
 * Opens a store, which must exist unless it is to be created. Its driver is loaded only now, since most of the time to start is
 * loading.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  store: Store,
  access: Access
): Layer.Layer<EventStore | RunQueue | RunIndex, StoreError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.gen(function*() {
    const { file } = store
    if (access !== "create") yield* mustExist(store)
    const { Sqlite } = yield* Effect.promise(() => import("@durable-agents/sqlite"))
    return access === "read"
      ? Sqlite.layer({ file, access: "read" })
      : Sqlite.layer({ file, create: access === "create" })
  }))

/**
 * Whether the store is there, as far as can be said without opening it.
 *
 * @category predicates
 * @since 0.1.0
 */
export const exists = ({ file }: Store) => Effect.map(Effect.option(stat(file)), Option.isSome)

/**
 * The address without secrets, for people.
 *
 * @category words
 * @since 0.1.0
 */
export const show = ({ file }: Store): string => Printable.inline(`sqlite:${file}`)

/**
 * The flag that names this store, for a command to be copied.
 *
 * @category words
 * @since 0.1.0
 */
export const argument = (store: Store): string => `--store ${Printable.shellWord(show(store))}`

const stat = (file: string) => Effect.flatMap(FileSystem.FileSystem, (fileSystem) => fileSystem.stat(file))

const mustExist = Effect.fnUntraced(function*(store: Store) {
  const { file } = store
  const { type } = yield* Effect.mapError(
    stat(file),
    (error) =>
      new StoreError({
        operation: "open",
        detail: error.reason._tag === "NotFound"
          ? `there is no file \`${file}\`; \`durable-agents init-db ${argument(store)}\` creates it`
          : `\`${file}\`: ${error.message}`,
        cause: error
      })
  )
  if (type !== "File") return yield* new StoreError({ operation: "open", detail: `\`${file}\` is not a file` })
})
