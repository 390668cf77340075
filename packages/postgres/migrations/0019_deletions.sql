-- Accounts and workspaces that are being deleted. Their rows stay, marked, until everything that belongs to them is gone, and every
-- statement, also of an earlier version, reads the two views: so for all of them the account is gone with the commit that marks it.
alter table taskboard.account rename to account_row;
alter table taskboard.workspace rename to workspace_row;
alter table taskboard.account_row add column deleting boolean not null default false;
alter table taskboard.workspace_row add column deleting boolean not null default false;

create view taskboard.account as
select id, name, tier, created_at from taskboard.account_row where not deleting;
create view taskboard.workspace as
select id, account_id, name, created_at from taskboard.workspace_row where not deleting;

-- What is left to delete: an account, or one workspace of it. Few rows, which are read from end to end.
create table taskboard.deletion (
  id text primary key,
  account_id text not null,
  asked_at bigint not null,
  -- Set when nothing was found any more: every transaction that may have begun before the mark is below it. What those still add is
  -- found once they have ended.
  horizon xid8
);
create index deletion_account on taskboard.deletion (account_id);

-- For the checks of references to a workspace that is deleted, and for its keys.
create index api_key_workspace on taskboard.api_key (workspace_id) where workspace_id is not null;
create index api_key_default on taskboard.api_key (default_workspace_id);
create index account_user_default on taskboard.account_user (default_workspace_id);

-- The workspace of the caller that used an idempotency key, as requests write it into the scope.
create function taskboard.workspace_of_scope(scope text) returns text language sql immutable parallel safe as $$
  select substring(scope from '"(ws_[0-9A-Za-z]+)"')
$$;
create index idempotency_workspace on taskboard.idempotency (taskboard.workspace_of_scope(scope));

-- As before, with the table's name where a hidden column is read; agents of a workspace that is being deleted leave nothing to route.
create or replace function taskboard.agents_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and exists (select from taskboard.workspace w where w.id = old.workspace_id) then
    perform taskboard.turn_route(old.workspace_id, old.type);
  end if;
  if tg_op = 'DELETE' then
    return null;
  end if;
  if not exists (
    select from taskboard.agent a where a.workspace_id = new.workspace_id and a.type = new.type and a.id <> new.id
  ) and not exists (
    select from taskboard.workspace_row w where w.id = new.workspace_id and w.xmin = pg_current_xact_id()::xid
  ) then
    perform taskboard.turn_route(new.workspace_id, new.type);
  end if;
  return null;
end
$$;

-- Ends the work of workspaces: agents take nothing more, schedules make no tasks, and nothing is sent.
create function taskboard.stop_workspaces(workspaces text[]) returns void language plpgsql as $$
begin
  update taskboard.agent a set paused = true where a.workspace_id = any (workspaces) and not a.paused;
  update taskboard.schedule s set enabled = false, next_at = null where s.workspace_id = any (workspaces) and s.enabled;
  update taskboard.webhook w set enabled = false where w.workspace_id = any (workspaces) and w.enabled;
  delete from taskboard.notification_target t where t.workspace_id = any (workspaces);
end
$$;

-- Marks an account, and whatever workspaces it has. Whether there was one.
create function taskboard.mark_account(account text, present bigint) returns boolean language plpgsql as $$
begin
  update taskboard.account_row a set deleting = true where a.id = account and not a.deleting;
  if not found then
    return false;
  end if;
  delete from taskboard.deletion d where d.account_id = account;
  insert into taskboard.deletion (id, account_id, asked_at) values (account, account, present);
  update taskboard.workspace_row w set deleting = true where w.account_id = account and not w.deleting;
  perform taskboard.stop_workspaces(array(select w.id from taskboard.workspace_row w where w.account_id = account));
  return true;
end
$$;

-- Marks a workspace: 'marked', 'unknown', or 'last' when its account has no other one. Users and keys that work on it by default work on
-- the oldest that is left; keys of this workspace alone end.
create function taskboard.mark_workspace(workspace text, present bigint) returns text language plpgsql as $$
declare
  account text;
  next_default text;
begin
  select w.account_id into account from taskboard.workspace w where w.id = workspace;
  -- Of two that delete the last two workspaces, the later one sees the other's mark.
  perform from taskboard.account a where a.id = account for no key update;
  if not found then
    return 'unknown';
  end if;
  select w.id into next_default from taskboard.workspace w
  where w.account_id = account and w.id <> workspace order by w.created_at, w.id limit 1;
  if next_default is null then
    return 'last';
  end if;
  update taskboard.workspace_row w set deleting = true where w.id = workspace and not w.deleting;
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

-- Also for users and keys that were being added when the workspace was marked.
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
