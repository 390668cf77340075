-- The due date counts at any distance: its factor rises slowly from far before the date and fast near it, so there are six lanes. Equal
-- scores go by due date, and lists show held tasks last.

alter table taskboard.scoring
  add column due_far_horizon_ms bigint,
  -- What a task that is due, or overdue, gets for that.
  add column due_units bigint,
  -- `due_slope` is that of the fast rise, within `due_horizon_ms` of the due date; this one is that of the slow rise before it.
  add column due_far_slope bigint;

-- Boards with the default weights get the new curve here. Boards with others keep the old one until the host calls `rescore`, and
-- refuse to start before that.
update taskboard.scoring
set due_far_horizon_ms = 15552000000, flag_step = 191232000000, free_units = 215136000000, due_units = 430272000000,
  due_slope = 249, due_far_slope = 6, age_slope = 83, unit = 1434240000000
where rescoring is null
  and (due_horizon_ms, age_horizon_ms, flag_step, free_units, due_slope, age_slope, unit)
    = (1209600000, 2592000000, 16128000000, 18144000000, 30, 7, 120960000000);
update taskboard.scoring
set due_far_horizon_ms = due_horizon_ms, due_units = due_slope * due_horizon_ms, due_far_slope = 0,
  rescoring = gen_random_uuid()
where due_units is null;

alter table taskboard.scoring
  alter column due_far_horizon_ms set not null,
  alter column due_units set not null,
  alter column due_far_slope set not null;

-- Where a task stands in the pickup order at `present`, as `placeTask` of the core works it out. One row; a set, as only those
-- become part of the query that asks for them, which is many times cheaper than a call.
create or replace function taskboard.place(
  flag smallint, due_date bigint, created_at bigint, is_free boolean, present bigint
) returns table (lane smallint, key bigint, until bigint) language sql stable rows 1 as $$
  select
    (2 * d.pace + (case when age_rises then 1 else 0 end))::smallint,
    flag * s.flag_step + (case when is_free then s.free_units else 0 end) + d.key
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
    -- The phases of the due factor: none, over, near, far, and before that.
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
        when 1 then s.due_units - s.due_slope * s.due_horizon_ms - s.due_far_slope * (due_date - s.due_horizon_ms)
        else s.due_units - s.due_slope * s.due_horizon_ms
          - s.due_far_slope * (s.due_far_horizon_ms - s.due_horizon_ms) end as key,
      case f.phase
        when 4 then 9223372036854775807
        when 2 then due_date
        when 1 then due_date - s.due_horizon_ms
        else due_date - s.due_far_horizon_ms end as until) d
$$;

create or replace function taskboard.score_units(
  flag smallint, due_date bigint, created_at bigint, is_free boolean, present bigint
) returns bigint language sql stable as $$
  select p.key + present * ((p.lane & 1) * s.age_slope
    + (case p.lane >> 1 when 1 then s.due_far_slope when 2 then s.due_slope else 0 end))
  from taskboard.scoring s, taskboard.place(flag, due_date, created_at, is_free, present) p
$$;

drop index taskboard.todo_pickup;
drop index taskboard.todo_listing;
create temporary table placed on commit drop as select task_id, placed_at from taskboard.todo;
truncate taskboard.todo;

alter table taskboard.todo
  -- As the task's, or the largest number for none, which is after all dates.
  add column due_date bigint not null,
  add column held boolean not null;

-- The queue's row of a task in TODO at `present`.
create or replace function taskboard.todo_of(t taskboard.task, present bigint) returns setof taskboard.todo language sql stable rows 1 as $$
  select
    t.id, t.workspace_id, coalesce(t.assigned_to, ''),
    t.hold_reason is null and t.open_dependencies = 0 and coalesce(t.not_before <= present, true),
    p.lane, p.key, present,
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present
      then least(p.until, t.not_before) else p.until end,
    -- Only what waits for nothing but time is looked at when agents ask how long to wait.
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present then t.not_before end,
    t.created_at, coalesce(t.due_date, 9223372036854775807), t.hold_reason is not null
  from taskboard.place(t.flag, t.due_date, t.created_at, t.open_dependencies = 0, present) p
$$;

insert into taskboard.todo
select q.* from placed p join taskboard.task t on t.id = p.task_id, taskboard.todo_of(t, p.placed_at) q;

create index todo_pickup on taskboard.todo (workspace_id, agent_id, lane, key desc, due_date, created_at, task_id) where ready;
-- The lane in other words than in `todo_pickup`, or a planner without statistics might take this one for claims, and read past
-- all that is not theirs.
create index todo_listing on taskboard.todo (workspace_id, held, (lane + 0), key desc, due_date, created_at, task_id);

