-- Tasks, and what belongs to one: its dependencies, attempts, logs, outputs, comments and approvals; schedules, which add tasks; and the
-- index of searches.

-- Tasks. Each claim, renewal and completion writes a whole row, so the numbers stand together, wide ones first: that way rows have little
-- padding.
create table taskboard.task (
  id text primary key,
  workspace_id text not null references taskboard.every_workspace,
  -- The task that this one is a part of. Not a reference: the parent may be deleted, and nothing is written here then.
  parent_id text,
  title text not null,
  description text,
  type text,
  -- The only agent that may take it; null for any agent of its type.
  assigned_to text references taskboard.agent,
  tags text[] not null,
  metadata jsonb not null,
  depends_on text[] not null,
  -- What it may use: `tokens` and `costUsd`, each a number or null.
  budget jsonb,
  -- TODO, DOING, DONE.
  column_name text not null default 'TODO',
  -- Why no agent may take it, although it is in TODO.
  hold_reason text,
  hold_message text,
  lease_agent_id text,
  -- The agent whose attempt completed it, while it is in DONE.
  done_by text,
  -- Who works on it without an agent: JSON of kind, id and name.
  taken_by jsonb,
  result text,
  -- The W3C trace context of the span in which the task was added: its runs and deliveries continue the trace.
  traceparent text,
  due_date bigint,
  -- No agent takes it before.
  not_before bigint,
  hold_since bigint,
  created_at bigint not null,
  updated_at bigint not null,
  started_at bigint,
  completed_at bigint,
  lease_expires_at bigint,
  fencing_token bigint not null default 0,
  -- Counts the writes, so that a write that was computed from an earlier state is noticed.
  version bigint not null default 0,
  -- The length of the lease, as the claim requested it: renewals that name no other length use it.
  lease_ms integer not null default 60000,
  attempts integer not null default 0,
  max_attempts integer not null,
  open_dependencies integer not null default 0,
  progress real not null default 0,
  -- low 0, medium 1, high 2, urgent 3
  priority_rank smallint not null,
  -- What API v2 calls the column and the hold: 0 pending, 1 in progress, 2 completed, 3 failed, 4 cancelled, 5 blocked.
  status smallint not null generated always as (
    case
      when column_name = 'DOING' then 1
      when column_name = 'DONE' then 2
      when hold_reason is null then 0
      when hold_reason = 'failed' then 3
      when hold_reason = 'cancelled' then 4
      else 5
    end
  ) stored,
  -- Whether a task waits for this one, or once did.
  has_dependents boolean not null default false,
  -- Whether anybody has commented on it: runs of other tasks need not look.
  has_comments boolean not null default false
) with (fillfactor = 80);
create index task_doing on taskboard.task (workspace_id, started_at, created_at, id) where column_name = 'DOING';
create index task_done on taskboard.task (workspace_id, completed_at desc, created_at, id) where column_name = 'DONE';
create index task_lease on taskboard.task (lease_expires_at) where lease_expires_at is not null;
create index task_lease_agent on taskboard.task (lease_agent_id, id) where lease_agent_id is not null;
-- The tasks that an agent has completed.
create index task_done_by on taskboard.task (done_by, id) where done_by is not null;
-- The same for its rating, the last ones first.
create index task_rated on taskboard.task (done_by, completed_at desc) where done_by is not null;
create index task_assigned on taskboard.task (assigned_to, status, id) where assigned_to is not null;
-- Newest first: ids rise with time.
create index task_status on taskboard.task (workspace_id, status, id);
-- Without the id: with it, the planner may look up a single task of a workspace here, and reads all entries of the workspace for that.
create index task_updated on taskboard.task (workspace_id, updated_at);
create index task_parent on taskboard.task (parent_id, id) where parent_id is not null;
create index task_open_subtask on taskboard.task (parent_id) where parent_id is not null and column_name <> 'DONE';

