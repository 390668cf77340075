-- What a runtime is told of an agent, and how agents do.

alter table taskboard.agent
  add column model text,
  add column system_prompt text,
  add column capabilities text[] not null default '{}',
  add column tools text[] not null default '{}';

-- Until when a host's runtime of each agent type is at work, as far as it has said.
create table taskboard.agent_runtime (
  type text primary key,
  live_until bigint not null
) with (fillfactor = 50);

-- The attempts by which an agent is judged, the last ones first, without a look at the table.
create index attempt_rated on taskboard.attempt (agent_id, ended_at desc) include (started_at, outcome)
  where outcome in ('completed', 'failed', 'retried', 'expired');
