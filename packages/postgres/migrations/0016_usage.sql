-- What agents have used, and their budgets. Costs are whole millionths of a dollar.

-- The budget of a task: `tokens` and `costUsd`, each a number or null.
alter table taskboard.task add column budget jsonb;

-- The reports on a task. They are deleted with it. `fencing_token` is that of the attempt, 0 for none.
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

-- All reports by day, in UTC, counted since the first of January 1970. `agent_id` and `type` are empty for none.
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
