/**
 * `durable-agents fork`: starts a new run from the first events of another one.
 */
import { Runs } from "@durable-agents/core"
import { Effect } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Decision from "../Decision.ts"
import { Refused } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const fork = Command
  .make("fork", {
    run,
    at: Flag.Int("at").pipe(
      Flag.withMetavar("EVENTS"),
      Flag
        .withDescription("How many events the new run begins with: those before this position, as `replay` shows them")
    ),
    actor: Decision.actor,
    site: SiteFlags.flags,
    reason: Decision.reason,
    startKey: Flag.String("start-key").pipe(
      Flag.withMetavar("KEY"),
      Flag
        .withDescription("A name for the new run: the same fork again with the same key gives the same run"),
      Flag.optional
    ),
    labels: Flag.KeyValuePair("label").pipe(
      Flag.withDescription("A label of the new run, beside those of this one; may be given more than once"),
      Flag.optional
    ),
    budget: FlagValue.flag("budget", FlagValue.budget).pipe(
      Flag.withMetavar("turns=10,costUsd=0.50"),
      Flag.withDescription("Limits that replace those of the run"),
      Flag.optional
    ),
    json: Output.json
  }, ({ actor: by, at, budget, json, labels, site, reason, run, startKey }) =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const actor = yield* Decision.actorOf(by)
      const runId = yield* runs.fork(run, {
        at,
        actor,
        ...FlagValue.given(reason, (reason) => ({ reason })),
        ...FlagValue.given(startKey, (startKey) => ({ startKey })),
        ...FlagValue.given(labels, (labels) => ({ labels })),
        ...FlagValue.given(budget, (budget) => ({ budget }))
      }).pipe(Effect.catchTag("ForkRefused", ({ message }) =>
        Effect.flatMap(
          runs.state(run),
          ({ status }) => Effect.fail(new Refused({ runId: run, detail: message, status, pending: [] }))
        )))
      const { program, seq, status } = yield* runs.state(runId)
      yield* Output.print(json
        ? [
          Printable
            .jsonText(JSON.stringify({ runId, program, status, seq, forkedFrom: { runId: run, seq: at }, actor }))
        ]
        : [runId])
    }).pipe(Effect.provide(Decision.layer(site))))
  .pipe(
    Command
      .withDescription("Starts a new run that begins with the first events of another one, and prints its id. Nothing is executed, and the other one " +
        "stays as it is. What has its outcome by then keeps it; the rest is done again, in the name of the new run."),
    Command.withShortDescription("Start a new run from a part of another"),
    Command.withExamples([{
      command: "durable-agents fork 0198c0de-7a3b-7c4d-8e5f-0123456789ab --at 12 --actor dana --reason 'another model'"
    }])
  )
