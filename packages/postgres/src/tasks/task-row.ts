import { priorities, type Task } from '@taskboard/core'

/** A task's row: the members of `Task`, except two that are split into several columns. A double represents all numbers exactly. */
export interface TaskRow extends Omit<Task, 'hold' | 'lease' | 'priority'> {
  readonly flag: number
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
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.title, ${a}.description, ${a}.type, ${a}.flag,
    ${a}.column_name as "column", ${a}.hold_reason as "holdReason", ${a}.hold_message as "holdMessage",
    ${a}.hold_since::float8 as "holdSince", ${a}.assigned_to as "assignedTo", ${a}.due_date::float8 as "dueDate",
    ${a}.not_before::float8 as "notBefore", ${a}.tags, ${a}.metadata, ${a}.depends_on as "dependsOn",
    ${a}.open_dependencies as "openDependencies", ${a}.progress::float8, ${a}.result,
    ${a}.created_at::float8 as "createdAt", ${a}.updated_at::float8 as "updatedAt",
    ${a}.started_at::float8 as "startedAt", ${a}.completed_at::float8 as "completedAt", ${a}.attempts,
    ${a}.max_attempts as "maxAttempts", ${a}.fencing_token::float8 as "fencingToken",
    ${a}.lease_agent_id as "leaseAgentId", ${a}.lease_expires_at::float8 as "leaseExpiresAt",
    ${a}.lease_ms as "leaseMs", ${a}.version::float8`
}

const LAST_FLAG = priorities.length - 1

/** The stored number of a flag: low 0 to urgent 3. */
export function flagOf(priority: Task['priority']): number {
  return LAST_FLAG - priorities.indexOf(priority)
}

/** The task of a row. */
export function toTask(row: TaskRow): Task {
  const { holdReason, holdSince, leaseAgentId, leaseExpiresAt, leaseMs, fencingToken } = row
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    title: row.title,
    description: row.description,
    type: row.type,
    priority: priorities[LAST_FLAG - row.flag] ?? 'low',
    column: row.column,
    hold:
      holdReason === null || holdSince === null
        ? null
        : { reason: holdReason, message: row.holdMessage, since: holdSince },
    assignedTo: row.assignedTo,
    dueDate: row.dueDate,
    notBefore: row.notBefore,
    tags: row.tags,
    metadata: row.metadata,
    dependsOn: row.dependsOn,
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
  }
}
