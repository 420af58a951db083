-- The log of every run. It only grows.
--
-- breaking: older builds know no tables at all.
--
-- Every statement names its run, and the primary key begins with it, so the table can be partitioned or distributed by run_id as
-- it is. The columns stand in an order that needs no padding.
create table events (
  run_id uuid not null,
  seq integer not null,
  -- The lease of the worker that wrote it; null for decisions from outside.
  epoch integer,
  created_at timestamptz(3) not null,
  -- Which append wrote a decision from outside: after a broken connection its writer finds out by this whether it was stored. What
  -- a worker wrote it knows by its epoch.
  append_id uuid,
  type text not null,
  -- json, not jsonb: what was written is given back as it was written, the order of keys and the form of numbers included.
  payload json not null,
  primary key (run_id, seq)
) with (
  -- Rows never change, so they can be frozen when they are first vacuumed, and never be written again.
  autovacuum_freeze_min_age = 0,
  -- Nothing is ever dead here. Vacuum comes for new rows only: soon enough that it has little to do each time.
  autovacuum_vacuum_insert_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  -- Of a table that is known to be tiny the planner reads all, in plans that are kept when it is not tiny any more.
  autovacuum_analyze_threshold = 1000
);

-- What is written stays as it is, whoever asks. Whoever may delete at all can remove whole runs where the law or the space says
-- so, in a transaction that begins with: set local durable_agents.retention = 'on'
create function events_never_change() returns trigger language plpgsql as $function$
begin
  if tg_op <> 'UPDATE' and current_setting('durable_agents.retention', true) = 'on' then
    return null;
  end if;
  raise exception 'events are never changed and never deleted' using errcode = 'restrict_violation';
end
$function$;

create trigger events_never_change before update or delete or truncate on events
for each statement execute function events_never_change();
