-- The limits of tiers, and the tasks that accounts have created in a month.

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
