/**
 * `durable-agents replay`: the whole log of a run.
 */
import { type Recorded, RunEvent, type RunId, RunNotFound, Runs, RunState, type StoreError } from "@durable-agents/core"
import { Effect, type Option, Stream } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { hostname } from "node:os"
import { LogDiffers, UnreadableLog, wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"
import type * as Style from "../Style.ts"
import * as Trace from "../Trace.ts"

const here = encodeURIComponent(hostname())

/**
 * @category commands
 * @since 0.1.0
 */
export const replay = Command
  .make("replay", {
    run,
    site: SiteFlags.flags,
    json: Output.json,
    thinking: Flag.Boolean("thinking").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Show also the requests to the model that were answered"),
      Flag.withDefault(false)
    ),
    short: Flag.Boolean("short").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Instead of the trace, one line an event, with long values shortened"),
      Flag.withDefault(false)
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withoutNegation,
      Flag.withAlias("f"),
      Flag
        .withDescription("Go on with every event as it comes, until the run ends: one line an event, or JSON lines with --json"),
      Flag.withDefault(false)
    ),
    verify: Flag.Boolean("verify").pipe(
      Flag.withoutNegation,
      Flag
        .withDescription("Instead of the trace, check order, digests and keys, and build every prompt of agents anew"),
      Flag.withDefault(false)
    ),
    shownBytes: Flag.Int("shown-bytes").pipe(
      Flag.filter((bytes) => bytes >= 0, () => "a number from 0 on"),
      Flag.withMetavar("BYTES"),
      Flag
        .withDescription("With --verify, the limit on tool results under which the run was executed; the default is 65536"),
      Flag.optional
    ),
    ...Output.flags
  }, ({ follow, json, site, run, short, shownBytes, thinking, verify, ...flags }) =>
    Effect.gen(function*() {
      if (short && (json || verify)) return yield* wrong("Give --short alone, without --json and --verify")
      if (follow && verify) return yield* wrong("Give --follow without --verify")
      const { changes, events: read } = yield* Runs
      const events = yield* Stream.runCollect(read(run))
      if (events.length === 0) return yield* new RunNotFound({ runId: run })
      const settings = yield* Output.settings(flags)
      if (follow) return yield* followed(run, changes(run), json)
      if (verify) return yield* verified(run, events, json, shownBytes, settings)
      yield* Output.print(json
        ? events.map((recorded) => Printable.jsonText(RunEvent.toLine(recorded)))
        : short
        ? events.map((recorded) => Trace.line(recorded, { here }))
        : Trace.lines(events, { ...settings, thinking, here }))
      const { problem } = RunState.fold(RunState.initial(run), events)
      if (problem !== undefined) return yield* new UnreadableLog({ runId: run, ...problem })
    }).pipe(Effect.provide(SiteFlags.layer(site, "read"))))
  .pipe(
    Command
      .withDescription("Prints the trace of a run: every event with all its fields, and how the run ended or what it waits for. " +
        "Nothing is executed. With --json, the log as it is stored, one JSON line an event. With --verify, whether the log is whole: " +
        "it says what was verified and what differs, and ends with exit code 8 if something does."),
    Command.withShortDescription("Print the trace of a run"),
    Command.withExamples([
      { command: "durable-agents replay 0198c0de-7a3b-7c4d-8e5f-0123456789ab --store sqlite:runs.db" },
      { command: "durable-agents replay 0198c0de-7a3b-7c4d-8e5f-0123456789ab --verify" }
    ])
  )

/** Ends with the run, or when nobody reads any more. An event that this build cannot read does not end it. */
const followed = Effect.fnUntraced(function*(run: RunId, events: Stream.Stream<Recorded, StoreError>, json: boolean) {
  let state = RunState.initial(run)
  yield* Output.each(Stream.map(events, (recorded) => {
    state = RunState.fold(state, [recorded])
    return json ? Printable.jsonText(RunEvent.toLine(recorded)) : Trace.line(recorded, { here })
  }))
  if (state.problem !== undefined) return yield* new UnreadableLog({ runId: run, ...state.problem })
})

const verified = Effect.fnUntraced(function*(
  run: RunId,
  events: ReadonlyArray<Recorded>,
  json: boolean,
  shownBytes: Option.Option<number>,
  { style, width }: { readonly style: Style.Style; readonly width: number }
) {
  const { verify } = yield* Effect.promise(() => import("../Verification.ts"))
  const found = verify(events, FlagValue.given(shownBytes, (shownBytes) => ({ shownBytes })))
  const { checked, differences, notChecked } = found
  yield* Output.print(json ? [Printable.jsonText(JSON.stringify({ runId: run, events: events.length, ...found }))] : [
    ...checked.map((text) => `checked: ${text}`),
    ...notChecked.map((text) => `not checked: ${text}`),
    ...differences.flatMap(({ detail, seq }) => [
      `${style.bad("differs")}: event ${seq}`,
      ...Printable.wrapAll([`  ${Printable.inline(detail)}`], width)
    ]),
    ...(differences.length === 0 ? [style.good("the log is whole")] : [])
  ])
  const unknown = events.find(({ event }) => event._tag === "UnknownEvent")
  if (unknown !== undefined) {
    const detail = "this build does not know it, so the log can be verified only up to there"
    return yield* new UnreadableLog({ runId: run, seq: unknown.seq, detail })
  }
  if (differences.length > 0) return yield* new LogDiffers({ runId: run, count: differences.length })
})
