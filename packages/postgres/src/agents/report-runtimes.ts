import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/** Present, types, length. Returns whether agents must be routed again, which matters only to a runtime for any type. */
const report = statement<{ readonly isStale: boolean }>(
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

/** `AgentStore.reportPresence` of runtimes. Nothing waits for it, so it notifies no one. */
export async function reportRuntimes(
  database: Database,
  agentTypes: readonly string[],
  liveMs: number | null,
  at: At<PgConnection>,
): Promise<void> {
  const [row] = await database.read(at, report, [at.now, [...new Set(agentTypes)], liveMs])
  if (row?.isStale !== true) return
  await database.atomically(at, async (session) => {
    const turned = await session.run(turnRoutes, [at.now])
    if (turned.length > 0) await session.run(routeAgents, [turned.map(({ type }) => type)])
  })
}
