import { z } from 'zod'
import {
  holdReasons,
  priorities,
  taskStatus,
  taskStatuses,
  type HoldReason,
  type Task,
  type TaskAgent,
  type TaskDetail,
  type TaskSummary,
} from '../../board/index.js'
import type { Instant } from '../../environment/index.js'
import { timestamp, toTimestamp } from './wire-schemas.js'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export const statusText = z.enum(taskStatuses as [string, ...string[]])
const progress = z.int().min(0).max(100).meta({ description: 'In percent.' })

const agentJson = z
  .object({ id: z.string(), name: z.string(), status: z.enum(['available', 'busy', 'offline']) })
  .meta({
    id: 'TaskAgent',
    description: 'The agent that works the task, else the one that completed it, else the assigned one.',
  })

/** A new task. */
export const createdTaskJson = z
  .object({
    id: z.string(),
    title: z.string(),
    status: statusText,
    progress,
    created_at: timestamp,
    estimated_completion: timestamp
      .nullable()
      .meta({ description: 'When agents are expected to complete it; null while there is no estimate.' }),
    agent: agentJson.nullable(),
  })
  .meta({ id: 'CreatedTask' })

const metadataJson = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** A task with all of its fields. */
export const taskJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    type: z.string().nullable(),
    priority: z.enum(priorities as ['urgent', 'high', 'medium', 'low']),
    status: statusText,
    column: z.enum(['todo', 'doing', 'done']),
    hold: z
      .object({
        reason: z.enum(holdReasons as [HoldReason, ...HoldReason[]]),
        message: z.string().nullable(),
        since: timestamp,
      })
      .nullable()
      .meta({ description: 'Why agents cannot take a task in todo.' }),
    progress,
    agent: agentJson.nullable(),
    assigned_to: z.string().nullable(),
    deadline: timestamp.nullable(),
    not_before: timestamp.nullable(),
    tags: z.array(z.string()),
    metadata: metadataJson,
    depends_on: z.array(z.string()),
    open_dependencies: z.int().meta({ description: 'The number of tasks in depends_on that are not done.' }),
    result: z.string().nullable(),
    attempts: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'Task' })

const logJson = z
  .object({ timestamp, message: z.string(), level: z.enum(logLevels) })
  .meta({ id: 'TaskLogLine' })

/** A reference to something that an agent made. */
export const outputJson = z
  .object({
    type: z.string(),
    name: z.string(),
    url: z.string(),
    size: z.int().nullable().meta({ description: 'In bytes; null when unknown.' }),
  })
  .meta({ id: 'TaskOutput' })

/** A task with its log and its outputs. */
export const taskDetailJson = taskJson
  .extend({
    logs: z.array(logJson).meta({ description: 'The newest 100 lines, oldest first.' }),
    outputs: z.array(outputJson),
  })
  .meta({ id: 'TaskDetail' })

/** The answer to an agent outside of the host that writes to a task. */
export const workedTaskJson = z
  .object({
    id: z.string(),
    status: statusText,
    progress,
    fencing_token: z.int(),
    lease_expires_at: timestamp
      .nullable()
      .meta({ description: 'Null once the agent no longer has the task.' }),
    not_before: timestamp.nullable().meta({ description: 'When a failed task can be taken again.' }),
  })
  .meta({ id: 'WorkedTask' })

/** A task that was just claimed. */
export const claimedTaskJson = taskJson
  .extend({ fencing_token: z.int(), lease_expires_at: timestamp })
  .meta({ id: 'ClaimedTask' })

export function toCreatedTask(
  task: Task,
  agent: TaskAgent | null,
  estimatedCompletion: Instant | null,
): z.output<typeof createdTaskJson> {
  return {
    id: task.id,
    title: task.title,
    status: taskStatus(task),
    progress: task.progress,
    created_at: toTimestamp(task.createdAt),
    estimated_completion: toTimestamp(estimatedCompletion),
    agent,
  }
}

export function toWireTask({ task, agent }: TaskSummary): z.output<typeof taskJson> {
  const { hold } = task
  return {
    id: task.id,
    workspace_id: task.workspaceId,
    title: task.title,
    description: task.description,
    type: task.type,
    priority: task.priority,
    status: taskStatus(task),
    column: columnNames[task.column],
    hold: hold && { reason: hold.reason, message: hold.message, since: toTimestamp(hold.since) },
    progress: task.progress,
    agent,
    assigned_to: task.assignedTo,
    deadline: toTimestamp(task.dueDate),
    not_before: toTimestamp(task.notBefore),
    tags: [...task.tags],
    metadata: task.metadata as z.output<typeof metadataJson>,
    depends_on: [...task.dependsOn],
    open_dependencies: task.openDependencies,
    result: task.result,
    attempts: task.attempts,
    created_at: toTimestamp(task.createdAt),
    updated_at: toTimestamp(task.updatedAt),
    started_at: toTimestamp(task.startedAt),
    completed_at: toTimestamp(task.completedAt),
  }
}

const columnNames = { TODO: 'todo', DOING: 'doing', DONE: 'done' } as const

export function toWireDetail(detail: TaskDetail): z.output<typeof taskDetailJson> {
  // Without a spread: V8 copies an object of this many members six times slower than it makes one.
  return Object.assign(toWireTask(detail), {
    logs: detail.logs.map(({ at, message, level }) => ({ timestamp: toTimestamp(at), message, level })),
    outputs: detail.outputs.map(({ type, name, url, size }) => ({ type, name, url, size })),
  })
}

export function toWorkedTask(task: Task): z.output<typeof workedTaskJson> {
  return {
    id: task.id,
    status: taskStatus(task),
    progress: task.progress,
    fencing_token: task.fencingToken,
    lease_expires_at: toTimestamp(task.lease?.expiresAt ?? null),
    not_before: toTimestamp(task.notBefore),
  }
}
