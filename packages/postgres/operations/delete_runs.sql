-- Deletes runs by their ids, whole: to forget somebody. Only those that have ended and that no worker holds; it returns which.
--
--   psql --username=durable_agents_retention --set=runs=RUN,RUN --file=delete_runs.sql
begin;
set local durable_agents.retention = 'on';
with gone as materialized (
  select r.run_id from durable_agents.runs r join durable_agents.run_summaries s on s.run_id = r.run_id
  where r.run_id = any (string_to_array(:'runs', ',')::uuid[]) and r.lease_owner is null
    and s.status in ('Completed', 'Failed', 'Cancelled')
  for update of r
),
events_gone as (delete from durable_agents.events x using gone where x.run_id = gone.run_id),
labels_gone as (delete from durable_agents.run_labels x using gone where x.run_id = gone.run_id),
approvals_gone as (delete from durable_agents.pending_approvals x using gone where x.run_id = gone.run_id),
summaries_gone as (delete from durable_agents.run_summaries x using gone where x.run_id = gone.run_id),
runs_gone as (delete from durable_agents.runs x using gone where x.run_id = gone.run_id returning x.run_id)
select run_id from runs_gone;
commit;
