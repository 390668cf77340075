import { TaskboardError, type Agent, type AgentStore, type At } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns } from './access-row.js'

const addAgent = statement<Agent>(
  'insert_agent',
  /* sql */ `
  with added as (
    insert into taskboard.agent (id, workspace_id, name, type, status, created_at)
    select $2::text, w.id, $4::text, $5::text, 'offline', coalesce($1::bigint, taskboard.now_ms())
    from taskboard.workspace w where w.id = $3::text
    returning *
  )
  select ${agentColumns('a')} from added a`,
)

/** `AgentStore.insertAgent`. */
export async function insertAgent(
  database: Database,
  { workspaceId, name, type }: Parameters<AgentStore['insertAgent']>[0],
  at: At<PgConnection>,
): Promise<Agent> {
  const id = database.settings.current.newId('agent')
  const [agent] = await database.write(at, addAgent, [at.now, id, workspaceId, name, type])
  if (agent === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return agent
}
