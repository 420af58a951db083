/**
 * Standard output: lines, their width and their colours.
 */
import { Effect, Option, PlatformError, Stdio, Stream, Terminal } from "effect"
import * as Flag from "effect/cli/Flag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { UnwritableOutput } from "./Failure.ts"
import * as Style from "./Style.ts"

/**
 * The flags of commands that print for people.
 *
 * @category flags
 * @since 0.1.0
 */
export const flags = {
  color: Flag.Boolean("color").pipe(
    Flag
      .withDescription("Colours, or --no-color for none; the default is colours on a terminal, unless NO_COLOR is set"),
    Flag.optional
  ),
  width: Flag.Int("width").pipe(
    Flag.filter((columns) => columns >= 20, () => "a number from 20 on"),
    Flag.withMetavar("COLUMNS"),
    Flag.withDescription("Columns of a line, of a trace at least 60; the default is the terminal's width, or 78"),
    Flag.optional
  )
}

/**
 * @category flags
 * @since 0.1.0
 */
export const json: Flag.Flag<boolean> = Flag.Boolean("json").pipe(
  Flag.withoutNegation,
  Flag.withDescription("Print JSON for programs"),
  Flag.withDefault(false)
)

/**
 * What the flags, the terminal and `NO_COLOR` ask for.
 *
 * @category settings
 * @since 0.1.0
 */
export const settings = Effect.fnUntraced(function*(flags: {
  readonly color: Option.Option<boolean>
  readonly width: Option.Option<number>
}) {
  const { stdoutIsTerminal } = yield* Stdio.Stdio
  const { columns } = yield* Terminal.Terminal
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const isTerminal = yield* stdoutIsTerminal
  const available = isTerminal ? yield* columns : 0
  const colored = Option.getOrElse(flags.color, () => isTerminal && canColor)
  return {
    style: colored ? Style.color : Style.plain,
    width: Option.getOrElse(flags.width, () => available > 0 ? available : 78)
  }
})

/**
 * Prints lines. A reader that has seen enough (`| head`) is no failure.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = Effect.fnUntraced(function*(lines: ReadonlyArray<string>) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.make(lines.map((line) => `${line}\n`).join("")).pipe(
    Stream.run(stdio.stdout()),
    Effect.catch(unwritten)
  )
})

/**
 * Prints lines as they come. Ends without a failure when nobody reads any more.
 *
 * @category printing
 * @since 0.1.0
 */
export const each = Effect.fnUntraced(function*<E, R>(lines: Stream.Stream<string, E, R>) {
  const stdio = yield* Stdio.Stdio
  yield* lines.pipe(
    Stream.map((line) => `${line}\n`),
    Stream.run(stdio.stdout()),
    Effect.catchIf(
      (error): error is Extract<typeof error, PlatformError.PlatformError> =>
        error instanceof PlatformError.PlatformError,
      unwritten
    )
  )
})

const unwritten = ({ message, reason }: PlatformError.PlatformError): Effect.Effect<void, UnwritableOutput> =>
  isClosedPipe(reason.cause)
    ? Effect.void
    : Effect.fail(new UnwritableOutput({ detail: reason.cause instanceof Error ? reason.cause.message : message }))

/**
 * @category predicates
 * @since 0.1.0
 */
export const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EPIPE"
