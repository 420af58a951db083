/**
 * How a run stands, in short: its status and since when, what it has used, what it waits for, and how it goes on.
 */
import {
  type RunId,
  RunNotFound,
  Runs,
  RunState,
  type RunStatus,
  type RunView,
  view,
  type WaitSummary
} from "@durable-agents/core"
import { Effect, Stream, Struct } from "effect"
import { hostname } from "node:os"
import * as EventFields from "./EventFields.ts"
import * as Printable from "./Printable.ts"
import { type Explanation, Site } from "./Site.ts"
import type * as Style from "./Style.ts"
import * as Units from "./Units.ts"
import * as WorkerName from "./WorkerName.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface RunReport {
  readonly run: RunView
  /** When the run came into its status, in milliseconds since 1970. */
  readonly since: number
  /** The store's time. */
  readonly now: number
  readonly explanation: Explanation
}

/** In which tone each status is shown. */
const tones: { readonly [Status in RunStatus]: Style.Tone } = {
  NotStarted: "plain",
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

/**
 * Every status that a recorded run can have.
 *
 * @category models
 * @since 0.1.0
 */
export const statuses = Struct.keys(tones).filter((status) => status !== "NotStarted")

/**
 * A text in the tone of a status.
 *
 * @category styles
 * @since 0.1.0
 */
export const toned = (style: Style.Style, status: RunStatus, text: string): string => {
  const tone = tones[status]
  return tone === "plain" ? text : style[tone](text)
}

/**
 * Reads the log of a run and reports how it stands.
 *
 * @category constructors
 * @since 0.1.0
 */
export const load = Effect.fnUntraced(function*(runId: RunId) {
  const runs = yield* Runs
  let state = RunState.initial(runId)
  let since = 0
  yield* Stream.runForEach(runs.events(runId), (recorded) =>
    Effect.sync(() => {
      const next = RunState.evolve(state, recorded)
      if (RunState.status(next) !== RunState.status(state)) since = recorded.at
      state = next
    }))
  if (state.started === undefined) return yield* new RunNotFound({ runId })
  const site = yield* Site
  const run = view(state)
  const explanation = yield* site.explain(run)
  return { run, since, now: yield* site.now(runId), explanation }
})

/**
 * The report for people, as printable lines of this width; commands to be copied stay on one line.
 *
 * @category conversions
 * @since 0.1.0
 */
export const lines = Effect.fnUntraced(function*(
  report: RunReport,
  { style, width }: { readonly style: Style.Style; readonly width: number }
) {
  const site = yield* Site
  const { explanation, now, run, since } = report
  const { headline, next, waitsFor } = explanation
  const story = [
    `since ${Units.instant(since)}, ${Units.roughly(now - since)} ago`,
    `used ${used(report)}`,
    ...(run.output !== undefined
      ? EventFields.labelledValue("answer", run.output)
      : waitsFor.length === 0
      ? [forPeople(headline)]
      : []),
    ...waitsFor.flatMap(({ text, wait }) => [
      forPeople(`- ${wait.kind} ${wait.key}: ${text}`),
      ...(wait.kind === "approval" && wait.arguments !== undefined
        ? EventFields.labelledValue("arguments", wait.arguments).map((line) => `  ${line}`)
        : [])
    ]),
    `next: ${forPeople(next)}`
  ]
  return [
    toned(style, run.status, Printable.inline(`${run.program} ${run.runId} is ${run.status}`)),
    ...Printable.wrapAll(story, width),
    ...commands(run, site, yield* site.isNamed).map((command) => `  ${command}`)
  ]
})

const here = encodeURIComponent(hostname())
const forPeople = (text: string): string => Printable.inline(WorkerName.shortened(text, here))

/**
 * The report for programs.
 *
 * @category conversions
 * @since 0.1.0
 */
export const json = ({ explanation, now, run, since }: RunReport): string => {
  const { budget, failure, output, pendingApprovals, program, reason, runId, seq, status, usage, waits, wakeAt } = run
  return Printable.jsonText(JSON.stringify({
    runId,
    program,
    status,
    since,
    now,
    seq,
    output,
    reason,
    failure,
    wakeAt,
    budget,
    usage,
    waits,
    pendingApprovals,
    mover: explanation.mover,
    next: explanation.next
  }))
}

const used = ({ now, run: { budget, state, usage } }: RunReport): string => {
  const { inputTokens, outputTokens, possible, unreportedCalls } = usage
  const atLeast = unreportedCalls === 0 ? "" : "at least "
  const mayBeMore = possible.tokens === 0 && possible.costUsd === "0"
    ? []
    : [`possibly ${Units.counted(possible.tokens, "token")} and ${possible.costUsd} USD more`]
  const begun = state.started?.startAtMillis ?? state.startedAt
  const elapsed = Math.max(0, (state.end === undefined ? now : state.updatedAt) - begun)
  const active = state.end === undefined ? RunState.activeMillisAt(state, now) : state.activeMillis
  return [
    amount(usage.turns, budget.turns, "turn"),
    amount(usage.toolCalls, budget.toolCalls, "tool call"),
    `${atLeast}${amount(inputTokens + outputTokens, budget.tokens, "token")}`,
    Units.cost(usage, budget.costUsd),
    ...(budget.wallMillis === undefined ? [] : [of(Units.duration, elapsed, budget.wallMillis)]),
    ...(budget.activeMillis === undefined ? [] : [`${of(Units.duration, active, budget.activeMillis)} of activity`]),
    ...mayBeMore
  ].join(", ")
}

/** What was used, of what is allowed where there is a limit. */
const of = <A>(format: (amount: A) => string, amount: A, allowed: A | undefined): string =>
  allowed === undefined ? format(amount) : `${format(amount)} of ${format(allowed)}`

const amount = (used: number, allowed: number | undefined, noun: string): string =>
  allowed === undefined ? Units.counted(used, noun) : `${Units.count(used)} of ${Units.counted(allowed, noun)}`

/** How to go on, as commands to be copied: first what moves the run. */
const commands = (
  { pendingApprovals, runId, status, waits }: RunView,
  site: Site["Service"],
  named: boolean
): ReadonlyArray<string> => {
  const command = (name: string, ...words: ReadonlyArray<string>) =>
    site.command(["durable-agents", name, runId, ...words].join(" "))
  const who = named ? [] : ["--actor NAME"]
  const executes = site.executes &&
    (status === "Pending" || status === "Running" || status === "Sleeping" || status === "Cancelling")
  const waitsFor = (kind: WaitSummary["kind"]) => waits.filter((wait) => wait.kind === kind)
  return [
    ...(status === "Paused" ? [command("unpause", ...who)] : []),
    ...(status === "Stuck"
      ? [
        ...waitsFor("operation").map(({ key }) =>
          command("resolve", Printable.shellWord(key), "--happened JSON", ...who)
        ),
        command("release", ...who)
      ]
      : []),
    ...waitsFor("signal").map(({ subject }) => command("signal", Printable.shellWord(subject), "JSON", ...who)),
    ...pendingApprovals.flatMap(({ key }) => [
      command("approve", Printable.shellWord(key), ...who),
      command("deny", Printable.shellWord(key), ...who, "--reason TEXT")
    ]),
    ...(executes ? [command("resume", "--app MODULE")] : []),
    command("replay")
  ]
}
