-- The order in which tasks are claimed. docs/pickup.md explains lanes, keys and pools.

-- The weights and horizons that the stored keys were made with. One row.
create table taskboard.scoring (
  only_row boolean primary key default true check (only_row),
  due_horizon_ms bigint not null,
  due_far_horizon_ms bigint not null,
  age_horizon_ms bigint not null,
  -- One step of the priority.
  priority_step bigint not null,
  -- What a task without open dependencies gets for that.
  unblocked_units bigint not null,
  -- What a task that is due, or overdue, gets for that.
  due_units bigint not null,
  -- The same at `due_horizon_ms` before that, and at `due_far_horizon_ms`.
  due_near_units bigint not null,
  due_far_units bigint not null,
  -- The fast rise within `due_horizon_ms` of the due date, and the slow one before it.
  due_slope bigint not null,
  due_far_slope bigint not null,
  age_slope bigint not null,
  unit bigint not null,
  -- The run that recomputes the keys, until it has computed all of them: those of an interrupted run cannot be compared.
  rescoring uuid
);
-- The default of the library. The functions below need one before the first host has stored its own.
insert into taskboard.scoring (
  due_horizon_ms, due_far_horizon_ms, age_horizon_ms, priority_step, unblocked_units, due_units, due_near_units, due_far_units,
  due_slope, due_far_slope, age_slope, unit
) values (
  1209600000, 15552000000, 2592000000, 191232000000, 215136000000, 430272000000, 129081600000, 43027200000,
  249, 6, 83, 1434240000000
);

-- The queue: one narrow row for each task in TODO, with its place in the order of claims. Claims remove rows here, so that the dead ones
-- that they leave behind are not in the way of readers of the wide table. Numbers stand together, as in `task`.
create table taskboard.todo (
  task_id text primary key,
  workspace_id text not null,
  -- Who may take it: the id of an agent, '#' and a type for any agent of that type, '' for any agent.
  pool text not null,
  type text,
  -- The score in units is `key` + the slope of the lane x now.
  key bigint not null,
  -- From when the placement is valid, and the first instant at which it is not.
  placed_at bigint not null,
  until bigint not null,
  -- Of a task that waits only for this.
  not_before bigint,
  -- As of the task, or the largest number for none, which is after all dates.
  due_date bigint not null,
  created_at bigint not null,
  -- How its score rises: bit 0 with the age, the other bits with the due date: 0 not, 1 slowly, 2 fast.
  lane smallint not null,
  -- No hold, no open dependencies, not waiting for its `not_before`.
  ready boolean not null,
  held boolean not null
) with (fillfactor = 80);
create index todo_pickup on taskboard.todo (workspace_id, pool, lane, key desc, due_date, created_at, task_id) where ready;
-- The lane is written in another way than in `todo_pickup`: otherwise a planner without statistics might use this index for claims, and
-- read past all entries of other pools.
create index todo_listing on taskboard.todo (workspace_id, held, (lane + 0), key desc, due_date, created_at, task_id);
create index todo_until on taskboard.todo (until) where until < 9223372036854775807;
create index todo_delayed on taskboard.todo (workspace_id, pool, not_before) where not ready and not_before is not null;
create index todo_waiting on taskboard.todo (not_before) where not ready and not_before is not null;
create index todo_placed on taskboard.todo (workspace_id, placed_at);
-- Tasks that have a type and wait for any agent. Those on hold, or that wait for other tasks, are routed when that ends.
create index todo_unrouted on taskboard.todo (workspace_id, type)
  where type is not null and pool = '' and (ready or not_before is not null);

-- Where a task stands in the order at `present`, as `placeTask` of core computes it. One row; a set, because the planner inlines only
-- those into the query that calls them, which is many times cheaper than a call.
create function taskboard.place(
  priority_rank smallint, due_date bigint, created_at bigint, is_unblocked boolean, present bigint
) returns table (lane smallint, key bigint, until bigint) language sql stable rows 1 as $$
  select
    (2 * d.pace + (case when age_rises then 1 else 0 end))::smallint,
    priority_rank * s.priority_step + (case when is_unblocked then s.unblocked_units else 0 end) + d.key
      + (case when age_rises then -s.age_slope * created_at
              when present >= created_at then s.age_slope * s.age_horizon_ms else 0 end),
    least(
      d.until,
      case when s.age_slope = 0 then 9223372036854775807
           when present < created_at then created_at
           when age_rises then created_at + s.age_horizon_ms
           else 9223372036854775807 end)
  from taskboard.scoring s,
    lateral (select (s.age_slope > 0 and present >= created_at and present < created_at + s.age_horizon_ms) as age_rises) r,
    -- The phases of the due factor: 4 none or overdue, 2 near, 1 far, 0 before that.
    lateral (select
      case when due_date is null or s.due_units = 0 or present >= due_date then 4
           when present >= due_date - s.due_horizon_ms then 2
           when present >= due_date - s.due_far_horizon_ms then 1
           else 0 end as phase) f,
    lateral (select
      case f.phase when 1 then (case when s.due_far_slope > 0 then 1 else 0 end) when 2 then 2 else 0 end as pace,
      case f.phase
        when 4 then (case when due_date is null then 0 else s.due_units end)
        when 2 then s.due_units - s.due_slope * due_date
        when 1 then s.due_near_units - s.due_far_slope * (due_date - s.due_horizon_ms)
        else s.due_far_units end as key,
      case f.phase
        when 4 then 9223372036854775807
        when 2 then due_date
        when 1 then due_date - s.due_horizon_ms
        else due_date - s.due_far_horizon_ms end as until) d
