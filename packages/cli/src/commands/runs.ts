/**
 * `durable-agents runs`: a page of runs, newest first.
 */
import { EventStore, RunIndex, type RunStatus, type RunSummary } from "@durable-agents/core"
import { Effect, Option, Struct } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as Store from "../Store.ts"
import type * as Style from "../Style.ts"
import * as Units from "../Units.ts"

/** Every status, and the tone in which it is shown. */
const tones: { readonly [Status in Exclude<RunStatus, "NotStarted">]: Style.Tone } = {
  Pending: "plain",
  Running: "strong",
  AwaitingApproval: "wait",
  AwaitingSignal: "wait",
  Sleeping: "plain",
  Cancelling: "bad",
  Paused: "wait",
  Stuck: "bad",
  Completed: "good",
  Failed: "bad",
  Cancelled: "bad"
}

const widest = Math.max(...Struct.keys(tones).map((status) => status.length))

/**
 * @category commands
 * @since 0.1.0
 */
export const runs = Command
  .make("runs", {
    store: Store.flag,
    status: Flag.Literals("status", Struct.keys(tones)).pipe(
      Flag.withDescription("Only runs in this status"),
      Flag.optional
    ),
    program: Flag.String("program").pipe(Flag.withDescription("Only runs of this program"), Flag.optional),
    labels: Flag.KeyValuePair("label").pipe(
      Flag.withDescription("Only runs with this label; may be given more than once"),
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
  }, ({ cursor, json, labels, limit, program, status, store, ...flags }) =>
    Effect.gen(function*() {
      const page = yield* (yield* RunIndex).list({
        limit,
        ...given(status, (status) => ({ status })),
        ...given(program, (program) => ({ program })),
        ...given(labels, (labels) => ({ labels })),
        ...given(cursor, (cursor) => ({ cursor }))
      })
      const now = yield* (yield* EventStore).now
      const { style } = yield* Output.settings(flags)
      yield* Output.print(json ? [Printable.jsonText(JSON.stringify(page))] : [
        ...page.items.flatMap((run) => lines(run, now, style)),
        ...(page.items.length === 0 ? ["no runs"] : []),
        ...(page.next === undefined ? [] : [`more: --cursor ${quoted(page.next)}`])
      ])
    }).pipe(Effect.provide(Store.layer(store))))
  .pipe(
    Command.withDescription("Lists runs, newest first: id, status, age, program, labels, and what each run waits for."),
    Command.withShortDescription("List runs"),
    Command.withExamples([{
      command: "durable-agents runs --store sqlite:runs.db --status AwaitingApproval --label team=support"
    }])
  )

const given = <A, B extends object>(flag: Option.Option<A>, filter: (value: A) => B): B | {} =>
  Option.match(flag, { onNone: () => ({}), onSome: filter })

const lines = (run: RunSummary, now: number, style: Style.Style): ReadonlyArray<string> => {
  const tone = run.status === "NotStarted" ? "plain" : tones[run.status]
  const status = run.status.padEnd(widest)
  const words = [
    run.runId,
    tone === "plain" ? status : style[tone](status),
    Units.roughly(now - run.startedAt).padStart(6),
    Printable.inline(run.program),
    ...Object.entries(run.labels).map(([name, value]) => Printable.inline(`${name}=${value}`))
  ]
  return [
    words.join("  "),
    ...run.waits.map(({ key, kind, since, subject, until }) =>
      Printable
        .inline(`    ${kind} ${subject === key ? key : `${subject} (${key})`}, since ${Units.instant(since)}${
          until === undefined ? "" : `, until ${Units.instant(until)}`
        }`)
    ),
    ...(run.reason === undefined ? [] : [`    reason: ${Printable.inline(run.reason)}`])
  ]
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${Printable.inline(text).replaceAll("'", "'\\''")}'`
