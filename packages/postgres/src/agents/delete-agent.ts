import { TaskboardError } from '@taskboard/core'
import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { unknownAgent } from './read-agents.js'

/** Locked, so that no task comes to be assigned to it any more: what was assigned until now is seen by the statements after it. */
const lockAgent = statement<object>(
  'lock_agent',
  /* sql */ `
  select from taskboard.agent a where a.id = $2::text and a.workspace_id = $1::text for update`,
)

const unassignDone = statement<{ readonly isFree: boolean }>(
  'unassign_done_tasks',
  /* sql */ `
  with held as materialized (
    select exists (select from taskboard.task t where t.lease_agent_id = $2::text)
      or exists (select from taskboard.task t where t.assigned_to = $2::text and t.status <> 2) as it
  ),
  done as materialized (
    select t.id from taskboard.task t, held
    where not held.it and t.assigned_to = $2::text and t.status = 2 order by t.id for update of t
  ),
  freed as (
    update taskboard.task t
    set assigned_to = null, updated_at = coalesce($1::bigint, taskboard.now_ms()), version = t.version + 1
    where t.id = any (array(select id from done)) and t.status = 2
    returning 1
  )
  select not held.it and (select count(*) from done) = (select count(*) from freed) as "isFree" from held`,
)

const remove = statement<never>('delete_agent', /* sql */ `delete from taskboard.agent where id = $1::text`)

/**
 * `AgentStore.deleteAgent`. Several statements: a task that is reopened meanwhile is seen by none of them as it is then, so what
 * it refers to is left to its foreign key.
 */
export function deleteAgent(
  database: Database,
  workspaceId: string,
  agentId: string,
  at: At<PgConnection>,
): Promise<void> {
  return database.atomically(at, async (session) => {
    const found = await session.run(lockAgent, [workspaceId, agentId])
    if (found.length === 0) throw unknownAgent()
    const [freed] = await session.run(unassignDone, [at.now, agentId])
    if (freed?.isFree !== true) throw new TaskboardError('CONFLICT', 'the agent has tasks')
    await session.run(remove, [agentId])
  })
}
