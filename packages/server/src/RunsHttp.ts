/**
 * What answers the endpoints of runs.
 */
import type { EventStore } from "@durable-agents/core"
import { Explain, type RunId, RunIndex, RunQueue, Runs } from "@durable-agents/core"
import { Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { lacking, withRole } from "./Access.ts"
import { Api } from "./Api.ts"
import type { Definitions } from "./Definitions.ts"
import * as FeedHttp from "./FeedHttp.ts"
import type { Folds } from "./Folds.ts"
import * as Key from "./Key.ts"
import * as Listing from "./Listing.ts"
import { ApprovalPolicy } from "./Policy.ts"
import { ForbiddenProblem } from "./Problem.ts"
import {
  AlreadySettledRefusal,
  ForkRefusedRefusal,
  ofDecision,
  ofReading,
  ofRun,
  RunClosedRefusal,
  SignalConflictRefusal,
  StartConflictRefusal,
  WaitClosedRefusal
} from "./Refusal.ts"
import * as RunRead from "./RunRead.ts"
import * as Start from "./Start.ts"
import type { Tails } from "./Tails.ts"

type Services = Runs | RunIndex | RunQueue | EventStore | Definitions | Folds | Tails

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = HttpApiBuilder.group(Api, "runs", (handlers) =>
  Effect.gen(function*() {
    const services = yield* Effect.context<Services>()
    const here = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, services)

    return handlers
      .handle("start", ({ headers, payload }) =>
        here(Effect.flatMap(Start.start(payload, headers["idempotency-key"]), created)))
      .handle("list", ({ query }) =>
        here(Listing.runs(query)))
      .handle("get", ({ params }) => here(Effect.flatMap(found(params.runId), answer)))
      .handle("explain", ({ params }) => here(explain(params.runId)))
      .handle("events", (request) => here(events(request)))
      .handle("approve", ({ params: { runId }, payload }) =>
        here(Effect.gen(function*() {
          const { approval, arguments: args, comment } = payload
          const actor = yield* approver(runId, approval, "approve")
          yield* Effect.catchTags(
            (yield* Runs).approve(runId, {
              approval,
              actor,
              ...(comment === undefined ? {} : { comment }),
              ...(args === undefined ? {} : { arguments: args })
            }),
            ofDecision
          )
        })))
      .handle("deny", ({ params: { runId }, payload: { approval, reason } }) =>
        here(Effect.gen(function*() {
          const actor = yield* approver(runId, approval, "deny")
          yield* Effect.catchTags(
            (yield* Runs).deny(runId, { approval, actor, ...(reason === undefined ? {} : { reason }) }),
            ofDecision
          )
        })))
      .handle("signal", ({ headers, params: { name, runId }, payload }) =>
        here(Effect.gen(function*() {
          const actor = (yield* withRole("starter", "operator")).name
          const key = yield* Key.ofSignal(headers["idempotency-key"], payload?.id)
          yield* Listing.known(runId)
          yield* Effect.catchTags(
            (yield* Runs).signal(runId, name, payload?.payload ?? null, { actor, ...key }),
            { ...ofOpenRun, SignalConflict: SignalConflictRefusal }
          )
        })))
      .handle("cancel", ({ params: { runId }, payload }) =>
        here(Effect.gen(function*() {
          const { name, roles } = yield* withRole("starter", "operator")
          const { requestedBy } = yield* Listing.known(runId)
          const isOwn = requestedBy.kind === "person" && requestedBy.id === name
          if (!roles.includes("operator") && !isOwn) return yield* lacking(["operator"])
          yield* Effect.catchTags((yield* Runs).cancel(runId, by(name, payload)), ofOpenRun)
        })))
      .handle("pause", ({ params: { runId }, payload }) =>
        here(operate(runId, (runs, actor) =>
          runs.pause(runId, by(actor, payload)))))
      .handle("resume", ({ params: { runId }, payload }) =>
        here(operate(runId, (runs, actor) =>
          runs.resume(runId, by(actor, payload)))))
      .handle("release", ({ params: { runId }, payload }) =>
        here(operate(runId, (runs, actor) =>
          runs.release(runId, by(actor, payload)))))
      .handle("budget", ({ params: { runId }, payload: { budget, reason } }) =>
        here(operate(runId, (runs, actor) =>
          runs.changeBudget(runId, budget, by(actor, { reason })))))
      .handle("resolve", ({ params: { runId }, payload }) =>
        here(Effect.gen(function*() {
          const actor = (yield* withRole("operator")).name
          yield* Listing.known(runId)
          yield* Effect.catchTags(
            (yield* Runs).resolve(
              runId,
              payload.outcome === "happened"
                ? { _tag: "Happened", key: payload.key, actor, output: payload.output }
                : { _tag: "DidNotHappen", key: payload.key, actor, error: payload.error }
            ),
            { ...ofOpenRun, AlreadySettled: AlreadySettledRefusal, WaitClosed: WaitClosedRefusal }
          )
        })))
      .handle("fork", ({ headers, params: { runId }, payload, query: { at } }) =>
        here(Effect.gen(function*() {
          const actor = (yield* withRole("operator")).name
          const { budget, labels } = payload ?? {}
          const key = yield* Key.ofStart(headers["idempotency-key"], payload?.startKey)
          yield* Listing.known(runId)
          return yield* Effect.flatMap(
            Effect.catchTags(
              (yield* Runs).fork(runId, {
                at,
                ...by(actor, payload),
                ...(budget === undefined ? {} : { budget }),
                ...(labels === undefined ? {} : { labels }),
                ...key
              }),
              { ...ofRun, ForkRefused: ForkRefusedRefusal, StartConflict: StartConflictRefusal }
            ),
            created
          )
        })))
  }))

