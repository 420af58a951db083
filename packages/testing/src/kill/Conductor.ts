/**
 * Those outside, who decide about the canonical runs until they have ended.
 */
import type { RunId, RunView } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import { Effect } from "effect"

/**
 * What becomes of a run by the will of those outside.
 *
 * @category models
 * @since 0.1.0
 */
export type Fate = "approved" | "denied" | "cancelled"

/**
 * Decides whatever a run asks for, after `delayMillis`, until it has ended.
 *
 * **Details**
 *
 * Every decision is made twice at the same moment, as by two people, or by one who got no answer. A stuck run is released.
 *
 * @category combinators
 * @since 0.1.0
 */
export const conduct = Effect.fnUntraced(function*(
  runId: RunId,
  fate: Fate,
  delayMillis = 0
) {
  const runs = yield* Runs
  const cancel = runs.cancel(runId, { actor: "olga", reason: "changed my mind" })
  if (fate === "cancelled") yield* Effect.andThen(Effect.sleep(delayMillis), twice(cancel))
  while (true) {
    const view = yield* runs.await(runId, needsSomebody)
    if (!needsSomebody(view)) return view
    if (view.status === "Stuck") yield* twice(runs.release(runId, { actor: "olga" }))
    yield* Effect.sleep(delayMillis)
    for (const { key } of view.pendingApprovals) {
      yield* twice(fate === "denied"
        ? runs.deny(runId, { approval: key, actor: "dana", reason: "too much" })
        : runs.approve(runId, { approval: key, actor: "dana" }))
    }
    for (const { kind, subject } of view.waits) {
      if (kind === "signal" && subject !== undefined) yield* twice(runs.signal(runId, subject, 6400, { id: subject }))
    }
  }
})

const needsSomebody = (view: RunView): boolean =>
  view.status === "Stuck" || view.pendingApprovals.length > 0 || view.waits.some(({ kind }) => kind === "signal")

/** Only one of both may be let; a run that has ended or goes on already needs no decision. */
const twice = <E extends { readonly _tag: string }>(decision: Effect.Effect<RunView, E>) =>
  Effect.forEach([decision, decision], (one) => Effect.catchIf(Effect.asVoid(one), isLate, () => Effect.void), {
    concurrency: 2,
    discard: true
  })

const isLate = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "ApprovalNotPending" || _tag === "WaitClosed" || _tag === "RunClosed"
