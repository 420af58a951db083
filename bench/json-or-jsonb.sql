-- What jsonb costs against json, for payloads like those of events: inserted from an array, read back as text, stored.
-- Alternates seven times and compares the fastest of each; prints the ratios. psql -f json-or-jsonb.sql
do $measure$
declare
  payloads constant text[] := array(
    select json_build_object('key', 'turn-' || i || '/call-1', 'attempt', 1, 'turn', i, 'tool', 'issue_refund',
      'arguments', json_build_object('orderId', 'A-' || i, 'cents', i * 100), 'durationMillis', i % 977,
      'text', (select string_agg(md5((i * 31 + n)::text), ' ') from generate_series(1, i % 40) n))::text
    from generate_series(1, 20000) i);
  round integer; kind text; began timestamptz; took float8; best jsonb := '{}';
begin
  for round in 1..7 loop
    foreach kind in array case when round % 2 = 0 then array['json', 'jsonb'] else array['jsonb', 'json'] end loop
      execute format('drop table if exists of_%s', kind);
      execute format('create table of_%s (id integer primary key, payload %s not null)', kind, kind);
      began := clock_timestamp();
      execute format('insert into of_%s select n, p::%s from unnest($1) with ordinality as u (p, n)', kind, kind) using payloads;
      took := extract(epoch from clock_timestamp() - began);
      best := best || jsonb_build_object(kind || ' insert', least(took, (best ->> (kind || ' insert'))::float8));
      began := clock_timestamp();
      execute format('select sum(length(payload::text)) from of_%s', kind);
      took := extract(epoch from clock_timestamp() - began);
      best := best || jsonb_build_object(kind || ' read', least(took, (best ->> (kind || ' read'))::float8));
    end loop;
  end loop;
  raise notice 'jsonb / json: insert %, read %, size %',
    round(((best ->> 'jsonb insert')::float8 / (best ->> 'json insert')::float8)::numeric, 2),
    round(((best ->> 'jsonb read')::float8 / (best ->> 'json read')::float8)::numeric, 2),
    round(pg_total_relation_size('of_jsonb')::numeric / pg_total_relation_size('of_json'), 2);
end $measure$;
