/**
 * Processes of both systems on a server, in schemas of their own that are gone with the scope.
 */
import { Effect } from "effect"
import * as Child from "./Child.ts"
import type { Limit } from "./limit/process.ts"
import type { Ours } from "./ours/process.ts"
import { Server } from "./Server.ts"

/**
 * A process of our system, open in a schema; through another address if one is given.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ours = Effect.fnUntraced(function*(
  schema: string,
  options: { readonly url?: string; readonly nodeOptions?: ReadonlyArray<string> } = {}
) {
  const { url } = yield* Server
  const started = yield* Child.start<Ours>("ours/process.ts", options.nodeOptions)
  yield* started.ask("open", { url: options.url ?? url, schema })
  return started
})

/**
 * A process of the limit.
 *
 * @category constructors
 * @since 0.1.0
 */
export const limit = Effect.gen(function*() {
  const { newSchema, url } = yield* Server
  const schema = yield* newSchema
  const started = yield* Child.start<Limit>("limit/process.ts")
  yield* started.ask("open", { url, schema })
  return { schema, ...started }
})

/**
 * Waits until nobody executes any run of a schema, and as many as said have this status.
 *
 * @category waiting
 * @since 0.1.0
 */
export const untilAtRest = Effect.fnUntraced(function*(schema: string, status: string, runs: number) {
  const { sql } = yield* Server
  const atRest = Effect.orDie(sql<{ readonly count: number }>`
    select count(*)::int as count from ${sql(schema)}.run_summaries s join ${sql(schema)}.runs r on r.run_id = s.run_id
    where s.status = ${status} and r.lease_owner is null`)
  while ((yield* atRest)[0]?.count !== runs) yield* Effect.sleep("20 millis")
})
