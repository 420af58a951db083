/**
 * `durable-agents approve`: allows exactly one request.
 */
import { Runs } from "@durable-agents/core"
import { Effect, Option } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Decision from "../Decision.ts"
import { wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as ProgramInput from "../ProgramInput.ts"
import { run } from "../RunArgument.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const approve = Command
  .make("approve", {
    run,
    approval: Decision.approval,
    actor: Decision.actor,
    store: Store.flag,
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
    json: Output.json
  }, ({ actor, approval: given, comment, edited, file, json, run, store }) =>
    Effect.gen(function*() {
      const approval = yield* Decision.named(run, given)
      const args = yield* argumentsOf(edited, file)
      const runs = yield* Runs
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
        more: { approval, decision: "granted", actor },
        store
      })
    }).pipe(Effect.provide(Decision.layer(store))))
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
      }
    ])
  )

const argumentsOf = Effect.fnUntraced(function*(edited: Option.Option<string>, file: Option.Option<string>) {
  if (Option.isSome(edited) && Option.isSome(file)) {
    return yield* wrong("Give the arguments by --arguments or by --arguments-file, not both")
  }
  const text = Option.isSome(file) ? Option.some(yield* ProgramInput.textOf(file.value)) : edited
  if (Option.isNone(text)) return Option.none()
  return Option.some(yield* Effect.mapError(
    Effect.fromResult(ProgramInput.parse(text.value)),
    (problem) => wrong(`Bad arguments: ${problem}`)
  ))
})
