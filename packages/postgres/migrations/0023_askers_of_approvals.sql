-- Whose an approval is: only a request of the same asker uses it. What a process of an earlier version inserts in the meantime is nobody's.
alter table taskboard.approval add column asker_kind text not null default 'credential';
-- Of a credential, its user or key.
alter table taskboard.approval add column asker_owner text;
update taskboard.approval set
  asker_kind = case when requested_by_kind = 'agent' then 'runtime'
    when requested_by_kind in ('user', 'api_key') then 'credential' else 'host' end,
  asker_owner = case when requested_by_kind in ('user', 'api_key') then requested_by_id end;

drop index taskboard.approval_open;
create unique index approval_open on taskboard.approval (task_id, input_digest, action, asker_kind, coalesce(asker_owner, ''))
  where state in ('pending', 'approved', 'rejected');
