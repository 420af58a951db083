/**
 * A client of a payments service, as plain code has it: async functions that reject. Here the service is in memory, and it
 * honours idempotency keys.
 */
import { setTimeout } from "node:timers/promises"

/** The service says no. Nothing was paid. */
export class PaymentRefused extends Error {}

/** What the client can be told for one request. */
export interface RequestOptions {
  /** The same for all attempts of one payment. */
  readonly idempotencyKey: string
  readonly signal?: AbortSignal
}

/** Pays money back. */
export class Payments {
  /** Every request that arrived. */
  attempts = 0
  /** Every refund that was paid, by its key. */
  readonly refunds = new Map<string, { readonly orderId: string; readonly cents: number; readonly receipt: string }>()
  /** Resolves when the first request has arrived. */
  readonly firstRequest: Promise<void>
  readonly #arrived: () => void
  readonly #latencyMillis: number

  constructor({ latencyMillis = 0 } = {}) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.firstRequest = promise
    this.#arrived = resolve
    this.#latencyMillis = latencyMillis
  }

  /** Refunds an order once per key, and returns the receipt. */
  async refund(orderId: string, cents: number, { idempotencyKey, signal }: RequestOptions): Promise<string> {
    this.attempts += 1
    this.#arrived()
    if (this.#latencyMillis > 0) await setTimeout(this.#latencyMillis, undefined, { signal })
    if (cents > 100_000) throw new PaymentRefused("refunds above 1,000.00 are paid by hand")
    const known = this.refunds.get(idempotencyKey)
    if (known !== undefined) return known.receipt
    const receipt = `RF-${this.refunds.size + 1}`
    this.refunds.set(idempotencyKey, { orderId, cents, receipt })
    return receipt
  }
}
