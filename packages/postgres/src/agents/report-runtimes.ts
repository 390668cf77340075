import type { At } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const report = statement<never>(
  'report_runtimes',
  /* sql */ `
  insert into taskboard.agent_runtime (type, live_until)
  select t.type, coalesce(coalesce($1::bigint, taskboard.now_ms()) + $3::bigint, 9223372036854775807)
  from unnest($2::text[]) as t (type) order by t.type
  on conflict (type) do update set live_until = excluded.live_until`,
)

/** `AgentStore.reportRuntimes`. Nobody waits for it, so nobody is woken. */
export async function reportRuntimes(
  database: Database,
  agentTypes: readonly string[],
  liveMs: number | null,
  at: At<PgConnection>,
): Promise<void> {
  await database.read(at, report, [at.now, [...new Set(agentTypes)], liveMs])
}
