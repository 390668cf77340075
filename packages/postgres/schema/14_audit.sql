-- Who did what, from where. Rows are added, and deleted when they are old or with their account; nothing changes them.

create table taskboard.audit (
  id text primary key,
  -- Null for what belongs to no account. No reference, because a host can keep it for longer than the account.
  account_id text,
  at bigint not null,
  action text not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  session_id text,
  client_address text,
  request_id text,
  target_kind text,
  target_id text,
  details jsonb not null,
  -- How often, in a minute, for what is counted.
  count integer not null
);
create index audit_of_account on taskboard.audit (account_id, at desc, id desc);
-- These two serve the deletion of what is old, which is so sooner for what belongs to no account.
create index audit_age on taskboard.audit (at) where account_id is not null;
create index audit_age_of_none on taskboard.audit (at, id) where account_id is null;
