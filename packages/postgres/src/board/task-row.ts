import type { Task, TaskAgent, TaskSummary, TaskFields } from '@taskboard/core'
import { makeTask, type TaskField } from '@taskboard/core/storage'
import { agentStatus } from './served-agents.js'
import { fieldsRead } from './field-columns.js'

/** A task's row: the members of `Task`, except two that are split into several columns. A double represents all numbers exactly. */
export interface TaskRow extends TaskFields, Omit<Task, TaskField | 'hold' | 'lease'> {
  readonly holdReason: NonNullable<Task['hold']>['reason'] | null
  readonly holdMessage: string | null
  readonly holdSince: number | null
  readonly leaseAgentId: string | null
  readonly leaseExpiresAt: number | null
  readonly leaseMs: number
  readonly version: number
}

/** The columns of a `TaskRow`. `alias` names the table or expression. */
export function taskColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.parent_id as "parentId", ${fieldsRead(a)},
    ${a}.column_name as "column", ${a}.hold_reason as "holdReason", ${a}.hold_message as "holdMessage",
    ${a}.hold_since::float8 as "holdSince",
    ${a}.open_dependencies as "openDependencies", ${a}.progress::float8, ${a}.result,
    ${a}.created_at::float8 as "createdAt", ${a}.updated_at::float8 as "updatedAt",
    ${a}.started_at::float8 as "startedAt", ${a}.completed_at::float8 as "completedAt", ${a}.attempts,
    ${a}.max_attempts as "maxAttempts", ${a}.fencing_token::float8 as "fencingToken",
    ${a}.lease_agent_id as "leaseAgentId", ${a}.lease_expires_at::float8 as "leaseExpiresAt",
    ${a}.lease_ms as "leaseMs", ${a}.taken_by as "takenBy", ${a}.has_comments as "hasComments", ${a}.traceparent,
    ${a}.version::float8`
}

/** The task of a row. */
export function toTask(row: TaskRow): Task {
  const { holdReason, holdSince, leaseAgentId, leaseExpiresAt, leaseMs, fencingToken } = row
  return makeTask(row, {
    id: row.id,
    workspaceId: row.workspaceId,
    parentId: row.parentId,
    column: row.column,
    hold:
      holdReason === null || holdSince === null
        ? null
        : { reason: holdReason, message: row.holdMessage, since: holdSince },
    notBefore: row.notBefore,
    openDependencies: row.openDependencies,
    progress: row.progress,
    result: row.result,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    startedAt: row.startedAt,
    completedAt: row.completedAt,
    attempts: row.attempts,
    maxAttempts: row.maxAttempts,
    fencingToken,
    lease:
      leaseAgentId === null || leaseExpiresAt === null
        ? null
        : { agentId: leaseAgentId, fencingToken, expiresAt: leaseExpiresAt, durationMs: leaseMs },
    takenBy: row.takenBy,
    hasComments: row.hasComments,
    traceparent: row.traceparent,
  })
}

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
      ${t}.done_by,
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
