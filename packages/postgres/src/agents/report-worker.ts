import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/** Present, workspace, agent, length. */
const report = statement<never>(
  'report_worker',
  /* sql */ `
  update taskboard.agent a set worked_until = coalesce($1::bigint, taskboard.now_ms()) + $4::bigint
  where a.id = $3::text and a.workspace_id = $2::text`,
)

/** `AgentStore.reportPresence` of a worker outside the runtimes. Nothing waits for it, so it notifies no one. */
export async function reportWorker(
  database: Database,
  {
    workspaceId,
    agentId,
    liveMs,
  }: { readonly workspaceId: string; readonly agentId: string; readonly liveMs: number },
  at: At<PgConnection>,
): Promise<void> {
  await database.read(at, report, [at.now, workspaceId, agentId, liveMs])
}
