/**
 * The command `durable-agents` with everything it needs from the platform.
 */
import { runMain } from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { approve } from "./commands/approve.ts"
import { budget } from "./commands/budget.ts"
import { cancel } from "./commands/cancel.ts"
import { deny } from "./commands/deny.ts"
import { explain } from "./commands/explain.ts"
import { exportRun } from "./commands/export.ts"
import { fork } from "./commands/fork.ts"
import { initDb } from "./commands/initDb.ts"
import { pause } from "./commands/pause.ts"
import { record } from "./commands/record.ts"
import { release } from "./commands/release.ts"
import { replay } from "./commands/replay.ts"
import { rescore } from "./commands/rescore.ts"
import { resolve } from "./commands/resolve.ts"
import { resume } from "./commands/resume.ts"
import { runs } from "./commands/runs.ts"
import { serve } from "./commands/serve.ts"
import { signal } from "./commands/signal.ts"
import { start } from "./commands/start.ts"
import { status } from "./commands/status.ts"
import { tokens } from "./commands/tokens.ts"
import { unpause } from "./commands/unpause.ts"
import { worker } from "./commands/worker.ts"
import * as Failure from "./Failure.ts"
import * as Log from "./Log.ts"
import { isClosedPipe } from "./Output.ts"

/**
 * Equal to the version of the package.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = "0.1.0"

const command = Command.make("durable-agents").pipe(
  Command.withDescription("Starts, executes, decides about and shows the runs of durable agents. " +
    "Exit codes: 0 done, 1 any other failure, 2 wrong command line, 3 no such run, 4 store that cannot be opened or read, " +
    "5 log that cannot be read in full (what can be read is printed), 6 decision that the run does not take, " +
    "7 app that cannot be used, 8 log that differs under --verify, 130 interrupted."),
  Command.withSubcommands([
    initDb,
    start,
    resume,
    worker,
    serve,
    runs,
    status,
    explain,
    approve,
    deny,
    signal,
    pause,
    unpause,
    cancel,
    budget,
    release,
    resolve,
    fork,
    replay,
    rescore,
    exportRun,
    record,
    tokens
  ])
)

/**
 * What the command line needs of the platform, and how it says what it logs and what went wrong.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.mergeAll(
  NodeServices.layer,
  Log.layer,
  Failure.layerPresenter,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
)

/**
 * The command that the arguments name, to its end; what went wrong has been said on standard error.
 *
 * @category running
 * @since 0.1.0
 */
export const run = Command.run(command, { version }).pipe(Effect.tapCause(Failure.report))

/**
 * Runs the command line of this process.
 *
 * @category running
 * @since 0.1.0
 */
export const main = (): void => {
  // What is written after the reader has gone fails late, where no effect waits for it.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error) => {
      if (!isClosedPipe(error)) process.exitCode = 1
    })
  }
  run.pipe(
    Effect.provide(layer),
    runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        const code = Failure.exitCode(exit)
        // A command that is there to be interrupted has said so.
        onExit(code === 130 && process.exitCode === 0 ? 0 : code)
      }
    })
  )
}
