/**
 * `durable-agents signal`: sends a value to a run.
 */
import { Runs } from "@durable-agents/core"
import { Effect, Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Decision from "../Decision.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as ProgramInput from "../ProgramInput.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const signal = Command
  .make("signal", {
    run,
    name: Argument.String("name").pipe(Argument.withDescription("The name of the signal")),
    payload: Argument.String("payload").pipe(
      Argument.withDescription("Its value, as JSON; without one it is null"),
      Argument.optional
    ),
    file: Flag.String("payload-file").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("The value from a file; - for standard input"),
      Flag.optional
    ),
    id: Flag.String("id").pipe(
      Flag.withDescription("A name for this signal: sending the same again with the same id changes nothing"),
      Flag.optional
    ),
    actor: Decision.actor,
    site: SiteFlags.flags,
    json: Output.json
  }, ({ actor: by, file, id, json, name, payload, site, run }) =>
    Effect.gen(function*() {
      const given = yield* ProgramInput.json("payload", payload, file)
      const runs = yield* Runs
      const actor = yield* Decision.actorOf(by)
      const options = { actor, ...FlagValue.given(id, (id) => ({ id })) }
      const view = yield* Decision.take(run, runs.signal(run, name, Option.getOrNull(given), options))
      yield* Decision.print(view, { json, said: `sent ${name}`, more: { signal: name, actor } })
    }).pipe(Effect.provide(Decision.layer(site))))
  .pipe(
    Command
      .withDescription("Sends a value to a run. The program gets it where it waits for a signal of that name, now or later; the order of signals is kept."),
    Command.withShortDescription("Send a value to a run"),
    Command.withExamples([{
      command:
        "durable-agents signal 0198c0de-7a3b-7c4d-8e5f-0123456789ab paid '{\"cents\":5000}' --id invoice-7 --actor bank"
    }])
  )