$$;

-- The row of the queue for a task in TODO at `present`.
create function taskboard.todo_of(t taskboard.task, present bigint) returns setof taskboard.todo language sql stable rows 1 as $$
  select
    t.id, t.workspace_id,
    coalesce(t.assigned_to, case when t.type is not null and exists (
      select from taskboard.agent a where a.workspace_id = t.workspace_id and a.type = t.type
    ) then '#' || t.type end, ''),
    t.type, p.key, present,
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present
      then least(p.until, t.not_before) else p.until end,
    -- Agents that ask how long to wait look only at tasks that wait for nothing but time.
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present then t.not_before end,
    coalesce(t.due_date, 9223372036854775807), t.created_at, p.lane,
    t.hold_reason is null and t.open_dependencies = 0 and coalesce(t.not_before <= present, true),
    t.hold_reason is not null
  from taskboard.place(t.priority_rank, t.due_date, t.created_at, t.open_dependencies = 0, present) p
$$;

-- The score of a task in TODO in units at `present`, as `scoreUnits` of core computes it.
create function taskboard.score_units(t taskboard.task, present bigint) returns bigint language sql stable as $$
  select p.key + present * ((p.lane & 1) * s.age_slope
    + (case p.lane >> 1 when 1 then s.due_far_slope when 2 then s.due_slope else 0 end))
  from taskboard.scoring s, taskboard.todo_of(t, present) p
$$;

-- Three triggers maintain the queue, so that it has a row exactly while the task is in TODO. Claims, the only writes that give a lease,
-- remove the row themselves.

-- All new tasks of a statement at once. Neither this function nor the next one passes the row as a parameter: with its values, the plan of
-- each single row would look so much cheaper to the planner than the generic plan that it would plan every call.
create function taskboard.enter_queue_new() returns trigger language plpgsql as $$
begin
  insert into taskboard.todo
  select q.* from added t, taskboard.todo_of(row(t.*)::taskboard.task, t.updated_at) q where t.column_name = 'TODO';
  return null;
end
$$;
create trigger enter_queue_new after insert on taskboard.task referencing new table as added for each statement
  execute function taskboard.enter_queue_new();

create function taskboard.enter_queue() returns trigger language plpgsql as $$
begin
  if (
    old.column_name, old.hold_reason, old.open_dependencies, old.not_before, old.assigned_to, old.priority_rank, old.due_date, old.type
  ) is not distinct from (
    new.column_name, new.hold_reason, new.open_dependencies, new.not_before, new.assigned_to, new.priority_rank, new.due_date, new.type
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
-- The function compares what has changed: each statement that updates tasks would parse a long condition again.
create trigger enter_queue after update on taskboard.task for each row
  when (new.column_name = 'TODO') execute function taskboard.enter_queue();

create function taskboard.leave_queue() returns trigger language plpgsql as $$
begin
  delete from taskboard.todo where task_id = new.id;
  return null;
end
$$;
create trigger leave_queue after update of column_name on taskboard.task for each row
  when (old.column_name = 'TODO' and new.column_name <> 'TODO' and new.lease_agent_id is null)
  execute function taskboard.leave_queue();

-- Types whose first agent came to the workspace, or whose last one left: tasks of the type may be in the wrong pool, also those that were
-- added at the same moment. So a row stays until no transaction is left that ran at that time, and no task is in the wrong pool.
create table taskboard.rerouting (
  workspace_id text not null,
  type text not null,
  -- Every transaction that may not have seen the change is below it. Null until the first look.
  horizon xid8,
  primary key (workspace_id, type)
);

-- Moves at most `most` tasks of a type into the pool where they belong. Leaves out those that others have locked.
create function taskboard.route_some(workspace text, task_type text, most integer) returns integer language plpgsql as $$
declare
  routed integer;
  waiting integer;
begin
  if exists (select from taskboard.agent a where a.workspace_id = workspace and a.type = task_type) then
    with misplaced as materialized (
      select q.task_id from taskboard.todo q
      where q.workspace_id = workspace and q.type = task_type and q.pool = '' and (q.ready or q.not_before is not null)
      limit most for update skip locked
    )
    update taskboard.todo q set pool = '#' || task_type where q.task_id = any (array(select task_id from misplaced));
    get diagnostics routed = row_count;
    return routed;
  end if;
  with misplaced as materialized (
    select q.task_id from taskboard.todo q
    where q.workspace_id = workspace and q.pool = '#' || task_type and q.ready
    limit most for update skip locked
  )
  update taskboard.todo q set pool = '' where q.task_id = any (array(select task_id from misplaced));
  get diagnostics routed = row_count;
  with misplaced as materialized (
    select q.task_id from taskboard.todo q
    where q.workspace_id = workspace and q.pool = '#' || task_type and not q.ready and q.not_before is not null
    limit most - routed for update skip locked
  )
  update taskboard.todo q set pool = '' where q.task_id = any (array(select task_id from misplaced));
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
      where q.workspace_id = workspace and q.type = task_type and q.pool = '' and (q.ready or q.not_before is not null)
    );
  end if;
  return exists (
    select from taskboard.todo q where q.workspace_id = workspace and q.pool = '#' || task_type and q.ready
  ) or exists (
    select from taskboard.todo q
    where q.workspace_id = workspace and q.pool = '#' || task_type and not q.ready and q.not_before is not null
  );
