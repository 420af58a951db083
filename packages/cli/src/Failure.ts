/**
 * How a command fails: one line on standard error, and an exit code.
 *
 * | code | meaning |
 * | --- | --- |
 * | 0 | done |
 * | 1 | anything else, such as a bug |
 * | 2 | the command line is wrong: an unknown command or flag, a malformed run id or store |
 * | 3 | there is no such run |
 * | 4 | the store cannot be opened or read |
 * | 5 | a log, or a part of it, cannot be read by this build; what can be read was printed |
 * | 130 | interrupted |
 */
import { RunId, RunNotFound, Seq, StoreError } from "@durable-agents/core"
import { Cause, Console, Effect, Exit, Option, Schema } from "effect"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Printable from "./Printable.ts"

/**
 * An event of this log is damaged, missing, or unknown to this build.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnreadableLog
  extends Schema.TaggedError<UnreadableLog>("@durable-agents/cli/UnreadableLog")("UnreadableLog", {
    runId: RunId,
    seq: Seq,
    detail: Schema.String
  })
{
  override get message() {
    return `Event ${this.seq} of run \`${this.runId}\` cannot be read: ${this.detail}`
  }
}

const codeOf = (failure: unknown): number =>
  failure instanceof CliError.ShowHelp
    ? failure.errors.length === 0 ? 0 : 2
    : CliError.isCliError(failure)
    ? 2
    : failure instanceof RunNotFound
    ? 3
    : failure instanceof StoreError
    ? 4
    : failure instanceof UnreadableLog
    ? 5
    : 1

/**
 * The exit code of a command that ended like this.
 *
 * @category conversions
 * @since 0.1.0
 */
export const exitCode = (exit: Exit.Exit<unknown, unknown>): number =>
  Exit.isSuccess(exit)
    ? 0
    : Cause.hasInterruptsOnly(exit.cause)
    ? 130
    : Option.match(Cause.findErrorOption(exit.cause), { onNone: () => 1, onSome: codeOf })

/** A message on one line. Addresses may hold passwords, so of them only the scheme is shown. */
const oneLine = (message: string): string =>
  Printable.inline(message.trim().replace(/\s+/g, " ").replace(/([a-z][a-z0-9+.-]*:\/\/)\S*/gi, "$1..."))

const complain = (message: string): Effect.Effect<void> => Console.error(`durable-agents: ${oneLine(message)}`)

/**
 * Says in one line why a command failed. What is wrong with the command line has been said by the presenter.
 *
 * @category reporting
 * @since 0.1.0
 */
export const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const failure = Cause.squash(cause)
  if (failure instanceof CliError.ShowHelp) return Effect.void
  const bug = Option.isNone(Cause.findErrorOption(cause)) ? "this is a bug: " : ""
  return complain(`${bug}${failure instanceof Error ? failure.message : String(failure)}`)
}

/**
 * Says in one line what is wrong with the command line, instead of printing the whole help.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPresenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? complain(`${event.errors.map(({ message }) => message).join("; ")} (see ${event.commandPath.join(" ")} --help)`)
      : CliOutput.defaultPresenter.present(event)
})
