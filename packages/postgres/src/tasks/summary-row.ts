import type { TaskAgent, TaskSummary } from '@taskboard/core'
import { agentStatus } from '../agents/agent-row.js'
import { taskColumns, toTask, type TaskRow } from './task-row.js'

/** A task's row with its agent. */
export interface SummaryRow extends TaskRow {
  readonly agentName: string | null
  readonly agentStatus: TaskAgent['status'] | null
  readonly agentId: string
}

/** The columns of a `SummaryRow`. `alias` names the task; `joinAgent` gives the agent. */
export function summaryColumns(alias: string): string {
  return `${taskColumns(alias)}, ${agentColumnsShown}`
}

/** The columns of the agent that `joinAgent` gives. */
export const agentColumnsShown =
  'shown.id as "agentId", shown.name as "agentName", shown.status as "agentStatus"'

/**
 * Joins the task's agent as `shown`, with its state at the instant `present`: the agent that works the task; else the one that
 * completed it, while it is in DONE; else the assigned one.
 */
export function joinAgent(alias: string, present: string): string {
  const t = alias
  return /* sql */ `left join lateral (
    select a.id, a.name, ${agentStatus('a', present)} as status from taskboard.agent a
    where a.id = coalesce(
      ${t}.lease_agent_id,
      (select e.agent_id from taskboard.attempt e
        where ${t}.column_name = 'DONE' and e.task_id = ${t}.id and e.fencing_token = ${t}.fencing_token
          and e.outcome = 'completed'),
      ${t}.assigned_to)
    limit 1
  ) as shown on true`
}

export function toSummary(row: SummaryRow): TaskSummary {
  return { task: toTask(row), agent: toTaskAgent(row) }
}

export function toTaskAgent({
  agentId: id,
  agentName: name,
  agentStatus: status,
}: SummaryRow): TaskAgent | null {
  return name === null || status === null ? null : { id, name, status }
}
