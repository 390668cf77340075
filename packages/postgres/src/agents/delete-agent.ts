import { TaskboardError } from '@taskboard/core'
import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { unknownAgent } from './read-agents.js'

/** Locks the agent, so that no more tasks are assigned to it. Later statements see those assigned until now. */
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
 * `AgentStore.deleteAgent`. None of its statements sees the new state of a task that is reopened in between, so the foreign key
 * updates what that task refers to.
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
