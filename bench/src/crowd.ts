/**
 * Many runs, written by SQL as the store would have left them.
 */
import { Effect } from "effect"
import { Server } from "./Server.ts"

/** Time-ordered ids, as new runs get them. */
const id = (number: string) =>
  `(lpad(to_hex(1790000000000 + ${number}), 12, '0') || '7' || substr(md5(${number}::text), 1, 3) || '8' || substr(md5(${number}::text), 4, 15))::uuid`

const inBatches = Effect.fnUntraced(function*(
  schema: string,
  count: number,
  first: number,
  templates: string,
  events: string
) {
  const { sql } = yield* Server
  const size = 100_000
  for (let from = 0; from < count; from += size) {
    const to = Math.min(count, from + size)
    yield* Effect.orDie(sql.unsafe(`
      do $crowd$ begin
        set local search_path to ${schema};
        set local synchronous_commit to off;
        create temporary table made on commit drop as
          select t.run_id as template, ${id(`(${first} + n)::bigint`)} as run_id, n
          from generate_series(${from}, ${to - 1}) n
          join (select run_id, row_number() over () - 1 as place, count(*) over () as size from (${templates}) q) t
            on t.place = n % t.size;
        analyze made;
        insert into events (run_id, seq, epoch, created_at, append_id, type, payload)
          select m.run_id, row_number() over (partition by m.run_id order by e.seq) - 1, e.epoch, e.created_at, e.append_id, e.type,
            e.payload
          from made m join events e on e.run_id = m.template where ${events};
        insert into runs (run_id, outside_seq, lease_epoch, wake_at, namespace, program, lease_owner)
          select m.run_id, r.outside_seq, r.lease_epoch, r.wake_at, r.namespace, r.program, r.lease_owner
          from made m join runs r on r.run_id = m.template;
        insert into run_summaries (run_id, started_at, namespace, program, status, summary)
          select m.run_id, s.started_at + m.n * interval '1 millisecond', s.namespace, s.program, s.status,
            jsonb_set(s.summary::jsonb, '{runId}', to_jsonb(m.run_id::text))::json
          from made m join run_summaries s on s.run_id = m.template;
        insert into pending_approvals (run_id, since, key, namespace)
          select m.run_id, a.since + m.n * interval '1 millisecond', a.key, a.namespace
          from made m join pending_approvals a on a.run_id = m.template;
      end $crowd$`))
  }
})

/** As the server's own housekeeping leaves tables some time later. */
const settled = Effect.fnUntraced(function*(schema: string) {
  const { sql } = yield* Server
  for (const table of ["events", "runs", "run_summaries", "pending_approvals"]) {
    yield* Effect.orDie(sql.unsafe(`vacuum analyze ${schema}.${table}`))
  }
})

/**
 * Copies of runs that wait for a person.
 *
 * @category constructors
 * @since 0.1.0
 */
export const copies = (schema: string, count: number, first: number) =>
  inBatches(
    schema,
    count,
    first,
    "select run_id from run_summaries where status = 'AwaitingApproval' limit 1000",
    "true"
  )

/**
 * Copies of runs that have ended, of which there must be some. Of their logs the first and the last event, since nothing that is
 * measured reads more of them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const finished = Effect.fnUntraced(function*(schema: string, count: number) {
  yield* inBatches(
    schema,
    count,
    1_000_000,
    "select run_id from run_summaries where status = 'Completed' limit 1000",
    "e.type in ('RunStarted', 'RunCompleted')"
  )
  yield* settled(schema)
})
