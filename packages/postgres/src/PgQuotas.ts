/**
 * Quotas in PostgreSQL.
 */
import { Quota, Quotas } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import { millis, timeOf } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"

const others = rowsOf(Schema.Struct({ used: Schema.String, open: Schema.Array(Schema.String) }))

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ now, schema, sql, tables, write }: Database): Quotas["Service"] => {
  const table = tables.quota_reservations

  /** Requests under one quota wait for each other: each counts what all before it have set aside. */
  const reserve = Effect.fnUntraced(function*(request: Quota.QuotaRequest) {
    const { amount, holder, namespace, quota, windowMillis } = request
    yield* sql`select pg_advisory_xact_lock(hashtextextended(${JSON.stringify([schema, namespace, quota])}, 0))`
    yield* sql`
      delete from ${table}
      where namespace = ${namespace} and quota = ${quota} and settled
        and at <= ${now()} - ${millis(windowMillis)}::float8 * interval '1 millisecond'`
    const [found] = yield* others(sql`
      select
        coalesce(sum(amount), 0)::text as used,
        coalesce((array_agg(holder order by at, holder) filter (where not settled))[1:${
      sql.literal(String(Quota.openShown))
    }], '{}') as open
      from ${table} where namespace = ${namespace} and quota = ${quota} and holder <> ${holder}`)
    const decided = Quota.decide([found?.used ?? "0"], request)
    if (!decided.granted) return { ...decided, open: found?.open ?? [] }
    yield* sql`
      insert into ${table} (at, settled, namespace, quota, holder, amount)
      values (${now()}, false, ${namespace}, ${quota}, ${holder}, ${amount}::numeric)
      on conflict (namespace, quota, holder) do update set amount = excluded.amount`
    return { ...decided, open: [] }
  })

  return Quotas.of({
    reserve: Effect.fn("Quotas.reserve")((request) => write("reserve", () => sql.withTransaction(reserve(request)))),
    settle: Effect.fn("Quotas.settle")(({ at, holder, namespace, quota }) =>
      write("settle", () =>
        Effect.asVoid(at === undefined
          ? sql`
            delete from ${table}
            where namespace = ${namespace} and quota = ${quota} and holder = ${holder} and not settled`
          : sql`
            update ${table} set settled = true, at = ${timeOf(sql, millis(at))}
            where namespace = ${namespace} and quota = ${quota} and holder = ${holder} and not settled`))
    )
  })
}
