/**
 * The definition of the HTTP API, without anything that answers it: for typed clients, for the OpenAPI document, and to be
 * mounted in an API of one's own.
 */
import { Budget, OperationKey, RunId, Seq } from "@durable-agents/core"
import { Schema, SchemaGetter } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EventPage, FeedEvent } from "./EventModel.ts"
import { Authentication, Border, Identity } from "./Identity.ts"
import {
  AlreadySettledProblem,
  ApprovalNotPendingProblem,
  ForbiddenProblem,
  ForkRefusedProblem,
  InvalidRequestProblem,
  RunClosedProblem,
  RunNotFoundProblem,
  StartConflictProblem,
  UnavailableProblem,
  WaitClosedProblem
} from "./Problem.ts"
import { ApprovalPage, Explanation, ProgramInfo, Run, RunPage, Status } from "./RunModel.ts"

export * from "./EventModel.ts"
export { Identity } from "./Identity.ts"
export * from "./Problem.ts"
export * from "./RunModel.ts"

const { Json, String: Text, optional, optionalKey } = Schema

/** Ids are UUIDs, which may be written in upper case too. */
const RunIdParam = Text.pipe(Schema.decodeTo(RunId, {
  decode: SchemaGetter.transform((text) => text.toLowerCase()),
  encode: SchemaGetter.passthrough()
}))

const params = { runId: RunIdParam }

/** Without a check, an empty text would be 0. */
const WholeNumber = Text.check(Schema.isPattern(/^\d{1,15}$/)).pipe(Schema.decodeTo(Schema.FiniteFromString))

const Limit = WholeNumber.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: 1000 })
).annotate({ description: "1 to 1,000; default 100" })

const Position = WholeNumber.pipe(Schema.decodeTo(Seq))

const Instant = WholeNumber.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799_999 })).annotate({
  description: "Milliseconds since 1970"
})

/** Text that every store can compare with what it holds. */
const Filter = Text.check(Schema.isMaxLength(2000), Schema.isPattern(/^[^\0\p{Cs}]*$/u))

const IdempotencyKey = Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
  description: "Sending the same again with the same key changes nothing"
})

/** A run that may do nothing cannot be meant. Calls of tools are another matter. */
const StartBudget = Budget.Budget.check(Schema.makeFilter((budget: Budget.Budget) => {
  const { activeMillis, costUsd = "1", tokens, turns, wallMillis } = budget
  const zero = Object.entries({ turns, tokens, wallMillis, activeMillis }).find(([, cap]) => cap === 0)?.[0]
  const nothing = zero ?? (/[1-9]/.test(costUsd) ? undefined : "costUsd")
  return nothing === undefined ? undefined : `\`${nothing}\` must be more than 0`
}))

/**
 * What a new run is made of.
 *
 * @category models
 * @since 0.1.0
 */
export const StartRequest = Schema.Struct({
  /** May be left out where the server knows one program only. */
  program: optional(Text),
  input: optional(Json),
  labels: optional(Schema.Record(Text, Text)),
  /** Named limits replace those of the program. */
  budget: optional(StartBudget),
  /** Not before this time, in ISO 8601 with its offset, or in milliseconds since 1970. */
  startAt: optional(Schema.Union([Schema.DateTimeUtcFromString, Schema.DateTimeUtcFromMillis])),
  priority: optional(Schema.Int),
  /** Needs the role `operator`. */
  systemPrompt: optional(Text),
  /** Anything weaker than the program's own needs the role `operator`. */
  guardrailProfile: optional(Text)
}).annotate({ identifier: "StartRequest" })

/**
 * @category models
 * @since 0.1.0
 */
export type StartRequest = typeof StartRequest.Type

/**
 * Allows exactly the request that it names.
 *
 * @category models
 * @since 0.1.0
 */
export const ApproveRequest = Schema.Struct({
  /** The `key` of the pending approval. */
  approval: OperationKey,
  /** Instead of the arguments that were shown. */
  arguments: optional(Json),
  comment: optional(Text)
}).annotate({ identifier: "ApproveRequest" })

/**
 * Refuses exactly the request that it names. The reason reaches the model.
 *
 * @category models
 * @since 0.1.0
 */
export const DenyRequest = Schema.Struct({
  approval: OperationKey,
  reason: optional(Text)
}).annotate({ identifier: "DenyRequest" })

