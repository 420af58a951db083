/**
 * `durable-agents status`: how a run stands, in short.
 */
import { Runs } from "@durable-agents/core"
import { Effect, Layer } from "effect"
import * as Command from "effect/cli/Command"
import * as Decision from "../Decision.ts"
import * as Output from "../Output.ts"
import { run } from "../RunArgument.ts"
import * as RunReport from "../RunReport.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const status = Command
  .make(
    "status",
    { run, store: Store.flag, json: Output.json, ...Output.flags },
    ({ json, run, store, ...flags }) =>
      Effect.gen(function*() {
        const report = yield* RunReport.load(run)
        const settings = yield* Output.settings(flags)
        const named = yield* Decision.isNamed
        yield* Output.print(json ? [RunReport.json(report)] : RunReport.lines(report, store, { ...settings, named }))
      }).pipe(Effect.provide(Layer.provideMerge(Runs.layer, Store.layer(store, "read"))))
  )
  .pipe(
    Command
      .withDescription("Prints how a run stands: its status and since when, what it has used of its budget, what it waits for with the keys of " +
        "approvals and the arguments that they are about, and how it goes on."),
    Command.withShortDescription("Print how a run stands"),
    Command.withExamples([
      { command: "durable-agents status 0198c0de-7a3b-7c4d-8e5f-0123456789ab --store sqlite:runs.db" },
      { command: "durable-agents status 0198c0de-7a3b-7c4d-8e5f-0123456789ab --json | jq .pendingApprovals" }
    ])
  )
