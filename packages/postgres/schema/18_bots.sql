-- Bots in messengers: whose accounts and conversations are connected, and where the cards of tasks are. No text of a conversation is here.

-- Accounts of messengers that stand for users, who may be those of the host's login.
create table taskboard.bot_link (
  id text primary key,
  bot text not null,
  external_id text not null,
  name text not null,
  user_id text not null,
  account_id text not null references taskboard.every_account,
  time_zone text not null,
  created_at bigint not null,
  unique (bot, external_id)
);
create index bot_link_user on taskboard.bot_link (account_id, user_id, id);
create trigger read_only before insert or delete on taskboard.bot_link for each row execute function taskboard.guard_account_row();

-- One-time codes for links. A code that was used up is on offer to one messenger account, which has the secret to accept it.
create table taskboard.bot_link_code (
  id text primary key,
  code_hash text not null unique,
  user_id text not null,
  account_id text not null references taskboard.every_account,
  time_zone text not null,
  expires_at bigint not null,
  bot text,
  external_id text,
  name text,
  secret_hash text
);
create index bot_link_code_user on taskboard.bot_link_code (account_id, user_id);
create index bot_link_code_expiry on taskboard.bot_link_code (expires_at);

-- Conversations whose messages belong to a workspace.
create table taskboard.bot_conversation (
  id text primary key,
  bot text not null,
  external_id text not null,
  title text not null,
  workspace_id text not null references taskboard.every_workspace,
  account_id text not null,
  connected_by text not null,
  created_at bigint not null,
  failure text,
  unique (bot, external_id)
);
create index bot_conversation_page on taskboard.bot_conversation (workspace_id, id);
create trigger read_only before insert or delete on taskboard.bot_conversation for each row
  execute function taskboard.guard_workspace_row();

-- Where the cards of tasks are. A task may be gone while its card has yet to say so, so nothing refers to it.
create table taskboard.bot_message (
  id text primary key,
  bot text not null,
  conversation_id text not null,
  reply_to text,
  workspace_id text not null references taskboard.every_workspace,
  task_id text not null,
  user_id text not null,
  time_zone text not null,
  -- Null until it was posted.
  ref text,
  ended boolean not null default false,
  shown text,
  offer jsonb,
  failures integer not null default 0,
  created_at bigint not null,
  -- How often it was marked as out of date. A claim that was marked meanwhile is due again.
  marks integer not null default 1,
  -- When it is to be sent, or its claim ends; null for when nothing is to be sent.
  due_at bigint,
  -- Before then it is not edited again.
  not_before bigint not null,
  claim_token text
);
create index bot_message_due on taskboard.bot_message (due_at) where due_at is not null;
create index bot_message_task on taskboard.bot_message (task_id);
create index bot_message_ref on taskboard.bot_message (bot, conversation_id, id);
create index bot_message_workspace on taskboard.bot_message (workspace_id);
create trigger read_only before insert on taskboard.bot_message for each row execute function taskboard.guard_workspace_row();

-- Updates of messengers that have had their effect, for as long as messengers repeat them.
create table taskboard.bot_update (
  bot text not null,
  update_id text not null,
  taken_at bigint not null,
  primary key (bot, update_id)
);
create index bot_update_age on taskboard.bot_update (taken_at);

-- Which process asks a messenger for updates, and from where on. A row for each bot.
create table taskboard.bot_polling (
  bot text primary key,
  position bigint not null,
  holder text,
  held_until bigint not null
);
