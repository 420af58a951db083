/**
 * `durable-agents cancel`: asks a run to stop.
 */
import { Runs } from "@durable-agents/core"
import { Effect } from "effect"
import * as Command from "effect/cli/Command"
import * as Decision from "../Decision.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import { run } from "../RunArgument.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const cancel = Command
  .make(
    "cancel",
    { run, actor: Decision.actor, store: Store.flag, reason: Decision.reason, json: Output.json },
    ({ actor, json, reason, run, store }) =>
      Effect.gen(function*() {
        const runs = yield* Runs
        const view = yield* Decision.take(
          run,
          runs.cancel(run, { actor, ...FlagValue.given(reason, (reason) => ({ reason })) })
        )
        yield* Decision.print(view, { json, said: "cancel requested", more: { actor }, store })
      }).pipe(Effect.provide(Decision.layer(store)))
  )
  .pipe(
    Command
      .withDescription("Asks a run to stop. One that has not begun, or is stuck, ends at once; any other is ended by a worker, which lets operations " +
        "in flight end within the grace time. Asking again changes nothing."),
    Command.withShortDescription("Ask a run to stop"),
    Command.withExamples([{
      command: "durable-agents cancel 0198c0de-7a3b-7c4d-8e5f-0123456789ab --actor dana --reason 'ordered twice'"
    }])
  )
