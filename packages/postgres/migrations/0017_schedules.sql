-- Tasks that are added again and again, at the times of a cron expression.
create table taskboard.schedule (
  id text primary key,
  workspace_id text not null references taskboard.workspace,
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
