-- Limits of requests, and of the tasks that an account creates. The row of a key is written with every batch of decisions on it, so no
-- index may hold what changes each time: the row then stays on its page, and the next reader clears away what it leaves behind.

-- Requests in rolling windows, by caller.
create table taskboard.rolling_limit (
  key text primary key,
  window_ms bigint not null,
  newest bigint not null,
  -- Whoever is idle has been so since this time or later: the end of the window, rounded down to 65.5 seconds.
  idle_from bigint not null generated always as (((newest + window_ms) >> 16) << 16) stored,
  -- The limit of the last batch, and how many that batch admitted.
  most integer not null,
  admitted integer not null,
  -- The admissions that the window still includes, oldest first.
  times bigint[] not null
) with (fillfactor = 50);
-- Numbers that rise by a little are better written at once than compressed. (`create table` can say so from PostgreSQL 16 on.)
alter table taskboard.rolling_limit alter column times set storage external;
create index rolling_limit_idle on taskboard.rolling_limit (idle_from);

-- Requests of accounts by the hour and the minute, as their tier allows.
create table taskboard.tier_limit (
  key text primary key,
  -- The start of the hour of the newest admission.
  hour bigint not null,
  -- All admissions ever, and those of them that the hour and the minute do not count anymore.
  total bigint not null,
  before_hour bigint not null,
  before_minute bigint not null,
  -- The limits of the last batch, and how many that batch admitted.
  per_hour bigint not null,
  per_minute bigint not null,
  admitted integer not null,
  -- The seconds with admissions that the minute may still include, oldest first, and the total after each.
  seconds bigint[] not null,
  totals bigint[] not null
) with (fillfactor = 50);
alter table taskboard.tier_limit alter column seconds set storage external, alter column totals set storage external;
create index tier_limit_hour on taskboard.tier_limit (hour);

-- Tasks that accounts have created in their newest month.
create table taskboard.task_quota (
  account_id text primary key,
  -- When the month began, in UTC.
  month bigint not null,
  used integer not null,
  -- The quota of the last batch, and how many that batch took.
  most integer not null,
  taken integer not null
) with (fillfactor = 50);
