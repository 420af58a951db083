/**
 * What a run, or a part of it, has spent, and whether a request fits into its limits: folds of the log.
 */
import { HashMap, Result } from "effect"
import type { Allowance, BudgetExceeded, Claim, Spend, Usage } from "./Budget.ts"
import { addCall, addSpend, BudgetExceeded as Exceeded, check, nothing, noUsage, recordOf } from "./Budget.ts"
import type { OperationKind, Place } from "./Place.ts"
import type { RunState } from "./RunState.ts"
import { activeMillisAt, paidOf } from "./RunState.ts"

/**
 * What was spent below a path of keys, such as by one agent inside a program.
 *
 * @category folds
 * @since 0.1.0
 */
export const usageBelow = (state: RunState, path: string): Usage => {
  let usage = noUsage
  for (const place of below(state, path)) {
    if (place._tag !== "Operation" || place.kind === "step") continue
    const attempts = [
      ...place.failures.map(({ event }) => event),
      ...(place.outcome === undefined ? [] : [place.outcome.event])
    ]
    const counted = attempts.map(paidOf).filter((paid) => paid !== undefined).reduce(addCall, usage)
    const requested = place.request === undefined ? 0 : 1
    usage = {
      ...counted,
      turns: counted.turns + (place.kind === "model" ? requested : 0),
      toolCalls: counted.toolCalls + (place.kind === "tool" ? requested : 0),
      possible: addSpend(counted.possible, place.possible)
    }
  }
  return usage
}

const below = (state: RunState, path: string): ReadonlyArray<Place> =>
  Array.from(HashMap.values(state.places)).filter(({ key }) => key.startsWith(`${path}/`))

/**
 * What a request wants to spend.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wanted {
  readonly kind: OperationKind
  /** The first attempt, which alone counts as a turn or a tool call. */
  readonly isFirst: boolean
  readonly reserve: Spend | undefined
  readonly within: ReadonlyArray<Allowance>
  readonly now: number
}

/**
 * Says whether a request fits into the limits of the run and of the parts of it that it belongs to, or which it would pass.
 *
 * @category decisions
 * @since 0.1.0
 */
export const fits = (
  state: RunState,
  { isFirst, kind, now, reserve = nothing, within }: Wanted
): Result.Result<void, BudgetExceeded> => {
  const claim = {
    turns: isFirst && kind === "model" ? 1 : 0,
    toolCalls: isFirst && kind === "tool" ? 1 : 0,
    spends: kind === "model",
    reserve
  }
  const active = activeMillisAt(state, now)
  const began = Math.max(state.startedAt, state.started?.startAtMillis ?? 0)
  const run = check(state.budget, state.usage, { ...claim, elapsedMillis: now - began, activeMillis: active })
  if (Result.isFailure(run)) return run
  for (const allowance of within) {
    const own = fitsPart(state, allowance, claim, now, active)
    if (Result.isFailure(own)) return own
  }
  return Result.void
}

const fitsPart = (
  state: RunState,
  { budget, path }: Allowance,
  claim: Omit<Claim, "elapsedMillis" | "activeMillis">,
  now: number,
  active: number
): Result.Result<void, BudgetExceeded> => {
  let since = now
  let activeBefore = active
  for (const place of below(state, path)) {
    if (place._tag === "Branch" || place.since > since) continue
    since = place.since
    activeBefore = Math.min(activeBefore, place.activeBefore)
  }
  return Result.mapError(
    check(budget, usageBelow(state, path), {
      ...claim,
      elapsedMillis: now - since,
      activeMillis: active - activeBefore
    }),
    (exceeded) => new Exceeded({ ...recordOf(exceeded), within: path })
  )
}
