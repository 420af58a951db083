/**
 * The `<run>` argument: which run a command is about.
 */
import { RunId } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"

const decode = Schema.decodeUnknownEffect(RunId)

/**
 * @category arguments
 * @since 0.1.0
 */
export const run: Argument.Argument<RunId> = Argument.String("run").pipe(
  Argument.withDescription("The id of the run"),
  Argument.mapEffect((text) =>
    Effect.mapError(
      decode(text.toLowerCase()),
      () => new CliError.ValidationError({ message: `\`${text}\` is not the id of a run, which is a UUID` })
    )
  )
)
