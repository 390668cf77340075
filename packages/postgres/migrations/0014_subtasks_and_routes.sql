-- Subtasks, tasks that are for the agents of their type, and agents that are paused or work a bounded number of tasks.

-- The task that this one is a part of. Not a reference: the parent may be deleted, and nothing is written here then.
alter table taskboard.task add column parent_id text;
create index task_open_subtask on taskboard.task (parent_id) where parent_id is not null and column_name <> 'DONE';

alter table taskboard.agent
  -- It takes nothing while this is set.
  add column paused boolean not null default false,
  -- How many tasks it has under lease at most; null for any number.
  add column max_concurrent integer;

-- Claims look for the agents of a type that are not paused, workspace by workspace.
drop index taskboard.agent_type;
create index agent_type on taskboard.agent (type, paused, workspace_id, created_at, id);
drop index taskboard.agent_fallback;
create index agent_fallback on taskboard.agent (fallback, paused, workspace_id, created_at, id) where fallback is not null;
-- Whether a workspace has an agent of a type.
create index agent_route on taskboard.agent (type, workspace_id);

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

-- `agent_id` of the queue is a pool: an agent's id for its own tasks, '#' and a type for those of the agents of that type, and empty for
-- those of any agent. So a claim reads one pool more than before, in the same index.
alter table taskboard.todo add column type text;

-- The queue's row of a task in TODO at `present`.
create or replace function taskboard.todo_of(t taskboard.task, present bigint) returns setof taskboard.todo language sql stable rows 1 as $$
  select
    t.id, t.workspace_id,
    coalesce(t.assigned_to, case when t.type is not null and exists (
      select from taskboard.agent a where a.workspace_id = t.workspace_id and a.type = t.type
    ) then '#' || t.type end, ''),
    t.hold_reason is null and t.open_dependencies = 0 and coalesce(t.not_before <= present, true),
    p.lane, p.key, present,
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present
      then least(p.until, t.not_before) else p.until end,
    -- Only what waits for nothing but time is looked at when agents ask how long to wait.
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present then t.not_before end,
    t.created_at, coalesce(t.due_date, 9223372036854775807), t.hold_reason is not null, t.type
  from taskboard.place(t.flag, t.due_date, t.created_at, t.open_dependencies = 0, present) p
$$;

update taskboard.todo q
set type = t.type,
  agent_id = case when q.agent_id = '' and exists (
    select from taskboard.agent a where a.workspace_id = t.workspace_id and a.type = t.type
  ) then '#' || t.type else q.agent_id end
from taskboard.task t
where t.id = q.task_id and t.type is not null;

-- What waits for any agent and has a type. What is held or waits for other tasks is routed when that ends.
create index todo_unrouted on taskboard.todo (workspace_id, type)
  where type is not null and agent_id = '' and (ready or not_before is not null);

create or replace function taskboard.enter_queue() returns trigger language plpgsql as $$
begin
  if (
    old.column_name, old.hold_reason, old.open_dependencies, old.not_before, old.assigned_to, old.flag, old.due_date, old.type
  ) is not distinct from (
    new.column_name, new.hold_reason, new.open_dependencies, new.not_before, new.assigned_to, new.flag, new.due_date, new.type
  ) then
    return null;
  end if;
  delete from taskboard.todo where task_id = new.id;
  insert into taskboard.todo
  select q.* from (select * from taskboard.task where id = new.id limit 1) t,
    taskboard.todo_of(row(t.*)::taskboard.task, t.updated_at) q;
  return null;
end
$$;

-- Types whose first agent came to the workspace, or whose last one left: what waits for them may lie in the wrong pool, also what was
-- added at the same moment. So a row stays until no transaction is left that ran at that time, and nothing is in the wrong pool.
create table taskboard.rerouting (
  workspace_id text not null,
  type text not null,
  -- Every transaction that may not have seen the change is below it. Null until the first look.
  horizon xid8,
  primary key (workspace_id, type)
);

-- Moves at most `most` tasks of a type into the pool where they belong. Leaves those that others have locked.
create function taskboard.route_some(workspace text, task_type text, most integer) returns integer language plpgsql as $$
declare
  routed integer;
  waiting integer;
begin
  if exists (select from taskboard.agent a where a.workspace_id = workspace and a.type = task_type) then
    with misplaced as materialized (
      select q.task_id from taskboard.todo q
      where q.workspace_id = workspace and q.type = task_type and q.agent_id = '' and (q.ready or q.not_before is not null)
      limit most for update skip locked
    )
    update taskboard.todo q set agent_id = '#' || task_type where q.task_id = any (array(select task_id from misplaced));
    get diagnostics routed = row_count;
    return routed;
  end if;
  with misplaced as materialized (
    select q.task_id from taskboard.todo q
    where q.workspace_id = workspace and q.agent_id = '#' || task_type and q.ready
    limit most for update skip locked
  )
  update taskboard.todo q set agent_id = '' where q.task_id = any (array(select task_id from misplaced));
  get diagnostics routed = row_count;
  with misplaced as materialized (
    select q.task_id from taskboard.todo q
    where q.workspace_id = workspace and q.agent_id = '#' || task_type and not q.ready and q.not_before is not null
    limit most - routed for update skip locked
  )
  update taskboard.todo q set agent_id = '' where q.task_id = any (array(select task_id from misplaced));
  get diagnostics waiting = row_count;
  return routed + waiting;
