/**
 * Until when owners are alive, as parts of statements.
 */
import type { Owner } from "@durable-agents/core"
import type { Fragment } from "effect/sql/Statement"
import { millis } from "./Columns.ts"
import type { Database } from "./Database.ts"
import type { Listener } from "./Listener.ts"

/** A lease of a thousand years is as long as any. */
const longestLease = 1_000 * 365.25 * 86_400_000

/**
 * @category models
 * @since 0.1.0
 */
export interface Owners {
  /** A common table expression that keeps an owner alive if that is needed. */
  readonly keepAlive: (owner: Owner, leaseMillis: number, now: Fragment, isNeeded: Fragment) => Fragment
  /** Whether the owner holds a lease. */
  readonly holdsAny: (owner: Owner) => Fragment
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ sql, tables }: Database, { lockedSince }: Pick<Listener, "lockedSince">): Owners => ({
  keepAlive: (owner, leaseMillis, now, isNeeded) => {
    const lease = millis(Math.min(Math.max(0, leaseMillis), longestLease))
    return sql`
      kept_alive as (
        insert into ${tables.workers} (owner, alive_until, locked_since)
        select ${owner}::text, ${now} + make_interval(secs => ${lease}::float8 / 1000), ${
      lockedSince(owner) ?? null
    }::timestamptz
        where ${isNeeded}
        on conflict (owner) do update set alive_until = excluded.alive_until, locked_since = excluded.locked_since
      )`
  },
  holdsAny: (owner) => sql`exists (select from ${tables.runs} where lease_owner = ${owner}::text)`
})
