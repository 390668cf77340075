import type { At } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const seen = statement<never>(
  'report_runtimes',
  /* sql */ `
  insert into taskboard.agent_runtime as r (type, seen_at)
  select t.type, coalesce($1::bigint, taskboard.now_ms()) from unnest($2::text[]) as t (type) order by t.type
  on conflict (type) do update set seen_at = greatest(r.seen_at, excluded.seen_at)`,
)

/** `AgentStore.reportRuntimes`. Nobody waits for it, so nobody is woken. */
export async function reportRuntimes(
  database: Database,
  agentTypes: readonly string[],
  at: At<PgConnection>,
): Promise<void> {
  await database.read(at, seen, [at.now, [...new Set(agentTypes)]])
}
