/**
 * Budgets and usage: what a run may spend, what it has spent, and which limit a request would pass.
 */
import { BigDecimal, Effect, Result, Schema } from "effect"
import * as Usd from "./Usd.ts"

const { Total, Usd: Decimal } = Usd
const Cap = Schema.Natural

/**
 * The limits of one run. An absent limit does not hold; a cap of N permits exactly N.
 *
 * **Details**
 *
 * `turns` counts model calls, `toolCalls` counts tool calls; a retried call counts once. `tokens` and `costUsd` count what
 * was used and what calls without a known outcome may have used; `costUsd` is a decimal that is not negative, of at most 40
 * digits on either side of the point. `wallMillis` counts from the start of the run, or from the time that its start was put
 * off to; parked time included. `activeMillis` leaves out the time in which the run rested: it was not begun, waited for a
 * person, a signal or a time, was paused or stuck. `unpriced` says whether a model without a price may be called although
 * `costUsd` cannot count what it costs; absent, it may. `atLimit` says what becomes of a run that would pass one: `refuse`, the
 * default, fails the operation, and `park` leaves it unasked and makes the run stuck, so that an operator can raise the limit
 * and release it.
 *
 * @category models
 * @since 0.1.0
 */
export const Budget = Schema.Struct({
  turns: Schema.optionalKey(Cap),
  toolCalls: Schema.optionalKey(Cap),
  tokens: Schema.optionalKey(Cap),
  costUsd: Schema.optionalKey(Decimal),
  wallMillis: Schema.optionalKey(Cap),
  activeMillis: Schema.optionalKey(Cap),
  unpriced: Schema.optionalKey(Schema.Literals(["allow", "refuse"])),
  atLimit: Schema.optionalKey(Schema.Literals(["refuse", "park"]))
})

/**
 * @category models
 * @since 0.1.0
 */
export type Budget = typeof Budget.Type

/**
 * What a run gets when neither it nor its program says otherwise: 25 turns, 100 tool calls, 1.00 USD.
 *
 * @category models
 * @since 0.1.0
 */
export const defaultBudget: Budget = { turns: 25, toolCalls: 100, costUsd: "1.00" }

/**
 * A budget as somebody states it: a limit on money that is stated is meant, so a model without a price is refused under it
 * unless it says `unpriced: "allow"`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stated = (budget: Budget): Budget =>
  budget.costUsd === undefined || budget.unpriced !== undefined ? budget : { ...budget, unpriced: "refuse" }

/**
 * A budget for a part of a run: what is done below a path of keys.
 *
 * @category models
 * @since 0.1.0
 */
export const Allowance = Schema.Struct({ path: Schema.String, budget: Budget })

/**
 * @category models
 * @since 0.1.0
 */
export type Allowance = typeof Allowance.Type

/**
 * Tokens and money of one call or of a whole run. `costUsd` is a decimal in a string.
 *
 * @category models
 * @since 0.1.0
 */
export const Spend = Schema.Struct({ tokens: Schema.Natural, costUsd: Decimal })

/**
 * @category models
 * @since 0.1.0
 */
export type Spend = typeof Spend.Type

/**
 * What one answered model call used. An absent number was not reported, which is not zero.
 *
 * @category models
 * @since 0.1.0
 */
export const CallUsage = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Natural),
  cachedInputTokens: Schema.optionalKey(Schema.Natural),
  cacheWriteTokens: Schema.optionalKey(Schema.Natural),
  outputTokens: Schema.optionalKey(Schema.Natural),
  reasoningTokens: Schema.optionalKey(Schema.Natural),
  costUsd: Schema.optionalKey(Decimal)
})

/**
 * @category models
 * @since 0.1.0
 */
export type CallUsage = typeof CallUsage.Type

/**
 * The totals of a run.
 *
 * **Details**
 *
 * `unreportedCalls` counts calls whose tokens nobody reported, `unpricedCalls` those whose cost is not known: as long as they
 * are not zero, the totals of tokens and of money mean "at least". `possible` is what calls without a known outcome, or without
 * a report, had reserved and may have used beyond what is reported; limits count it.
 *
 * @category models
 * @since 0.1.0
 */
