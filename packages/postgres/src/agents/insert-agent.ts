import { emptyProfile, TaskboardError, type Agent, type At, type NewAgent } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns } from './agent-row.js'

const addAgent = statement<Agent>(
  'insert_agent',
  /* sql */ `
  with added as (
    insert into taskboard.agent (
      id, workspace_id, name, type, status, created_at, model, system_prompt, capabilities, tools
    )
    select $2::text, w.id, $4::text, $5::text, 'offline', coalesce($1::bigint, taskboard.now_ms()),
      $6::text, $7::text, $8::text[], $9::text[]
    from taskboard.workspace w where w.id = $3::text
    returning *
  )
  select ${agentColumns('a')} from added a`,
)

/** `AgentStore.insertAgent`. */
export async function insertAgent(database: Database, agent: NewAgent, at: At<PgConnection>): Promise<Agent> {
  const id = database.settings.current.newId('agent')
  const { workspaceId, name, type, model, systemPrompt, capabilities, tools } = { ...emptyProfile, ...agent }
  const profile = [model, systemPrompt, capabilities, tools]
  const [added] = await database.write(at, addAgent, [at.now, id, workspaceId, name, type, ...profile])
  if (added === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return added
}
