-- The log of what has happened, in an order of its own for each workspace.

-- One row for each workspace. Every transaction that writes to the log of the workspace locks it until the commit: so events are numbered
-- without gaps, and no reader sees a later one before an earlier one. `feed_xid` never falls, and is at least the id of the transaction
-- that wrote the last event.
create table taskboard.workspace_log (
  workspace_id text primary key references taskboard.every_workspace,
  last_seq bigint not null default 0,
  feed_xid xid8 not null default '0',
  -- Whether a notification target of the workspace rests, which the next event ends.
  has_resting boolean not null default false
) with (fillfactor = 50);

-- Events. The workspace is not a reference: its row in `workspace_log` is locked when events are written, so it exists.
create table taskboard.event (
  workspace_id text not null,
  seq bigint not null,
  feed_xid xid8 not null,
  at bigint not null,
  payload_version integer not null,
  id text not null,
  type text not null,
  data jsonb not null,
  primary key (workspace_id, seq)
);
-- In this order, everything below the oldest running transaction is complete, also within each workspace.
create index event_feed on taskboard.event (feed_xid, workspace_id, seq);
-- Rows lie nearly in the order of their time: this is enough for pruning, and costs next to nothing to maintain.
create index event_age on taskboard.event using brin (at);

-- Takes the next `count` numbers of the log of a workspace, which stays locked until the commit. They begin after `base`. A function,
-- because a statement that has waited for a row prepares itself again, as a whole, before it looks at the row; this one is small.
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