-- Which task waits for which. Adding a task writes nothing into the rows of those that it waits for, except the first time for each: so
-- any number of dependents may be added at once.
create table taskboard.task_dependency (
  depends_on text not null references taskboard.task,
  task_id text not null references taskboard.task,
  -- Whether it is counted in `open_dependencies` of the task that waits. Changes only with the row of that task locked.
  is_open boolean not null default true,
  primary key (depends_on, task_id)
);
create index task_dependency_open on taskboard.task_dependency (depends_on, task_id) where is_open;
-- Deletes the dependencies of a task.
create index task_dependency_task on taskboard.task_dependency (task_id);

-- Completed tasks that may have dependents left to free. Completing a task frees its first dependents and leaves the rest to later
-- statements. Left are those that are too many for one commit, and those that were being added while the task was completed: neither sees
-- the other. So a row stays until no transaction is left that ran at that time.
create table taskboard.freeing (
  task_id text primary key,
  -- Every transaction that may not have seen the task done is below it. Null until the first look.
  horizon xid8
);

-- Frees the first `most` tasks that wait for `done`, whose row must be locked against moves. Each statement sees what was committed
-- until it runs, also while the one before waited for a lock: so what it counts of a task is right once the row of the task is locked.
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

-- Frees up to `most` dependents of a task in `freeing`, and removes its row when nothing is left for it. Leaves the task to others that
-- have locked one of the two rows. That the task is locked as shared keeps it from being moved, and lets tasks be added that wait for it.
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

-- Frees dependents when a task is done. A task that is not done anymore blocks all that it had freed, in the same commit: after it, none
-- of them may be claimed.
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

-- Runs that have ended: who worked on a task, when, and how it ended; but for the one that completed a task in DONE, which is in the row of the
-- task. Here and in comments, approvals and usage, the task is not a reference: its row is locked when these rows are written, and the trigger
-- `delete_parts` removes them with it.
create table taskboard.earlier_attempt (
  task_id text not null,
  fencing_token bigint not null,
  started_at bigint not null,
  ended_at bigint not null,
  agent_id text not null,
  outcome text not null,
  reason text,
  primary key (task_id, fencing_token)
);
-- The attempts by which an agent is rated, the last ones first, without a look at the table.
create index earlier_attempt_rated on taskboard.earlier_attempt (agent_id, ended_at desc) include (started_at, outcome)
  where outcome in ('completed', 'failed', 'retried', 'expired');

-- All runs that have ended.
create view taskboard.attempt as
select task_id, fencing_token, started_at, ended_at, agent_id, outcome, reason from taskboard.earlier_attempt
union all
select id, fencing_token, coalesce(started_at, completed_at), completed_at, done_by, 'completed', null
from taskboard.task where done_by is not null;

-- Lines that agents have logged.
create table taskboard.task_log (
  id bigint generated always as identity primary key,
  at bigint not null,
  task_id text not null references taskboard.task,
  level text not null,
  message text not null
);
create index task_log_order on taskboard.task_log (task_id, id);

-- Results that are somewhere else: files, pages, pull requests.
create table taskboard.task_output (
  id bigint generated always as identity primary key,
  task_id text not null references taskboard.task,
  type text not null,
  name text not null,
  url text not null,
  size bigint
);
create index task_output_order on taskboard.task_output (task_id, id);

-- The conversation on a task. Each writer of a comment locks the task: so places count from 1 without gaps, in the order of the commits.
create table taskboard.task_comment (
  task_id text not null,
  place integer not null,
  id text not null,
  -- question, answer, comment
  kind text not null,
  body text not null,
  author_kind text not null,
  author_id text,
  -- As it was when the comment was written.
  author_name text,
  created_at bigint not null,
  -- Of a question: who asked, and whether another person has to answer, by their names in the library.
  asked jsonb,
  primary key (task_id, place)
);
create index task_comment_exchange on taskboard.task_comment (task_id, place) where kind in ('question', 'answer');

