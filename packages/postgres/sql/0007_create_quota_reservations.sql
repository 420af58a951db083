-- What is set aside under quotas, and when it happened; until that is known it counts, however old.
create table quota_reservations (
  at timestamptz(3) not null,
  settled boolean not null,
  namespace text not null,
  quota text not null,
  holder text not null,
  amount numeric not null,
  primary key (namespace, quota, holder)
);

create index quota_reservations_oldest on quota_reservations (namespace, quota, at, holder);
