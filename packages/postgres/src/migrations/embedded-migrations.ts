// Made by scripts/embed-migrations.mjs from migrations/*.sql, and not changed by hand.
/* oxlint-disable max-lines */
import type { Migration } from './migration.js'

export const embeddedMigrations: readonly Migration[] = [
  {
    number: 1,
    name: 'board',
    sql: `-- The board: accounts, agents, tasks with their queue, the event log, webhooks, limits.
-- Times are epoch milliseconds, as everywhere in the library.

create table taskboard.account (
  id text primary key,
  name text not null,
  tier text not null,
  created_at bigint not null
);
create index account_age on taskboard.account (created_at, id);

create table taskboard.workspace (
  id text primary key,
  account_id text not null references taskboard.account,
  name text not null,
  created_at bigint not null
);
create index workspace_age on taskboard.workspace (account_id, created_at, id);

-- One row a workspace, locked by every write to its log until that commits: so its events are numbered without gaps, and no
-- reader sees a later one before an earlier one. \`feed_xid\` never falls, and is at least the id of the transaction that wrote
-- the last event.
create table taskboard.workspace_log (
  workspace_id text primary key references taskboard.workspace,
  last_seq bigint not null default 0,
  feed_xid xid8 not null default '0',
  -- Whether a target of the workspace rests, which the next event ends.
  has_resting boolean not null default false
) with (fillfactor = 50);

create table taskboard.api_key (
  id text primary key,
  hash text not null unique,
  account_id text not null references taskboard.account,
  workspace_id text references taskboard.workspace,
  default_workspace_id text not null references taskboard.workspace,
  name text not null,
  scopes text[] not null,
  prefix text not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint
);
create index api_key_age on taskboard.api_key (account_id, created_at desc, id desc);

create table taskboard.agent (
  id text primary key,
  workspace_id text not null references taskboard.workspace,
  name text not null,
  type text not null,
  status text not null,
  created_at bigint not null
);
create index agent_age on taskboard.agent (workspace_id, created_at, id);
create index agent_type on taskboard.agent (type, workspace_id, created_at, id);

-- The weights that the stored keys were made with. One row.
create table taskboard.scoring (
  only_row boolean primary key default true check (only_row),
  due_horizon_ms bigint not null,
  age_horizon_ms bigint not null,
  flag_step bigint not null,
  free_units bigint not null,
  due_slope bigint not null,
  age_slope bigint not null,
  unit bigint not null,
  -- The run that makes the keys anew, until it has made them all: those of a run that was broken off cannot be compared.
  rescoring uuid
);

create table taskboard.task (
  id text primary key,
  workspace_id text not null references taskboard.workspace,
  title text not null,
  description text,
  type text,
  -- low 0, medium 1, high 2, urgent 3
  flag smallint not null,
  column_name text not null default 'TODO',
  hold_reason text,
  hold_message text,
  hold_since bigint,
  assigned_to text references taskboard.agent,
  due_date bigint,
  not_before bigint,
  tags text[] not null,
  metadata jsonb not null,
  depends_on text[] not null,
  open_dependencies integer not null default 0,
  -- How many tasks wait for this one.
  dependents integer not null default 0,
  progress real not null default 0,
  result text,
  created_at bigint not null,
  updated_at bigint not null,
  started_at bigint,
  completed_at bigint,
  attempts integer not null default 0,
  max_attempts integer not null,
  fencing_token bigint not null default 0,
  lease_agent_id text,
  lease_expires_at bigint,
  -- Counts the writes, so that one that was worked out from an older reading is noticed.
  version bigint not null default 0
) with (fillfactor = 80);
create index task_doing on taskboard.task (workspace_id, started_at, created_at, id) where column_name = 'DOING';
create index task_done on taskboard.task (workspace_id, completed_at desc, created_at, id) where column_name = 'DONE';
create index task_lease on taskboard.task (lease_expires_at) where lease_expires_at is not null;
create index task_lease_agent on taskboard.task (lease_agent_id) where lease_agent_id is not null;

create table taskboard.task_dependency (
  depends_on text not null references taskboard.task,
  task_id text not null references taskboard.task,
  primary key (depends_on, task_id)
);
-- For deleting tasks.
create index task_dependency_task on taskboard.task_dependency (task_id);

-- A task is never deleted while something of it is left, and its row is there when these are written: no reference is checked.
create table taskboard.attempt (
  task_id text not null,
  fencing_token bigint not null,
  agent_id text not null,
  started_at bigint not null,
  ended_at bigint not null,
  outcome text not null,
  reason text,
  primary key (task_id, fencing_token)
);

create table taskboard.task_log (
  id bigint generated always as identity primary key,
  task_id text not null references taskboard.task,
  at bigint not null,
  level text not null,
  message text not null
);
create index task_log_order on taskboard.task_log (task_id, id);

create table taskboard.task_output (
  id bigint generated always as identity primary key,
  task_id text not null references taskboard.task,
  type text not null,
  name text not null,
  url text not null,
  size bigint
);
create index task_output_order on taskboard.task_output (task_id, id);

-- One narrow row for each task in TODO, with its place in the pickup order. Claims take rows away here, so that what they
-- leave behind never lies in the way of the wide table.
create table taskboard.todo (
  task_id text primary key,
  workspace_id text not null,
  -- The only agent that may take it; empty for any.
  agent_id text not null,
  -- No hold, no open dependencies, not waiting for its \`not_before\`.
  ready boolean not null,
  -- What its score rises by: bit 0 the age, bit 1 the due date.
  lane smallint not null,
  -- The score in units is \`key\` + the lane's slope x now.
  key bigint not null,
  -- From when the placement holds, and the first instant at which it does not.
  placed_at bigint not null,
  until bigint not null,
  not_before bigint,
  created_at bigint not null
) with (fillfactor = 80);
create index todo_pickup on taskboard.todo (workspace_id, agent_id, lane, key desc, created_at, task_id) where ready;
-- The lane in other words than in \`todo_pickup\`, or a planner without statistics might take this one for claims, and read past
-- all that is not theirs.
create index todo_listing on taskboard.todo (workspace_id, (lane + 0), key desc, created_at, task_id);
create index todo_until on taskboard.todo (until) where until < 9223372036854775807;
create index todo_delayed on taskboard.todo (workspace_id, agent_id, not_before) where not ready and not_before is not null;
create index todo_waiting on taskboard.todo (not_before) where not ready and not_before is not null;
create index todo_placed on taskboard.todo (workspace_id, placed_at);

create table taskboard.idempotency (
  scope text not null,
  key text not null,
  fingerprint text not null,
  resource_id text not null,
  value jsonb not null,
  created_at bigint not null,
  primary key (scope, key)
);
create index idempotency_age on taskboard.idempotency (created_at);

-- The workspace's row in \`workspace_log\` is locked when these are written, so it is there.
create table taskboard.event (
  workspace_id text not null,
  seq bigint not null,
  feed_xid xid8 not null,
  id text not null,
  type text not null,
  facts jsonb not null,
  at bigint not null,
  payload_version integer not null,
  primary key (workspace_id, seq)
);
-- Everything below the oldest running transaction is complete in this order, also within each workspace.
create index event_feed on taskboard.event (feed_xid, workspace_id, seq);
-- Rows lie in the order of their time, nearly: enough for pruning, and next to nothing to keep up.
create index event_age on taskboard.event using brin (at);

create table taskboard.notification_target (
  workspace_id text not null references taskboard.workspace,
  channel text not null,
  settings jsonb not null,
  read_through_seq bigint not null,
  due_at bigint not null,
  claim_token text,
  -- All was read when this was set, with the log locked, so nothing is found here until there is an event again: looks for
  -- unread ones cost what there is of those, not what there is of workspaces.
  rests boolean not null default false,
  primary key (workspace_id, channel)
);
create index notification_due on taskboard.notification_target (channel, due_at) where not rests;

create table taskboard.webhook (
  id text primary key,
  workspace_id text not null references taskboard.workspace,
  url text not null,
  events text[] not null,
  secrets jsonb not null,
  enabled boolean not null default true,
  disabled_reason text,
  failing_since bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index webhook_age on taskboard.webhook (workspace_id, created_at, id);

create table taskboard.delivery (
  id text primary key,
  webhook_id text not null references taskboard.webhook on delete cascade,
  workspace_id text not null,
  -- As \`LoggedEvent\`.
  event jsonb not null,
  status text not null default 'pending',
  attempt_count integer not null default 0,
  attempts jsonb not null default '[]',
  next_attempt_at bigint,
  -- While claimed, \`next_attempt_at\` is the claim's end, and \`planned_at\` what it was before.
  claim_token text,
  planned_at bigint,
  created_at bigint not null
) with (fillfactor = 80);
create index delivery_due on taskboard.delivery (next_attempt_at, id) where status = 'pending';
create index delivery_webhook_due on taskboard.delivery (webhook_id, next_attempt_at, id) where status = 'pending';
create index delivery_newest on taskboard.delivery (webhook_id, created_at desc, id desc);
create index delivery_unsent on taskboard.delivery (webhook_id, status, created_at desc, id desc)
  where status in ('failed', 'skipped');
create index delivery_age on taskboard.delivery (created_at) where status <> 'pending';

create table taskboard.rolling_limit (
  key text primary key,
  window_ms bigint not null,
  -- The admissions that the window still reaches back to, oldest first.
  times bigint[] not null,
  newest bigint not null
) with (fillfactor = 50);
create index rolling_limit_age on taskboard.rolling_limit ((newest + window_ms));

create function taskboard.now_ms() returns bigint language sql volatile parallel safe as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

-- A prefix and 26 lower-case hexadecimal digits, which are digits of the ids that the library makes itself, too: 11 of time, so that
-- they rise with it, and 15 of chance, the wholly random last ones of a uuid. It becomes part of the query that asks for one and
-- is set up with it each time, also where none is made, so it is short.
create function taskboard.new_id(prefix text, at bigint) returns text language sql volatile as $$
  select prefix || '_' || lpad(to_hex(at), 11, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 18)
$$;

-- When the first wait ends that keeps a task of the workspace from the agent. Functions, as claims that find enough do not ask, and
-- what stands in their own statements would be set up all the same.
create function taskboard.first_wait_for_agent(workspace text, agent text) returns bigint
language plpgsql stable parallel safe as $$
begin
  return least(
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.agent_id = '' and not t.ready and t.not_before is not null
    ),
    (
      select min(t.not_before) from taskboard.todo t
      where t.workspace_id = workspace and t.agent_id = agent and not t.ready and t.not_before is not null
    )
  );
end
$$;

-- The same for any agent of a type. Only of the first thousand tasks that wait it is asked whom they wait for: when none of them
-- fits, there is no wait that ends before the last of those.
create function taskboard.first_wait_for_type(agent_type text) returns bigint
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
          where g.type = agent_type and g.workspace_id = e.workspace_id and e.agent_id in ('', g.id)
        )
        order by e.not_before limit 1
      ),
      (select max(e.not_before) from early e having count(*) = 1000)
    )
  );
end
$$;

-- Takes the next \`count\` numbers of a workspace's log, which stays locked until the commit: they begin after \`base\`. A function,
-- since a statement that has waited for a row begins to look at it by setting itself up once more, whole; this one is small.
create function taskboard.take_numbers(workspace text, count bigint, out base bigint, out feed_xid xid8)
language plpgsql as $$
declare
  wakes boolean;
begin
  update taskboard.workspace_log l
  set last_seq = l.last_seq + count, feed_xid = greatest(l.feed_xid, pg_current_xact_id())
  where l.workspace_id = workspace
  returning l.last_seq - count, l.feed_xid, l.has_resting into base, feed_xid, wakes;
  if wakes then
    update taskboard.notification_target t set rests = false where t.workspace_id = workspace and t.rests;
    update taskboard.workspace_log l set has_resting = false where l.workspace_id = workspace;
  end if;
end
$$;

-- Where a task stands in the pickup order at \`present\`, as \`placeTask\` of the core works it out. One row; a set, as only those
-- become part of the query that asks for them, which is many times cheaper than a call.
create function taskboard.place(
  flag smallint, due_date bigint, created_at bigint, is_free boolean, present bigint
) returns table (lane smallint, key bigint, until bigint) language sql stable rows 1 as $$
  select
    ((case when due_rises then 2 else 0 end) + (case when age_rises then 1 else 0 end))::smallint,
    flag * s.flag_step + (case when is_free then s.free_units else 0 end)
      + (case when due_rises then -s.due_slope * due_from
              when due_from is not null and present >= due_from then s.due_slope * s.due_horizon_ms else 0 end)
      + (case when age_rises then -s.age_slope * created_at
              when present >= created_at then s.age_slope * s.age_horizon_ms else 0 end),
    least(
      case when due_from is null or s.due_slope = 0 then 9223372036854775807
           when present < due_from then due_from
           when due_rises then due_from + s.due_horizon_ms
           else 9223372036854775807 end,
      case when s.age_slope = 0 then 9223372036854775807
           when present < created_at then created_at
           when age_rises then created_at + s.age_horizon_ms
           else 9223372036854775807 end)
  from taskboard.scoring s,
    lateral (select case when s.due_slope = 0 then null else due_date - s.due_horizon_ms end as due_from) f,
    lateral (select
      coalesce(present >= due_from and present < due_from + s.due_horizon_ms, false) as due_rises,
      (s.age_slope > 0 and present >= created_at and present < created_at + s.age_horizon_ms) as age_rises) r
$$;

-- The score of a task in units at \`present\`, as \`scoreUnits\` of the core works it out.
create function taskboard.score_units(
  flag smallint, due_date bigint, created_at bigint, is_free boolean, present bigint
) returns bigint language sql stable as $$
  select p.key + present * ((case when p.lane & 1 = 1 then s.age_slope else 0 end)
                          + (case when p.lane & 2 = 2 then s.due_slope else 0 end))
  from taskboard.scoring s, taskboard.place(flag, due_date, created_at, is_free, present) p
$$;

-- The queue's row of a task in TODO at \`present\`.
create function taskboard.todo_of(t taskboard.task, present bigint) returns setof taskboard.todo language sql stable rows 1 as $$
  select
    t.id, t.workspace_id, coalesce(t.assigned_to, ''),
    t.hold_reason is null and t.open_dependencies = 0 and coalesce(t.not_before <= present, true),
    p.lane, p.key, present,
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present
      then least(p.until, t.not_before) else p.until end,
    -- Only what waits for nothing but time is looked at when agents ask how long to wait.
    case when t.hold_reason is null and t.open_dependencies = 0 and t.not_before > present then t.not_before end,
    t.created_at
  from taskboard.place(t.flag, t.due_date, t.created_at, t.open_dependencies = 0, present) p
$$;

-- Keeps the queue: there is a row exactly while the task is in TODO. Claims, the only writes that give a lease, take the row
-- away themselves.
-- New ones all at once. Neither function hands the row over as a parameter: its values would make the plan of each single row so
-- much cheaper in the planner's eyes than the one for any row that it planned every time.
create function taskboard.enter_queue_new() returns trigger language plpgsql as $$
begin
  insert into taskboard.todo
  select q.* from added t, taskboard.todo_of(row(t.*)::taskboard.task, t.updated_at) q where t.column_name = 'TODO';
  return null;
end
$$;
create function taskboard.enter_queue() returns trigger language plpgsql as $$
begin
  if (
    old.column_name, old.hold_reason, old.open_dependencies, old.not_before, old.assigned_to, old.flag, old.due_date
  ) is not distinct from (
    new.column_name, new.hold_reason, new.open_dependencies, new.not_before, new.assigned_to, new.flag, new.due_date
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
create function taskboard.leave_queue() returns trigger language plpgsql as $$
begin
  delete from taskboard.todo where task_id = new.id;
  return null;
end
$$;
create trigger enter_queue_new after insert on taskboard.task referencing new table as added for each statement
  execute function taskboard.enter_queue_new();
-- What is compared is compared in the function: a long condition is read anew by each statement that updates tasks.
create trigger enter_queue after update on taskboard.task for each row
  when (new.column_name = 'TODO') execute function taskboard.enter_queue();
create trigger leave_queue after update of column_name on taskboard.task for each row
  when (old.column_name = 'TODO' and new.column_name <> 'TODO' and new.lease_agent_id is null)
  execute function taskboard.leave_queue();

-- A function sees what has been committed until now, also what came in while its statement waited for a lock: so no dependent
-- is overlooked that was added at the same moment.
create function taskboard.tell_dependents() returns trigger language plpgsql as $$
declare
  change integer := case when new.column_name = 'DONE' then -1 else 1 end;
begin
  update taskboard.task t
  set open_dependencies = greatest(0, t.open_dependencies + change), updated_at = new.updated_at, version = t.version + 1
  where t.id in (
    select d.task_id from taskboard.task_dependency d where d.depends_on = new.id order by d.task_id
  );
  return null;
end
$$;

create trigger tell_dependents after update of column_name on taskboard.task for each row
  when (new.dependents > 0 and (old.column_name = 'DONE') <> (new.column_name = 'DONE'))
  execute function taskboard.tell_dependents();
`,
  },
  {
    number: 2,
    name: 'limits',
    sql: `-- Decisions of rolling limits. A key's row is written with every batch of decisions on it, so no index may hold what changes
-- each time: the row then stays on its page, and what it leaves behind is cleared away by the next reader.
drop index taskboard.rolling_limit_age;

alter table taskboard.rolling_limit
  -- The limit of the last batch, and how many that admitted.
  add column most integer not null,
  add column admitted integer not null,
  -- Whoever is idle was so from a time at or after this: the end of its window, rounded down to 65.5 seconds.
  add column idle_from bigint not null generated always as (((newest + window_ms) >> 16) << 16) stored,
  -- Numbers that only rise by a little are worth more written at once than made smaller.
  alter column times set storage external;

create index rolling_limit_idle on taskboard.rolling_limit (idle_from);
`,
  },
  {
    number: 3,
    name: 'sessions',
    sql: `-- Users, their sessions, and what slows down those who guess.

create table taskboard.account_user (
  id text primary key,
  account_id text not null references taskboard.account,
  -- The account's first workspace, which never changes.
  default_workspace_id text not null references taskboard.workspace,
  -- Lower case, without blanks around it: unique over the whole board.
  email text not null unique,
  password_hash text not null,
  scopes text[] not null,
  created_at bigint not null,
  -- Sealed secrets of one-time passwords: the one in force, and one that waits to be confirmed.
  mfa_secret text,
  mfa_pending_secret text,
  -- The newest time step whose code was used.
  mfa_step bigint,
  -- SHA-256 of the recovery codes that are left.
  recovery_hashes text[] not null default '{}'
);
create index account_user_age on taskboard.account_user (account_id, created_at, id);

-- One row a login: all refresh tokens that came of it begin with the same secret, the family's. A session is over from
-- \`expires_at\` on, which is 0 for one that was ended.
create table taskboard.session (
  id text primary key,
  user_id text not null references taskboard.account_user,
  family_hash text not null unique,
  -- The one refresh token that is good now.
  refresh_hash text not null,
  -- Those that were replaced within the last seconds, newest first, and when.
  rotated_hashes text[] not null default '{}',
  rotated_at bigint[] not null default '{}',
  created_at bigint not null,
  expires_at bigint not null
);
create index session_expiry on taskboard.session (expires_at);
-- For ending all sessions of a user.
create index session_of_user on taskboard.session (user_id);

-- By a digest of an e-mail address and a client address, or of a user: nobody can read here who tried to log in.
create table taskboard.login_attempt (
  key text primary key,
  passwords integer not null,
  codes integer not null,
  -- Until then the counts hold.
  holds_until bigint not null
);
create index login_attempt_end on taskboard.login_attempt (holds_until);
`,
  },
  {
    number: 4,
    name: 'task_search',
    sql: `-- Tasks by their status, newest first: ids rise with time. \`status\` is the one word that API v2 has for the column
-- and the hold: 0 pending, 1 in progress, 2 completed, 3 failed, 4 cancelled, 5 blocked.
alter table taskboard.task add column status smallint not null generated always as (
  case
    when column_name = 'DOING' then 1
    when column_name = 'DONE' then 2
    when hold_reason is null then 0
    when hold_reason = 'failed' then 3
    when hold_reason = 'cancelled' then 4
    else 5
  end
) stored;

create index task_status on taskboard.task (workspace_id, status, id);
create index task_assigned on taskboard.task (assigned_to, status, id) where assigned_to is not null;

-- Also for the tasks that an agent works, in their order.
drop index taskboard.task_lease_agent;
create index task_lease_agent on taskboard.task (lease_agent_id, id) where lease_agent_id is not null;

-- The tasks that an agent has completed.
create index attempt_completed on taskboard.attempt (agent_id, task_id) where outcome = 'completed';

-- What the create was answered with, beyond the value: what else there was to say at that moment. As text, so that its members
-- keep their order.
alter table taskboard.idempotency add column answer json;
`,
  },
  {
    number: 5,
    name: 'agent_profiles',
    sql: `-- What a runtime is told of an agent, and how agents do.

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
`,
  },
  {
    number: 6,
    name: 'analytics',
    sql: `-- Figures about tasks by day, as the event log tells them.

-- What is rolled up of the events up to the mark of each workspace. \`type\` is the task's, empty for none; \`timed\` tasks of the
-- completed ones were in DOING, \`taken_ms\` all together. A task that leaves DONE takes away what its completion added.
create table taskboard.analytics_day (
  workspace_id text not null,
  -- Since the first of January 1970, in UTC.
  day integer not null,
  type text not null,
  created bigint not null,
  completed bigint not null,
  failed bigint not null,
  timed bigint not null,
  taken_ms bigint not null,
  primary key (workspace_id, day, type)
) with (fillfactor = 70);

-- The last event of each workspace that is rolled up. Whoever rolls up locks it, and events are pruned up to it.
create table taskboard.analytics_mark (
  workspace_id text primary key,
  seq bigint not null
) with (fillfactor = 50);
`,
  },
  {
    number: 7,
    name: 'tier_limits',
    sql: `-- The limits of tiers, and the tasks that accounts have created in a month.

-- A key's row is written with every batch of decisions on it, so no index may hold what changes each time.
create table taskboard.tier_limit (
  key text primary key,
  -- The start of the hour of the newest admission.
  hour bigint not null,
  -- All admissions ever, and those of them that the hour and the minute do not count any more.
  total bigint not null,
  before_hour bigint not null,
  before_minute bigint not null,
  -- The seconds with admissions that the minute may still reach back to, oldest first, and the total after each.
  seconds bigint[] not null,
  totals bigint[] not null,
  -- The limits of the last batch, and how many that admitted.
  per_hour bigint not null,
  per_minute bigint not null,
  admitted integer not null
) with (fillfactor = 50);
alter table taskboard.tier_limit alter column seconds set storage external, alter column totals set storage external;
create index tier_limit_hour on taskboard.tier_limit (hour);

-- One row an account: what came before its newest month is forgotten.
create table taskboard.task_quota (
  account_id text primary key,
  -- When the month began, UTC.
  month bigint not null,
  used integer not null,
  -- The quota of the last batch, and how many that took.
  most integer not null,
  taken integer not null
) with (fillfactor = 50);
`,
  },
  {
    number: 8,
    name: 'realtime',
    sql: `-- Connections of the realtime channel, by the process that they are with. A process renews one row, however many it has; when
-- it was killed, that row ends and its slots go with it.
create table taskboard.realtime_holder (
  id text primary key,
  expires_at bigint not null
);
create index realtime_holder_end on taskboard.realtime_holder (expires_at);

create table taskboard.realtime_slot (
  id text primary key,
  account_id text not null,
  holder_id text not null references taskboard.realtime_holder on delete cascade
);
create index realtime_slot_account on taskboard.realtime_slot (account_id);
create index realtime_slot_holder on taskboard.realtime_slot (holder_id);

-- Each step sees what was committed before it, so whoever comes next counts this one's slot. A holder that is being renewed is
-- locked: it is waited for, and found alive.
create function taskboard.take_realtime_slot(slot text, account text, holder text, most integer, given bigint)
returns text language plpgsql as $$
declare
  present bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('taskboard.realtime ' || account, 0));
  present := coalesce(given, taskboard.now_ms());
  delete from taskboard.realtime_holder h where h.id in (
    select e.id from taskboard.realtime_holder e where e.expires_at <= present order by e.id for update
  );
  perform from taskboard.realtime_holder h where h.id = holder for key share;
  if not found then
    return 'lost';
  end if;
  if most is not null and most <= (
    select count(*) from (select from taskboard.realtime_slot s where s.account_id = account limit most) as taken
  ) then
    return 'full';
  end if;
  insert into taskboard.realtime_slot (id, account_id, holder_id) values (slot, account, holder);
  return 'taken';
end
$$;
`,
  },
  {
    number: 9,
    name: 'due_dates_and_dependents',
    sql: `-- The due date counts at any distance: its factor rises slowly from far before the date and fast near it, so there are six lanes. Equal
-- scores go by due date, and lists show held tasks last.

alter table taskboard.scoring
  add column due_far_horizon_ms bigint,
  -- What a task that is due, or overdue, gets for that.
  add column due_units bigint,
  -- \`due_slope\` is that of the fast rise, within \`due_horizon_ms\` of the due date; this one is that of the slow rise before it.
  add column due_far_slope bigint;

-- Boards with the default weights get the new curve here. Boards with others keep the old one until the host calls \`rescore\`, and
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

-- Where a task stands in the pickup order at \`present\`, as \`placeTask\` of the core works it out. One row; a set, as only those
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

-- The queue's row of a task in TODO at \`present\`.
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
-- The lane in other words than in \`todo_pickup\`, or a planner without statistics might take this one for claims, and read past
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

-- Whether it is counted in \`open_dependencies\` of the task that waits. Changed only with that task's row locked.
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

-- Frees the first \`most\` tasks that wait for \`done\`, whose row must be locked against moves. Each statement sees what was committed
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

-- Frees up to \`most\` dependents of a task in \`freeing\`, and takes its row away when there is nothing left for it. Leaves it to others
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
`,
  },
  {
    number: 10,
    name: 'agents',
    sql: `-- How long the lease of a task is, as its claim asked for: renewals that name no other length use it.
alter table taskboard.task add column lease_ms integer not null default 60000;

alter table taskboard.agent
  -- Until when somebody outside of the runtimes works for the agent, as far as claims for it have said.
  add column worked_until bigint,
  -- '*' while no runtime is registered for the agent's own type: such agents are worked by the runtime for '*'. Null for the others.
  add column fallback text default '*';
create index agent_fallback on taskboard.agent (fallback, workspace_id, created_at, id) where fallback is not null;

-- Whether the agents of the type have no fallback. It follows \`live_until\` with the next report of a runtime.
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

-- As \`first_wait_for_type\`, for the agents that the runtime for '*' works.
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
`,
  },
  {
    number: 11,
    name: 'fair_deliveries',
    sql: `-- Accounts take turns in claims of due deliveries.

-- Whose the delivery is. Of what was finished before this it is not known, and nobody asks; a resend says it.
alter table taskboard.delivery add column account_id text not null default '';

update taskboard.delivery d set account_id = w.account_id
from taskboard.workspace w
where w.id = d.workspace_id and d.status = 'pending';

drop index taskboard.delivery_webhook_due;
create index delivery_account_due on taskboard.delivery (account_id, webhook_id, next_attempt_at, id) where status = 'pending';

-- The webhooks with due deliveries, in turn: accounts in the order of their ids, on from \`last_account\` and round once, the webhooks
-- of each likewise, on from the one that \`last_webhooks\` names for it. It leaps from one to the next, so that a backlog costs
-- no more than a single delivery, and ends with the account that brings what is found to \`wanted\`; of each webhook at most
-- \`per_webhook\` count, of each account little more than \`per_account\`. Those of disabled webhooks are named and do not count.
--
-- The last row has no webhook: it says when the first delivery falls due of all that were passed and had none, null if there is
-- none, and 'now' (0) if not all was looked at.
create function taskboard.due_webhooks(
  present bigint, wanted integer, per_account integer, per_webhook integer,
  excluded_accounts text[], excluded_webhooks text[], last_account text, last_webhooks jsonb
) returns table (account text, webhook text, is_enabled boolean, turn integer, next_due_at bigint)
language plpgsql stable as $$
declare
  found_all integer := 0;
  found_here integer;
  is_round boolean := false;
  is_webhook_round boolean;
  first_webhook text;
  head bigint;
  soonest bigint;
  due integer;
begin
  account := last_account;
  turn := 0;
  <<accounts>>
  while found_all < wanted loop
    select d.account_id into account from taskboard.delivery d
    where d.status = 'pending' and d.account_id > account
    order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
    if not found then
      exit when is_round;
      is_round := true;
      select d.account_id into account from taskboard.delivery d
      where d.status = 'pending'
      order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
      exit when not found;
    end if;
    exit when is_round and account > last_account;
    continue when account = any (excluded_accounts);
    first_webhook := coalesce(last_webhooks ->> account, '');
    webhook := first_webhook;
    is_webhook_round := first_webhook = '';
    found_here := 0;
    loop
      if found_here >= per_account then
        soonest := 0;
        exit;
      end if;
      select d.webhook_id, d.next_attempt_at into webhook, head from taskboard.delivery d
      where d.status = 'pending' and d.account_id = account and d.webhook_id > webhook
      order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
      if not found then
        exit when is_webhook_round;
        is_webhook_round := true;
        webhook := '';
        continue;
      end if;
      exit when is_webhook_round and first_webhook <> '' and webhook > first_webhook;
      continue when webhook = any (excluded_webhooks);
      if head > present then
        soonest := least(soonest, head);
        continue;
      end if;
      select w.enabled into is_enabled from taskboard.webhook w where w.id = webhook;
      continue when not found;
      if is_enabled then
        select count(*) into due from (
          select from taskboard.delivery d
          where d.status = 'pending' and d.account_id = account and d.webhook_id = webhook and d.next_attempt_at <= present
          limit per_webhook
        ) as few;
        found_here := found_here + due;
        found_all := found_all + due;
      end if;
      turn := turn + 1;
      return next;
    end loop;
  end loop;
  if found_all >= wanted then
    soonest := 0;
  end if;
  account := null;
  webhook := null;
  is_enabled := null;
  turn := null;
  next_due_at := soonest;
  return next;
end
$$;
`,
  },
  {
    number: 12,
    name: 'addresses_alike',
    sql: `-- E-mail addresses are compared in normalization form KC from now on, so that no two users have addresses that look alike. Earlier
-- versions stored them in form C. An address whose new form another user has, or would get, stays as it is: which of the two users is
-- meant is for the host to say. Only a database in UTF-8 can normalize; in any other one addresses are left alone.
do $$
begin
  if getdatabaseencoding() = 'UTF8' then
    update taskboard.account_user as one
    set email = lower(normalize(one.email, nfkc))
    where one.email is not nfkc normalized
      and not exists (
        select from taskboard.account_user as other
        where other.id <> one.id and lower(normalize(other.email, nfkc)) = lower(normalize(one.email, nfkc))
      );
  end if;
end
$$;
`,
  },
  {
    number: 13,
    name: 'scopes_of_users',
    sql: `-- A user without a list of scopes has every one that there is, also those that later versions add. Earlier versions wrote the
-- list of their time instead, which nobody meant to be the end of it.
alter table taskboard.account_user alter column scopes drop not null;

update taskboard.account_user set scopes = null
where cardinality(scopes) = 10 and scopes @> array[
  'tasks:read', 'tasks:write', 'agents:read', 'agents:write', 'analytics:read', 'webhooks:read', 'webhooks:write',
  'chat:write', 'account:read', 'account:write'
];
`,
  },
  {
    number: 14,
    name: 'subtasks_and_routes',
    sql: `-- Subtasks, tasks that are for the agents of their type, and agents that are paused or work a bounded number of tasks.

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
-- place. A function sees what was committed until it runs. Without \`waits\`, an agent that another claim has locked has no room.
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

-- \`agent_id\` of the queue is a pool: an agent's id for its own tasks, '#' and a type for those of the agents of that type, and empty for
-- those of any agent. So a claim reads one pool more than before, in the same index.
alter table taskboard.todo add column type text;

-- The queue's row of a task in TODO at \`present\`.
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

-- Moves at most \`most\` tasks of a type into the pool where they belong. Leaves those that others have locked.
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

-- Routes up to \`most\` tasks of a type in \`rerouting\`, and takes its row away when nothing is left for it.
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
`,
  },
  {
    number: 15,
    name: 'conversations_and_approvals',
    sql: `-- Whether anybody has commented on a task: runs of other tasks need not look.
alter table taskboard.task add column has_comments boolean not null default false;

-- The task is locked by each writer of a comment: so places count from 1 without gaps, in the order of the commits. A task is never
-- deleted while something of it is left, so no reference is checked.
create table taskboard.task_comment (
  task_id text not null,
  place integer not null,
  id text not null,
  kind text not null,
  body text not null,
  author_kind text not null,
  author_id text,
  -- As it was when the comment was written.
  author_name text,
  created_at bigint not null,
  primary key (task_id, place)
);
create index task_comment_exchange on taskboard.task_comment (task_id, place) where kind in ('question', 'answer');

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
  fencing_token bigint not null,
  requested_at bigint not null,
  expires_at bigint not null,
  decided_by_kind text,
  decided_by_id text,
  decided_at bigint,
  comment text,
  used_at bigint
);
-- What answers a request: one approval at most.
create unique index approval_open on taskboard.approval (task_id, input_digest, action)
  where state in ('pending', 'approved', 'rejected');
create index approval_task on taskboard.approval (task_id, id);
create index approval_state on taskboard.approval (workspace_id, state, id);
`,
  },
  {
    number: 16,
    name: 'usage',
    sql: `-- What agents have used, and their budgets. Costs are whole millionths of a dollar.

-- The budget of a task: \`tokens\` and \`costUsd\`, each a number or null.
alter table taskboard.task add column budget jsonb;

-- The reports on a task. They are deleted with it. \`fencing_token\` is that of the attempt, 0 for none.
create table taskboard.task_usage (
  task_id text not null,
  fencing_token bigint not null,
  model text not null,
  reports bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  cost_micros bigint not null,
  primary key (task_id, fencing_token, model)
) with (fillfactor = 70);

-- All reports by day, in UTC, counted since the first of January 1970. \`agent_id\` and \`type\` are empty for none.
create table taskboard.usage_day (
  workspace_id text not null,
  day integer not null,
  agent_id text not null,
  type text not null,
  model text not null,
  reports bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  cost_micros bigint not null,
  primary key (workspace_id, day, agent_id, type, model)
) with (fillfactor = 70);

-- What the present month has spent, of an agent, or (with an empty id) of a workspace.
create table taskboard.usage_month (
  workspace_id text not null,
  agent_id text not null,
  month bigint not null,
  tokens bigint not null,
  cost_micros bigint not null,
  primary key (workspace_id, agent_id)
) with (fillfactor = 50);

-- The budget of an agent, or (with an empty id) of a workspace, for each month.
create table taskboard.monthly_budget (
  workspace_id text not null,
  agent_id text not null,
  budget jsonb not null,
  -- Until when it is spent; 0 when it is not.
  spent_until bigint not null default 0,
  primary key (workspace_id, agent_id)
);

-- Until when the agent takes nothing, because its budget or that of its workspace is spent.
alter table taskboard.agent add column spent_until bigint not null default 0;

-- The same keys as before, with what a claim asks of an agent besides.
drop index taskboard.agent_type;
create index agent_type on taskboard.agent (type, paused, workspace_id, created_at, id) include (spent_until);
drop index taskboard.agent_fallback;
create index agent_fallback on taskboard.agent (fallback, paused, workspace_id, created_at, id) include (spent_until)
  where fallback is not null;

-- The budget of the workspace is locked, so that of a new agent and a report of the same moment the later one sees the other.
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
`,
  },
  {
    number: 17,
    name: 'schedules',
    sql: `-- Tasks that are added again and again, at the times of a cron expression.
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
`,
  },
  {
    number: 18,
    name: 'finding_tasks',
    sql: `-- What a task is found by: each begins with its workspace, so that a search reads nothing of other workspaces. The signs before types,
-- tags and flags are in no word. Kept in the row: to make it takes much longer than to read it.
create function taskboard.search_terms(
  workspace text, title_words text[], description_words text[], type text, tags text[], flag smallint
) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select workspace || '/' || term from (
      select unnest(title_words) union select unnest(description_words) union select '#' || unnest(tags)
      union select '=' || type where type is not null union select '!' || flag::text
    ) as terms (term)
  ))
$$;

-- Finding tasks by their words, and in other orders than the newest first. What searches look for is in a table of its own: it changes
-- only when a person edits the task, and the indexes of \`task\` are written with each claim, renewal and completion.
create table taskboard.task_search (
  workspace_id text not null,
  task_id text not null,
  created_at bigint not null,
  -- The due date, or the largest number of the library for none, below 0: what is due first is the greatest.
  due_rank bigint not null,
  -- As \`searchWords\` of the core returns them.
  title_words text[] not null,
  description_words text[] not null,
  type text,
  tags text[] not null,
  flag smallint not null,
  terms tsvector generated always as (
    taskboard.search_terms(workspace_id, title_words, description_words, type, tags, flag)
  ) stored,
  primary key (workspace_id, task_id)
);

-- Tasks from before have the words that the database makes of their texts. These differ from those of the library where the database
-- does not know the lower case of a letter; the next edit of the text corrects them.
create function taskboard.words_of(text_of_task text) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct left(word, 64)), '{}') from regexp_split_to_table(lower(text_of_task), '[^[:alnum:]]+') as word
  where word <> ''
$$;
insert into taskboard.task_search
select t.workspace_id, t.id, t.created_at, -coalesce(t.due_date, 9007199254740991), taskboard.words_of(t.title),
  (taskboard.words_of(coalesce(t.description, '')))[:1000], t.type, t.tags, t.flag
from taskboard.task t;
drop function taskboard.words_of(text);

create index task_search_terms on taskboard.task_search
  using gin (terms);
create index task_search_due on taskboard.task_search (workspace_id, due_rank, task_id);
create index task_search_created on taskboard.task_search (workspace_id, created_at);
-- Without the id: with it, the planner may look up a task of a workspace here, and reads all entries of the workspace for that.
create index task_updated on taskboard.task (workspace_id, updated_at);
create index task_parent on taskboard.task (parent_id, id) where parent_id is not null;

-- The agents that workers outside of the runtimes have claimed for: whether they still do is looked at all the time.
create index agent_worked on taskboard.agent (worked_until) where worked_until is not null;
`,
  },
  {
    number: 19,
    name: 'deletions',
    sql: `-- Accounts and workspaces that are being deleted. Their rows stay, marked, until everything that belongs to them is gone, and every
-- statement, also of an earlier version, reads the two views: so for all of them the account is gone with the commit that marks it.
alter table taskboard.account rename to account_row;
alter table taskboard.workspace rename to workspace_row;
alter table taskboard.account_row add column deleting boolean not null default false;
alter table taskboard.workspace_row add column deleting boolean not null default false;

create view taskboard.account as
select id, name, tier, created_at from taskboard.account_row where not deleting;
create view taskboard.workspace as
select id, account_id, name, created_at from taskboard.workspace_row where not deleting;

-- What is left to delete: an account, or one workspace of it. Few rows, which are read from end to end.
create table taskboard.deletion (
  id text primary key,
  account_id text not null,
  asked_at bigint not null,
  -- Set when nothing was found any more: every transaction that may have begun before the mark is below it. What those still add is
  -- found once they have ended.
  horizon xid8
);
create index deletion_account on taskboard.deletion (account_id);

-- For the checks of references to a workspace that is deleted, and for its keys.
create index api_key_workspace on taskboard.api_key (workspace_id) where workspace_id is not null;
create index api_key_default on taskboard.api_key (default_workspace_id);
create index account_user_default on taskboard.account_user (default_workspace_id);

-- The workspace of the caller that used an idempotency key, as requests write it into the scope.
create function taskboard.workspace_of_scope(scope text) returns text language sql immutable parallel safe as $$
  select substring(scope from '"(ws_[0-9A-Za-z]+)"')
$$;
create index idempotency_workspace on taskboard.idempotency (taskboard.workspace_of_scope(scope));

-- As before, with the table's name where a hidden column is read; agents of a workspace that is being deleted leave nothing to route.
create or replace function taskboard.agents_changed() returns trigger language plpgsql as $$
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
    select from taskboard.workspace_row w where w.id = new.workspace_id and w.xmin = pg_current_xact_id()::xid
  ) then
    perform taskboard.turn_route(new.workspace_id, new.type);
  end if;
  return null;
end
$$;

-- Ends the work of workspaces: agents take nothing more, schedules make no tasks, and nothing is sent.
create function taskboard.stop_workspaces(workspaces text[]) returns void language plpgsql as $$
begin
  update taskboard.agent a set paused = true where a.workspace_id = any (workspaces) and not a.paused;
  update taskboard.schedule s set enabled = false, next_at = null where s.workspace_id = any (workspaces) and s.enabled;
  update taskboard.webhook w set enabled = false where w.workspace_id = any (workspaces) and w.enabled;
  delete from taskboard.notification_target t where t.workspace_id = any (workspaces);
end
$$;

-- Marks an account, and whatever workspaces it has. Whether there was one.
create function taskboard.mark_account(account text, present bigint) returns boolean language plpgsql as $$
begin
  update taskboard.account_row a set deleting = true where a.id = account and not a.deleting;
  if not found then
    return false;
  end if;
  delete from taskboard.deletion d where d.account_id = account;
  insert into taskboard.deletion (id, account_id, asked_at) values (account, account, present);
  update taskboard.workspace_row w set deleting = true where w.account_id = account and not w.deleting;
  perform taskboard.stop_workspaces(array(select w.id from taskboard.workspace_row w where w.account_id = account));
  return true;
end
$$;

-- Marks a workspace: 'marked', 'unknown', or 'last' when its account has no other one. Users and keys that work on it by default work on
-- the oldest that is left; keys of this workspace alone end.
create function taskboard.mark_workspace(workspace text, present bigint) returns text language plpgsql as $$
declare
  account text;
  next_default text;
begin
  select w.account_id into account from taskboard.workspace w where w.id = workspace;
  -- Of two that delete the last two workspaces, the later one sees the other's mark.
  perform from taskboard.account a where a.id = account for no key update;
  if not found then
    return 'unknown';
  end if;
  select w.id into next_default from taskboard.workspace w
  where w.account_id = account and w.id <> workspace order by w.created_at, w.id limit 1;
  if next_default is null then
    return 'last';
  end if;
  update taskboard.workspace_row w set deleting = true where w.id = workspace and not w.deleting;
  if not found then
    return 'unknown';
  end if;
  insert into taskboard.deletion (id, account_id, asked_at) values (workspace, account, present);
  update taskboard.api_key k set revoked_at = coalesce(k.revoked_at, present) where k.workspace_id = workspace;
  perform taskboard.move_defaults(array[workspace], account);
  perform taskboard.stop_workspaces(array[workspace]);
  return 'marked';
end
$$;

-- Also for users and keys that were being added when the workspace was marked.
create function taskboard.move_defaults(workspaces text[], account text) returns void language plpgsql as $$
declare
  next_default text;
begin
  select w.id into next_default from taskboard.workspace w where w.account_id = account order by w.created_at, w.id limit 1;
  if next_default is null then
    return;
  end if;
  update taskboard.api_key k set default_workspace_id = next_default where k.default_workspace_id = any (workspaces);
  update taskboard.account_user u set default_workspace_id = next_default where u.default_workspace_id = any (workspaces);
end
$$;
`,
  },
  {
    number: 20,
    name: 'notification_channels',
    sql: `-- Notification channels that users set up. Each has a target of its own, whose \`channel\` is its id.
create table taskboard.notification_channel (
  id text collate "C" primary key,
  workspace_id text not null references taskboard.workspace_row,
  type text not null,
  name text not null,
  -- Without the secrets, which are sealed, by their member.
  config jsonb not null,
  secrets jsonb not null,
  events text[] not null,
  failures integer not null default 0,
  failing_since bigint,
  last_error text,
  last_delivered_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index notification_channel_page on taskboard.notification_channel (workspace_id, id);

alter table taskboard.notification_target
  add column channel_id text collate "C" references taskboard.notification_channel on delete cascade,
  -- As in the channel; null for a channel of the host.
  add column type text,
  -- Whether the last send failed: those that fail wait in a queue of their own.
  add column failing boolean not null default false;
create index notification_type_due on taskboard.notification_target (type, failing, due_at)
  where not rests and type is not null;
create index notification_target_channel on taskboard.notification_target (channel_id) where channel_id is not null;
`,
  },
  {
    number: 21,
    name: 'traces',
    sql: `-- The W3C trace context of the span in which a task was added, so that its runs and deliveries continue the trace.
alter table taskboard.task add column traceparent text;
`,
  },
  {
    number: 22,
    name: 'resting_agents',
    sql: `-- Until when the agent takes nothing, because its worker could not work; null when it never rested.
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
`,
  },
  {
    number: 23,
    name: 'askers_of_approvals',
    sql: `-- Whose an approval is: only a request of the same asker uses it. What a process of an earlier version inserts in the meantime is nobody's.
alter table taskboard.approval add column asker_kind text not null default 'credential';
-- Of a credential, its user or key.
alter table taskboard.approval add column asker_owner text;
update taskboard.approval set
  asker_kind = case when requested_by_kind = 'agent' then 'runtime'
    when requested_by_kind in ('user', 'api_key') then 'credential' else 'host' end,
  asker_owner = case when requested_by_kind in ('user', 'api_key') then requested_by_id end;

drop index taskboard.approval_open;
create unique index approval_open on taskboard.approval (task_id, input_digest, action, asker_kind, coalesce(asker_owner, ''))
  where state in ('pending', 'approved', 'rejected');
`,
  },
  {
    number: 24,
    name: 'people',
    sql: `-- Who has a task without an agent, as JSON of kind, id and name; and the name of who decided an approval, as it was then.
alter table taskboard.task add column taken_by jsonb;
alter table taskboard.approval add column decided_by_name text;
`,
  },
  {
    number: 25,
    name: 'key_check',
    sql: `-- A text that is sealed with the encryption key of the processes. One with another key does not start.
create table taskboard.key_check (
  only_row boolean primary key default true check (only_row),
  sealed text not null
);
`,
  },
  {
    number: 26,
    name: 'parts_of_deleted_tasks',
    sql: `-- Writing the rows below checks no reference to their task. They go with it, whatever deletes the task, a statement by hand included:
-- without their task, nothing tells whose most of them were.
create function taskboard.delete_parts() returns trigger language plpgsql as $$
declare
  ids text[] := array(select g.id from gone g);
begin
  delete from taskboard.attempt r where r.task_id = any (ids);
  delete from taskboard.task_comment r where r.task_id = any (ids);
  delete from taskboard.approval r where r.task_id = any (ids);
  delete from taskboard.task_usage r where r.task_id = any (ids);
  delete from taskboard.freeing r where r.task_id = any (ids);
  delete from taskboard.todo r where r.task_id = any (ids);
  delete from taskboard.task_search r using gone g where r.workspace_id = g.workspace_id and r.task_id = g.id;
  return null;
end
$$;
create trigger delete_parts after delete on taskboard.task referencing old table as gone
  for each statement execute function taskboard.delete_parts();
`,
  },
]
