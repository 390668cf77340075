-- Notification channels that users set up. Each has a target of its own, whose `channel` is its id.
create table taskboard.notification_channel (
  id text collate "C" primary key,
  workspace_id text not null references taskboard.workspace_row,
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

alter table taskboard.notification_target
  add column channel_id text collate "C" references taskboard.notification_channel on delete cascade,
  -- As in the channel; null for a channel of the host.
  add column type text,
  -- Whether the last send failed: those that fail wait in a queue of their own.
  add column failing boolean not null default false;
create index notification_type_due on taskboard.notification_target (type, failing, due_at)
  where not rests and type is not null;
create index notification_target_channel on taskboard.notification_target (channel_id) where channel_id is not null;
