-- Accounts and their workspaces, the people and keys that may use them, and the deletion of both.

-- Customers. The row of an account that is being deleted stays, marked, until everything that belongs to the account is gone.
-- Statements use the view `account`, for which the account is gone with the commit that marks it.
create table taskboard.every_account (
  id text primary key,
  name text not null,
  tier text not null,
  created_at bigint not null,
  -- Whether another owner has to decide and answer whatever somebody of the account asks.
  require_other_person boolean not null default false,
  deleting boolean not null default false,
  -- Whether it takes no writes. Its workspaces and their logs have the same.
  read_only boolean not null default false
);
create index account_age on taskboard.every_account (created_at, id);

create view taskboard.account as
select id, name, tier, created_at, require_other_person, read_only from taskboard.every_account where not deleting;

-- Boards of an account. As with accounts, only deletions look behind the view `workspace`.
create table taskboard.every_workspace (
  id text primary key,
  account_id text not null references taskboard.every_account,
  name text not null,
  created_at bigint not null,
  deleting boolean not null default false,
  read_only boolean not null default false
);
-- Few rows, which background work reads from end to end.
create index workspace_read_only on taskboard.every_workspace (id) where read_only;
create index workspace_age on taskboard.every_workspace (account_id, created_at, id);

create view taskboard.workspace as
select id, account_id, name, created_at from taskboard.every_workspace where not deleting;

-- Keys of programs. `workspace_id` is null for a key that works in all workspaces of the account.
create table taskboard.api_key (
  id text primary key,
  hash text not null unique,
  account_id text not null references taskboard.every_account,
  workspace_id text references taskboard.every_workspace,
  default_workspace_id text not null references taskboard.every_workspace,
  name text not null,
  scopes text[] not null,
  prefix text not null,
  -- The user who made it, with whom it goes, also one of the host's login; null for a key of the host.
  created_by text,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  -- Written at most once an hour.
  last_used_at bigint
);
create index api_key_age on taskboard.api_key (account_id, created_at desc, id desc);
-- Ends the keys of a user.
create index api_key_maker on taskboard.api_key (created_by) where created_by is not null;
-- These two serve the deletion of a workspace, which checks the references to it.
create index api_key_workspace on taskboard.api_key (workspace_id) where workspace_id is not null;
create index api_key_default on taskboard.api_key (default_workspace_id);

-- People who log in.
create table taskboard.account_user (
  id text primary key,
  account_id text not null references taskboard.every_account,
  -- The workspace of requests that name none: the account's first one until that is deleted.
  default_workspace_id text not null references taskboard.every_workspace,
  -- Unique over the whole board; without surrounding blanks, in Unicode normalization form KC and lower case, so that no two users have
  -- addresses that look alike.
  email text not null unique,
  -- Whether the address is known to be the user's.
  email_verified boolean not null default false,
  password_hash text not null,
  -- Null for all scopes, including those that later versions add.
  scopes text[],
  created_at bigint not null,
  -- Sealed secrets of one-time passwords: the one in force, and one that waits for confirmation.
  mfa_secret text,
  mfa_pending_secret text,
  -- The newest time step whose code was used.
  mfa_step bigint,
  -- SHA-256 of the recovery codes that are left.
  recovery_hashes text[] not null default '{}'
);
create index account_user_age on taskboard.account_user (account_id, created_at, id);
create index account_user_default on taskboard.account_user (default_workspace_id);

-- Addresses that may become users, until they are or the invitation is over.
create table taskboard.invitation (
  id text primary key,
  account_id text not null references taskboard.every_account,
  email text not null,
  -- As those of users.
  scopes text[],
  token_hash text not null unique,
  -- Whether only who reads the mail of the address can have the token.
  mailed boolean not null default false,
  created_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  unique (account_id, email)
);
create index invitation_expiry on taskboard.invitation (expires_at);

-- Logins, one row each. All refresh tokens of a login begin with the same secret, that of the family. A session is over from
-- `expires_at` on, which is 0 once it was ended.
create table taskboard.session (
  id text primary key,
  user_id text not null references taskboard.account_user,
  family_hash text not null unique,
  -- The only refresh token that is valid now.
  refresh_hash text not null,
  -- The tokens that were replaced within the last seconds, newest first, and when.
  rotated_hashes text[] not null default '{}',
  rotated_at bigint[] not null default '{}',
  created_at bigint not null,
  expires_at bigint not null,
  -- When it ends at the latest, however often it is refreshed.
  ends_at bigint not null,
  -- When its user last showed who they are.
  proven_at bigint not null,
  -- The last refresh, and where it came from.
  last_used_at bigint not null,
  client_address text not null,
  user_agent text
);
create index session_expiry on taskboard.session (expires_at);
-- Ends all sessions of a user.
create index session_of_user on taskboard.session (user_id);

-- Failed logins, which slow down those who guess. The key is a digest of an e-mail address and a client address, or of a user, so that
-- nobody can read here who tried to log in.
create table taskboard.login_attempt (
  key text primary key,
  passwords integer not null,
  codes integer not null,
  -- The counts hold until then.
  holds_until bigint not null
);
create index login_attempt_end on taskboard.login_attempt (holds_until);

