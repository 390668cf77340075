-- Figures about tasks per day, from the event log.

-- Sums of the events up to the mark of each workspace. A task that leaves DONE takes away what its completion added.
create table taskboard.analytics_day (
  workspace_id text not null,
  -- Since January 1, 1970, in UTC.
  day integer not null,
  -- The type of the tasks; empty for none.
  type text not null,
  created bigint not null,
  completed bigint not null,
  failed bigint not null,
  -- How many of the completed tasks were in DOING, and for how long in all.
  timed bigint not null,
  taken_ms bigint not null,
  primary key (workspace_id, day, type)
) with (fillfactor = 70);

-- The last event of each workspace that the sums contain. Whoever adds to them locks it, and events are pruned up to it.
create table taskboard.analytics_mark (
  workspace_id text primary key,
  seq bigint not null
) with (fillfactor = 50);