const by = (actor: string, why: { readonly reason?: string | undefined } | null) =>
  why?.reason === undefined ? { actor } : { actor, reason: why.reason }

const ofOpenRun = { ...ofRun, RunClosed: RunClosedRefusal }

const found = (runId: RunId) => Effect.catchTags(RunRead.load(runId), ofReading)

const answer = (loaded: Effect.Success<ReturnType<typeof found>>) =>
  Effect.catchTag(RunRead.modelOf(loaded), "StoreError", ofRun.StoreError)

/** A run that has just been recorded, and where it is. */
const created = Effect.fnUntraced(function*(runId: RunId) {
  const { originalUrl } = yield* HttpServerRequest.HttpServerRequest
  // Where this router stands is known by the request; what it calls the server is up to the client.
  const path = originalUrl.replace(/^[a-z]+:\/\/[^/]*/i, "").split("?", 1)[0]
  const runs = path?.replace(/\/[^/]+\/fork\/?$|\/$/, "").replace(/^\/+/, "/")
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "location", `${runs}/${runId}`))
  )
  return yield* RunRead.load(runId).pipe(
    Effect.catchTags({ StoreError: ofRun.StoreError, RunNotFound: Effect.die }),
    Effect.flatMap(answer)
  )
})

const explain = Effect.fnUntraced(function*(runId: RunId) {
  const { run } = yield* found(runId)
  const [summary, holder] = yield* Effect.catchTag(
    Effect.all([(yield* RunIndex).get(runId), (yield* RunQueue).holder(runId)]),
    "StoreError",
    ofRun.StoreError
  )
  const explanation = Explain.explain(run, { ...Option.getOrUndefined(summary), holder })
  return { runId, program: run.program, ...explanation, status: RunRead.statusOf(run) }
})

const events = Effect.fnUntraced(function*({ headers, params: { runId }, query }: {
  readonly params: { readonly runId: RunId }
  readonly query: { readonly from?: number | undefined; readonly limit?: number | undefined }
  readonly headers: { readonly accept?: string | undefined; readonly "last-event-id"?: number | undefined }
}) {
  yield* Listing.known(runId)
  const last = headers["last-event-id"]
  const from = last === undefined ? query.from ?? 0 : last + 1
  return yield* isFeedWanted(headers.accept ?? "")
    ? Effect.catchTag(
      FeedHttp.feed(runId, from, last === undefined ? ["query", "from"] : ["headers", "last-event-id"]),
      "StoreError",
      ofRun.StoreError
    )
    : Effect.catchTag(FeedHttp.page(runId, from, query.limit ?? 100), "StoreError", ofRun.StoreError)
})

/** Whether somebody wants a feed, and nothing more than that. */
const isFeedWanted = (accept: string): boolean => {
  const feed = weightOf(accept, "text/event-stream")
  return feed > 0 && feed >= weightOf(accept, "application/json")
}

/** How much somebody wants a type that they name. */
const weightOf = (accept: string, type: string): number =>
  Math.max(
    0,
    ...accept.toLowerCase().split(",").map((one) => {
      const [name, ...parameters] = one.split(";").map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      return name !== type ? 0 : weight === undefined ? 1 : Number(weight.slice(2)) || 0
    })
  )

/** The name of the caller, if they may decide this. */
const approver = Effect.fnUntraced(function*(runId: RunId, approval: string, decision: "approve" | "deny") {
  const policy = yield* ApprovalPolicy
  const identity = yield* withRole("approver")
  const { run } = yield* found(runId)
  const asked = run.pendingApprovals.find(({ key }) => key === approval)
  const refused = asked === undefined
    ? Option.none()
    : yield* policy({ identity, run, approval: asked, decision })
  return Option.isNone(refused) ? identity.name : yield* new ForbiddenProblem({ detail: refused.value })
})

const operate = Effect.fnUntraced(function*(
  runId: RunId,
  act: (runs: Runs["Service"], actor: string) => ReturnType<Runs["Service"]["pause"]>
) {
  const { name } = yield* withRole("operator")
  yield* Listing.known(runId)
  yield* Effect.catchTags(act(yield* Runs, name), ofOpenRun)
})
