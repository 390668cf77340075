import { TaskboardError, type Agent } from '@taskboard/core'
import {
  emptyProfile,
  type At,
  type Created,
  type IdempotencyClaim,
  type NewAgent,
} from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { once } from '../idempotency/once.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { agentColumns, agentStatus } from './agent-row.js'

const addAgent = statement<Agent>(
  'insert_agent',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  added as (
    insert into taskboard.agent (
      id, workspace_id, name, type, status, created_at, model, system_prompt, capabilities, tools
    )
    select $2::text, w.id, $4::text, $5::text, 'offline', p.now,
      $6::text, $7::text, $8::text[], $9::text[]
    from taskboard.workspace w, p where w.id = $3::text
    returning *
  )
  select ${agentColumns('a', agentStatus('a', 'p.now'))} from added a, p`,
)

/** `AgentStore.insertAgent`. */
export async function insertAgent(
  database: Database,
  agent: NewAgent,
  idempotency: IdempotencyClaim | null,
  at: At<PgConnection>,
): Promise<Created<Agent>> {
  const { now } = at
  const id = database.settings.current.newId('agent')
  const { workspaceId, name, type, model, systemPrompt, capabilities, tools } = { ...emptyProfile, ...agent }
  const values = [now, id, workspaceId, name, type, model, systemPrompt, capabilities, tools]
  if (idempotency === null) {
    return { value: insertedAgent(await database.write(at, addAgent, values)), replayed: false }
  }
  return database.atomically(at, (session) =>
    once(session, idempotency, now, async (same) => insertedAgent(await same.run(addAgent, values))),
  )
}

function insertedAgent([agent]: readonly Agent[]): Agent {
  if (agent === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return agent
}
