-- How long the lease of a task is, as its claim asked for: renewals that name no other length use it.
alter table taskboard.task add column lease_ms integer not null default 60000;

alter table taskboard.agent
  -- Until when somebody outside of the runtimes works for the agent, as far as claims for it have said.
  add column worked_until bigint,
  -- '*' while no runtime is registered for the agent's own type: such agents are worked by the runtime for '*'. Null for the others.
  add column fallback text default '*';
create index agent_fallback on taskboard.agent (fallback, workspace_id, created_at, id) where fallback is not null;

-- Whether the agents of the type have no fallback. It follows `live_until` with the next report of a runtime.
alter table taskboard.agent_runtime add column is_routed boolean not null default false;

-- The row is locked, so that of a new agent and a report of the same moment the later one sees the other.
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

-- As `first_wait_for_type`, for the agents that the runtime for '*' works.
create function taskboard.first_wait_for_fallback(runtime text) returns bigint
language plpgsql stable parallel safe as $$
begin
  return (
    with early as materialized (
      select t.workspace_id, t.agent_id, t.not_before from taskboard.todo t
      where not t.ready and t.not_before is not null order by t.not_before limit 1000
    )
    select coalesce(
      (
        select e.not_before from early e where exists (
          select from taskboard.agent g
          where g.fallback = runtime and g.workspace_id = e.workspace_id and e.agent_id in ('', g.id)
        )
        order by e.not_before limit 1
      ),
      (select max(e.not_before) from early e having count(*) = 1000)
    )
  );
end
$$;
