-- Tasks by their status, newest first: ids rise with time. `status` is the one word that the enterprise API has for the column
-- and the hold: 0 pending, 1 in progress, 2 completed, 3 failed, 4 cancelled, 5 blocked.
alter table taskboard.task add column status smallint not null generated always as (
  case
    when column_name = 'DOING' then 1
    when column_name = 'DONE' then 2
    when hold_reason is null then 0
    when hold_reason = 'failed' then 3
    when hold_reason = 'cancelled' then 4
    else 5
  end
) stored;

create index task_status on taskboard.task (workspace_id, status, id);
create index task_assigned on taskboard.task (assigned_to, status, id) where assigned_to is not null;

-- Also for the tasks that an agent works, in their order.
drop index taskboard.task_lease_agent;
create index task_lease_agent on taskboard.task (lease_agent_id, id) where lease_agent_id is not null;

-- The tasks that an agent has completed.
create index attempt_completed on taskboard.attempt (agent_id, task_id) where outcome = 'completed';

-- What the create was answered with, beyond the value: what else there was to say at that moment. As text, so that its members
-- keep their order.
alter table taskboard.idempotency add column answer json;
