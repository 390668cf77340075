-- A user without a list of scopes has every one that there is, also those that later versions add. Earlier versions wrote the
-- list of their time instead, which nobody meant to be the end of it.
alter table taskboard.account_user alter column scopes drop not null;

update taskboard.account_user set scopes = null
where cardinality(scopes) = 10 and scopes @> array[
  'tasks:read', 'tasks:write', 'agents:read', 'agents:write', 'analytics:read', 'webhooks:read', 'webhooks:write',
  'chat:write', 'account:read', 'account:write'
];
