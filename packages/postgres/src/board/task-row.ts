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

/** The SQL of each member of a `TaskRow`. `a` names the table or expression. */
const membersRead = (a: string): readonly (readonly [keyof TaskRow, string])[] => [
  ['id', `${a}.id`],
  ['workspaceId', `${a}.workspace_id`],
  ['parentId', `${a}.parent_id`],
  ...fieldsRead(a),
  ['column', `${a}.column_name`],
  ['holdReason', `${a}.hold_reason`],
  ['holdMessage', `${a}.hold_message`],
  ['holdSince', `${a}.hold_since::float8`],
  ['openDependencies', `${a}.open_dependencies`],
  ['progress', `${a}.progress::float8`],
  ['result', `${a}.result`],
  ['createdAt', `${a}.created_at::float8`],
  ['updatedAt', `${a}.updated_at::float8`],
  ['startedAt', `${a}.started_at::float8`],
  ['completedAt', `${a}.completed_at::float8`],
  ['attempts', `${a}.attempts`],
  ['maxAttempts', `${a}.max_attempts`],
  ['fencingToken', `${a}.fencing_token::float8`],
  ['leaseAgentId', `${a}.lease_agent_id`],
  ['leaseExpiresAt', `${a}.lease_expires_at::float8`],
  ['leaseMs', `${a}.lease_ms`],
  ['takenBy', `${a}.taken_by`],
  ['hasComments', `${a}.has_comments`],
  ['traceparent', `${a}.traceparent`],
  ['version', `${a}.version::float8`],
]

/** The columns of a `TaskRow`. `alias` names the table or expression. */
export const taskColumns = (alias: string): string =>
  membersRead(alias)
    .map(([member, sql]) => `${sql} as "${member}"`)
    .join(', ')

const memberNames = membersRead('').map(([member]) => member)

/** A `TaskRow` as one value, which takes less of server and client than a row of as many columns: JSON for `taskRowOf`. */
export const taskValues = (alias: string): string =>
  `json_build_array(${membersRead(alias)
    .map(([, sql]) => sql)
    .join(', ')})`

/** The members of a `TaskRow`, in the order of `taskValues`. */
export type TaskValues = readonly unknown[]

export function taskRowOf(values: TaskValues): TaskRow {
  const row: Record<string, unknown> = {}
  for (const [place, member] of memberNames.entries()) row[member] = values[place]
  return row as unknown as TaskRow
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
 * Joins the task's agent as `shown`, with its state at the instant `present`. It is the agent that works on the task; else the one that
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
