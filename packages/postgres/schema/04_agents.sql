-- Agents, and the runtimes that work them.

-- Workers of a workspace. What a claim asks of an agent is in its indexes.
create table taskboard.agent (
  id text primary key,
  workspace_id text not null references taskboard.every_workspace,
  name text not null,
  type text not null,
  -- As last reported.
  status text not null,
  -- Its profile, which a runtime passes to the program or the model that works the agent.
  model text,
  system_prompt text,
  capabilities text[] not null default '{}',
  tools text[] not null default '{}',
  -- '*' while no runtime is registered for the agent's own type: the runtime for '*' works such agents. Null for the others.
  fallback text default '*',
  -- It takes nothing while this is set.
  paused boolean not null default false,
  -- While the account takes no writes, all its agents are paused, and this is what they were before.
  paused_before boolean,
  -- The most tasks that it has under lease; null for any number.
  max_concurrent integer,
  -- Until when somebody outside of the runtimes works for the agent, according to claims for it.
  worked_until bigint,
  -- Until when it takes nothing, because its budget or that of its workspace is spent.
  spent_until bigint not null default 0,
  -- Until when it takes nothing, because its worker could not work; null when it never rested.
  rest_until bigint,
  created_at bigint not null
);
create index agent_age on taskboard.agent (workspace_id, created_at, id);
-- Claims find the agents of a type, or of a runtime, that are not paused, workspace by workspace.
create index agent_type on taskboard.agent (type, paused, workspace_id, created_at, id) include (spent_until, rest_until);
create index agent_fallback on taskboard.agent (fallback, paused, workspace_id, created_at, id)
  include (spent_until, rest_until) where fallback is not null;
-- The end of the first rest. Agents that never rested are not in these two.
create index agent_rest_type on taskboard.agent (type, paused, rest_until) where rest_until is not null;
create index agent_rest_fallback on taskboard.agent (fallback, paused, rest_until)
  where rest_until is not null and fallback is not null;
-- Whether a workspace has an agent of a type.
create index agent_route on taskboard.agent (type, workspace_id);
-- Whether workers outside of the runtimes still work is checked all the time.
create index agent_worked on taskboard.agent (worked_until) where worked_until is not null;

-- The runtimes of hosts, by the type of agents that they work.
create table taskboard.agent_runtime (
  type text primary key,
  -- Until when one is at work, according to its last report.
  live_until bigint not null,
  -- Whether the agents of the type have no fallback. It follows `live_until` with the next report of a runtime.
  is_routed boolean not null default false
) with (fillfactor = 50);

-- Sets the fallback of an agent. The row of the runtime is locked, so that of a new agent and a report at the same moment, the later one
-- sees the other.
create function taskboard.route_agent() returns trigger language plpgsql as $$
declare
  routed boolean;
begin
  select r.is_routed into routed from taskboard.agent_runtime r where r.type = new.type for share;
  new.fallback := case when coalesce(routed, false) then null else '*' end;
  return new;
end
$$;
create trigger route_agent before insert or update of type on taskboard.agent for each row
  execute function taskboard.route_agent();

-- Gives a new agent the spent budget of its workspace. The budget is locked, so that of a new agent and a report of usage at the same
-- moment, the later one sees the other.
create function taskboard.budget_agent() returns trigger language plpgsql as $$
begin
  new.spent_until := coalesce((
    select b.spent_until from taskboard.monthly_budget b
    where b.workspace_id = new.workspace_id and b.agent_id = '' for share
  ), 0);
  return new;
end
$$;
create trigger budget_agent before insert on taskboard.agent for each row execute function taskboard.budget_agent();

-- How many more tasks an agent with a bound may take. Its row stays locked until the commit, so that two claims do not take the same
-- place. A function sees what was committed until it runs. Without `waits`, an agent that another claim has locked has no room.
create function taskboard.room_of(agent text, waits boolean) returns integer language plpgsql as $$
declare
  bound integer;
  held integer;
begin
  if waits then
    select a.max_concurrent into bound from taskboard.agent a where a.id = agent and not a.paused for no key update;
  else
    select a.max_concurrent into bound from taskboard.agent a where a.id = agent and not a.paused
    for no key update skip locked;
  end if;
  if not found then
    return 0;
  end if;
  select count(*) into held from taskboard.task t where t.lease_agent_id = agent;
  return greatest(0, coalesce(bound - held, 1000000));
end
$$;
