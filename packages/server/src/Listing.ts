/**
 * Lists of runs and of approvals, a page at a time.
 */
import {
  type ListOptions,
  Namespace,
  type Page,
  type RunId,
  RunIndex,
  RunNotFound,
  type StoreError
} from "@durable-agents/core"
import { Effect, Option } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Api } from "./Api.ts"
import { invalid, ofRun } from "./Refusal.ts"
import { statusOf } from "./RunRead.ts"

type Query = Parameters<
  HttpApiEndpoint.Handler<typeof Api["groups"]["runs"]["endpoints"]["list"], never, never>
>[0]["query"]

/**
 * Runs of the namespace that is in place, newest first.
 *
 * @category handlers
 * @since 0.1.0
 */
export const runs = Effect.fnUntraced(function*(query: Query) {
  const index = yield* RunIndex
  const namespace = yield* Namespace
  const labels = (query.label ?? []).map((text) =>
    [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)] as const
  )
  const { cursor, limit, program, requestedBy, startedBefore, startedFrom, status } = query
  const options: ListOptions = {
    namespace,
    labels: Object.fromEntries(labels),
    ...(cursor === undefined ? {} : { cursor }),
    ...(limit === undefined ? {} : { limit }),
    ...(program === undefined ? {} : { program }),
    ...(requestedBy === undefined ? {} : { requestedBy }),
    ...(startedBefore === undefined ? {} : { startedBefore }),
    ...(startedFrom === undefined ? {} : { startedFrom }),
    ...(status === undefined ? {} : { status })
  }
  const page = yield* paged(options, (asked) => index.list(asked))
  return { ...page, items: page.items.map((run) => ({ ...run, status: statusOf(run) })) }
})

/**
 * Approvals of the namespace that is in place, the oldest first.
 *
 * @category handlers
 * @since 0.1.0
 */
export const approvals = Effect.fnUntraced(function*(query: {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}) {
  const { cursor, limit } = query
  const index = yield* RunIndex
  const namespace = yield* Namespace
  return yield* paged({
    namespace,
    ...(cursor === undefined ? {} : { cursor }),
    ...(limit === undefined ? {} : { limit })
  }, (asked) => index.pendingApprovals(asked))
})

/**
 * What lists show of the run with this id; fails unless it is in the namespace that is in place.
 *
 * @category handlers
 * @since 0.1.0
 */
export const known = Effect.fnUntraced(function*(runId: RunId) {
  const summary = yield* Effect.catchTag((yield* RunIndex).get(runId), "StoreError", ofRun.StoreError)
  const namespace = yield* Namespace
  if (Option.isNone(summary) || summary.value.namespace !== namespace) {
    return yield* ofRun.RunNotFound(new RunNotFound({ runId }))
  }
  return summary.value
})

/** A store that answers without the cursor takes offence at the cursor. */
const paged = <A>(
  options: ListOptions,
  ask: (options: ListOptions) => Effect.Effect<Page<A>, StoreError>
) =>
  Effect.catchTag(ask(options), "StoreError", (error) =>
    options.cursor === undefined
      ? ofRun.StoreError(error)
      : ask({ limit: 1 }).pipe(
        Effect.catchTag("StoreError", ofRun.StoreError),
        Effect.andThen(Effect.fail(invalid(["query", "cursor"], "is not a cursor of this list")))
      ))
