/**
 * `durable-agents explain`: why a run does not move.
 */
import { Runs } from "@durable-agents/core"
import { Effect } from "effect"
import * as Command from "effect/cli/Command"
import { hostname } from "node:os"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import { Site } from "../Site.ts"
import * as SiteFlags from "../SiteFlags.ts"
import * as WorkerName from "../WorkerName.ts"

const here = encodeURIComponent(hostname())

/**
 * @category commands
 * @since 0.1.0
 */
export const explain = Command
  .make(
    "explain",
    { run, site: SiteFlags.flags, json: Output.json, ...Output.flags },
    ({ json, site, run, ...flags }) =>
      Effect.gen(function*() {
        const view = yield* (yield* Runs).state(run)
        const explanation = yield* (yield* Site).explain(view)
        const { style, width } = yield* Output.settings(flags)
        const forPeople = (text: string) => Printable.inline(WorkerName.shortened(text, here))
        const { headline, next, status, waitsFor } = explanation
        yield* Output
          .print(json ? [Printable.jsonText(JSON.stringify({ runId: run, program: view.program, ...explanation }))] : [
            style.strong(Printable.inline(`${view.program} ${run} is ${status}`)),
            ...[headline, ...waitsFor.map(({ text }) => `- ${text}`), `next: ${next}`].flatMap((line) =>
              Printable.wrap(forPeople(line), width)
            )
          ])
      }).pipe(Effect.provide(SiteFlags.layer(site, "read")))
  )
  .pipe(
    Command
      .withDescription("Says in plain words why a run does not move: what it waits for and since when, who can move it, what happens next."),
    Command.withShortDescription("Say why a run does not move"),
    Command.withExamples([{
      command: "durable-agents explain 0198c0de-7a3b-7c4d-8e5f-0123456789ab --store sqlite:runs.db"
    }])
  )
