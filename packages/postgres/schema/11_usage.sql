-- What agents have used, and their budgets. Costs are whole millionths of a dollar.

-- Sums of what was reported on a task. They are deleted with it.
create table taskboard.task_usage (
  task_id text not null,
  -- That of the attempt; 0 for none.
  fencing_token bigint not null,
  model text not null,
  reports bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  cost_micros bigint not null,
  primary key (task_id, fencing_token, model)
) with (fillfactor = 70);

-- Sums of all reports by day. `agent_id` and `type` are empty for none.
create table taskboard.usage_day (
  workspace_id text not null,
  -- Since January 1, 1970, in UTC.
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

-- What an agent, or (with an empty id) a workspace, has spent in its newest month.
create table taskboard.usage_month (
  workspace_id text not null,
  agent_id text not null,
  month bigint not null,
  tokens bigint not null,
  cost_micros bigint not null,
  primary key (workspace_id, agent_id)
) with (fillfactor = 50);

-- What an agent, or (with an empty id) a workspace, may spend in each month.
create table taskboard.monthly_budget (
  workspace_id text not null,
  agent_id text not null,
  budget jsonb not null,
  -- Until when it is spent; 0 when it is not.
  spent_until bigint not null default 0,
  primary key (workspace_id, agent_id)
);