end
$$;

-- Routes up to `most` tasks of a type in `rerouting`, and removes its row when nothing is left for it.
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

-- Notes that tasks of a type may be in the wrong pool, and moves the first of them.
create function taskboard.turn_route(workspace text, task_type text) returns void language plpgsql as $$
begin
  insert into taskboard.rerouting (workspace_id, type) values (workspace, task_type)
  on conflict (workspace_id, type) do update set horizon = null;
  perform taskboard.route_some(workspace, task_type, 100);
end
$$;

-- An agent that leaves always notes its type: of two that leave at the same moment, neither sees that the other does; unless its workspace
-- is being deleted, where nothing is left to route. An agent that comes notes its type if it sees no other one of it, except in a
-- workspace that this transaction has added, where nobody else can have a task. The table and not the view of workspaces has `xmin`.
create function taskboard.agents_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and exists (select from taskboard.workspace w where w.id = old.workspace_id) then
    perform taskboard.turn_route(old.workspace_id, old.type);
  end if;
  if tg_op = 'DELETE' then
    return null;
  end if;
  if not exists (
    select from taskboard.agent a where a.workspace_id = new.workspace_id and a.type = new.type and a.id <> new.id
  ) and not exists (
    select from taskboard.every_workspace w where w.id = new.workspace_id and w.xmin = pg_current_xact_id()::xid
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

-- When the first wait ends that keeps a task of the workspace from the agent. This and the next two are functions, because claims that
-- find enough do not call them, and a part of the statement would be prepared all the same.
create function taskboard.first_wait_for_agent(workspace text, agent text) returns bigint
language plpgsql stable parallel safe as $$
begin
  return least(
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.pool = '' and not t.ready and t.not_before is not null
    ),
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.pool = (select '#' || g.type from taskboard.agent g where g.id = agent)
        and not t.ready and t.not_before is not null
    ),
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.pool = agent and not t.ready and t.not_before is not null
    )
  );
end
$$;

-- The same for any agent of a type. Only the first thousand tasks that wait are checked for whether such an agent may take them: when it
-- may take none of them, no wait of its tasks ends before the last of those.
create function taskboard.first_wait_for_type(agent_type text) returns bigint
language plpgsql stable parallel safe as $$
begin
  return (
    with early as materialized (
      select t.workspace_id, t.pool, t.not_before from taskboard.todo t
      where not t.ready and t.not_before is not null order by t.not_before limit 1000
    )
    select coalesce(
      (
        select e.not_before from early e where exists (
          select from taskboard.agent g
          where g.type = agent_type and not g.paused and g.workspace_id = e.workspace_id
            and e.pool in ('', '#' || g.type, g.id)
        )
        order by e.not_before limit 1
      ),
      (select max(e.not_before) from early e having count(*) = 1000)
    )
  );
end
$$;

-- The same for the agents that a runtime works because they have no runtime of their own type.
create function taskboard.first_wait_for_fallback(runtime text) returns bigint
language plpgsql stable parallel safe as $$
begin
  return (
    with early as materialized (
      select t.workspace_id, t.pool, t.not_before from taskboard.todo t
      where not t.ready and t.not_before is not null order by t.not_before limit 1000
    )
    select coalesce(
      (
        select e.not_before from early e where exists (
          select from taskboard.agent g
          where g.fallback = runtime and not g.paused and g.workspace_id = e.workspace_id
            and e.pool in ('', '#' || g.type, g.id)
        )
        order by e.not_before limit 1
      ),
      (select max(e.not_before) from early e having count(*) = 1000)
    )
  );
end
$$;
