/**
 * What the commands that decide have in common: who decides, and what is said when the run does not take it.
 */
import {
  type AlreadySettled,
  type ApprovalNotPending,
  type By,
  type InvalidRequest,
  type NotAnApprover,
  type OwnRequest,
  type RunClosed,
  type RunId,
  type RunNotFound,
  Runs,
  RunState,
  type RunView,
  type SignalConflict,
  type StoreError,
  type WaitClosed
} from "@durable-agents/core"
import { Effect, Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { keys, Refused, wrong } from "./Failure.ts"
import * as FlagValue from "./FlagValue.ts"
import * as Output from "./Output.ts"
import * as Printable from "./Printable.ts"
import { run } from "./RunArgument.ts"
import { Site } from "./Site.ts"
import * as SiteFlags from "./SiteFlags.ts"

/**
 * @category flags
 * @since 0.1.0
 */
export const actor: Flag.Flag<Option.Option<string>> = Flag.String("actor").pipe(
  Flag.withMetavar("NAME"),
  Flag
    .withDescription("Who decides, as it is recorded; the default is in DURABLE_AGENTS_ACTOR. A server knows it by the token"),
  Flag.optional
)

/**
 * As whom a decision is recorded, with the name that the command line gives, if it does.
 *
 * @category getters
 * @since 0.1.0
 */
export const actorOf = (given: Option.Option<string>) => Effect.flatMap(Site, (site) => site.actor(given))

/**
 * @category flags
 * @since 0.1.0
 */
export const reason: Flag.Flag<Option.Option<string>> = Flag.String("reason").pipe(
  Flag.withDescription("Why, for the log and for whoever reads it"),
  Flag.optional
)

/**
 * Which request is decided: its key, as `status` shows it.
 *
 * @category arguments
 * @since 0.1.0
 */
export const approval: Argument.Argument<Option.Option<string>> = Argument.String("approval").pipe(
  Argument.withDescription("The key of the request, as `status` shows it; without one, the keys that wait are listed"),
  Argument.optional
)

/**
 * The key that was given; without one, fails with those that wait.
 *
 * @category getters
 * @since 0.1.0
 */
export const named = Effect.fnUntraced(function*(runId: RunId, given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value
  const { pendingApprovals, status } = yield* (yield* Runs).state(runId)
  return yield* pendingApprovals.length === 0
    ? new Refused({ runId, detail: `Run \`${runId}\` waits for no approval`, status, pending: [] })
    : wrong(`Which approval? Run \`${runId}\` waits for ${keys(pendingApprovals.map(({ key }) => key))}`)
})

type Refusal =
  | AlreadySettled
  | ApprovalNotPending
  | NotAnApprover
  | OwnRequest
  | RunClosed
  | SignalConflict
  | WaitClosed

/**
 * Takes a decision. Where the run refuses it, says how the run stands instead.
 *
 * @category combinators
 * @since 0.1.0
 */
export const take = <R>(
  runId: RunId,
  decision: Effect.Effect<RunView, Refusal | InvalidRequest | RunNotFound | StoreError, R>
) =>
  Effect.catchTag(
    decision,
    [
      "AlreadySettled",
      "ApprovalNotPending",
      "NotAnApprover",
      "OwnRequest",
      "RunClosed",
      "SignalConflict",
      "WaitClosed"
    ],
    Effect.fnUntraced(function*(refusal) {
      const { pendingApprovals, state, status } = yield* (yield* Runs).state(runId)
      const pending = pendingApprovals.map(({ key }) => key)
      const detail = refusal._tag === "RunClosed" && RunState.isEnded(state)
        ? `Run \`${runId}\` has ended already, and takes no decisions any more`
        : refusal.message
      return yield* new Refused({ runId, detail, status, pending })
    })
  )

/**
 * Says what was recorded, and that nothing was executed.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = (
  { program, runId, seq, status }: RunView,
  options: {
    readonly json: boolean
    readonly said: string
    readonly more: Readonly<Record<string, unknown>>
  }
) =>
  Effect.flatMap(Site, ({ command, executes }) => {
    const { json, more, said } = options
    return Output.print(json ? [Printable.jsonText(JSON.stringify({ runId, program, status, seq, ...more }))] : [
      Printable.inline(`${said}; the run is ${status}`),
      ...(status === "Running" || status === "Cancelling"
        ? executes
          ? [
            "next: a worker goes on with it; if none runs, start one, or execute this run here:",
            `  ${command(`durable-agents resume ${runId} --app MODULE`)}`
          ]
          : ["next: a worker goes on with it"]
        : [])
    ])
  })

/**
 * A command by which an operator acts on a run: who, why, and nothing else.
 *
 * @category commands
 * @since 0.1.0
 */
export const operator = (name: string, options: {
  readonly act: (runs: Runs["Service"], runId: RunId, by: By) => ReturnType<Runs["Service"]["cancel"]>
  /** What is said when it is recorded. */
  readonly said: string
  readonly description: string
  readonly short: string
  readonly reason: string
}) =>
  Command.make(
    name,
    { run, actor, site: SiteFlags.flags, reason, json: Output.json },
    ({ actor: given, json, site, reason, run }) =>
      Effect.gen(function*() {
        const runs = yield* Runs
        const actor = yield* actorOf(given)
        const by = { actor, ...FlagValue.given(reason, (reason) => ({ reason })) }
        const view = yield* take(run, options.act(runs, run, by))
        yield* print(view, { json, said: options.said, more: { actor } })
      }).pipe(Effect.provide(layer(site)))
  ).pipe(
    Command.withDescription(options.description),
    Command.withShortDescription(options.short),
    Command.withExamples([{
      command: `durable-agents ${name} 0198c0de-7a3b-7c4d-8e5f-0123456789ab --actor dana --reason '${options.reason}'`
    }])
  )

/**
 * What a command needs that takes decisions.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (site: SiteFlags.Given) => SiteFlags.layer(site, "write")
