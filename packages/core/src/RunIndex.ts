/**
 * The port to the index: runs by status, program and label, and the approvals that wait.
 */
import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import { Usage } from "./Budget.ts"
import type { StoreError } from "./EventStore.ts"
import { Actor, RunId, Seq } from "./Ids.ts"
import type { Page } from "./Paging.ts"
import type { RunState } from "./RunState.ts"
import { goesOnAt, openPlaces, RunStatus, status } from "./RunState.ts"

/**
 * One thing that a run waits for.
 *
 * @category models
 * @since 0.1.0
 */
export const WaitSummary = Schema.Struct({
  kind: Schema.Literals(["approval", "signal", "timer", "retry", "operation"]),
  key: Schema.String,
  since: Schema.Finite,
  /** When it ends by itself. */
  until: Schema.optionalKey(Schema.Finite),
  /** What is asked, awaited or being done, for people. */
  subject: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  tool: Schema.optionalKey(Schema.String),
  arguments: Schema.optionalKey(Schema.Json),
  /** The people who may decide; absent: anyone who can reach the run. */
  approvers: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whoever started the run may not allow it. */
  notByRequester: Schema.optionalKey(Schema.Boolean),
  /** Until when an approval is wanted, whatever is then; with `onExpiry` that is `until` as well. */
  expiresAt: Schema.optionalKey(Schema.Finite),
  /** What it counts as then; absent: it keeps waiting. */
  onExpiry: Schema.optionalKey(Schema.Literals(["deny", "approve"]))
})

/**
 * @category models
 * @since 0.1.0
 */
export type WaitSummary = typeof WaitSummary.Type

/**
 * What lists show of a run: computed from its log, stored when its status or its waits change.
 *
 * @category models
 * @since 0.1.0
 */
export const RunSummary = Schema.Struct({
  runId: RunId,
  namespace: Schema.String,
  program: Schema.String,
  programVersion: Schema.String,
  status: RunStatus,
  labels: Schema.Record(Schema.String, Schema.String),
  requestedBy: Actor,
  startedAt: Schema.Finite,
  updatedAt: Schema.Finite,
  seq: Seq,
  wakeAt: Schema.NullOr(Schema.Finite),
  waits: Schema.Array(WaitSummary),
  usage: Usage,
  /** Why it was put back, is stuck, has failed or was cancelled. */
  reason: Schema.optionalKey(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export type RunSummary = typeof RunSummary.Type

/**
 * @category models
 * @since 0.1.0
 */
export interface ListOptions {
  readonly namespace?: string
  readonly program?: string
  readonly status?: RunStatus
  /** Labels that must all be there, with these values. */
  readonly labels?: Readonly<Record<string, string>>
  /** The id of the actor that requested the run. */
  readonly requestedBy?: string
  /** Runs that were started at this time or later, in milliseconds since 1970. */
  readonly startedFrom?: number
  /** Runs that were started before this time. */
  readonly startedBefore?: number
  /** 1 to 1,000; default 100. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly cursor?: string
}

/**
 * One approval that waits, with the run that asks.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApprovalEntry {
  readonly runId: RunId
  readonly program: string
  readonly requestedBy: Actor
  readonly approval: WaitSummary
}

/**
 * Lists runs. Every list is a page with a cursor.
 *
 * @category services
 * @since 0.1.0
 */
export class RunIndex extends Context.Service<RunIndex, {
  readonly get: (runId: RunId) => Effect.Effect<Option.Option<RunSummary>, StoreError>
  /** Newest first. */
  readonly list: (options?: ListOptions) => Effect.Effect<Page<RunSummary>, StoreError>
  /** Oldest first. */
  readonly pendingApprovals: (options?: {
    readonly namespace?: string
    readonly limit?: number
    readonly cursor?: string
  }) => Effect.Effect<Page<ApprovalEntry>, StoreError>
}>()("@durable-agents/core/RunIndex") {}

/**
 * The approvals that a run waits for, as lists show them.
 *
 * @category folds
 * @since 0.1.0
 */
export const approvalEntries = ({ program, requestedBy, runId, waits }: RunSummary): ReadonlyArray<ApprovalEntry> =>
  waits.filter(({ kind }) => kind === "approval").map((approval) => ({ runId, program, requestedBy, approval }))

/**
 * A run that a worker holds and that has written nothing yet runs.
 *
 * @category folds
 * @since 0.1.0
 */
export const whileLeased = (summary: RunSummary): RunSummary =>
  summary.status === "Pending" ? { ...summary, status: "Running" } : summary

/**
 * What the lists show of a run in this state; undefined for a log without a start.
 *
 * @category folds
 * @since 0.1.0
 */
export const summarize = (state: RunState, reason?: string): RunSummary | undefined => {
  const started = state.started
  if (started === undefined) return undefined
  const end = state.end
  const ended = end?._tag === "RunFailed" ? end.error : end?._tag === "RunCancelled" ? end.reason : undefined
  const why = reason ?? ended ?? (end === undefined ? state.stuck?.detail : undefined)
  return {
    runId: state.runId,
    namespace: started.namespace,
    program: started.program,
    programVersion: started.programVersion,
    status: status(state),
    labels: started.labels,
    requestedBy: started.requestedBy,
    startedAt: state.startedAt,
    updatedAt: state.updatedAt,
    seq: state.seq,
    wakeAt: goesOnAt(state) ?? null,
    waits: waits(state),
    usage: state.usage,
    ...(why === undefined ? {} : { reason: why })
  }
}

/**
 * Everything that keeps the run from going on, oldest first; nothing once it has ended.
 *
 * @category folds
 * @since 0.1.0
 */
export const waits = (state: RunState): ReadonlyArray<WaitSummary> =>
  openPlaces(state).map((place): WaitSummary => {
    const common = { key: place.key, since: place.since }
    switch (place._tag) {
      case "Timer":
        return { kind: "timer", ...common, until: place.until, subject: "a timer" }
      case "Signal":
        return { kind: "signal", ...common, subject: place.name }
      case "Approval": {
        const { approvers, arguments: args, expiresAtMillis, notByRequester, onExpiry, reason, subject, tool } =
          place.request
        return {
          kind: "approval",
          ...common,
          subject,
          reason,
          ...(onExpiry === undefined || expiresAtMillis === undefined ? {} : { until: expiresAtMillis }),
          ...(tool === undefined ? {} : { tool }),
          ...(args === undefined ? {} : { arguments: args }),
          ...(approvers === undefined ? {} : { approvers }),
          ...(notByRequester === true ? { notByRequester } : {}),
          ...(expiresAtMillis === undefined ? {} : { expiresAt: expiresAtMillis }),
          ...(onExpiry === undefined ? {} : { onExpiry })
        }
      }
      case "Operation": {
        const subject = place.kind === "tool" ? place.name : place.kind === "model" ? "the model" : place.key
        const failure = place.failures.at(-1)?.event.error
        return place.inFlight
          ? { kind: "operation", ...common, subject }
          : {
            kind: "retry",
            ...common,
            subject,
            ...(place.wakeAt === undefined ? {} : { until: place.wakeAt }),
            ...(failure === undefined ? {} : { reason: failure })
          }
      }
    }
  })
