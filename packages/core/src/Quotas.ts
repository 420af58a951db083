/**
 * The port to quotas: what all runs together may do within a time, set aside before it is done.
 */
import { BigDecimal, Context, type Effect } from "effect"
import type { StoreError } from "./EventStore.ts"

/**
 * What is to be set aside, and under which quota.
 *
 * @category models
 * @since 0.1.0
 */
export interface QuotaRequest {
  readonly namespace: string
  /** The name of the quota, 1 to 300 characters. What has another name is counted apart. */
  readonly quota: string
  /** For what it is set aside, 1 to 400 characters. Asked again for the same, the amount takes the place of the one before. */
  readonly holder: string
  /** A decimal that is not negative. */
  readonly amount: string
  readonly most: string
  /** How long what was settled counts. */
  readonly windowMillis: number
}

/**
 * @category models
 * @since 0.1.0
 */
export interface QuotaAnswer {
  readonly granted: boolean
  /** What counts now, this request included if it was granted. */
  readonly used: string
  /** If it was not granted: for what else something is set aside that is not settled, oldest first, 100 at most. */
  readonly open: ReadonlyArray<string>
}

/**
 * Keeps what is set aside. All times are the store's.
 *
 * **Details**
 *
 * What counts is all that is open, however old, and what was settled within the time. Requests under one quota are decided one
 * after the other, so that what counts is never more than the most that was permitted.
 *
 * @category services
 * @since 0.1.0
 */
export class Quotas extends Context.Service<Quotas, {
  /** Sets an amount aside if what counts, with it, is no more than `most`. If it is not granted nothing changes. */
  readonly reserve: (request: QuotaRequest) => Effect.Effect<QuotaAnswer, StoreError>
  /**
   * Says when what something was set aside for has happened; without a time, that it has not and will not, which frees the
   * amount. Nothing happens if it is not open.
   */
  readonly settle: (settlement: {
    readonly namespace: string
    readonly quota: string
    readonly holder: string
    readonly at?: number
  }) => Effect.Effect<void, StoreError>
}>()("@durable-agents/core/Quotas") {}

/**
 * Decides about a request by what else counts.
 *
 * @category decisions
 * @since 0.1.0
 */
export const decide = (
  others: ReadonlyArray<string>,
  { amount, most }: Pick<QuotaRequest, "amount" | "most">
): Pick<QuotaAnswer, "granted" | "used"> => {
  const before = others.reduce((sum, other) => BigDecimal.sum(sum, decimal(other)), zero)
  const after = BigDecimal.sum(before, decimal(amount))
  const granted = BigDecimal.isLessThanOrEqualTo(after, decimal(most))
  return { granted, used: BigDecimal.format(BigDecimal.normalize(granted ? after : before)) }
}

const zero = BigDecimal.fromBigInt(0n)
const decimal = BigDecimal.fromStringUnsafe

/**
 * How many open holders an answer names.
 *
 * @category bounds
 * @since 0.1.0
 */
export const openShown = 100
