import type { AgentStatus } from '@taskboard/core'
import type { AgentPresenceReport, CallContext } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import { IS_WRITABLE } from '../database/is-writable.js'
import { LOG_EVENTS } from '../events/log-events.js'
import type { PgConnection } from '../connection/pool.js'
import { backgroundStatement, statement } from '../connection/statement.js'
import { agentStatus } from '../board/served-agents.js'

const setStatus = statement<never>(
  'report_agent_status',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  changed as (
    update taskboard.agent a set status = $4::text
    where a.id = $3::text and a.workspace_id = $2::text and a.status <> $4::text and a.workspace_id ${IS_WRITABLE}
    returning a.id, a.workspace_id, a.status
  ),
  draft as (
    select c.workspace_id, 1 as ord, 'agent.status' as type, p.now as at,
      jsonb_build_object('agentId', c.id, 'status', c.status) as data
    from changed c, p
  ),
  ${LOG_EVENTS}
  select from logged where false`,
)

/** `AgentStore.reportPresence` of a status. */
async function reportAgentStatus(
  database: Database,
  workspaceId: string,
  agentId: string,
  status: AgentStatus,
  call: CallContext<PgConnection>,
): Promise<void> {
  await database.write(call, setStatus, [call.now, workspaceId, agentId, status])
}

/** Present, types, length. Returns whether agents must be routed again, which matters only to a runtime for any type. */
const reportTypes = statement<{ readonly isStale: boolean }>(
  'report_runtimes',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  noted as (
    insert into taskboard.agent_runtime as r (type, live_until)
    select t.type, coalesce(p.now + $3::bigint, 9223372036854775807)
    from unnest($2::text[]) as t (type), p order by t.type
    on conflict (type) do update set live_until = excluded.live_until
    returning r.type, r.live_until, r.is_routed
  ),
  runtime as materialized (
    select * from noted union all
    select r.type, r.live_until, r.is_routed from taskboard.agent_runtime r where r.type <> all ($2::text[])
  )
  select exists (select from runtime where type = '*') and exists (
    select from runtime r, p where r.type <> '*' and r.is_routed <> (r.live_until > p.now)
  ) as "isStale"`,
)

/** Present. */
const turnRoutes = statement<{ readonly type: string }>(
  'turn_routes',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.agent_runtime r set is_routed = not r.is_routed
  from p where r.type <> '*' and r.is_routed <> (r.live_until > p.now)
  returning r.type`,
)

/** Types. A separate statement, which sees the agents that were added until the types were locked. */
const routeAgents = statement<never>(
  'route_agents',
  /* sql */ `
  update taskboard.agent a set fallback = case when r.is_routed then null else '*' end
  from taskboard.agent_runtime r
  where a.type = any ($1::text[]) and r.type = a.type and (a.fallback is null) <> r.is_routed`,
)

/** `AgentStore.reportPresence` of runtimes. No one waits for it, so it sends no notification. */
async function reportRuntimes(
  database: Database,
  agentTypes: readonly string[],
  liveMs: number | null,
  call: CallContext<PgConnection>,
): Promise<void> {
  const [row] = await database.read(call, reportTypes, [call.now, [...new Set(agentTypes)], liveMs])
  if (row?.isStale !== true) return
  await database.atomically(call, async (session) => {
    const turned = await session.run(turnRoutes, [call.now])
    if (turned.length > 0) await session.run(routeAgents, [turned.map(({ type }) => type)])
  })
}

/** Present, workspace, agent, length. */
const reportOne = statement<never>(
  'report_worker',
  /* sql */ `
  update taskboard.agent a set worked_until = coalesce($1::bigint, taskboard.now_ms()) + $4::bigint
  where a.id = $3::text and a.workspace_id = $2::text`,
)

/** `AgentStore.reportPresence` of a worker outside the runtimes. No one waits for it, so it sends no notification. */
async function reportWorker(
  database: Database,
  {
    workspaceId,
    agentId,
    liveMs,
  }: { readonly workspaceId: string; readonly agentId: string; readonly liveMs: number },
  call: CallContext<PgConnection>,
): Promise<void> {
  await database.read(call, reportOne, [call.now, workspaceId, agentId, liveMs])
}

/** Present, workspace, agent, length. */
const restOne = statement<never>(
  'rest_agent',
  /* sql */ `
  update taskboard.agent a
  set rest_until = greatest(a.rest_until, coalesce($1::bigint, taskboard.now_ms()) + $4::bigint)
  where a.id = $3::text and a.workspace_id = $2::text`,
)

/** Present, limit. Agents that another call is announcing are left to it. */
const announce = backgroundStatement<{ readonly announced: number; readonly isAnyPresent: boolean }>(
  'announce_agents',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  remote as materialized (
    select a.id, a.status, a.worked_until > p.now as is_worked, ${agentStatus('a', 'p.now')} as current from taskboard.agent a, p
    where a.worked_until is not null and (a.worked_until > p.now or a.status <> 'offline')
  ),
  chosen as materialized (
    select a.id, r.current from remote r join taskboard.agent a on a.id = r.id
    where r.status <> r.current and a.status = r.status and a.workspace_id ${IS_WRITABLE}
    order by a.id limit $2::integer for update of a skip locked
  ),
  changed as (
    update taskboard.agent a set status = c.current from chosen c where a.id = c.id
    returning a.id, a.workspace_id, a.status
  ),
  draft as (
    select c.workspace_id, row_number() over (order by c.id) as ord, 'agent.status' as type, p.now as at,
      jsonb_build_object('agentId', c.id, 'status', c.status) as data
    from changed c, p
  ),
  ${LOG_EVENTS}
  select (select count(*) from changed)::integer as announced,
    exists (select from remote where is_worked or current = 'busy') as "isAnyPresent"`,
)

/** `AgentStore.announceAgents`. Signals a commit only if there was a change: it is called every second. */
export async function announceAgents(
  database: Database,
  limit: number,
  call: CallContext<PgConnection>,
): Promise<{ readonly announced: number; readonly isAnyPresent: boolean }> {
  const [row] = await database.read(call, announce, [call.now, limit])
  if (row === undefined) return { announced: 0, isAnyPresent: false }
  if (row.announced > 0 && call.tx === undefined) database.commits.raise()
  return row
}

/** `AgentStore.reportPresence`. */
export async function reportPresence(
  database: Database,
  report: AgentPresenceReport,
  call: CallContext<PgConnection>,
): Promise<void> {
  if ('agentTypes' in report) return reportRuntimes(database, report.agentTypes, report.liveMs, call)
  if ('liveMs' in report) return reportWorker(database, report, call)
  if ('restMs' in report) {
    await database.read(call, restOne, [call.now, report.workspaceId, report.agentId, report.restMs])
    return
  }
  return reportAgentStatus(database, report.workspaceId, report.agentId, report.status, call)
}
