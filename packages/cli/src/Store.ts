/**
 * The `--store` flag: which database a command looks into.
 */
import { type EventStore, type RunIndex, type RunQueue, StoreError } from "@durable-agents/core"
import { Config, Effect, FileSystem, Layer, Result } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"

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
  if (file === undefined) return Result.fail("this build has no other stores than sqlite:FILE")
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
 * Opens a store that must exist, for reading. Its driver is loaded only now, since most of the time to start is loading.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  { file }: Store
): Layer.Layer<EventStore | RunQueue | RunIndex, StoreError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.gen(function*() {
    yield* mustExist(file)
    const { Sqlite } = yield* Effect.promise(() => import("@durable-agents/sqlite"))
    return Sqlite.layer({ file, access: "read" })
  }))

const mustExist = Effect.fnUntraced(function*(file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const { type } = yield* Effect.mapError(
    fileSystem.stat(file),
    (error) =>
      new StoreError({
        operation: "open",
        detail: error.reason._tag === "NotFound" ? `there is no file \`${file}\`` : `\`${file}\`: ${error.message}`,
        cause: error
      })
  )
  if (type !== "File") return yield* new StoreError({ operation: "open", detail: `\`${file}\` is not a file` })
})
