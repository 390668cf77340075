-- Links that decide one request as one person.

create table taskboard.link (
  id text primary key,
  -- The SHA-256 of its token, which is stored nowhere.
  token_hash text not null unique,
  account_id text not null references taskboard.every_account,
  workspace_id text not null,
  -- The task is not a reference: the trigger `delete_parts` removes these rows with it.
  task_id text not null,
  -- An approval, or a question by the id of its comment.
  about_kind text not null,
  about_id text not null,
  -- Of the input that is approved, or of the text of the question.
  digest text not null,
  -- The person who decides, also one of the host's login.
  user_id text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index link_of_account on taskboard.link (account_id);
create index link_of_task on taskboard.link (task_id);
create index link_of_user on taskboard.link (user_id);
create index link_expiry on taskboard.link (expires_at);
