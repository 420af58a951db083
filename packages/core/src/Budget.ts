/**
 * Budgets and usage: what a run may spend, what it has spent, and which limit a request would pass.
 */
import { BigDecimal, Result, Schema } from "effect"

/** Not negative, and short enough that sums stay exact at no cost. */
const Decimal = Schema.String.check(Schema.isPattern(/^\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/))
/** Sums are longer than what is summed. */
const Total = Schema.String.check(Schema.isPattern(/^\d+(\.\d+)?(e[+-]?\d{1,2})?$/))
const Cap = Schema.Natural

/**
 * The limits of one run. An absent limit does not hold; a cap of N permits exactly N.
 *
 * **Details**
 *
 * `turns` counts model calls, `toolCalls` counts tool calls; a retried call counts once. `tokens` and `costUsd` count what
 * was used and what calls without a known outcome may have used; `costUsd` is a decimal that is not negative, of at most 40
 * digits on either side of the point. `wallMillis` counts from the start of the run, or from the time that its start was put
 * off to; parked time included.
 *
 * @category models
 * @since 0.1.0
 */
export const Budget = Schema.Struct({
  turns: Schema.optionalKey(Cap),
  toolCalls: Schema.optionalKey(Cap),
  tokens: Schema.optionalKey(Cap),
  costUsd: Schema.optionalKey(Decimal),
  wallMillis: Schema.optionalKey(Cap)
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
  outputTokens: Schema.optionalKey(Schema.Natural),
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
 * `unreportedCalls` counts calls whose tokens nobody reported: as long as it is not zero the totals mean "at least".
 * `possible` is what calls without a known outcome had reserved and may have used; limits count it.
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
  possible: Schema.Struct({ tokens: Schema.Natural, costUsd: Total })
})

/**
 * @category models
 * @since 0.1.0
 */
export type Usage = typeof Usage.Type

/**
 * A limit that a request would pass, recorded as the outcome of that request.
 *
 * @category errors
 * @since 0.1.0
 */
export class BudgetExceeded
  extends Schema.TaggedError<BudgetExceeded>("@durable-agents/core/BudgetExceeded")("BudgetExceeded", {
    limit: Schema.Literals(["turns", "toolCalls", "tokens", "costUsd", "wallMillis"]),
    allowed: Schema.String,
    used: Schema.String
  })
{
  override get message() {
    const unit = this.allowed === "1" ? label[this.limit].replace(/s$/, "") : label[this.limit]
    return `The run's budget allows ${this.allowed} ${unit}, and ${this.used} ${this.used === "1" ? "is" : "are"} used`
  }
}

const label = {
  turns: "turns",
  toolCalls: "tool calls",
  tokens: "tokens",
  costUsd: "USD",
  wallMillis: "milliseconds"
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
  possible: nothing
}

const decimal = (text: string): BigDecimal.BigDecimal => BigDecimal.fromStringUnsafe(text)

/** Plain digits, never an exponent: people read it, and databases. */
const format = (value: BigDecimal.BigDecimal): string => {
  const { scale, value: digits } = BigDecimal.normalize(value)
  if (scale <= 0) return `${digits}${"0".repeat(-scale)}`
  const padded = `${digits}`.padStart(scale + 1, "0")
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/**
 * Exact sum of two decimals in strings.
 *
 * @category spending
 * @since 0.1.0
 */
export const sumUsd = (left: string, right: string): string =>
  left === "0" ? right : right === "0" ? left : format(BigDecimal.sum(decimal(left), decimal(right)))

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
  costUsd: sumUsd(left.costUsd, right.costUsd)
})

/**
 * Takes a reservation back; never below zero.
 *
 * @category spending
 * @since 0.1.0
 */
export const subtractSpend = (left: Spend, right: Spend): Spend => ({
  tokens: Math.max(0, left.tokens - right.tokens),
  costUsd: right.costUsd === "0"
    ? left.costUsd
    : format(BigDecimal.max(decimal("0"), BigDecimal.subtract(decimal(left.costUsd), decimal(right.costUsd))))
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
  costUsd: sumUsd(usage.costUsd, call.costUsd ?? "0"),
  unreportedCalls: usage.unreportedCalls +
    (call.inputTokens === undefined || call.outputTokens === undefined ? 1 : 0)
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
  /** Milliseconds since the run began or was to begin, by the store's clock. */
  readonly elapsedMillis: number
}

const refuse = (limit: keyof Budget, allowed: string | number, used: string | number) =>
  Result.fail(new BudgetExceeded({ limit, allowed: `${allowed}`, used: `${used}` }))

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
  if (!claim.spends) return Result.void
  const tokens = usage.inputTokens + usage.outputTokens + usage.possible.tokens
  if (budget.tokens !== undefined && (tokens >= budget.tokens || tokens + claim.reserve.tokens > budget.tokens)) {
    return refuse("tokens", budget.tokens, tokens)
  }
  if (budget.costUsd !== undefined) {
    const cap = decimal(budget.costUsd)
    const spent = decimal(sumUsd(usage.costUsd, usage.possible.costUsd))
    const wanted = BigDecimal.sum(spent, decimal(claim.reserve.costUsd))
    if (BigDecimal.isGreaterThan(wanted, cap) || BigDecimal.isGreaterThanOrEqualTo(spent, cap)) {
      return refuse("costUsd", budget.costUsd, format(spent))
    }
  }
  return Result.void
}
