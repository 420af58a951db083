/**
 * The input of a run, from an argument, a file or standard input: a text where the program takes one, JSON everywhere else.
 */
import { Payload } from "@durable-agents/core"
import { Effect, FileSystem, Option, Result, Schema, type SchemaAST, Stdio, Stream } from "effect"
import type { Definition } from "./App.ts"
import { wrong } from "./Failure.ts"

/**
 * Whether what a program takes is a text as JSON knows it.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isText = ({ input }: Pick<Definition, "input">): boolean =>
  isTextual(Schema.toEncoded(Schema.toCodecJson(input)).ast)

const isTextual = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
      return true
    case "Literal":
      return typeof ast.literal === "string"
    case "Union":
      return ast.types.length > 0 && ast.types.every(isTextual)
    default:
      return false
  }
}

/**
 * Reads the input of a program; fails with why it does not fit. None is what a program takes that needs no input.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (program: Definition, text: Option.Option<string>): Result.Result<unknown, string> =>
  Result.gen(function*() {
    const decode = Payload.decoder(program.input)
    if (Option.isNone(text)) {
      return yield* Result.mapError(decode(null), () => `the program \`${program.name}\` needs an input`)
    }
    const json = isText(program)
      ? text.value
      : yield* Result.mapError(parse(text.value), () => `the input is not JSON, which \`${program.name}\` takes`)
    return yield* Result.mapError(
      decode(json),
      ({ message }) => `the input does not fit \`${program.name}\`: ${message}`
    )
  })

/**
 * Reads JSON.
 *
 * @category readers
 * @since 0.1.0
 */
export const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.mapError(decodeJson(text), () => "it is not JSON")

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** More than any input may have. */
const maxBytes = 16 * 1024 * 1024

/**
 * The text of a file, or of standard input for `-`, without the line break at its end.
 *
 * @category readers
 * @since 0.1.0
 */
export const textOf = Effect.fnUntraced(function*(file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const stdio = yield* Stdio.Stdio
  const name = file === "-" ? "standard input" : `\`${file}\``
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* (file === "-" ? stdio.stdin : fileSystem.stream(file)).pipe(
    Stream.runForEachWhile((chunk) => {
      bytes += chunk.length
      chunks.push(chunk)
      return Effect.succeed(bytes <= maxBytes)
    }),
    Effect.mapError((error) => wrong(`${name} cannot be read: ${error.message}`))
  )
  if (bytes > maxBytes) return yield* wrong(`${name} has more than ${maxBytes} bytes`)
  const text = yield* Effect.mapError(
    Effect.fromResult(Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)))),
    () => wrong(`${name} is not UTF-8`)
  )
  return text.replace(/\r?\n$/, "")
})

/**
 * JSON that is given by a flag or an argument, or by a file; not by both.
 *
 * @category readers
 * @since 0.1.0
 */
export const json = Effect.fnUntraced(function*(
  name: string,
  given: Option.Option<string>,
  file: Option.Option<string>
) {
  if (Option.isSome(given) && Option.isSome(file)) {
    return yield* wrong(`Give the ${name} once: as it is, or by --${name}-file`)
  }
  const text = Option.isSome(file) ? Option.some(yield* textOf(file.value)) : given
  if (Option.isNone(text)) return Option.none()
  return Option.some(yield* Effect.mapError(
    Effect.fromResult(parse(text.value)),
    (problem) => wrong(`Bad ${name}: ${problem}`)
  ))
})
