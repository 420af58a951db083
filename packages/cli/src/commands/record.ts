/**
 * `durable-agents record`: what models said in a run, as a fixture for tests.
 */
import { EventStore, RunNotFound, RunState } from "@durable-agents/core"
import { Effect, Option, Stream } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { UnreadableLog } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import * as Store from "../Store.ts"
import * as WholeFile from "../WholeFile.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const record = Command
  .make("record", {
    run,
    store: Store.flag,
    output: Flag.String("output").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Write to this file, which is replaced, instead of standard output"),
      Flag.optional
    )
  }, ({ output, run, store }) =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect((yield* EventStore).read(run))
      if (events.length === 0) return yield* new RunNotFound({ runId: run })
      const { problem } = RunState.fold(RunState.initial(run), events)
      if (problem !== undefined) return yield* new UnreadableLog({ runId: run, ...problem })
      const { RecordedModel } = yield* Effect.promise(() => import("@durable-agents/agent"))
      const text = RecordedModel.toText(RecordedModel.fromEvents(events))
      yield* Option.match(output, {
        onNone: () => Output.print(text.trimEnd().split("\n").map(Printable.jsonText)),
        onSome: (file) => WholeFile.replace(file, text)
      })
    }).pipe(Effect.provide(Store.layer(store, "read"))))
  .pipe(
    Command
      .withDescription("Writes what models were asked and answered in a run, as JSON that RecordedModel.layer plays in tests. Prompts " +
        "are in it by their digests only; answers are in it as they are, so look through them before you keep the file."),
    Command.withShortDescription("Write a run's model calls as a fixture for tests"),
    Command.withExamples([
      { command: "durable-agents record 0198c0de-7a3b-7c4d-8e5f-0123456789ab --output test/refund.recording.json" }
    ])
  )
