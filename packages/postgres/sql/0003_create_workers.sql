-- Who holds leases, and until when each of them is alive.
--
-- breaking: older builds know no tables at all.
create table workers (
  owner text not null primary key,
  alive_until timestamptz(3) not null,
  -- Whoever has this start of the server here held an advisory lock under it when it wrote this: if the lock is free while the
  -- server still runs, the owner is dead, whatever its time says.
  locked_since timestamptz
) with (
  -- A heartbeat changes columns that no index has, and finds room on the same page: no index is written. The table is tiny, and
  -- should stay so.
  fillfactor = 20,
  autovacuum_vacuum_threshold = 100,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_cost_delay = 0
);
