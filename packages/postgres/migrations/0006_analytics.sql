-- Figures about tasks by day, as the event log tells them.

-- What is rolled up of the events up to the mark of each workspace. `type` is the task's, empty for none; `timed` tasks of the
-- completed ones were in DOING, `taken_ms` all together. A task that leaves DONE takes away what its completion added.
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
