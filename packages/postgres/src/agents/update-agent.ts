import type { Agent } from '@taskboard/core'
import type { AgentChange, At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns } from './agent-row.js'
import { unknownAgent } from './read-agents.js'

/** Replaces the fields that the JSON contains. */
const update = statement<Agent>(
  'update_agent',
  /* sql */ `
  with change as materialized (
    select $3::jsonb as given, c.* from jsonb_to_record($3::jsonb) as c (
      name text, type text, model text, "systemPrompt" text, capabilities text[], tools text[]
    )
  )
  update taskboard.agent a set
    name = coalesce(c.name, a.name),
    type = coalesce(c.type, a.type),
    model = case when c.given ? 'model' then c.model else a.model end,
    system_prompt = case when c.given ? 'systemPrompt' then c."systemPrompt" else a.system_prompt end,
    capabilities = coalesce(c.capabilities, a.capabilities),
    tools = coalesce(c.tools, a.tools)
  from change c where a.id = $2::text and a.workspace_id = $1::text
  returning ${agentColumns('a')}`,
)

/** `AgentStore.updateAgent`. */
export async function updateAgent(
  database: Database,
  workspaceId: string,
  agentId: string,
  change: AgentChange,
  at: At<PgConnection>,
): Promise<Agent> {
  const [agent] = await database.write(at, update, [workspaceId, agentId, JSON.stringify(change)])
  if (agent === undefined) throw unknownAgent()
  return agent
}
