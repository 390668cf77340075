-- Connections of the realtime channel, by the process that they are with. A process renews one row, however many it has; when
-- it was killed, that row ends and its slots go with it.
create table taskboard.realtime_holder (
  id text primary key,
  expires_at bigint not null
);
create index realtime_holder_end on taskboard.realtime_holder (expires_at);

create table taskboard.realtime_slot (
  id text primary key,
  account_id text not null,
  holder_id text not null references taskboard.realtime_holder on delete cascade
);
create index realtime_slot_account on taskboard.realtime_slot (account_id);
create index realtime_slot_holder on taskboard.realtime_slot (holder_id);

-- Each step sees what was committed before it, so whoever comes next counts this one's slot. A holder that is being renewed is
-- locked: it is waited for, and found alive.
create function taskboard.take_realtime_slot(slot text, account text, holder text, most integer, given bigint)
returns text language plpgsql as $$
declare
  present bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('taskboard.realtime ' || account, 0));
  present := coalesce(given, taskboard.now_ms());
  delete from taskboard.realtime_holder h where h.id in (
    select e.id from taskboard.realtime_holder e where e.expires_at <= present order by e.id for update
  );
  perform from taskboard.realtime_holder h where h.id = holder for key share;
  if not found then
    return 'lost';
  end if;
  if most is not null and most <= (
    select count(*) from (select from taskboard.realtime_slot s where s.account_id = account limit most) as taken
  ) then
    return 'full';
  end if;
  insert into taskboard.realtime_slot (id, account_id, holder_id) values (slot, account, holder);
  return 'taken';
end
$$;
