-- Webhooks and their deliveries.

-- Endpoints that events are sent to.
create table taskboard.webhook (
  id text primary key,
  workspace_id text not null references taskboard.every_workspace,
  url text not null,
  events text[] not null,
  -- Sealed.
  secrets jsonb not null,
  -- Whether the current secret is shorter than the host asks of users: only core can read its length.
  weak_secret boolean not null,
  enabled boolean not null default true,
  disabled_reason text,
  failing_since bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index webhook_age on taskboard.webhook (workspace_id, created_at, id);

-- What is to be sent: one row for each event and each webhook that subscribes to it, written in the commit of the event, until it is sent or
-- given up. It names the event by its number, and events are kept as long as their deliveries. Numbers stand together, as in `task`.
create table taskboard.due_delivery (
  id text primary key,
  webhook_id text not null references taskboard.webhook on delete cascade,
  workspace_id text not null,
  -- Accounts take turns.
  account_id text not null,
  -- While claimed, `next_attempt_at` is the end of the claim, and `planned_at` what it was before.
  claim_token text,
  next_attempt_at bigint not null,
  planned_at bigint,
  created_at bigint not null,
  -- Of the event in the log of the workspace.
  seq bigint,
  attempt_count integer not null default 0,
  -- A `LoggedEvent` that is in no log: of a test.
  event jsonb,
  attempts jsonb not null default '[]'
) with (fillfactor = 70);
create index due_delivery_next on taskboard.due_delivery (next_attempt_at, id);
create index due_delivery_turn on taskboard.due_delivery (account_id, webhook_id, next_attempt_at, id);
-- Ids begin with the time of the event, and sort by it.
create index due_delivery_newest on taskboard.due_delivery (webhook_id, id);
create index due_delivery_age on taskboard.due_delivery using brin (created_at);

-- What was sent, given up or skipped. The webhook is not a reference: its deletion takes these rows with it, but for one that is written at
-- the same moment, which nobody sees, and which is pruned.
create table taskboard.ended_delivery (
  id text not null,
  webhook_id text not null,
  workspace_id text not null,
  -- succeeded, failed, skipped. With the check, a search for the pending ones passes over the table.
  status text not null check (status <> 'pending'),
  created_at bigint not null,
  seq bigint,
  attempt_count integer not null,
  event jsonb,
  attempts jsonb not null,
  primary key (webhook_id, id)
);
create index ended_delivery_unsent on taskboard.ended_delivery (webhook_id, status, id) where status in ('failed', 'skipped');
-- Rows lie nearly in the order of their time, as those of `event_batch`.
create index ended_delivery_age on taskboard.ended_delivery using brin (created_at);

-- All deliveries, with their events.
create view taskboard.delivery as
select id, webhook_id, workspace_id, 'pending' as status, coalesce(planned_at, next_attempt_at) as next_attempt_at, created_at, seq,
  attempt_count, coalesce(event, taskboard.event_at(workspace_id, seq)) as event, attempts
from taskboard.due_delivery
union all
select id, webhook_id, workspace_id, status, null, created_at, seq,
  attempt_count, coalesce(event, taskboard.event_at(workspace_id, seq)), attempts
from taskboard.ended_delivery;

-- The webhooks with due deliveries, in turn: accounts in the order of their ids, from the one after `last_account` and once around, the
-- webhooks of each in the same way, from the one after that which `last_webhooks` names for the account. It jumps from one to the next, so
-- that a backlog costs no more than a single delivery, and ends with the account that brings the number found to `wanted`; of each
-- webhook at most `per_webhook` count, of each account little more than `per_account`. Those of disabled webhooks are returned and do not
-- count.
--
-- The last row has no webhook: it says when the first delivery falls due of all webhooks that were passed and had none due, null if there
-- is none, and 'now' (0) if not all were looked at.
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
    select d.account_id into account from taskboard.due_delivery d
    where d.account_id > account
    order by d.account_id, d.webhook_id, d.next_attempt_at, d.id limit 1;
    if not found then
      exit when is_round;
      is_round := true;
      select d.account_id into account from taskboard.due_delivery d
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
      select d.webhook_id, d.next_attempt_at into webhook, head from taskboard.due_delivery d
      where d.account_id = account and d.webhook_id > webhook
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
          select from taskboard.due_delivery d
          where d.account_id = account and d.webhook_id = webhook and d.next_attempt_at <= present
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
