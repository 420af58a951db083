/**
 * Files that are written as a whole.
 */
import { Effect, FileSystem, Option } from "effect"
import { UnwritableFile } from "./Failure.ts"

/**
 * Writes a file, or replaces it: all of it or nothing, so that whoever reads it never finds half of it. A file that is there keeps
 * its rights; what is no file, such as a pipe, is written to.
 *
 * @category writing
 * @since 0.1.0
 */
export const replace = Effect.fnUntraced(function*(file: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const found = yield* Effect.option(fileSystem.stat(file))
  const target = yield* Effect.orElseSucceed(fileSystem.realPath(file), () => file)
  const part = `${target}.part`
  const mode = Option.match(found, { onNone: () => ({}), onSome: ({ mode }) => ({ mode: mode & 0o777 }) })
  const written = Option.exists(found, ({ type }) => type !== "File")
    ? fileSystem.writeFileString(target, text)
    : Effect.andThen(fileSystem.writeFileString(part, text, mode), fileSystem.rename(part, target))
  yield* written
    .pipe(Effect.mapError(({ message, reason }) =>
      new UnwritableFile({ file, detail: reason._tag === "NotFound" ? "its folder does not exist" : message })
    ))
})
