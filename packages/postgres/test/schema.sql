create table access_tokens (
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  token_id text not null,
  digest text not null,
  namespace text not null,
  holder text not null,
  roles text[] not null,
  PRIMARY KEY (token_id)
);

create table events (
  run_id uuid not null,
  seq integer not null,
  epoch integer,
  created_at timestamp(3) with time zone not null,
  append_id uuid,
  type text not null,
  payload json not null,
  PRIMARY KEY (run_id, seq)
) with (
  autovacuum_freeze_min_age=0,
  autovacuum_vacuum_insert_threshold=50000,
  autovacuum_vacuum_insert_scale_factor=0.02,
  autovacuum_analyze_threshold=1000
);

create table migrations (
  version integer not null,
  name text not null,
  digest text not null,
  breaking boolean not null,
  applied_at timestamp with time zone not null default now(),
  PRIMARY KEY (version)
);

create table pending_approvals (
  run_id uuid not null,
  since timestamp(3) with time zone not null,
  key text not null,
  namespace text not null,
  PRIMARY KEY (run_id, key)
) with (
  autovacuum_analyze_threshold=1000
);

create table quota_reservations (
  at timestamp(3) with time zone not null,
  settled boolean not null,
  namespace text not null,
  quota text not null,
  holder text not null,
  amount numeric not null,
  PRIMARY KEY (namespace, quota, holder)
);

create table run_labels (
  run_id uuid not null,
  label uuid not null,
  started_at timestamp(3) with time zone not null,
  PRIMARY KEY (run_id, label)
) with (
  autovacuum_analyze_threshold=1000
);

create table run_summaries (
  run_id uuid not null,
  started_at timestamp(3) with time zone not null,
  namespace text not null,
  program text not null,
  status text not null,
  summary json not null,
  PRIMARY KEY (run_id)
) with (
  fillfactor=90,
  autovacuum_analyze_threshold=1000
);

create table runs (
  run_id uuid not null,
  outside_seq integer not null,
  lease_epoch integer not null,
  wake_at timestamp(3) with time zone,
  namespace text not null,
  program text not null,
  lease_owner text,
  PRIMARY KEY (run_id)
) with (
  fillfactor=80,
  autovacuum_vacuum_threshold=1000,
  autovacuum_vacuum_scale_factor=0.02,
  autovacuum_vacuum_cost_delay=0,
  autovacuum_analyze_threshold=1000
);

create table workers (
  owner text not null,
  alive_until timestamp(3) with time zone not null,
  locked_since timestamp with time zone,
  PRIMARY KEY (owner)
) with (
  fillfactor=20,
  autovacuum_vacuum_threshold=100,
  autovacuum_vacuum_scale_factor=0,
  autovacuum_vacuum_cost_delay=0
);

CREATE UNIQUE INDEX access_tokens_by_digest ON access_tokens USING btree (digest);

CREATE INDEX access_tokens_by_namespace ON access_tokens USING btree (namespace, created_at, token_id);

CREATE INDEX pending_approvals_by_namespace ON pending_approvals USING btree (namespace, since, run_id, key);

CREATE INDEX pending_approvals_oldest ON pending_approvals USING btree (since, run_id, key);

CREATE INDEX quota_reservations_oldest ON quota_reservations USING btree (namespace, quota, at, holder);

CREATE INDEX run_labels_newest ON run_labels USING btree (label, started_at, run_id);

CREATE INDEX run_summaries_by_namespace ON run_summaries USING btree (namespace, started_at, run_id);

CREATE INDEX run_summaries_by_program ON run_summaries USING btree (program, started_at, run_id);

CREATE INDEX run_summaries_by_requester ON run_summaries USING btree (hashtextextended(((summary -> 'requestedBy'::text) ->> 'id'::text), (0)::bigint), started_at, run_id);

CREATE INDEX run_summaries_by_status ON run_summaries USING btree (status, started_at, run_id);

CREATE INDEX run_summaries_newest ON run_summaries USING btree (started_at, run_id);

CREATE INDEX runs_due ON runs USING btree (namespace, program, wake_at) WHERE ((lease_owner IS NULL) AND (wake_at IS NOT NULL));

CREATE INDEX runs_leased ON runs USING btree (lease_owner, namespace, program, wake_at) WHERE (lease_owner IS NOT NULL);

CREATE OR REPLACE FUNCTION events_never_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'UPDATE' and current_setting('durable_agents.retention', true) = 'on' then
    return null;
  end if;
  raise exception 'events are never changed and never deleted' using errcode = 'restrict_violation';
end
$function$;

CREATE TRIGGER events_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_never_change();
