-- What lists show of runs, computed from their logs.
--
-- breaking: older builds know no tables at all.
--
-- started_at and run_id are the order of lists; they never change. A row changes with the status and the waits of its run.
create table run_summaries (
  run_id uuid not null primary key,
  started_at timestamptz(3) not null,
  namespace text not null,
  program text not null,
  status text not null,
  summary json not null
) with (fillfactor = 90, autovacuum_analyze_threshold = 1000);

create index run_summaries_newest on run_summaries (started_at, run_id);
create index run_summaries_by_namespace on run_summaries (namespace, started_at, run_id);
create index run_summaries_by_program on run_summaries (program, started_at, run_id);
create index run_summaries_by_status on run_summaries (status, started_at, run_id);

-- The labels of runs, each label in the order of lists. Names and values may be longer than an index can hold, so a label stands
-- for both: the first half of the SHA-256 of ["name","value"].
create table run_labels (
  run_id uuid not null,
  label uuid not null,
  started_at timestamptz(3) not null,
  primary key (run_id, label)
) with (autovacuum_analyze_threshold = 1000);

create index run_labels_newest on run_labels (label, started_at, run_id);

-- Approvals that wait, in the order of their list: one run may have several, of different age.
create table pending_approvals (
  run_id uuid not null,
  since timestamptz(3) not null,
  key text not null,
  namespace text not null,
  primary key (run_id, key)
) with (autovacuum_analyze_threshold = 1000);

create index pending_approvals_oldest on pending_approvals (since, run_id, key);
create index pending_approvals_by_namespace on pending_approvals (namespace, since, run_id, key);