-- Tasks that wait for others. Adding one writes nothing into the rows of those that it waits for, but the first time for each: so any
-- number of them may be added at once. Completing a task frees the first that wait for it, and leaves the rest to later statements.

drop trigger tell_dependents on taskboard.task;
drop function taskboard.tell_dependents();

-- Whether a task waits for this one, or once did.
alter table taskboard.task add column has_dependents boolean not null default false;
update taskboard.task set has_dependents = true where dependents > 0;
alter table taskboard.task drop column dependents;

-- Whether it is counted in `open_dependencies` of the task that waits. Changed only with that task's row locked.
alter table taskboard.task_dependency add column is_open boolean not null default true;
update taskboard.task_dependency d set is_open = false
from taskboard.task t where t.id = d.depends_on and t.column_name = 'DONE';
create index task_dependency_open on taskboard.task_dependency (depends_on, task_id) where is_open;

-- Tasks that were done and may have dependents left to free. Those are left that are too many for one commit, and those that were
-- being added while the task was done: neither sees the other. So a row stays until no transaction is left that ran at that time.
create table taskboard.freeing (
  task_id text primary key,
  -- Every transaction that may not have seen the task done is below it. Null until the first look.
  horizon xid8
);

-- Frees the first `most` tasks that wait for `done`, whose row must be locked against moves. Each statement sees what was committed
-- until it runs, also while the one before waited for a lock: so what is counted of a task is right once its row is locked.
create function taskboard.free_dependents(done text, most integer, present bigint) returns integer language plpgsql as $$
declare
  chosen text[];
  freed integer;
begin
  select array_agg(w.task_id) into chosen from (
    select d.task_id from taskboard.task_dependency d
    where d.depends_on = done and d.is_open order by d.task_id limit most
  ) w;
  perform from taskboard.task t where t.id = any (chosen) order by t.id for update;
  with closed as (
    update taskboard.task_dependency d set is_open = false
    where d.depends_on = done and d.task_id = any (chosen) and d.is_open
    returning d.task_id
  )
  update taskboard.task t
  set open_dependencies = t.open_dependencies - 1, updated_at = present, version = t.version + 1
  where t.id = any (array(select task_id from closed));
  get diagnostics freed = row_count;
  return freed;
end
$$;

-- A task that is not done any more blocks all whom it had freed, in the same commit: none of them may be picked after that.
create function taskboard.tell_dependents() returns trigger language plpgsql as $$
begin
  if new.column_name = 'DONE' then
    insert into taskboard.freeing (task_id) values (new.id) on conflict (task_id) do update set horizon = null;
    perform taskboard.free_dependents(new.id, 100, new.updated_at);
    return null;
  end if;
  perform from taskboard.task t where t.id = any (array(
    select d.task_id from taskboard.task_dependency d where d.depends_on = new.id and not d.is_open
  )) order by t.id for update;
  with opened as (
    update taskboard.task_dependency d set is_open = true where d.depends_on = new.id and not d.is_open
    returning d.task_id
  )
  update taskboard.task t
  set open_dependencies = t.open_dependencies + 1, updated_at = new.updated_at, version = t.version + 1
  where t.id = any (array(select task_id from opened));
  return null;
end
$$;
create trigger tell_dependents after update of column_name on taskboard.task for each row
  when (new.has_dependents and (old.column_name = 'DONE') <> (new.column_name = 'DONE'))
  execute function taskboard.tell_dependents();

-- Frees up to `most` dependents of a task in `freeing`, and takes its row away when there is nothing left for it. Leaves it to others
-- while they hold one of the two. That the task is shared keeps it from being moved, and lets tasks be added that wait for it.
create function taskboard.free_more(done text, most integer, present bigint) returns integer language plpgsql as $$
declare
  bound xid8;
  place text;
  seen pg_snapshot;
  freed integer;
begin
  select f.horizon into bound from taskboard.freeing f where f.task_id = done for update skip locked;
  if not found then
    return 0;
  end if;
  select t.column_name into place from taskboard.task t where t.id = done for share skip locked;
  if not found and exists (select from taskboard.task t where t.id = done) then
    return 0;
  end if;
  if place is distinct from 'DONE' then
    delete from taskboard.freeing f where f.task_id = done;
    return 0;
  end if;
  -- Taken before the look at those that wait: what is below its xmin has ended, and is seen.
  seen := pg_current_snapshot();
  freed := taskboard.free_dependents(done, most, present);
  if freed < most and bound <= pg_snapshot_xmin(seen) then
    delete from taskboard.freeing f where f.task_id = done;
  elsif bound is null then
    update taskboard.freeing f set horizon = pg_snapshot_xmax(seen) where f.task_id = done;
  end if;
  return freed;
end
$$;
