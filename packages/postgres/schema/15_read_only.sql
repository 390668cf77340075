-- Accounts that take no writes, such as one that is being copied to another server. What an export has then stays as it is.

-- Guards of the rows that exports have and that are rarely written. Tasks and what belongs to them need none: `take_numbers` refuses the
-- events of their changes, and what changes a task without an event calls `require_writable` itself.
create function taskboard.guard_workspace_row() returns trigger language plpgsql as $$
begin
  perform taskboard.require_writable(case when tg_op = 'DELETE' then old.workspace_id else new.workspace_id end);
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
create function taskboard.guard_account_row() returns trigger language plpgsql as $$
begin
  perform taskboard.require_writable_account(case when tg_op = 'DELETE' then old.account_id else new.account_id end);
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
create function taskboard.guard_account() returns trigger language plpgsql as $$
begin
  perform taskboard.refuse_write();
  return new;
end
$$;

create trigger read_only before update of name, tier, require_other_person on taskboard.every_account for each row
  when (old.read_only and new.read_only
    and (old.name, old.tier, old.require_other_person) is distinct from (new.name, new.tier, new.require_other_person))
  execute function taskboard.guard_account();
create trigger read_only before insert or update of name on taskboard.every_workspace for each row
  execute function taskboard.guard_account_row();
create trigger read_only before insert or delete or update on taskboard.account_user for each row
  execute function taskboard.guard_account_row();
create trigger read_only before insert or delete
  or update of name, scopes, workspace_id, default_workspace_id, expires_at, revoked_at on taskboard.api_key for each row
  execute function taskboard.guard_account_row();
create trigger read_only before insert on taskboard.invitation for each row execute function taskboard.guard_account_row();
create trigger read_only before insert or delete
  or update of name, type, model, system_prompt, capabilities, tools, paused, max_concurrent on taskboard.agent for each row
  execute function taskboard.guard_workspace_row();
create trigger read_only before insert or delete or update on taskboard.schedule for each row
  execute function taskboard.guard_workspace_row();
create trigger read_only before insert or delete or update of url, events, secrets on taskboard.webhook for each row
  execute function taskboard.guard_workspace_row();
create trigger read_only before insert or delete or update of name, config, secrets, events on taskboard.notification_channel
  for each row execute function taskboard.guard_workspace_row();
create trigger read_only before insert or delete on taskboard.notification_target for each row
  execute function taskboard.guard_workspace_row();
create trigger read_only before insert or delete or update of budget on taskboard.monthly_budget for each row
  execute function taskboard.guard_workspace_row();
create trigger read_only before insert on taskboard.usage_month for each row execute function taskboard.guard_workspace_row();

-- Makes an account take no writes, or take them again. Waits for the writes that have begun: they hold the row of their account, their
-- workspace or its log. Returns whether there is such an account.
create function taskboard.set_read_only(account text, is_on boolean) returns boolean language plpgsql as $$
declare
  workspaces text[];
begin
  perform from taskboard.every_account a where a.id = account and not a.deleting for update;
  if not found then
    return false;
  end if;
  workspaces := array(
    select w.id from taskboard.every_workspace w where w.account_id = account and not w.deleting order by w.id for update
  );
  perform from taskboard.workspace_log l where l.workspace_id = any (workspaces) order by l.workspace_id for update;
  if is_on then
    update taskboard.agent a set paused = true, paused_before = a.paused
    where a.workspace_id = any (workspaces) and a.paused_before is null;
  end if;
  update taskboard.every_account a set read_only = is_on where a.id = account;
  update taskboard.every_workspace w set read_only = is_on where w.id = any (workspaces);
  update taskboard.workspace_log l set read_only = is_on where l.workspace_id = any (workspaces);
  if not is_on then
    update taskboard.agent a set paused = a.paused_before, paused_before = null
    where a.workspace_id = any (workspaces) and a.paused_before is not null;
  end if;
  return true;
end
$$;
