/**
 * A payments service, as a company would have one: its books are a file of its own, and it honours idempotency keys.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { DatabaseSync } from "node:sqlite"

/** The service refuses a refund; nothing was paid. */
export class PaymentError extends Schema.TaggedError<PaymentError>()("PaymentError", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** What the books say. */
export interface Books {
  /** Every request that arrived. */
  readonly attempts: number
  /** Every refund that was paid. */
  readonly refunds: number
  readonly cents: number
}

/** Pays money back. */
export class Payments extends Context.Service<Payments, {
  /** Refunds an order once per key: a repeated key gets the receipt of the first time, and no money moves. */
  readonly refund: (orderId: string, cents: number, key: string) => Effect.Effect<string, PaymentError>
}>()("example/Payments") {
  /** Over a ledger file. `afterPayment` runs when the money has moved and nobody else knows it yet. */
  static readonly layer = (file: string, afterPayment: Effect.Effect<void> = Effect.void): Layer.Layer<Payments> =>
    Layer.effect(
      Payments,
      Effect.map(open(file), (ledger) => ({
        refund: (orderId, cents, key) =>
          Effect.gen(function*() {
            ledger.prepare("insert into attempts (key) values (?)").run(key)
            if (cents <= 0) return yield* new PaymentError({ reason: "a refund must be above zero" })
            ledger.prepare("insert or ignore into refunds (key, order_id, cents) values (?, ?, ?)").run(
              key,
              orderId,
              cents
            )
            const { receipt } = Receipt(ledger.prepare("select rowid as receipt from refunds where key = ?").get(key))
            yield* afterPayment
            return `RF-${55_011 + receipt}`
          })
      }))
    )
}

/** Reads the books, as an auditor would. */
export const books = (file: string): Effect.Effect<Books> =>
  Effect.scoped(Effect.map(open(file), (ledger) =>
    Totals(ledger.prepare(`
        select (select count(*) from attempts) as attempts, count(*) as refunds, coalesce(sum(cents), 0) as cents
        from refunds
      `).get())))

const open = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const ledger = new DatabaseSync(file, { timeout: 5_000 })
      ledger.exec(`
        create table if not exists attempts (key text not null);
        create table if not exists refunds (key text primary key, order_id text not null, cents integer not null);
      `)
      return ledger
    }),
    (ledger) => Effect.sync(() => ledger.close())
  )

const Receipt = Schema.decodeUnknownSync(Schema.Struct({ receipt: Schema.Int }))
const Totals = Schema.decodeUnknownSync(Schema.Struct({ attempts: Schema.Int, refunds: Schema.Int, cents: Schema.Int }))
