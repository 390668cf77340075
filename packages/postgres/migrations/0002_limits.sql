-- Decisions of rolling limits. A key's row is written with every batch of decisions on it, so no index may hold what changes
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
