/**
 * Quotas in SQLite.
 */
import { Quota, Quotas } from "@durable-agents/core"
import { Effect, Result, Schema } from "effect"
import { type Database, millis } from "./Database.ts"
import { query } from "./Query.ts"

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ connection, write }: Database): Quotas["Service"] => {
  const prune = connection
    .prepare(`delete from quota_reservations where namespace = ? and quota = ? and settled = 1 and at <= ?`)
  const others = query(
    connection,
    `select holder, amount, settled from quota_reservations
    where namespace = ? and quota = ? and holder <> ? order by at, holder`,
    Schema.Struct({ holder: Schema.String, amount: Schema.String, settled: Schema.Int })
  )
  const put = connection
    .prepare(`insert into quota_reservations (namespace, quota, holder, amount, at, settled) values (?, ?, ?, ?, ?, 0)
    on conflict (namespace, quota, holder) do update set amount = excluded.amount`)
  const settled = connection
    .prepare(`update quota_reservations set settled = 1, at = ? where namespace = ? and quota = ? and holder = ? and settled = 0`)
  const freed = connection
    .prepare(`delete from quota_reservations where namespace = ? and quota = ? and holder = ? and settled = 0`)

  return Quotas.of({
    reserve: Effect.fn("Quotas.reserve")((request) =>
      write({
        operation: "reserve",
        body: (now) => {
          const { amount, holder, namespace, quota, windowMillis } = request
          prune.run(namespace, quota, millis(now - windowMillis))
          const found = others.all(namespace, quota, holder)
          const decided = Quota.decide(found.map(({ amount }) => amount), request)
          if (decided.granted) put.run(namespace, quota, holder, amount, now)
          const open = decided.granted ? [] : found.filter(({ settled }) => settled === 0)
          return Result.succeed({ ...decided, open: open.slice(0, Quota.openShown).map(({ holder }) => holder) })
        }
      })
    ),
    settle: Effect.fn("Quotas.settle")(({ at, holder, namespace, quota }) =>
      write({
        operation: "settle",
        body: () => {
          if (at === undefined) freed.run(namespace, quota, holder)
          else settled.run(millis(at), namespace, quota, holder)
          return Result.void
        }
      })
    )
  })
}
