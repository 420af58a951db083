/**
 * How a command fails: one line on standard error, and an exit code.
 *
 * | code | meaning |
 * | --- | --- |
 * | 0 | done |
 * | 1 | anything else, such as a bug |
 * | 2 | the command line is wrong: an unknown command or flag, a malformed run id or store, an input that does not fit |
 * | 3 | there is no such run |
 * | 4 | the store cannot be opened or read, or the server cannot be reached or used |
 * | 5 | a log, or a part of it, cannot be read by this build; what can be read was printed |
 * | 6 | the run does not take this now: it waits for nothing of that name, it was decided before, it has ended; or the server does not permit it |
 * | 7 | the app cannot be used, or cannot execute this run |
 * | 8 | a log that was verified is not what its writers left |
 * | 130 | interrupted |
 */
import { InvalidRequest, NotExecutable, RunId, RunNotFound, Seq, StartConflict, StoreError } from "@durable-agents/core"
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

/**
 * What a log says does not agree with what it says elsewhere. What was found was printed.
 *
 * @category errors
 * @since 0.1.0
 */
export class LogDiffers extends Schema.TaggedError<LogDiffers>("@durable-agents/cli/LogDiffers")("LogDiffers", {
  runId: RunId,
  count: Schema.Natural
}) {
  override get message() {
    return `The log of run \`${this.runId}\` is not what its writers left: ${this.count} ${
      this.count === 1 ? "thing differs" : "things differ"
    }`
  }
}

/**
 * The module of `--app` is not there, is none, or lacks what a command needs of it.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnusableApp extends Schema.TaggedError<UnusableApp>("@durable-agents/cli/UnusableApp")("UnusableApp", {
  module: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The app \`${this.module}\` cannot be used: ${this.detail}`
  }
}

/**
 * The run does not take a decision. Nothing was recorded.
 *
 * @category errors
 * @since 0.1.0
 */
export class Refused extends Schema.TaggedError<Refused>("@durable-agents/cli/Refused")("Refused", {
  runId: RunId,
  detail: Schema.String,
  status: Schema.String,
  /** Keys of the approvals that do wait for a decision. */
  pending: Schema.Array(Schema.String)
}) {
  override get message() {
    const status = this.detail.includes(`(status ${this.status})`) ? "" : ` (status ${this.status})`
    const waits = this.pending.length === 0 ? "" : `; it waits for ${keys(this.pending)}`
    return `${this.detail}${status}${waits}`
  }
}

/**
 * A file that a command was to write could not be written.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnwritableFile
  extends Schema.TaggedError<UnwritableFile>("@durable-agents/cli/UnwritableFile")("UnwritableFile", {
    file: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `The file \`${this.file}\` cannot be written: ${this.detail}`
  }
}

/**
 * What a command was to print could not be printed.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnwritableOutput
  extends Schema.TaggedError<UnwritableOutput>("@durable-agents/cli/UnwritableOutput")("UnwritableOutput", {
    detail: Schema.String
  })
{
  override get message() {
    return `Standard output cannot be written: ${this.detail}`
  }
}

/**
 * Nothing can listen there: the port is taken, or the address is none of this machine's.
 *
 * @category errors
 * @since 0.1.0
 */
export class CannotListen extends Schema.TaggedError<CannotListen>("@durable-agents/cli/CannotListen")("CannotListen", {
  host: Schema.String,
  port: Schema.Natural,
  detail: Schema.String
}) {
  override get message() {
    return `Nothing can listen on \`${this.host}\`, port ${this.port}: ${this.detail}`
  }
}

/**
 * The store has no such token.
 *
 * @category errors
 * @since 0.1.0
 */
export class TokenNotFound
  extends Schema.TaggedError<TokenNotFound>("@durable-agents/cli/TokenNotFound")("TokenNotFound", {
    tokenId: Schema.String
  })
{
  override get message() {
    return `There is no token \`${this.tokenId}\` here; \`durable-agents tokens list\` shows those that there are`
  }
}

/**
 * A server could not be reached, or did not do what it was asked. Services that have it as the cause of their `StoreError` are those
 * that talk to a server.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServerFailure
  extends Schema.TaggedError<ServerFailure>("@durable-agents/cli/ServerFailure")("ServerFailure", {
    server: Schema.String,
    detail: Schema.String,
    /** Nobody answers; there is no valid token; the token does not permit it; anything else. */
    kind: Schema.Literals(["away", "unauthenticated", "forbidden", "failed"])
  })
{
  override get message() {
    return `The server \`${this.server}\` ${this.detail}`
  }
}

/**
 * Names in a sentence.
 *
 * @category words
 * @since 0.1.0
 */
export const keys = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

/**
 * What is wrong with what came by the command line.
 *
 * @category errors
 * @since 0.1.0
 */
export const wrong = (message: string): CliError.ValidationError => new CliError.ValidationError({ message })

/** What a server said is told as it is: no store has failed here. */
const told = (failure: unknown): unknown =>
  failure instanceof StoreError && failure.cause instanceof ServerFailure ? failure.cause : failure

const codeOf = (failed: unknown): number => {
  const failure = told(failed)
  if (failure instanceof CliError.ShowHelp) return failure.errors.length === 0 ? 0 : 2
  if (CliError.isCliError(failure) || failure instanceof InvalidRequest) return 2
  if (failure instanceof RunNotFound || failure instanceof TokenNotFound) return 3
  if (failure instanceof ServerFailure) return failure.kind === "forbidden" ? 6 : 4
  if (failure instanceof StoreError) return 4
  if (failure instanceof UnreadableLog) return 5
  if (failure instanceof LogDiffers) return 8
  if (failure instanceof Refused || failure instanceof StartConflict) return 6
  return failure instanceof UnusableApp || failure instanceof NotExecutable ? 7 : 1
}

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

const complain = (message: string): Effect.Effect<void> =>
  Console.error(`durable-agents: ${oneLine(message).replace(/^[a-z]/, (letter) => letter.toUpperCase())}`)

/** Where else a flag is looked for. */
const variables: ReadonlyMap<string, string> = new Map([
  ["store", "DURABLE_AGENTS_STORE"],
  ["actor", "DURABLE_AGENTS_ACTOR"]
])

const explained = (error: CliError.CliError): string => {
  const variable = error._tag === "MissingOption" ? variables.get(error.option) : undefined
  return variable === undefined ? error.message : `${error.message} (or set ${variable})`
}

/**
 * Says in one line why a command failed. What is wrong with the command line has been said by the presenter.
 *
 * @category reporting
 * @since 0.1.0
 */
export const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const failure = told(Cause.squash(cause))
  if (failure instanceof CliError.ShowHelp) return Effect.void
  const bug = Option.isNone(Cause.findErrorOption(cause)) ? "this is a bug: " : ""
  return complain(`${bug}${
    CliError.isCliError(failure) ? explained(failure) : failure instanceof Error ? failure.message : String(failure)
  }`)
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
      ? complain(`${event.errors.map(explained).join("; ")} (see ${event.commandPath.join(" ")} --help)`)
      : CliOutput.defaultPresenter.present(event)
})
