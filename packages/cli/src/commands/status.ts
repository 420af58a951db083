/**
 * `durable-agents status`: how a run stands, in short.
 */
import { Effect } from "effect"
import * as Command from "effect/cli/Command"
import * as Output from "../Output.ts"
import { run } from "../RunArgument.ts"
import * as RunReport from "../RunReport.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const status = Command
  .make(
    "status",
    { run, site: SiteFlags.flags, json: Output.json, ...Output.flags },
    ({ json, site, run, ...flags }) =>
      Effect.gen(function*() {
        const report = yield* RunReport.load(run)
        const settings = yield* Output.settings(flags)
        yield* Output.print(json ? [RunReport.json(report)] : yield* RunReport.lines(report, settings))
      }).pipe(Effect.provide(SiteFlags.layer(site, "read")))
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
