/**
 * `durable-agents budget`: changes the limits of an open run.
 */
import { Runs } from "@durable-agents/core"
import { Effect } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Decision from "../Decision.ts"
import { wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const budget = Command
  .make("budget", {
    run,
    limits: Argument.String("limits").pipe(
      Argument.withDescription("The limits that are replaced, such as turns=40,costUsd=2.00; the others stay"),
      Argument.mapEffect((text) =>
        Effect.mapError(
          Effect.fromResult(FlagValue.budget(text)),
          (problem) => wrong(`Bad limits: ${problem}`)
        )
      )
    ),
    actor: Decision.actor,
    site: SiteFlags.flags,
    reason: Decision.reason,
    json: Output.json
  }, ({ actor: given, json, limits, site, reason, run }) =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const actor = yield* Decision.actorOf(given)
      const by = { actor, ...FlagValue.given(reason, (reason) => ({ reason })) }
      const view = yield* Decision.take(run, runs.changeBudget(run, limits, by))
      yield* Decision.print(view, { json, said: "budget changed", more: { actor, budget: view.budget } })
    }).pipe(Effect.provide(Decision.layer(site))))
  .pipe(
    Command
      .withDescription("Replaces limits of an open run. One that is stuck at a limit goes on when it is also released."),
    Command.withShortDescription("Change the limits of a run"),
    Command.withExamples([{
      command: "durable-agents budget 0198c0de-7a3b-7c4d-8e5f-0123456789ab turns=40,costUsd=2.00 --actor dana"
    }])
  )
