-- Whether anybody has commented on a task: runs of other tasks need not look.
alter table taskboard.task add column has_comments boolean not null default false;

-- The task is locked by each writer of a comment: so places count from 1 without gaps, in the order of the commits. A task is never
-- deleted while something of it is left, so no reference is checked.
create table taskboard.task_comment (
  task_id text not null,
  place integer not null,
  id text not null,
  kind text not null,
  body text not null,
  author_kind text not null,
  author_id text,
  -- As it was when the comment was written.
  author_name text,
  created_at bigint not null,
  primary key (task_id, place)
);
create index task_comment_exchange on taskboard.task_comment (task_id, place) where kind in ('question', 'answer');

create table taskboard.approval (
  id text primary key,
  workspace_id text not null,
  task_id text not null,
  action text not null,
  summary text not null,
  input json not null,
  input_digest text not null,
  -- pending, approved, rejected, used, expired. A pending one whose time is over stays pending until another takes its place.
  state text not null,
  agent_id text not null,
  requested_by_kind text not null,
  requested_by_id text,
  fencing_token bigint not null,
  requested_at bigint not null,
  expires_at bigint not null,
  decided_by_kind text,
  decided_by_id text,
  decided_at bigint,
  comment text,
  used_at bigint
);
-- What answers a request: one approval at most.
create unique index approval_open on taskboard.approval (task_id, input_digest, action)
  where state in ('pending', 'approved', 'rejected');
create index approval_task on taskboard.approval (task_id, id);
create index approval_state on taskboard.approval (workspace_id, state, id);
