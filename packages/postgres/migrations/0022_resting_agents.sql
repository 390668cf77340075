-- Until when the agent takes nothing, because its worker could not work; null when it never rested.
alter table taskboard.agent add column rest_until bigint;

-- The same keys as before, with what a claim asks of an agent besides.
drop index taskboard.agent_type;
create index agent_type on taskboard.agent (type, paused, workspace_id, created_at, id) include (spent_until, rest_until);
drop index taskboard.agent_fallback;
create index agent_fallback on taskboard.agent (fallback, paused, workspace_id, created_at, id)
  include (spent_until, rest_until) where fallback is not null;

-- For the end of the first rest. Agents that never rested are not in it.
create index agent_rest_type on taskboard.agent (type, paused, rest_until) where rest_until is not null;
create index agent_rest_fallback on taskboard.agent (fallback, paused, rest_until)
  where rest_until is not null and fallback is not null;
