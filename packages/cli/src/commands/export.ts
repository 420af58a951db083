/**
 * `durable-agents export`: the log of a run, for programs.
 */
import { RunEvent, RunNotFound, Runs, RunState } from "@durable-agents/core"
import { Effect, Option, Stream } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { UnreadableLog } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"
import * as WholeFile from "../WholeFile.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const exportRun = Command
  .make("export", {
    run,
    site: SiteFlags.flags,
    output: Flag.String("output").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Write to this file, which is replaced, instead of standard output"),
      Flag.optional
    )
  }, ({ output, site, run }) =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect((yield* Runs).events(run))
      if (events.length === 0) return yield* new RunNotFound({ runId: run })
      const lines = events.map((recorded) => Printable.jsonText(RunEvent.toLine(recorded)))
      yield* Option.match(output, {
        onNone: () => Output.print(lines),
        onSome: (file) => WholeFile.replace(file, lines.map((line) => `${line}\n`).join(""))
      })
      const { problem } = RunState.fold(RunState.initial(run), events)
      if (problem !== undefined) return yield* new UnreadableLog({ runId: run, ...problem })
    }).pipe(Effect.provide(SiteFlags.layer(site, "read"))))
  .pipe(
    Command
      .withDescription("Writes the whole log of a run as JSON lines, one an event, as RunEvent.fromLine reads them. What this build does not know is " +
        "written as it is stored."),
    Command.withShortDescription("Write the log of a run as JSON lines"),
    Command.withExamples([
      { command: "durable-agents export 0198c0de-7a3b-7c4d-8e5f-0123456789ab --store sqlite:runs.db > run.jsonl" },
      { command: "durable-agents export 0198c0de-7a3b-7c4d-8e5f-0123456789ab --output run.jsonl" }
    ])
  )
