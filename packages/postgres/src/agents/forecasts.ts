import {
  type CallContext,
  type Forecast,
  type ForecastTask,
  mostAhead,
  ratedAttempts,
  timedAttempts,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { expectFew, statement } from '../connection/statement.js'
import { EACH_LANE, SCORING, slopeOf } from '../board/claim/lane-sql.js'
import { isServed } from '../board/served-agents.js'

/** A query of the agent's last attempts that were completed or failed. */
export function ratedAttemptsOf(agentId: string): string {
  return /* sql */ `
    select e.* from (
      (select 'completed' as outcome, coalesce(done.started_at, done.completed_at) as started_at, done.completed_at as ended_at
      from taskboard.task done where done.done_by = ${agentId}
      order by done.completed_at desc limit ${ratedAttempts})
      union all
      (select earlier.outcome, earlier.started_at, earlier.ended_at from taskboard.earlier_attempt earlier
      where earlier.agent_id = ${agentId} and earlier.outcome in ('completed', 'failed', 'retried', 'expired')
      order by earlier.ended_at desc limit ${ratedAttempts})
    ) as e
    order by e.ended_at desc limit ${ratedAttempts}`
}

/** The last few of them that were completed. */
function timedAttemptsOf(agentId: string): string {
  return /* sql */ `
    select r.started_at, r.ended_at from (${ratedAttemptsOf(agentId)}) r
    where r.outcome = 'completed' order by r.ended_at desc limit ${timedAttempts}`
}

/** Whether agent `c` may take task `i`: the assigned one; else the agents of its type, if the workspace has any; else all. */
const MAY_TAKE = /* sql */ `c.workspace_id = i.workspace_id and case
          when i.assigned_to is not null then c.agent_id = i.assigned_to
          when exists (
            select from workspace_agent s where s.workspace_id = i.workspace_id and s.type = i.type
          ) then c.type = i.type
          else true end`

/**
 * Medians are computed once for each agent and, for agents without one, once for each workspace. A task's place is counted lane
 * by lane in pickup order. Each count is a range of bounded length in the index that claims read.
 */
const forecasts = statement<Forecast>(
  'read_forecasts',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  asked_task as materialized (
    ${expectFew(`
      select * from jsonb_to_recordset($2::jsonb) as i (
        ord integer, id text, workspace_id text, assigned_to text, agent_id text, type text
      )`)}
  ),
  agent_typical as materialized (
    select i.agent_id,
      (select percentile_cont(0.5) within group (order by t.ended_at - t.started_at)
       from (${timedAttemptsOf('i.agent_id')}) t) as typical_ms
    from (select distinct agent_id from asked_task where agent_id is not null) i
  ),
  workspace_agent as materialized (
    select i.workspace_id, a.id as agent_id, a.type, a.paused, ${isServed('a', '(select now from p)')} as is_served,
      (select count(*) from (
        select from taskboard.task t where t.lease_agent_id = a.id limit ${mostAhead}) t) as working
    from (select distinct workspace_id from asked_task) i cross join lateral (
      select * from taskboard.agent w where w.workspace_id = i.workspace_id offset 0
    ) a
  ),
  workspace_typical as materialized (
    select i.workspace_id,
      (select percentile_cont(0.5) within group (order by l.ended_at - l.started_at)
       from (
         select t.* from workspace_agent c, lateral (${timedAttemptsOf('c.agent_id')}) t
         where c.workspace_id = i.workspace_id order by t.ended_at desc limit ${timedAttempts}
       ) l) as typical_ms
    from (
      select distinct i.workspace_id from asked_task i left join agent_typical o on o.agent_id = i.agent_id where o.typical_ms is null
    ) i
  )
  select i.id as "taskId", coalesce(o.typical_ms, s.typical_ms)::float8 as "typicalMs", p.now::float8 as "asOf",
    (select count(*) from workspace_agent c
      where ${MAY_TAKE} and not c.paused and (c.is_served or c.working > 0))::float8 as agents,
    case when q.task_id is null then 0 else
      q.before + least(${mostAhead}, (select coalesce(sum(c.working), 0) from workspace_agent c
        where ${MAY_TAKE}))
    end::float8 as ahead
  from asked_task i cross join p
    left join agent_typical o on o.agent_id = i.agent_id
    left join workspace_typical s on s.workspace_id = i.workspace_id
    left join lateral (
      select q.task_id, case when not q.ready then 0 else (
        select least(${mostAhead}, sum(b.tasks)) from (
          select l.lane, ${slopeOf('l.lane')} as slope, q.key + p.now * ${slopeOf('q.lane')} as units
          from ${SCORING}, ${EACH_LANE}
        ) l, lateral (
          select count(*) as tasks from (
            select from taskboard.todo t
            where t.workspace_id = q.workspace_id and t.pool = q.pool and t.lane = l.lane and t.ready
              and t.key >= l.units - l.slope * p.now
              and (t.key > l.units - l.slope * p.now or (t.due_date, t.created_at, t.task_id) < (q.due_date, q.created_at, q.task_id))
            limit ${mostAhead}
          ) t
        ) b) end as before
      from taskboard.todo q where q.task_id = i.id
    ) q on true
  order by i.ord`,
)

/** `AgentStore.readForecasts`. */
export function readForecasts(
  database: Database,
  tasks: readonly ForecastTask[],
  call: CallContext<PgConnection>,
): Promise<readonly Forecast[]> {
  const asked = tasks.map(({ id, workspaceId, assignedTo, lease, type }, ord) => ({
    ord,
    id,
    workspace_id: workspaceId,
    assigned_to: assignedTo,
    agent_id: lease?.agentId ?? assignedTo,
    type,
  }))
  return database.read(call, forecasts, [call.now, JSON.stringify(asked)])
}