export const Usage = Schema.Struct({
  turns: Schema.Natural,
  toolCalls: Schema.Natural,
  inputTokens: Schema.Natural,
  cachedInputTokens: Schema.Natural,
  outputTokens: Schema.Natural,
  costUsd: Total,
  unreportedCalls: Schema.Natural,
  // What older builds recorded has no such field: none of their calls had a price.
  unpricedCalls: Schema.Natural.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  possible: Schema.Struct({ tokens: Schema.Natural, costUsd: Total })
})

/**
 * @category models
 * @since 0.1.0
 */
export type Usage = typeof Usage.Type

/**
 * A limit that a request would pass, recorded as the outcome of that request. `within` is the part of the run that has the
 * limit; absent, the run has it.
 *
 * @category errors
 * @since 0.1.0
 */
export class BudgetExceeded
  extends Schema.TaggedError<BudgetExceeded>("@durable-agents/core/BudgetExceeded")("BudgetExceeded", {
    limit: Schema.Literals(["turns", "toolCalls", "tokens", "costUsd", "wallMillis", "activeMillis"]),
    allowed: Schema.String,
    used: Schema.String,
    /** What the request could have used at most. */
    wanted: Schema.optionalKey(Schema.String),
    within: Schema.optionalKey(Schema.String)
  })
{
  override get message() {
    const unit = this.allowed === "1" ? label[this.limit].replace(/s$/, "") : label[this.limit]
    const whose = this.within === undefined ? "The run's budget" : `The budget of \`${this.within}\``
    const wanted = this.wanted === undefined ? "" : `; the next call could use ${this.wanted}`
    return `${whose} allows ${this.allowed} ${unit}, and ${this.used} ${this.used === "1" ? "is" : "are"} used${wanted}`
  }
}

const label = {
  turns: "turns",
  toolCalls: "tool calls",
  tokens: "tokens",
  costUsd: "USD",
  wallMillis: "milliseconds",
  activeMillis: "milliseconds of activity"
}

/**
 * What costs nothing.
 *
 * @category spending
 * @since 0.1.0
 */
export const nothing: Spend = { tokens: 0, costUsd: "0" }

/**
 * The totals of a run that has not done anything.
 *
 * @category spending
 * @since 0.1.0
 */
export const noUsage: Usage = {
  turns: 0,
  toolCalls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costUsd: "0",
  unreportedCalls: 0,
  unpricedCalls: 0,
  possible: nothing
}

/** Whatever a provider reports, a total stays a number that can be read back. */
const sum = (left: number, right: number): number => Math.min(Number.MAX_SAFE_INTEGER, left + right)

/**
 * Exact sum of tokens and of money.
 *
 * @category spending
 * @since 0.1.0
 */
export const addSpend = (left: Spend, right: Spend): Spend => ({
  tokens: sum(left.tokens, right.tokens),
  costUsd: Usd.sum(left.costUsd, right.costUsd)
})

/**
 * Takes a reservation back; never below zero.
 *
 * @category spending
 * @since 0.1.0
 */
export const subtractSpend = (left: Spend, right: Spend): Spend => ({
  tokens: Math.max(0, left.tokens - right.tokens),
  costUsd: Usd.subtract(left.costUsd, right.costUsd)
})

/**
 * Adds one answered call to the totals.
 *
 * @category spending
 * @since 0.1.0
 */
export const addCall = (usage: Usage, call: CallUsage): Usage => ({
  ...usage,
  inputTokens: sum(usage.inputTokens, call.inputTokens ?? 0),
  cachedInputTokens: sum(usage.cachedInputTokens, call.cachedInputTokens ?? 0),
  outputTokens: sum(usage.outputTokens, call.outputTokens ?? 0),
  costUsd: Usd.sum(usage.costUsd, call.costUsd ?? "0"),
  unreportedCalls: usage.unreportedCalls +
    (isReported(call) ? 0 : 1),
  unpricedCalls: usage.unpricedCalls + (call.costUsd === undefined ? 1 : 0)
})

const isReported = ({ inputTokens, outputTokens }: CallUsage): boolean =>
  inputTokens !== undefined && outputTokens !== undefined

/**
 * What is left of a reservation when the call is answered: nothing of what was reported, and all that may have been used of
 * what was not.
 *
 * @category spending
 * @since 0.1.0
 */
