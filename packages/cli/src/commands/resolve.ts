/**
 * `durable-agents resolve`: says how an operation ended, when the log does not know.
 */
import { type RunDecision, Runs } from "@durable-agents/core"
import { Effect, Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Decision from "../Decision.ts"
import { wrong } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as ProgramInput from "../ProgramInput.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const resolve = Command
  .make("resolve", {
    run,
    key: Argument.String("operation").pipe(Argument.withDescription("The key of the operation, as `status` shows it")),
    happened: Flag.String("happened").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("It took effect, and this is its result"),
      Flag.optional
    ),
    file: Flag.String("happened-file").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("The result from a file; - for standard input"),
      Flag.optional
    ),
    didNotHappen: Flag.String("did-not-happen").pipe(
      Flag.withMetavar("WHY"),
      Flag.withDescription("It did not take effect, and this is what the program, or the model, is told"),
      Flag.optional
    ),
    actor: Decision.actor,
    site: SiteFlags.flags,
    json: Output.json
  }, ({ actor: by, didNotHappen, file, happened, json, key, site, run }) =>
    Effect.gen(function*() {
      const result = yield* ProgramInput.json("happened", happened, file)
      if (Option.isSome(result) === Option.isSome(didNotHappen)) {
        return yield* wrong("Say either --happened, with its result, or --did-not-happen, with the reason")
      }
      const resolution: RunDecision.Resolution = Option.isSome(didNotHappen)
        ? { _tag: "DidNotHappen", error: didNotHappen.value }
        : { _tag: "Happened", output: Option.getOrNull(result) }
      const runs = yield* Runs
      const actor = yield* Decision.actorOf(by)
      const view = yield* Decision.take(run, runs.resolve(run, { ...resolution, key, actor }))
      const said = `resolved ${key}: it ${resolution._tag === "Happened" ? "happened" : "did not happen"}`
      yield* Decision.print(view, { json, said, more: { operation: key, resolution: resolution._tag, actor } })
    }).pipe(Effect.provide(Decision.layer(site))))
  .pipe(
    Command
      .withDescription("Says how an operation ended, when the log does not know: whether it took effect, and with which result. The first outcome " +
        "stands. A run that is stuck goes on when it is also released."),
    Command.withShortDescription("Say how an operation ended"),
    Command.withExamples([
      {
        command: "durable-agents resolve 0198c0de-7a3b-7c4d-8e5f-0123456789ab turn-1/call-1 --actor dana " +
          "--happened '{\"receipt\":\"RF-1\"}'"
      },
      {
        command: "durable-agents resolve 0198c0de-7a3b-7c4d-8e5f-0123456789ab turn-1/call-1 --actor dana " +
          "--did-not-happen 'the bank has no such payment'"
      }
    ])
  )