/** A body that may be left out. */
const Why = [Schema.Struct({ reason: optional(Text) }).annotate({ identifier: "Why" }), Schema.Null] as const

/**
 * How an operation ended that the log does not know the end of.
 *
 * @category models
 * @since 0.1.0
 */
export const ResolveRequest = Schema.Union([
  Schema.Struct({ key: OperationKey, outcome: Schema.Literal("happened"), output: Json }),
  Schema.Struct({ key: OperationKey, outcome: Schema.Literal("didNotHappen"), error: Text })
]).annotate({ identifier: "ResolveRequest" })

const BudgetRequest = Schema.Struct({ budget: Budget.Budget, reason: optional(Text) })
  .annotate({ identifier: "BudgetRequest" })

const SignalRequest = [
  Schema.Struct({ payload: optional(Json) }).annotate({ identifier: "SignalRequest" }),
  Schema.Null
] as const

const ForkRequest = [
  Schema.Struct({
    reason: optional(Text),
    labels: optional(Schema.Record(Text, Text)),
    budget: optional(StartBudget)
  }).annotate({ identifier: "ForkRequest" }),
  Schema.Null
] as const

const common = [ForbiddenProblem, InvalidRequestProblem, UnavailableProblem] as const
const known = [...common, RunNotFoundProblem] as const
const changing = [...known, RunClosedProblem] as const

const Feed = HttpApiSchema.StreamSse({ events: FeedEvent })

/**
 * Starting runs, looking at them, and acting on them.
 *
 * @category groups
 * @since 0.1.0
 */
export class RunsGroup extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.post("start", "/runs", {
      headers: { "idempotency-key": optional(IdempotencyKey) },
      payload: StartRequest,
      success: Run.pipe(HttpApiSchema.status(201)),
      error: [...common, StartConflictProblem]
    }).annotate(OpenApi.Summary, "Record a new run"),
    HttpApiEndpoint.get("list", "/runs", {
      query: {
        status: optional(Status),
        program: optional(Filter),
        label: optional(Schema.Array(Filter.check(Schema.isPattern(/^[^=]+=/))).annotate({
          description: "`name=value`; may be given more than once"
        })),
        requestedBy: optional(Filter),
        startedFrom: optional(Instant),
        startedBefore: optional(Instant),
        limit: optional(Limit),
        cursor: optional(Text)
      },
      success: RunPage,
      error: common
    }).annotate(OpenApi.Summary, "List runs, newest first"),
    HttpApiEndpoint.get("get", "/runs/:runId", { params, success: Run, error: known })
      .annotate(OpenApi.Summary, "How a run stands"),
    HttpApiEndpoint.get("explain", "/runs/:runId/explain", { params, success: Explanation, error: known })
      .annotate(OpenApi.Summary, "Why a run does not move"),
    HttpApiEndpoint.get("events", "/runs/:runId/events", {
      params,
      query: { from: optional(Position), limit: optional(Limit) },
      headers: { accept: optional(Text), "last-event-id": optional(Position) },
      success: [EventPage, Feed, HttpApiSchema.NoContent],
      error: known
    }).annotateMerge(OpenApi.annotations({
      summary: "The log of a run, by page or as server-sent events",
      description:
        "With `Accept: text/event-stream`, every event from `from` or after `Last-Event-ID` on, as it comes, and " +
        "`end` when the run has ended. 204 if there is nothing left to send."
    })),
    HttpApiEndpoint.post("approve", "/runs/:runId/approve", {
      params,
      payload: ApproveRequest,
      error: [...changing, ApprovalNotPendingProblem, WaitClosedProblem]
    }).annotate(OpenApi.Summary, "Allow a pending approval"),
    HttpApiEndpoint.post("deny", "/runs/:runId/deny", {
      params,
      payload: DenyRequest,
      error: [...changing, ApprovalNotPendingProblem, WaitClosedProblem]
    }).annotate(OpenApi.Summary, "Refuse a pending approval"),
    HttpApiEndpoint.post("signal", "/runs/:runId/signals/:name", {
      params: { ...params, name: Text },
      headers: { "idempotency-key": optional(IdempotencyKey) },
      payload: SignalRequest,
      error: changing
    }).annotate(OpenApi.Summary, "Send a signal"),
    HttpApiEndpoint.post("cancel", "/runs/:runId/cancel", { params, payload: Why, error: changing })
      .annotate(OpenApi.Summary, "Ask a run to stop"),
    HttpApiEndpoint.post("pause", "/runs/:runId/pause", { params, payload: Why, error: changing })
      .annotate(OpenApi.Summary, "Take a run out of work"),
    HttpApiEndpoint.post("resume", "/runs/:runId/resume", { params, payload: Why, error: changing })
      .annotate(OpenApi.Summary, "Let a paused run go on"),
    HttpApiEndpoint.post("release", "/runs/:runId/release", { params, payload: Why, error: changing })
      .annotate(OpenApi.Summary, "Let a stuck run go on"),
    HttpApiEndpoint.post("resolve", "/runs/:runId/resolve", {
      params,
      payload: ResolveRequest,
      error: [...changing, AlreadySettledProblem, WaitClosedProblem]
    }).annotate(OpenApi.Summary, "Say how an operation ended"),
    HttpApiEndpoint.post("budget", "/runs/:runId/budget", { params, payload: BudgetRequest, error: changing })
      .annotate(OpenApi.Summary, "Replace limits of an open run"),
    HttpApiEndpoint.post("fork", "/runs/:runId/fork", {
      params,
      query: { at: Position.annotate({ description: "How many events are taken: those before this position" }) },
      headers: { "idempotency-key": optional(IdempotencyKey) },
      payload: ForkRequest,
      success: Run.pipe(HttpApiSchema.status(201)),
      error: [...known, ForkRefusedProblem, StartConflictProblem]
    }).annotate(OpenApi.Summary, "Start a new run from the first events of this one")
  )
  .middleware(Border)
  .middleware(Authentication)
{}