export const unaccounted = (reserve: Spend, call: CallUsage): Spend => ({
  tokens: isReported(call) ? 0 : Math.max(0, reserve.tokens - (call.inputTokens ?? 0) - (call.outputTokens ?? 0)),
  costUsd: call.costUsd === undefined ? reserve.costUsd : "0"
})

/**
 * What a request adds: a turn or a tool call if it is a first attempt, and the most it may spend.
 *
 * @category models
 * @since 0.1.0
 */
export interface Claim {
  readonly turns: number
  readonly toolCalls: number
  /** Whether it may use tokens and money at all. */
  readonly spends: boolean
  readonly reserve: Spend
  /** Milliseconds since the run, or the part of it, began or was to begin, by the store's clock. */
  readonly elapsedMillis: number
  /** Those of them in which it did not rest. */
  readonly activeMillis: number
}

const refuse = (
  limit: BudgetExceeded["limit"],
  allowed: string | number,
  used: string | number,
  wanted: string | number = 0
) =>
  Result.fail(new BudgetExceeded({
    limit,
    allowed: `${allowed}`,
    used: `${used}`,
    ...(`${wanted}` === "0" ? {} : { wanted: `${wanted}` })
  }))

/**
 * Says whether a request fits, or which limit it would pass. A limit without a reservation stops the first request after the
 * limit is used up; a reservation stops the request that could pass it.
 *
 * @category decisions
 * @since 0.1.0
 */
export const check = (budget: Budget, usage: Usage, claim: Claim): Result.Result<void, BudgetExceeded> => {
  if (budget.turns !== undefined && claim.turns > 0 && usage.turns + claim.turns > budget.turns) {
    return refuse("turns", budget.turns, usage.turns)
  }
  if (budget.toolCalls !== undefined && claim.toolCalls > 0 && usage.toolCalls + claim.toolCalls > budget.toolCalls) {
    return refuse("toolCalls", budget.toolCalls, usage.toolCalls)
  }
  if (budget.wallMillis !== undefined && claim.elapsedMillis >= budget.wallMillis) {
    return refuse("wallMillis", budget.wallMillis, claim.elapsedMillis)
  }
  if (budget.activeMillis !== undefined && claim.activeMillis >= budget.activeMillis) {
    return refuse("activeMillis", budget.activeMillis, claim.activeMillis)
  }
  if (!claim.spends) return Result.void
  const tokens = usage.inputTokens + usage.outputTokens + usage.possible.tokens
  if (budget.tokens !== undefined && (tokens >= budget.tokens || tokens + claim.reserve.tokens > budget.tokens)) {
    return refuse("tokens", budget.tokens, tokens, claim.reserve.tokens)
  }
  if (budget.costUsd !== undefined) {
    const cap = Usd.decimal(budget.costUsd)
    const used = Usd.sum(usage.costUsd, usage.possible.costUsd)
    const spent = Usd.decimal(used)
    const wanted = BigDecimal.sum(spent, Usd.decimal(claim.reserve.costUsd))
    if (BigDecimal.isGreaterThan(wanted, cap) || BigDecimal.isGreaterThanOrEqualTo(spent, cap)) {
      return refuse("costUsd", budget.costUsd, Usd.format(spent), claim.reserve.costUsd)
    }
  }
  return Result.void
}

/**
 * A refused limit as it is recorded.
 *
 * @category codecs
 * @since 0.1.0
 */
export const recordOf = ({ allowed, limit, used, wanted, within }: BudgetExceeded) => ({
  limit,
  allowed,
  used,
  ...(wanted === undefined ? {} : { wanted }),
  ...(within === undefined ? {} : { within })
})

/**
 * Reads a recorded refusal of the budget.
 *
 * @category codecs
 * @since 0.1.0
 */
export const decodeRefusal = (failure: Schema.Json | undefined): Effect.Effect<BudgetExceeded, Schema.SchemaError> =>
  Effect.map(decodeFields(failure), (fields) => new BudgetExceeded(fields))

const { _tag: _, ...refusalFields } = BudgetExceeded.fields
const decodeFields = Schema.decodeUnknownEffect(Schema.Struct(refusalFields))
