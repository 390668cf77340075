-- Users, their sessions, and what slows down those who guess.

create table taskboard.account_user (
  id text primary key,
  account_id text not null references taskboard.account,
  -- The account's first workspace, which never changes.
  default_workspace_id text not null references taskboard.workspace,
  -- Lower case, without blanks around it: unique over the whole board.
  email text not null unique,
  password_hash text not null,
  scopes text[] not null,
  created_at bigint not null,
  -- Sealed secrets of one-time passwords: the one in force, and one that waits to be confirmed.
  mfa_secret text,
  mfa_pending_secret text,
  -- The newest time step whose code was used.
  mfa_step bigint,
  -- SHA-256 of the recovery codes that are left.
  recovery_hashes text[] not null default '{}'
);
create index account_user_age on taskboard.account_user (account_id, created_at, id);

-- One row a login: all refresh tokens that came of it begin with the same secret, the family's. A session is over from
-- `expires_at` on, which is 0 for one that was ended.
create table taskboard.session (
  id text primary key,
  user_id text not null references taskboard.account_user,
  family_hash text not null unique,
  -- The one refresh token that is good now.
  refresh_hash text not null,
  -- Those that were replaced within the last seconds, newest first, and when.
  rotated_hashes text[] not null default '{}',
  rotated_at bigint[] not null default '{}',
  created_at bigint not null,
  expires_at bigint not null
);
create index session_expiry on taskboard.session (expires_at);
-- For ending all sessions of a user.
create index session_of_user on taskboard.session (user_id);

-- By a digest of an e-mail address and a client address, or of a user: nobody can read here who tried to log in.
create table taskboard.login_attempt (
  key text primary key,
  passwords integer not null,
  codes integer not null,
  -- Until then the counts hold.
  holds_until bigint not null
);
create index login_attempt_end on taskboard.login_attempt (holds_until);
