/**
 * Files that are written as a whole.
 */
import { Effect, FileSystem } from "effect"
import { UnwritableFile } from "./Failure.ts"

/**
 * Writes a file, or replaces it: all of it or nothing, so that whoever reads it never finds half of it.
 *
 * @category writing
 * @since 0.1.0
 */
export const replace = Effect.fnUntraced(function*(file: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const part = `${file}.part`
  yield* fileSystem.writeFileString(part, text).pipe(
    Effect.andThen(fileSystem.rename(part, file)),
    Effect.mapError(({ message, reason }) =>
      new UnwritableFile({ file, detail: reason._tag === "NotFound" ? "its folder does not exist" : message })
    )
  )
})
