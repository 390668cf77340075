-- Connections of the realtime channel, by the process that they are with.

-- Processes. A process renews one row, however many connections it has; after it was killed, its row ends, and its slots go with it.
create table taskboard.realtime_holder (
  id text primary key,
  expires_at bigint not null
);
create index realtime_holder_end on taskboard.realtime_holder (expires_at);

-- Connections, each of which takes up one of those that its account may have.
create table taskboard.realtime_slot (
  id text primary key,
  account_id text not null,
  holder_id text not null references taskboard.realtime_holder on delete cascade
);
create index realtime_slot_account on taskboard.realtime_slot (account_id);
create index realtime_slot_holder on taskboard.realtime_slot (holder_id);

-- Takes a slot: 'taken', 'full', or 'lost' when the holder has ended. Each step sees what was committed before it, so the next caller
-- counts the slot of this one. A holder that is being renewed is locked: this waits for it, and finds it alive.
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
