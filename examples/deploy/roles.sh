#!/bin/sh
# The roles of docs/guide/postgres.md, and the schema that the first of them owns. Those without a password cannot log in yet.
set -eu
psql --set=ON_ERROR_STOP=1 --quiet --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\set owner `cat /run/secrets/owner-password`
\set worker `cat /run/secrets/worker-password`
create role durable_agents_owner login password :'owner';
create role durable_agents_worker login password :'worker';
create role durable_agents_reader login;
create role durable_agents_retention login;
create schema durable_agents authorization durable_agents_owner;
SQL
