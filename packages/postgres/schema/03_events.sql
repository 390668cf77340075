-- The log of what has happened, in an order of its own for each workspace.

-- One row for each workspace. Every transaction that writes to the log of the workspace locks it until the commit: so events are numbered
-- without gaps, and no reader sees a later one before an earlier one. `feed_xid` never falls, and is at least the id of the transaction
-- that wrote the last event.
create table taskboard.workspace_log (
  workspace_id text primary key references taskboard.every_workspace,
  last_seq bigint not null default 0,
  feed_xid xid8 not null default '0',
  -- Whether a notification target of the workspace rests, which the next event ends.
  has_resting boolean not null default false,
  -- Whether nothing is written to it.
  read_only boolean not null default false
) with (fillfactor = 50);

-- The events that one transaction wrote to the log of a workspace. The workspace is not a reference: its row in `workspace_log` is
-- locked when events are written, so it exists. Up to a page, a batch is stored as it is: it is written once and read soon.
create table taskboard.event_batch (
  workspace_id text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  feed_xid xid8 not null,
  at bigint not null,
  payload_version integer not null,
  -- The ids of the events begin with it.
  stem uuid not null,
  types text[] not null,
  data jsonb[] not null,
  primary key (workspace_id, last_seq)
) with (toast_tuple_target = 8160);
-- In this order, everything below the oldest running transaction is complete, also within each workspace.
create index event_batch_feed on taskboard.event_batch (feed_xid, workspace_id, last_seq);
-- Rows lie nearly in the order of their time: this is enough for pruning, and costs next to nothing to maintain.
create index event_batch_age on taskboard.event_batch using brin (at);

-- The id of the event at a place in a batch, from 1.
create function taskboard.event_id(stem uuid, nth bigint) returns text language sql stable as $$
  select 'log_' || left(replace(stem::text, '-', ''), 20) || lpad(to_hex(nth), 6, '0')
$$;

-- The events of a batch. The planner replaces the call by its text.
create function taskboard.events_in(first_seq bigint, stem uuid, types text[], data jsonb[])
returns table (nth bigint, seq bigint, id text, type text, data jsonb)
language sql stable as $$
  select u.nth, first_seq + u.nth - 1, taskboard.event_id(stem, u.nth), u.type, u.data
  from unnest(types, data) with ordinality as u (type, data, nth)
$$;

-- The event of a number, as the JSON of a `LoggedEvent`; null when it has been pruned.
create function taskboard.event_at(workspace text, number bigint) returns jsonb language sql stable as $$
  select jsonb_build_object('type', b.types[b.nth], 'data', b.data[b.nth], 'id', taskboard.event_id(b.stem, b.nth), 'workspaceId', b.workspace_id,
    'seq', number, 'at', b.at, 'payloadVersion', b.payload_version)
  from (
    select *, (number - first_seq + 1)::integer as nth from taskboard.event_batch
    where workspace_id = workspace and last_seq >= number order by last_seq limit 1
  ) b
  where b.nth > 0
$$;

-- Events. In the order of `last_seq` and `nth`, which is that of `seq`, a reader of a workspace stops early; so does a reader of all
-- workspaces in that of `feed_xid`, `workspace_id`, `last_seq` and `nth`. Both compare `last_seq` as well, which an index has.
create view taskboard.event as
select b.workspace_id, e.seq, b.feed_xid, b.at, b.payload_version, e.id, e.type, e.data, b.last_seq, e.nth
from taskboard.event_batch b cross join lateral taskboard.events_in(b.first_seq, b.stem, b.types, b.data) as e;

-- Takes the next `count` numbers of the log of a workspace, which stays locked until the commit. They begin after `base`. A function,
-- because a statement that has waited for a row prepares itself again, as a whole, before it looks at the row; this one is small.
create function taskboard.take_numbers(workspace text, count bigint, out base bigint, out feed_xid xid8)
language plpgsql as $$
declare
  wakes boolean;
  refuses boolean;
begin
  update taskboard.workspace_log l
  set last_seq = l.last_seq + count, feed_xid = greatest(l.feed_xid, pg_current_xact_id())
  where l.workspace_id = workspace
  returning l.last_seq - count, l.feed_xid, l.has_resting, l.read_only into base, feed_xid, wakes, refuses;
  if refuses then
    perform taskboard.refuse_write();
  end if;
  if wakes then
    update taskboard.notification_target t set rests = false where t.workspace_id = workspace and t.rests;
    update taskboard.workspace_log l set has_resting = false where l.workspace_id = workspace;
  end if;
end
$$;
