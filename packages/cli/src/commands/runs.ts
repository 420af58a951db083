/**
 * `durable-agents runs`: a page of runs, newest first.
 */
import { RunIndex, type RunSummary } from "@durable-agents/core"
import { DateTime, Effect } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as RunReport from "../RunReport.ts"
import { statuses } from "../RunReport.ts"
import { Site } from "../Site.ts"
import * as SiteFlags from "../SiteFlags.ts"
import type * as Style from "../Style.ts"
import * as Units from "../Units.ts"

const widest = Math.max(...statuses.map((status) => status.length))

/**
 * @category commands
 * @since 0.1.0
 */
export const runs = Command
  .make(
    "runs",
    {
      site: SiteFlags.flags,
      status: Flag.Literals("status", statuses).pipe(
        Flag.withDescription("Only runs in this status"),
        Flag.optional
      ),
      program: Flag.String("program").pipe(Flag.withDescription("Only runs of this program"), Flag.optional),
      labels: Flag.KeyValuePair("label").pipe(
        Flag.withDescription("Only runs with this label; may be given more than once"),
        Flag.optional
      ),
      requestedBy: Flag.String("requested-by").pipe(
        Flag.withMetavar("NAME"),
        Flag.withDescription("Only runs that this one started"),
        Flag.optional
      ),
      startedFrom: FlagValue.flag("started-from", FlagValue.instant).pipe(
        Flag.withMetavar("TIME"),
        Flag.withDescription("Only runs that were started then or later, in ISO 8601 with its offset"),
        Flag.optional
      ),
      startedBefore: FlagValue.flag("started-before", FlagValue.instant).pipe(
        Flag.withMetavar("TIME"),
        Flag.withDescription("Only runs that were started before then"),
        Flag.optional
      ),
      limit: Flag.Int("limit").pipe(
        Flag.filter((limit) => limit >= 1 && limit <= 1000, () => "a number from 1 to 1000"),
        Flag.withDescription("How many runs, 1 to 1000; the default is 100"),
        Flag.withDefault(100)
      ),
      cursor: Flag.String("cursor").pipe(Flag.withDescription("Where the page before ended"), Flag.optional),
      json: Output.json,
      ...Output.flags
    },
    ({ cursor, json, labels, limit, site, program, requestedBy, startedBefore, startedFrom, status, ...flags }) =>
      Effect.gen(function*() {
        const page = yield* (yield* RunIndex).list({
          limit,
          ...FlagValue.given(status, (status) => ({ status })),
          ...FlagValue.given(program, (program) => ({ program })),
          ...FlagValue.given(labels, (labels) => ({ labels })),
          ...FlagValue.given(requestedBy, (requestedBy) => ({ requestedBy })),
          ...FlagValue.given(startedFrom, (time) => ({ startedFrom: DateTime.toEpochMillis(time) })),
          ...FlagValue.given(startedBefore, (time) => ({ startedBefore: DateTime.toEpochMillis(time) })),
          ...FlagValue.given(cursor, (cursor) => ({ cursor }))
        })
        if (json) return yield* Output.print([Printable.jsonText(JSON.stringify(page))])
        const [first] = page.items
        const now = first === undefined ? 0 : yield* (yield* Site).now(first.runId)
        const { style, width } = yield* Output.settings(flags)
        yield* Output.print([
          ...page.items.flatMap((run) => lines(run, now, style, width)),
          ...(page.items.length === 0 ? ["no runs"] : []),
          ...(page.next === undefined ? [] : [`more: --cursor ${Printable.shellWord(page.next)}`])
        ])
      }).pipe(Effect.provide(SiteFlags.layer(site, "read")))
  )
  .pipe(
    Command.withDescription("Lists runs, newest first: id, status, age, program, labels, and what each run waits for."),
    Command.withShortDescription("List runs"),
    Command.withExamples([{
      command: "durable-agents runs --store sqlite:runs.db --status AwaitingApproval --label team=support"
    }])
  )

const lines = (run: RunSummary, now: number, style: Style.Style, width: number): ReadonlyArray<string> => {
  const words = [
    run.runId,
    RunReport.toned(style, run.status, run.status.padEnd(widest)),
    Units.roughly(now - run.startedAt).padStart(6),
    Printable.inline(run.program),
    ...Object.entries(run.labels).map(([name, value]) => Printable.inline(`${name}=${value}`))
  ]
  return [
    words.join("  "),
    ...Printable.wrapAll([
      ...run.waits.map(({ key, kind, since, subject, until }) =>
        Printable
          .inline(`    ${kind} ${subject === key ? key : `${subject} (${key})`}, since ${Units.instant(since)}${
            until === undefined ? "" : `, until ${Units.instant(until)}`
          }`)
      ),
      ...(run.reason === undefined ? [] : [`    reason: ${Printable.inline(run.reason)}`])
    ], width)
  ]
}
