-- The queue: which runs are due, and who holds them.
--
-- breaking: older builds know no tables at all.
--
-- A row changes only when the queue must know something: start, claim, a decision from outside, rest, end. What is appended to a
-- log while a worker executes the run does not touch it.
create table runs (
  run_id uuid not null primary key,
  -- The latest decision from outside.
  outside_seq integer not null,
  -- The number of the latest lease.
  lease_epoch integer not null,
  -- When the run is due; null for no time. While leased it is in the past, so that a lost lease makes the run due.
  wake_at timestamptz(3),
  namespace text not null,
  program text not null,
  lease_owner text
) with (
  -- The few changes of a run mostly find room on the page that it is on.
  fillfactor = 80,
  -- Polls walk the indexes below: what has left them should be gone from there before it is much, and without pauses.
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 1000
);

-- Free runs that have a time: a poll sees no parked, leased or finished run.
create index runs_due on runs (namespace, program, wake_at) where lease_owner is null and wake_at is not null;

-- What an owner holds: for its heartbeats, and for those who take over when it is dead.
create index runs_leased on runs (lease_owner, namespace, program, wake_at) where lease_owner is not null;