end
$$;

-- Whether tasks of a type are left in the wrong pool.
create function taskboard.is_misrouted(workspace text, task_type text) returns boolean language plpgsql stable as $$
begin
  if exists (select from taskboard.agent a where a.workspace_id = workspace and a.type = task_type) then
    return exists (
      select from taskboard.todo q
      where q.workspace_id = workspace and q.type = task_type and q.agent_id = '' and (q.ready or q.not_before is not null)
    );
  end if;
  return exists (
    select from taskboard.todo q where q.workspace_id = workspace and q.agent_id = '#' || task_type and q.ready
  ) or exists (
    select from taskboard.todo q
    where q.workspace_id = workspace and q.agent_id = '#' || task_type and not q.ready and q.not_before is not null
  );
end
$$;

-- Routes up to `most` tasks of a type in `rerouting`, and takes its row away when nothing is left for it.
create function taskboard.route_more(workspace text, task_type text, most integer) returns integer language plpgsql as $$
declare
  bound xid8;
  seen pg_snapshot;
  routed integer;
begin
  select r.horizon into bound from taskboard.rerouting r
  where r.workspace_id = workspace and r.type = task_type for update skip locked;
  if not found then
    return 0;
  end if;
  -- Taken before the look at those that wait: what is below its xmin has ended, and is seen.
  seen := pg_current_snapshot();
  routed := taskboard.route_some(workspace, task_type, most);
  if bound is null then
    update taskboard.rerouting r set horizon = pg_snapshot_xmax(seen) where r.workspace_id = workspace and r.type = task_type;
  elsif bound <= pg_snapshot_xmin(seen) and not taskboard.is_misrouted(workspace, task_type) then
    delete from taskboard.rerouting r where r.workspace_id = workspace and r.type = task_type;
  end if;
  return routed;
end
$$;

create function taskboard.turn_route(workspace text, task_type text) returns void language plpgsql as $$
begin
  insert into taskboard.rerouting (workspace_id, type) values (workspace, task_type)
  on conflict (workspace_id, type) do update set horizon = null;
  perform taskboard.route_some(workspace, task_type, 100);
end
$$;

-- An agent that leaves always notes its type: of two that leave at the same moment, neither sees that the other does. One that comes
-- notes it if it sees no other; and not if its workspace is of this transaction, too, and so nobody else's.
create function taskboard.agents_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform taskboard.turn_route(old.workspace_id, old.type);
  end if;
  if tg_op = 'DELETE' then
    return null;
  end if;
  if not exists (
    select from taskboard.agent a where a.workspace_id = new.workspace_id and a.type = new.type and a.id <> new.id
  ) and not exists (
    select from taskboard.workspace w where w.id = new.workspace_id and w.xmin = pg_current_xact_id()::xid
  ) then
    perform taskboard.turn_route(new.workspace_id, new.type);
  end if;
  return null;
end
$$;
create trigger agents_changed after insert or delete on taskboard.agent for each row
  execute function taskboard.agents_changed();
create trigger agent_type_changed after update of type on taskboard.agent for each row
  when (old.type <> new.type) execute function taskboard.agents_changed();

create or replace function taskboard.first_wait_for_agent(workspace text, agent text) returns bigint
language plpgsql stable parallel safe as $$
begin
  return least(
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.agent_id = '' and not t.ready and t.not_before is not null
    ),
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.agent_id = (select '#' || g.type from taskboard.agent g where g.id = agent)
        and not t.ready and t.not_before is not null
    ),
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.agent_id = agent and not t.ready and t.not_before is not null
    )
  );
end
$$;

create or replace function taskboard.first_wait_for_type(agent_type text) returns bigint
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
          where g.type = agent_type and not g.paused and g.workspace_id = e.workspace_id
            and e.agent_id in ('', '#' || g.type, g.id)
        )
        order by e.not_before limit 1
      ),
      (select max(e.not_before) from early e having count(*) = 1000)
    )
  );
end
$$;

create or replace function taskboard.first_wait_for_fallback(runtime text) returns bigint
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
          where g.fallback = runtime and not g.paused and g.workspace_id = e.workspace_id
            and e.agent_id in ('', '#' || g.type, g.id)
        )
        order by e.not_before limit 1
      ),
      (select max(e.not_before) from early e having count(*) = 1000)
    )
  );
end
$$;