-- Actions for which agents need the consent of a person.
create table taskboard.approval (
  id text primary key,
  workspace_id text not null,
  task_id text not null,
  action text not null,
  summary text not null,
  input json not null,
  input_digest text not null,
  -- pending, approved, rejected, used, expired. A pending one whose time is over stays pending until another takes its place.
  state text not null,
  agent_id text not null,
  requested_by_kind text not null,
  requested_by_id text,
  -- Whose it is: runtime, credential or host. Only a request of the same asker uses it.
  asker_kind text not null,
  -- Of a credential, its user, or the key when nobody is known to have made it.
  asker_owner text,
  -- Whether a person asked by a login.
  asker_is_session boolean not null,
  -- Whether the request requires another owner to decide, also without the setting of the account.
  require_other_person boolean not null,
  fencing_token bigint not null,
  requested_at bigint not null,
  expires_at bigint not null,
  decided_by_kind text,
  decided_by_id text,
  -- As it was then.
  decided_by_name text,
  decided_at bigint,
  comment text,
  used_at bigint
);
-- What answers a request: one approval at most.
create unique index approval_open on taskboard.approval
  (task_id, input_digest, action, asker_kind, coalesce(asker_owner, ''), asker_is_session)
  where state in ('pending', 'approved', 'rejected');
create index approval_task on taskboard.approval (task_id, id);
create index approval_state on taskboard.approval (workspace_id, state, id);

-- Tasks that are added again and again, at the times of a cron expression.
create table taskboard.schedule (
  id text primary key,
  workspace_id text not null references taskboard.every_workspace,
  cron text not null,
  time_zone text not null,
  -- The fields of the task, by their names in the library.
  task jsonb not null,
  overlap text not null,
  enabled boolean not null,
  -- The next occurrence; null while it is disabled.
  next_at bigint,
  last_at bigint,
  last_task_id text,
  last_error text,
  created_at bigint not null,
  updated_at bigint not null
) with (fillfactor = 70);
create index schedule_age on taskboard.schedule (workspace_id, id);
create index schedule_due on taskboard.schedule (next_at, id) where next_at is not null;

-- Finds tasks by their words, and in other orders than the newest first. A table of its own: it changes only when a person edits the task,
-- while the indexes of `task` are written with each claim, renewal and completion.
create table taskboard.task_search (
  workspace_id text not null,
  task_id text not null,
  created_at bigint not null,
  -- The due date, or the largest number of the library for none, as a negative number: what is due first is the greatest.
  due_rank bigint not null,
  -- Written by the library, in `search-terms.ts`, which says what they are. Each begins with the workspace, so that a search reads nothing
  -- of other workspaces.
  terms tsvector not null,
  primary key (workspace_id, task_id)
);
create index task_search_terms on taskboard.task_search using gin (terms);
create index task_search_due on taskboard.task_search (workspace_id, due_rank, task_id);
create index task_search_created on taskboard.task_search (workspace_id, created_at);

-- Rows of these tables do not refer to their task. They go with it, whatever deletes the task, even a statement by hand: without their
-- task, nothing says to whom most of them belonged.
create function taskboard.delete_parts() returns trigger language plpgsql as $$
declare
  ids text[] := array(select g.id from gone g);
begin
  delete from taskboard.earlier_attempt r where r.task_id = any (ids);
  delete from taskboard.task_comment r where r.task_id = any (ids);
  delete from taskboard.approval r where r.task_id = any (ids);
  delete from taskboard.link r where r.task_id = any (ids);
  delete from taskboard.task_usage r where r.task_id = any (ids);
  delete from taskboard.freeing r where r.task_id = any (ids);
  delete from taskboard.todo r where r.task_id = any (ids);
  delete from taskboard.task_search r using gone g where r.workspace_id = g.workspace_id and r.task_id = g.id;
  return null;
end
$$;
create trigger delete_parts after delete on taskboard.task referencing old table as gone
  for each statement execute function taskboard.delete_parts();
