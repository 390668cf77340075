-- Accounts take turns in claims of due deliveries.

-- Whose the delivery is. Of what was finished before this it is not known, and nobody asks; a resend says it.
alter table taskboard.delivery add column account_id text not null default '';

update taskboard.delivery d set account_id = w.account_id
from taskboard.workspace w
where w.id = d.workspace_id and d.status = 'pending';

drop index taskboard.delivery_webhook_due;
create index delivery_account_due on taskboard.delivery (account_id, webhook_id, next_attempt_at, id) where status = 'pending';

-- The webhooks with due deliveries, in turn: accounts in the order of their ids, on from `last_account` and round once, the webhooks
-- of each likewise, on from the one that `last_webhooks` names for it. It leaps from one to the next, so that a backlog costs
-- no more than a single delivery, and ends with the account that brings what is found to `wanted`; of each webhook at most
-- `per_webhook` count, of each account little more than `per_account`. Those of disabled webhooks are named and do not count.
--
-- The last row has no webhook: it says when the first delivery falls due of all that were passed and had none, null if there is
-- none, and 'now' (0) if not all was looked at.
create function taskboard.due_webhooks(
  present bigint, wanted integer, per_account integer, per_webhook integer,
  excluded_accounts text[], excluded_webhooks text[], last_account text, last_webhooks jsonb
) returns table (account text, webhook text, is_enabled boolean, turn integer, next_due_at bigint)
language plpgsql stable as $$
declare
  found_all integer := 0;
  found_here integer;
  is_round boolean := false;
  is_webhook_round boolean;
  first_webhook text;
  head bigint;
  soonest bigint;
  due integer;
begin
  account := last_account;
  turn := 0;
  <<accounts>>
  while found_all < wanted loop
    select d.account_id into account from taskboard.delivery d
    where d.status = 'pending' and d.account_id > account
    order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
    if not found then
      exit when is_round;
      is_round := true;
      select d.account_id into account from taskboard.delivery d
      where d.status = 'pending'
      order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
      exit when not found;
    end if;
    exit when is_round and account > last_account;
    continue when account = any (excluded_accounts);
    first_webhook := coalesce(last_webhooks ->> account, '');
    webhook := first_webhook;
    is_webhook_round := first_webhook = '';
    found_here := 0;
    loop
      if found_here >= per_account then
        soonest := 0;
        exit;
      end if;
      select d.webhook_id, d.next_attempt_at into webhook, head from taskboard.delivery d
      where d.status = 'pending' and d.account_id = account and d.webhook_id > webhook
      order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
      if not found then
        exit when is_webhook_round;
        is_webhook_round := true;
        webhook := '';
        continue;
      end if;
      exit when is_webhook_round and first_webhook <> '' and webhook > first_webhook;
      continue when webhook = any (excluded_webhooks);
      if head > present then
        soonest := least(soonest, head);
        continue;
      end if;
      select w.enabled into is_enabled from taskboard.webhook w where w.id = webhook;
      continue when not found;
      if is_enabled then
        select count(*) into due from (
          select from taskboard.delivery d
          where d.status = 'pending' and d.account_id = account and d.webhook_id = webhook and d.next_attempt_at <= present
          limit per_webhook
        ) as few;
        found_here := found_here + due;
        found_all := found_all + due;
      end if;
      turn := turn + 1;
      return next;
    end loop;
  end loop;
  if found_all >= wanted then
    soonest := 0;
  end if;
  account := null;
  webhook := null;
  is_enabled := null;
  turn := null;
  next_due_at := soonest;
  return next;
end
$$;
