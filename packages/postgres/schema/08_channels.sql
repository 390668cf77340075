-- Notifications, for the channels of hosts and those that users set up.

-- Channels that users set up. Each has a target, whose `channel` is its id.
create table taskboard.notification_channel (
  id text collate "C" primary key,
  workspace_id text not null references taskboard.every_workspace,
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

-- How far each channel has read the log of a workspace.
create table taskboard.notification_target (
  workspace_id text not null references taskboard.every_workspace,
  channel text not null,
  settings jsonb not null,
  read_through_seq bigint not null,
  due_at bigint not null,
  claim_token text,
  -- Everything was read when this was set, with the log locked: so nothing is to be found here until the next event. What a look for
  -- unread events costs depends on how many there are, not on the number of workspaces.
  rests boolean not null default false,
  -- The channel of a user, and its type; null for a channel of the host.
  channel_id text collate "C" references taskboard.notification_channel on delete cascade,
  type text,
  -- Whether the last send failed: those that fail wait in a queue of their own.
  failing boolean not null default false,
  primary key (workspace_id, channel)
);
create index notification_due on taskboard.notification_target (channel, due_at) where not rests;
create index notification_type_due on taskboard.notification_target (type, failing, due_at)
  where not rests and type is not null;
create index notification_target_channel on taskboard.notification_target (channel_id) where channel_id is not null;
