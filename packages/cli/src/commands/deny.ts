/**
 * `durable-agents deny`: refuses exactly one request.
 */
import { Runs } from "@durable-agents/core"
import { Effect } from "effect"
import * as Command from "effect/cli/Command"
import * as Decision from "../Decision.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const deny = Command
  .make("deny", {
    run,
    approval: Decision.approval,
    actor: Decision.actor,
    site: SiteFlags.flags,
    reason: Decision.reason,
    json: Output.json
  }, ({ actor: by, approval: given, json, site, reason, run }) =>
    Effect.gen(function*() {
      const approval = yield* Decision.named(run, given)
      const runs = yield* Runs
      const actor = yield* Decision.actorOf(by)
      const view = yield* Decision.take(
        run,
        runs.deny(run, { approval, actor, ...FlagValue.given(reason, (reason) => ({ reason })) })
      )
      yield* Decision.print(view, {
        json,
        said: `denied ${approval}`,
        more: { approval, decision: "denied", actor }
      })
    }).pipe(Effect.provide(Decision.layer(site))))
  .pipe(
    Command
      .withDescription("Refuses exactly one request, by its key. Only the first decision counts. It is recorded; a worker or `resume` acts on it, " +
        "and an agent's model is told the reason."),
    Command.withShortDescription("Refuse a request that waits"),
    Command.withExamples([{
      command: "durable-agents deny 0198c0de-7a3b-7c4d-8e5f-0123456789ab turn-1/call-1/approval --actor dana " +
        "--reason 'wrong order'"
    }])
  )
