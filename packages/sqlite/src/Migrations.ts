/**
 * The tables, and how a file gets them: whichever process is first creates them, all others find them.
 */
import { StoreError } from "@durable-agents/core"
import { Result, Schema } from "effect"
import type { DatabaseSync } from "node:sqlite"
import { query } from "./Query.ts"

/**
 * One change of the tables. A breaking one keeps older builds from opening the file.
 *
 * @category models
 * @since 0.1.0
 */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly breaking: boolean
  readonly sql: string
}

/**
 * All migrations, oldest first. Never edit a released one.
 *
 * @category migrations
 * @since 0.1.0
 */
export const migrations: ReadonlyArray<Migration> = [
  {
    id: 1,
    name: "create_runs",
    breaking: true,
    sql: `
-- The log. It only grows. Rows lie in the order in which they came, so that a commit writes few pages.
create table events (
  run_id text not null,
  seq integer not null,
  type text not null,
  epoch integer,
  payload text not null,
  created_at integer not null,
  primary key (run_id, seq)
) strict;

-- What is written stays as it is, whoever asks.
create trigger events_never_change before update on events begin
  select raise(abort, 'events are never changed');
end;
create trigger events_never_go before delete on events begin
  select raise(abort, 'events are never deleted');
end;

-- The queue. A row changes only when the queue must know something: start, claim, a decision from outside, rest, end.
-- woken counts decisions from outside and lost leases over all runs, so that other processes find what is new.
create table runs (
  run_id text not null primary key,
  namespace text not null,
  program text not null,
  wake_at integer,
  lease_owner text,
  lease_epoch integer not null,
  outside_seq integer not null,
  woken integer not null
) strict, without rowid;

-- Free runs that have a time: a poll sees no parked, leased or finished run.
create index runs_due on runs (namespace, program, wake_at) where lease_owner is null and wake_at is not null;
create index runs_leased on runs (lease_owner, namespace, program, wake_at) where lease_owner is not null;
create index runs_woken on runs (woken);

-- Who holds leases, and until when it is alive (milliseconds since 1970).
create table workers (
  owner text not null primary key,
  alive_until integer not null
) strict, without rowid;

-- What lists show, computed from the log. started_at and run_id give the order of lists and never change.
create table run_summaries (
  run_id text not null primary key,
  namespace text not null,
  program text not null,
  status text not null,
  started_at integer not null,
  labels text not null,
  summary text not null
) strict;

create index run_summaries_newest on run_summaries (started_at, run_id);
create index run_summaries_by_namespace on run_summaries (namespace, started_at, run_id);
create index run_summaries_by_program on run_summaries (program, started_at, run_id);
create index run_summaries_by_status on run_summaries (status, started_at, run_id);

-- Approvals that wait, in the order of their list: one run may have several, of different age.
create table pending_approvals (
  run_id text not null,
  key text not null,
  namespace text not null,
  since real not null,
  primary key (run_id, key)
) strict, without rowid;

create index pending_approvals_oldest on pending_approvals (since, run_id, key);
create index pending_approvals_by_namespace on pending_approvals (namespace, since, run_id, key);
`
  },
  {
    id: 2,
    name: "create_access_tokens",
    breaking: false,
    sql: `
-- Who may use a server, and as what. Of a secret only its SHA-256 is kept; roles are a JSON list.
create table access_tokens (
  token_id text not null primary key,
  digest text not null unique,
  namespace text not null,
  holder text not null,
  roles text not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict, without rowid;

create index access_tokens_by_namespace on access_tokens (namespace, created_at, token_id);
`
  },
  {
    id: 3,
    name: "index_requesters",
    breaking: false,
    sql: `
-- Who started a run, in the order of lists.
create index run_summaries_by_requester on run_summaries (json_extract(summary, '$.requestedBy.id'), started_at, run_id);
`
  },
  {
    id: 4,
    name: "create_quota_reservations",
    breaking: false,
    sql: `
-- What is set aside under quotas, and when it happened; until that is known it counts, however old. Amounts are decimals.
create table quota_reservations (
  namespace text not null,
  quota text not null,
  holder text not null,
  amount text not null,
  at integer not null,
  settled integer not null,
  primary key (namespace, quota, holder)
) strict, without rowid;

create index quota_reservations_oldest on quota_reservations (namespace, quota, at, holder);
`
  }
]

const applied = `select id, name, breaking from migrations order by id`

const Applied = Schema.Struct({ id: Schema.Int, name: Schema.String, breaking: Schema.Int })

/**
 * Brings a file to this build's tables, inside the caller's transaction. Fails for a file that a newer build has changed in a
 * way that this one cannot work with.
 *
 * @category migrations
 * @since 0.1.0
 */
export const migrate = (connection: DatabaseSync, file: string, at: number): Result.Result<void, StoreError> => {
  connection.exec(`create table if not exists migrations (
    id integer not null primary key,
    name text not null,
    breaking integer not null,
    applied_at integer not null
  ) strict`)
  const found = query(connection, applied, Applied).all()
  const newer = tooNew(found, file)
  if (newer !== undefined) return Result.fail(newer)
  const known = new Set(found.map(({ id }) => id))
  const note = connection.prepare(`insert into migrations (id, name, breaking, applied_at) values (?, ?, ?, ?)`)
  for (const { breaking, id, name, sql } of migrations) {
    if (known.has(id)) continue
    connection.exec(sql)
    note.run(id, name, breaking ? 1 : 0, at)
  }
  return Result.void
}

/**
 * Says why a file cannot be taken for a store: it has no tables of ours.
 *
 * @category migrations
 * @since 0.1.0
 */
export const expectRuns = (connection: DatabaseSync, file: string): Result.Result<void, StoreError> => {
  const names = query(
    connection,
    `select name from sqlite_schema where type = 'table' and name in ('migrations', 'events')`,
    Schema.Struct({ name: Schema.String })
  ).all()
  return names.length < 2 ? refuse(file, "holds no runs: it is not a store of durable-agents") : Result.void
}

const refuse = (file: string, detail: string): Result.Result<never, StoreError> =>
  Result.fail(new StoreError({ operation: "open", detail: `\`${file}\` ${detail}` }))

/**
 * Says why a file cannot be read as it is: it has other tables than this build's.
 *
 * @category migrations
 * @since 0.1.0
 */
export const expect = (connection: DatabaseSync, file: string): Result.Result<void, StoreError> => {
  const ours = expectRuns(connection, file)
  if (Result.isFailure(ours)) return ours
  const found = query(connection, applied, Applied).all()
  const newer = tooNew(found, file)
  if (newer !== undefined) return Result.fail(newer)
  const known = new Set(found.map(({ id }) => id))
  return migrations.every(({ id }) => known.has(id))
    ? Result.void
    : refuse(file, "is of an older build: open it for writing once, which a worker does")
}

const tooNew = (found: ReadonlyArray<typeof Applied.Type>, file: string): StoreError | undefined => {
  const newest = migrations.at(-1)?.id ?? 0
  const unknown = found.find(({ breaking, id }) => id > newest && breaking === 1)
  return unknown === undefined ? undefined : new StoreError({
    operation: "open",
    detail: `\`${file}\` was changed by a newer build (migration ${unknown.id}, \`${unknown.name}\`): ` +
      `open it with that build or a later one`
  })
}
