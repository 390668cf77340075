import * as z from 'zod'
import type { Instant } from '../environment/index.js'
import { eventKind, iso, time, type EventKind, type EventTally } from './event-kind.js'
import { actor, column, ofTask, sampleTask, type OfTask } from './task-event-parts.js'
import { holdReasons, plainActor, type Actor, type Column, type HoldReason } from './vocabulary.js'

/** The data of each event of tasks. Times are epoch milliseconds. Optional members serve analytics, and are in no payload. */
export interface TaskEventData {
  'task.created': OfTask & {
    readonly status: 'TODO'
    readonly description: string | null
    readonly priority: string
    readonly type: string | null
    readonly assignedTo: string | null
    readonly dueDate: Instant | null
    readonly tags: readonly string[]
    readonly dependsOn: readonly string[]
    readonly createdAt: Instant
    readonly actor: Actor
  }
  'task.started': OfTask & {
    readonly status: 'DOING'
    readonly agentId: string
    readonly attempt: number
    readonly startedAt: Instant
  }
  'task.progress': { readonly taskId: string; readonly progress: number }
  'task.completed': OfTask & {
    readonly status: 'DONE'
    /** When it entered DOING; null when a person completed it in TODO. */
    readonly startedAt: Instant | null
    readonly completedAt: Instant
    readonly result: string
    /** The actor that completed it, if it wasn't the agent that worked on it. */
    readonly actor?: Actor
    readonly type?: string | null
  }
  'task.failed': OfTask & {
    readonly status: 'TODO'
    /** The hold that the task is now under. */
    readonly reason: Exclude<HoldReason, 'cancelled'>
    readonly message: string | null
    readonly agentId: string | null
    readonly attempts: number
    readonly failedAt: Instant
    readonly type?: string | null
  }
  'task.moved': OfTask & {
    readonly from: Column
    readonly to: Column
    readonly actor: Actor
    readonly type?: string | null
    /** When it had entered DOING, and DONE, before the move; null if it wasn't there, or had left again. */
    readonly startedAt?: Instant | null
    readonly completedAt?: Instant | null
  }
}

const SAMPLE_DURATION_MS = 90_000