-- A text that is sealed with the encryption key of the processes. A process with another key does not start. One row.
create table taskboard.key_check (
  only_row boolean primary key default true check (only_row),
  sealed text not null
);

-- What is left to delete: accounts, and single workspaces. Few rows, which are read from end to end.
create table taskboard.deletion (
  id text primary key,
  account_id text not null,
  asked_at bigint not null,
  -- Set when nothing is found anymore: every transaction that may have begun before the mark is below it. What those still add is
  -- found once they have ended.
  horizon xid8
);
create index deletion_account on taskboard.deletion (account_id);

-- Refuses a write to an account that takes none. An import fills such accounts.
create function taskboard.refuse_write() returns void language plpgsql as $$
begin
  if current_setting('taskboard_import.runs', true) is distinct from 'on' then
    raise exception 'the account takes no writes' using errcode = 'TB001';
  end if;
end
$$;

-- Lets a write to a workspace or an account pass, which then stays writable until the commit. A deletion may go on.
create function taskboard.require_writable(workspace text) returns void language plpgsql as $$
declare
  refuses boolean;
begin
  select w.read_only and not w.deleting into refuses from taskboard.every_workspace w where w.id = workspace for key share;
  if refuses then
    perform taskboard.refuse_write();
  end if;
end
$$;
create function taskboard.require_writable_account(account text) returns void language plpgsql as $$
declare
  refuses boolean;
begin
  select a.read_only and not a.deleting into refuses from taskboard.every_account a where a.id = account for key share;
  if refuses then
    perform taskboard.refuse_write();
  end if;
end
$$;

-- Ends the work of workspaces: agents take nothing more, schedules add no tasks, and nothing is sent.
create function taskboard.stop_workspaces(workspaces text[]) returns void language plpgsql as $$
begin
  update taskboard.agent a set paused = true where a.workspace_id = any (workspaces) and not a.paused;
  update taskboard.schedule s set enabled = false, next_at = null where s.workspace_id = any (workspaces) and s.enabled;
  update taskboard.webhook w set enabled = false where w.workspace_id = any (workspaces) and w.enabled;
  delete from taskboard.notification_target t where t.workspace_id = any (workspaces);
end
$$;

-- Gives users and keys whose default is one of the workspaces the oldest workspace that is left, including those that were being added
-- when the workspace was marked.
create function taskboard.move_defaults(workspaces text[], account text) returns void language plpgsql as $$
declare
  next_default text;
begin
  select w.id into next_default from taskboard.workspace w where w.account_id = account order by w.created_at, w.id limit 1;
  if next_default is null then
    return;
  end if;
  update taskboard.api_key k set default_workspace_id = next_default where k.default_workspace_id = any (workspaces);
  update taskboard.account_user u set default_workspace_id = next_default where u.default_workspace_id = any (workspaces);
end
$$;

-- Marks an account and all of its workspaces for deletion. Returns whether there was such an account.
create function taskboard.mark_account(account text, present bigint) returns boolean language plpgsql as $$
begin
  update taskboard.every_account a set deleting = true where a.id = account and not a.deleting;
  if not found then
    return false;
  end if;
  delete from taskboard.deletion d where d.account_id = account;
  insert into taskboard.deletion (id, account_id, asked_at) values (account, account, present);
  update taskboard.every_workspace w set deleting = true where w.account_id = account and not w.deleting;
  perform taskboard.stop_workspaces(array(select w.id from taskboard.every_workspace w where w.account_id = account));
  return true;
end
$$;

-- Marks a workspace for deletion: 'marked', 'unknown', or 'last' when its account has no other one. Users and keys whose default it is
-- get the oldest workspace that is left; keys of this workspace alone are revoked.
create function taskboard.mark_workspace(workspace text, present bigint) returns text language plpgsql as $$
declare
  account text;
  next_default text;
begin
  select w.account_id into account from taskboard.workspace w where w.id = workspace;
  perform taskboard.require_writable_account(account);
  -- Of two deletions of the last two workspaces, the later one sees the mark of the other.
  perform from taskboard.account a where a.id = account for no key update;
  if not found then
    return 'unknown';
  end if;
  select w.id into next_default from taskboard.workspace w
  where w.account_id = account and w.id <> workspace order by w.created_at, w.id limit 1;
  if next_default is null then
    return 'last';
  end if;
  update taskboard.every_workspace w set deleting = true where w.id = workspace and not w.deleting;
  if not found then
    return 'unknown';
  end if;
  insert into taskboard.deletion (id, account_id, asked_at) values (workspace, account, present);
  update taskboard.api_key k set revoked_at = coalesce(k.revoked_at, present) where k.workspace_id = workspace;
  perform taskboard.move_defaults(array[workspace], account);
  perform taskboard.stop_workspaces(array[workspace]);
  return 'marked';
end
$$;
