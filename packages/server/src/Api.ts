/**
 * The definition of the HTTP API, without anything that answers it: for typed clients, for the OpenAPI document, and to be
 * mounted in an API of one's own.
 */
import { Schema } from "effect"
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
  SignalConflictProblem,
  StartConflictProblem,
  UnavailableProblem,
  WaitClosedProblem
} from "./Problem.ts"
import {
  ApproveRequest,
  BudgetRequest,
  DenyRequest,
  Filter,
  ForkRequest,
  IdempotencyKey,
  Instant,
  Limit,
  Position,
  ResolveRequest,
  RunIdParam,
  SignalRequest,
  StartRequest,
  Why
} from "./RequestModel.ts"
import { ApprovalPage, Explanation, ProgramInfo, Run, RunPage, Status } from "./RunModel.ts"

export * from "./EventModel.ts"
export { Identity } from "./Identity.ts"
export * from "./Problem.ts"
export { ApproveRequest, DenyRequest, ResolveRequest, StartRequest } from "./RequestModel.ts"
export * from "./RunModel.ts"

const { String: Text, optional, optionalKey } = Schema

const params = { runId: RunIdParam }

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
        label: optional(Schema.Array(Filter.check(Schema.isPattern(/^[^=]+=/, { expected: "a name, =, and a value" })))
          .annotate({
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
      error: [...changing, SignalConflictProblem]
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
