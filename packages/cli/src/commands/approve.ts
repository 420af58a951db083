/**
 * `durable-agents approve`: allows exactly one request.
 */
import { Runs } from "@durable-agents/core"
import { Effect, Option } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Decision from "../Decision.ts"
import * as Editor from "../Editor.ts"
import { wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as ProgramInput from "../ProgramInput.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const approve = Command
  .make("approve", {
    run,
    approval: Decision.approval,
    actor: Decision.actor,
    site: SiteFlags.flags,
    comment: Flag.String("comment").pipe(Flag.withDescription("A remark for the log"), Flag.optional),
    edited: Flag.String("arguments").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("Allow the call with these arguments instead of those that are shown"),
      Flag.optional
    ),
    file: Flag.String("arguments-file").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("The same from a file; - for standard input"),
      Flag.optional
    ),
    edit: Flag.Boolean("edit").pipe(
      Flag.withoutNegation,
      Flag
        .withDescription("Open the arguments in the editor that VISUAL or EDITOR names, and allow the call with what is saved"),
      Flag.withDefault(false)
    ),
    json: Output.json
  }, ({ actor: by, approval: asked, comment, edit, edited, file, json, site, run }) =>
    Effect.gen(function*() {
      const approval = yield* Decision.named(run, asked)
      const given = yield* ProgramInput.json("arguments", edited, file)
      if (edit && Option.isSome(given)) return yield* wrong("Give either --edit or the arguments")
      const args = edit ? yield* Editor.argumentsOf(run, approval) : given
      const runs = yield* Runs
      const actor = yield* Decision.actorOf(by)
      const view = yield* Decision.take(
        run,
        runs.approve(run, {
          approval,
          actor,
          ...FlagValue.given(comment, (comment) => ({ comment })),
          ...FlagValue.given(args, (args) => ({ arguments: args }))
        })
      )
      yield* Decision.print(view, {
        json,
        said: `approved ${approval}`,
        more: { approval, decision: "granted", actor }
      })
    }).pipe(Effect.provide(Decision.layer(site))))
  .pipe(
    Command
      .withDescription("Allows exactly one request, by its key. Only the first decision counts. It is recorded; a worker or `resume` acts on it. " +
        "Edited arguments are checked against the parameters that the tool had when the run began, and once more by the tool when " +
        "it is called."),
    Command.withShortDescription("Allow a request that waits"),
    Command.withExamples([
      { command: "durable-agents approve 0198c0de-7a3b-7c4d-8e5f-0123456789ab turn-1/call-1/approval --actor dana" },
      {
        command: "durable-agents approve 0198c0de-7a3b-7c4d-8e5f-0123456789ab turn-1/call-1/approval --actor dana " +
          "--arguments '{\"orderId\":\"A-8891\",\"cents\":5000}' --comment 'half of it'"
      },
      {
        command:
          "durable-agents approve 0198c0de-7a3b-7c4d-8e5f-0123456789ab turn-1/call-1/approval --actor dana --edit"
      }
    ])
  )
