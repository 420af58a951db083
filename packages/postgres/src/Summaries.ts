/**
 * Keeping what lists show of runs, as parts of a statement that also says which of them are to be kept.
 */
import type { RunId, RunSummary } from "@durable-agents/core"
import { RunEvent } from "@durable-agents/core"
import type { Fragment } from "effect/sql/Statement"
import { createHash } from "node:crypto"
import { expectOne, floats, texts, timeOf, uuids } from "./Columns.ts"
import type { Database } from "./Database.ts"

/**
 * A label as its index knows it.
 *
 * @category columns
 * @since 0.1.0
 */
export const labelId = (name: string, value: string): string => {
  const hex = createHash("sha256").update(RunEvent.cleanText(JSON.stringify([name, value]))).digest("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}

/**
 * The labels of a run as their index knows them.
 *
 * @category columns
 * @since 0.1.0
 */
export const labelsOf = (
  { labels, runId }: RunSummary
): ReadonlyArray<{ readonly runId: RunId; readonly label: string }> =>
  Object.entries(labels).map(([name, value]) => ({ runId, label: labelId(name, value) }))

/**
 * A summary as it is stored.
 *
 * @category columns
 * @since 0.1.0
 */
export const textOf = (summary: RunSummary): string => RunEvent.cleanText(JSON.stringify(summary))

/**
 * Common table expressions that keep those of these summaries whose run is in another one, `kept`, which has a column `run_id`.
 *
 * **Gotchas**
 *
 * Whoever keeps the summary of a run must hold the lock of its row in `runs`.
 *
 * @category statements
 * @since 0.1.0
 */
export const keeping = (
  { sql, tables }: Database,
  kept: string,
  summaries: ReadonlyArray<RunSummary>,
  now: Fragment
): Fragment => {
  const approvals = summaries.flatMap(({ namespace, runId, waits }) =>
    waits.filter(({ kind }) => kind === "approval").map(({ key, since }) => ({ runId, namespace, key, since }))
  )
  const labels = summaries.flatMap(labelsOf)
  return sql`
    summarized as (
      insert into ${tables.run_summaries} (run_id, started_at, namespace, program, status, summary)
      select s.run_id, coalesce(
        (select e.created_at from ${tables.events} e where e.run_id = s.run_id and e.seq = 0), ${now}
      ), s.namespace, s.program, s.status, s.summary::json
      from unnest(
        ${uuids(sql, summaries.map(({ runId }) => runId))},
        ${texts(sql, summaries.map(({ namespace }) => namespace))},
        ${texts(sql, summaries.map(({ program }) => program))},
        ${texts(sql, summaries.map(({ status }) => status))},
        ${texts(sql, summaries.map(textOf))}
      ) with ordinality as s (run_id, namespace, program, status, summary, place)
      where ${expectOne(sql, "s.place")} and s.run_id in (select k.run_id from ${sql.literal(kept)} k)
      on conflict (run_id) do update set status = excluded.status, summary = excluded.summary
      returning run_id, started_at
    ),
    approvals as materialized (
      select a.run_id, a.key, ${timeOf(sql, sql.literal("a.since"))}::timestamptz(3) as since, a.namespace
      from unnest(
        ${uuids(sql, approvals.map(({ runId }) => runId))},
        ${texts(sql, approvals.map(({ key }) => key))},
        ${floats(sql, approvals.map(({ since }) => since))},
        ${texts(sql, approvals.map(({ namespace }) => namespace))}
      ) with ordinality as a (run_id, key, since, namespace, place)
      where ${expectOne(sql, "a.place")}
    ),
    approvals_over as (
      delete from ${tables.pending_approvals} p using summarized z
      where p.run_id = z.run_id and not exists (select from approvals a where a.run_id = p.run_id and a.key = p.key)
    ),
    approvals_kept as (
      insert into ${tables.pending_approvals} (run_id, since, key, namespace)
      select a.run_id, a.since, a.key, a.namespace from approvals a join summarized z on z.run_id = a.run_id
      on conflict (run_id, key) do update set since = excluded.since
    ),
    labels as materialized (
      select l.run_id, l.label from unnest(
        ${uuids(sql, labels.map(({ runId }) => runId))},
        ${uuids(sql, labels.map(({ label }) => label))}
      ) with ordinality as l (run_id, label, place)
      where ${expectOne(sql, "l.place")}
    ),
    labels_over as (
      delete from ${tables.run_labels} p using summarized z
      where p.run_id = z.run_id and not exists (select from labels l where l.run_id = p.run_id and l.label = p.label)
    ),
    labels_kept as (
      insert into ${tables.run_labels} (run_id, label, started_at)
      select l.run_id, l.label, z.started_at from labels l join summarized z on z.run_id = l.run_id
      on conflict do nothing
    )`
}
