-- What each role may do with the tables. Run it as their owner, after the tables were created, and again when an upgrade has brought new ones.
grant usage on schema durable_agents to durable_agents_worker;
grant select on all tables in schema durable_agents to durable_agents_worker;
grant insert on durable_agents.events to durable_agents_worker;
grant insert, update, delete on durable_agents.runs, durable_agents.workers, durable_agents.run_summaries,
  durable_agents.run_labels, durable_agents.pending_approvals, durable_agents.quota_reservations to durable_agents_worker;

grant usage on schema durable_agents to durable_agents_reader;
grant select on all tables in schema durable_agents to durable_agents_reader;

grant usage on schema durable_agents to durable_agents_retention;
grant select on all tables in schema durable_agents to durable_agents_retention;
grant update on durable_agents.runs to durable_agents_retention;
grant delete on durable_agents.events, durable_agents.runs, durable_agents.run_summaries, durable_agents.run_labels,
  durable_agents.pending_approvals to durable_agents_retention;