/**
 * Approvals of all runs, and what the server and the caller are.
 *
 * @category groups
 * @since 0.1.0
 */
export class DeskGroup extends HttpApiGroup.make("desk")
  .add(
    HttpApiEndpoint.get("approvals", "/approvals", {
      query: { limit: optional(Limit), cursor: optional(Text) },
      success: ApprovalPage,
      error: common
    }).annotate(OpenApi.Summary, "Approvals that wait for a decision, the oldest first"),
    HttpApiEndpoint.get("programs", "/programs", { success: Schema.Array(ProgramInfo) })
      .annotate(OpenApi.Summary, "The programs that can be started here"),
    HttpApiEndpoint.get("me", "/me", { success: Identity })
      .annotate(OpenApi.Summary, "The name and the roles of the caller's credential")
  )
  .middleware(Border)
  .middleware(Authentication)
{}

const Health = Schema.Struct({ status: optionalKey(Schema.Literal("ok")) }).annotate({ identifier: "Health" })

/**
 * What needs no credential: whether the server is alive, and whether it can reach its store.
 *
 * @category groups
 * @since 0.1.0
 */
export class HealthGroup extends HttpApiGroup.make("health", { topLevel: true })
  .add(
    HttpApiEndpoint.get("health", "/health", { success: Health })
      .annotate(OpenApi.Summary, "Whether the server is alive"),
    HttpApiEndpoint.get("ready", "/ready", { success: Health, error: UnavailableProblem })
      .annotate(OpenApi.Summary, "Whether the server takes requests and reaches its store")
  )
{}

/**
 * Measurements for Prometheus.
 *
 * @category groups
 * @since 0.1.0
 */
export class MetricsGroup extends HttpApiGroup.make("metrics", { topLevel: true })
  .add(HttpApiEndpoint.get("metrics", "/metrics", {
    success: Text.pipe(HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4" })),
    error: [UnavailableProblem, ForbiddenProblem]
  }).annotate(OpenApi.Summary, "Measurements in Prometheus' text format"))
  .middleware(Authentication)
{}

/**
 * Everything that the server answers. No endpoint executes a run.
 *
 * @category definitions
 * @since 0.1.0
 */
export class Api extends HttpApi.make("durable-agents")
  .add(RunsGroup)
  .add(DeskGroup)
  .add(HealthGroup)
  .add(MetricsGroup)
  .annotateMerge(OpenApi.annotations({
    title: "durable-agents",
    description: "Start runs, decide about them, follow their events. No endpoint executes a run.",
    version: "0.1.0"
  }))
{}
