-- Who may use a server, and as what.
--
-- Of a secret only its SHA-256 is kept. A token that opens nothing any more stays, so that what was done with it has a name.
create table access_tokens (
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  token_id text not null primary key,
  digest text not null,
  namespace text not null,
  holder text not null,
  roles text[] not null
);

create unique index access_tokens_by_digest on access_tokens (digest);
create index access_tokens_by_namespace on access_tokens (namespace, created_at, token_id);
