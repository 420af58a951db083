-- Splits the tables that belong to runs into partitions, by a hash of the run's id.
--
--   begin;
--   set local search_path to durable_agents;
--   set local durable_agents.partitions = 16;
--   \i partition_by_run.sql
--   commit;
--
-- It takes its tables from the catalog: all of this schema whose primary key begins with run_id, and that are not partitioned yet.
-- So it can be run after any migration, and once more after the next one. Rows are moved, which nobody can use the tables during:
-- do it while they are small, with all workers stopped. Run it as the owner of the tables.
--
-- Columns, indexes, triggers, storage parameters, grants and owner stay what they were. What a partitioned table cannot have itself,
-- such as a fill factor, its partitions get; and each of them gets the triggers that see statements, since one that names a
-- partition would not be seen by those of the whole table.
do $partition$
declare
  parts constant integer := coalesce(nullif(current_setting('durable_agents.partitions', true), ''), '16');
  whole record;
  part text;
  command text;
begin
  for whole in
    select c.oid, c.relname as name, pg_get_userbyid(c.relowner) as owner, k.conname as key, pg_get_constraintdef(k.oid) as key_is,
      coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as options,
      array(
        select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = c.oid and not i.indisprimary order by i.indexrelid
      ) as indexes,
      array(
        select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by t.oid
      ) as triggers,
      array(
        select format('grant %s on %I to %s%s', a.privilege_type, c.relname,
          case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
          case when a.is_grantable then ' with grant option' else '' end)
        from aclexplode(c.relacl) a where a.grantee <> c.relowner
      ) as grants
    from pg_class c
    join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1] and a.attname = 'run_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
    order by c.relname
  loop
    execute format('lock table %I in access exclusive mode', whole.name);
    execute format('create table %I (like %I including defaults including storage including comments) partition by hash (run_id)',
      whole.name || '_split', whole.name);
    for i in 0 .. parts - 1 loop
      execute format('create table %I partition of %I for values with (modulus %s, remainder %s)%s',
        whole.name || '_' || i, whole.name || '_split', parts, i, whole.options);
    end loop;
    execute format('insert into %I select * from %I', whole.name || '_split', whole.name);
    execute format('drop table %I', whole.name);
    execute format('alter table %I rename to %I', whole.name || '_split', whole.name);
    execute format('alter table %I add constraint %I %s', whole.name, whole.key, whole.key_is);
    foreach command in array whole.indexes || whole.triggers || whole.grants loop
      execute command;
    end loop;
    execute format('alter table %I owner to %I', whole.name, whole.owner);
    for i in 0 .. parts - 1 loop
      part := whole.name || '_' || i;
      execute format('alter table %I owner to %I', part, whole.owner);
      foreach command in array whole.triggers loop
        command := replace(command, format(' ON %I.%I FOR EACH STATEMENT ', current_schema(), whole.name),
          format(' ON %I.%I FOR EACH STATEMENT ', current_schema(), part));
        -- Those that see rows are there already: they came with the whole table's.
        if position(' FOR EACH STATEMENT ' in command) > 0 then execute command; end if;
      end loop;
    end loop;
    execute format('analyze %I', whole.name);
  end loop;
end
$partition$;
