-- Repeated requests.

-- What a request with an idempotency key has created, and its answer, so that a repeat gets the same one.
create table taskboard.idempotency (
  -- The caller and the kind of request.
  scope text not null,
  key text not null,
  fingerprint text not null,
  resource_id text not null,
  value jsonb not null,
  created_at bigint not null,
  -- What the answer said beyond the value at that moment. `json`, so that its members keep their order.
  answer json,
  primary key (scope, key)
);
create index idempotency_age on taskboard.idempotency (created_at);

-- The workspace of the caller, as requests write it into the scope.
create function taskboard.workspace_of_scope(scope text) returns text language sql immutable parallel safe as $$
  select substring(scope from '"(ws_[0-9A-Za-z]+)"')
$$;
create index idempotency_workspace on taskboard.idempotency (taskboard.workspace_of_scope(scope));