/** The types of events of tasks. */
export const taskEvents = {
  'task.created': eventKind<TaskEventData['task.created']>()({
    summary: 'A task was added to the board',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofTask,
      status: z.literal('TODO'),
      description: z.string().nullable(),
      priority: z.string(),
      type: z.string().nullable(),
      assigned_to: z.string().nullable(),
      due_date: time.nullable(),
      tags: z.array(z.string()),
      depends_on: z.array(z.string()),
      created_at: time,
      actor,
    }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      description: data.description,
      priority: data.priority,
      type: data.type,
      assigned_to: data.assignedTo,
      due_date: data.dueDate === null ? null : iso(data.dueDate),
      tags: data.tags,
      depends_on: data.dependsOn,
      created_at: iso(data.createdAt),
      actor: plainActor(data.actor),
    }),
    line: ({ title }) => `New task: ${title}`,
    sample: (now) => ({
      ...sampleTask,
      status: 'TODO',
      description: 'Sent by the Test button.',
      priority: 'medium',
      type: null,
      assignedTo: null,
      dueDate: null,
      tags: ['sample'],
      dependsOn: [],
      createdAt: now,
      actor: { kind: 'system', id: null },
    }),
    count: ({ type }, at) => ({ ...NOTHING, at, type, created: 1 }),
  }),

  'task.started': eventKind<TaskEventData['task.started']>()({
    summary: 'The agent moved a task to DOING',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofTask,
      status: z.literal('DOING'),
      agent_id: z.string(),
      attempt: z.int().positive(),
      started_at: time,
    }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      agent_id: data.agentId,
      attempt: data.attempt,
      started_at: iso(data.startedAt),
    }),
    line: ({ title }) => `Started: ${title}`,
    sample: (now) => ({
      ...sampleTask,
      status: 'DOING',
      agentId: 'agent_sample',
      attempt: 1,
      startedAt: now,
    }),
    count: null,
  }),

  'task.progress': eventKind<TaskEventData['task.progress']>()({
    summary: 'The agent reported progress on a task',
    webhooks: false,
    notifications: false,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({ task_id: z.string(), progress: z.int() }),
    render: (data) => ({ task_id: data.taskId, progress: data.progress }),
    line: ({ taskId, progress }) => `Task ${taskId} is at ${progress} %`,
    sample: () => ({ taskId: sampleTask.taskId, progress: 50 }),
    count: null,
  }),

  'task.completed': eventKind<TaskEventData['task.completed']>()({
    summary: 'An agent or a person completed a task',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofTask,
      status: z.literal('DONE'),
      started_at: time,
      completed_at: time,
      duration_seconds: z.int().nonnegative(),
      result: z.string(),
      // The contract names the other members for agents, and nothing for people.
      actor: actor
        .optional()
        .meta({ description: 'The actor that completed it, if that was not the agent that worked on it.' }),
    }),
    render: ({ startedAt, completedAt, ...data }) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      started_at: iso(startedAt ?? completedAt),
      completed_at: iso(completedAt),
      duration_seconds: Math.max(0, Math.floor((completedAt - (startedAt ?? completedAt)) / 1000)),
      result: data.result,
      ...(data.actor === undefined ? {} : { actor: plainActor(data.actor) }),
    }),
    line: ({ title }) => `Completed: ${title}`,
    sample: (now) => ({
      ...sampleTask,
      status: 'DONE',
      startedAt: now - SAMPLE_DURATION_MS,
      completedAt: now,
      result: 'This is what a result looks like.',
    }),
    count: ({ type, startedAt }, at) => completion(type, startedAt, at),
  }),

  'task.failed': eventKind<TaskEventData['task.failed']>()({
    summary: 'A task failed or was blocked',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofTask,
      status: z.literal('TODO'),
      reason: z.enum(holdReasons).exclude(['cancelled']),
      message: z.string().nullable(),
      agent_id: z.string().nullable(),
      attempts: z.int().nonnegative(),
      failed_at: time,
    }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      reason: data.reason,
      message: data.message,
      agent_id: data.agentId,
      attempts: data.attempts,
      failed_at: iso(data.failedAt),
    }),
    line: ({ reason, title, message }) =>
      `${failureLabels[reason]}: ${title}${message === null ? '' : ` (${message})`}`,
    sample: (now) => ({
      ...sampleTask,
      status: 'TODO',
      reason: 'failed',
      message: 'This is what a failure looks like.',
      agentId: 'agent_sample',
      attempts: 1,
      failedAt: now,
    }),
    count: ({ reason, type }, at) =>
      reason === 'failed' ? { ...NOTHING, at, type: type ?? null, failed: 1 } : null,
  }),

  'task.moved': eventKind<TaskEventData['task.moved']>()({
    summary: 'A person or the system moved a task to another column',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({ ...ofTask, status: column, from: column, to: column, actor }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.to,
      from: data.from,
      to: data.to,
      actor: plainActor(data.actor),
    }),
    line: ({ from, to, title }) => `Moved from ${from} to ${to}: ${title}`,
    sample: () => ({ ...sampleTask, from: 'TODO', to: 'DOING', actor: { kind: 'system', id: null } }),
    count: ({ from, to, type, startedAt, completedAt }, at) => {
      if (to === 'DONE') return completion(type, startedAt, at)
      if (from !== 'DONE' || completedAt == null) return null
      const { timed, takenMs, ...tally } = completion(type, startedAt, completedAt)
      return { ...tally, completed: -1, timed: -timed, takenMs: -takenMs }
    },
  }),
} satisfies { readonly [T in keyof TaskEventData]: EventKind<TaskEventData[T]> }

const failureLabels: Record<TaskEventData['task.failed']['reason'], string> = {
  failed: 'Failed',
  needs_input: 'Needs input',
  approval: 'Waits for approval',
  budget: 'The budget is spent',
}

const NOTHING = { created: 0, completed: 0, failed: 0, timed: 0, takenMs: 0 }

function completion(
  type: string | null | undefined,
  startedAt: Instant | null | undefined,
  at: Instant,
): EventTally {
  const taken = startedAt == null ? {} : { timed: 1, takenMs: Math.max(0, at - startedAt) }
  return { ...NOTHING, ...taken, at, type: type ?? null, completed: 1 }
}
