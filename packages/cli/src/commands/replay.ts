/**
 * `durable-agents replay`: the whole log of a run.
 */
import { EventStore, RunEvent, RunNotFound, RunState } from "@durable-agents/core"
import { Effect, Stream } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { UnreadableLog } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import * as Store from "../Store.ts"
import * as Trace from "../Trace.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const replay = Command
  .make("replay", {
    run,
    store: Store.flag,
    json: Output.json,
    thinking: Flag.Boolean("thinking").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Show also the requests to the model that were answered"),
      Flag.withDefault(false)
    ),
    ...Output.flags
  }, ({ json, run, store, thinking, ...flags }) =>
    Effect.gen(function*() {
      const { read } = yield* EventStore
      const events = yield* Stream.runCollect(read(run))
      if (events.length === 0) return yield* new RunNotFound({ runId: run })
      yield* Output.print(json
        ? events.map((recorded) => Printable.jsonText(RunEvent.toLine(recorded)))
        : Trace.lines(events, { ...yield* Output.settings(flags), thinking }))
      const { problem } = RunState.fold(RunState.initial(run), events)
      if (problem !== undefined) return yield* new UnreadableLog({ runId: run, ...problem })
    }).pipe(Effect.provide(Store.layer(store, "read"))))
  .pipe(
    Command
      .withDescription("Prints the trace of a run: every event with all its fields, and how the run ended or what it waits for. " +
        "Nothing is executed. With --json, the log as it is stored, one JSON line an event."),
    Command.withShortDescription("Print the trace of a run"),
    Command.withExamples([{
      command: "durable-agents replay 0198c0de-7a3b-7c4d-8e5f-0123456789ab --store sqlite:runs.db"
    }])
  )
