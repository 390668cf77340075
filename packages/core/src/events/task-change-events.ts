import * as z from 'zod'
import type { Instant } from '../environment/index.js'
import { eventKind, iso, time, type EventKind } from './event-kind.js'
import { actor, column, namedActor, ofTask, sampleTask, SYSTEM, type OfTask } from './task-event-parts.js'
import {
  commentKinds,
  holdReasons,
  plainActor,
  type Actor,
  type Column,
  type CommentKind,
  type HoldReason,
  type NamedActor,
} from './vocabulary.js'

/** The data of the events of what people and agents do to tasks next to working on them. */
export interface TaskChangeEventData {
  'task.commented': OfTask & {
    readonly commentId: string
    readonly kind: CommentKind
    readonly author: NamedActor
    readonly body: string
    readonly createdAt: Instant
  }
  'task.updated': OfTask & {
    readonly status: Column
    /** The fields that have another value than before, by their names in `TaskFields`. */
    readonly fields: readonly string[]
    readonly actor: Actor
  }
  'task.cancelled': OfTask & {
    readonly status: 'TODO'
    readonly message: string | null
    readonly actor: Actor
  }
  'task.released': OfTask & {
    readonly status: 'TODO'
    /** Of the hold that ended. */
    readonly reason: HoldReason
    readonly actor: Actor
  }
  'task.deleted': OfTask & {
    /** The column that it was in. */
    readonly status: Column
    readonly actor: Actor
  }
}

/** The name of a field in payloads: `due_date`. */
const wireField = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The types of those events. */
export const taskChangeEvents = {
  'task.commented': eventKind<TaskChangeEventData['task.commented']>()({
    summary:
      'A person or an agent commented on a task, asked a question, answered one or decided an approval',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofTask,
      comment_id: z.string(),
      kind: z.enum(commentKinds),
      author: namedActor,
      body: z.string(),
      created_at: time,
    }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      comment_id: data.commentId,
      kind: data.kind,
      author: { kind: data.author.kind, id: data.author.id, name: data.author.name },
      body: data.body,
      created_at: iso(data.createdAt),
    }),
    line: ({ kind, title, author, body }) =>
      `${commentLabels[kind]}${author.name === null ? '' : ` by ${author.name}`} on ${title}: ${body}`,
    sample: (now) => ({
      ...sampleTask,
      commentId: 'cmt_sample',
      kind: 'comment',
      author: { kind: 'user', id: 'user_sample', name: 'Ada' },
      body: 'This is what a comment looks like.',
      createdAt: now,
    }),
    count: null,
  }),

  'task.updated': eventKind<TaskChangeEventData['task.updated']>()({
    summary: 'Fields of a task were changed',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({
      ...ofTask,
      status: column,
      fields: z.array(z.string()).meta({ description: 'The names of the fields that changed.' }),
      actor,
    }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      fields: data.fields.map(wireField),
      actor: plainActor(data.actor),
    }),
    line: ({ title, fields }) => `Updated (${fields.map(wireField).join(', ')}): ${title}`,
    sample: () => ({ ...sampleTask, status: 'TODO', fields: ['priority', 'dueDate'], actor: SYSTEM }),
    count: null,
  }),

  'task.cancelled': eventKind<TaskChangeEventData['task.cancelled']>()({
    summary: 'A task was cancelled',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({ ...ofTask, status: z.literal('TODO'), message: z.string().nullable(), actor }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      message: data.message,
      actor: plainActor(data.actor),
    }),
    line: ({ title, message }) => `Cancelled: ${title}${message === null ? '' : ` (${message})`}`,
    sample: () => ({ ...sampleTask, status: 'TODO', message: 'No longer needed.', actor: SYSTEM }),
    count: null,
  }),

  'task.released': eventKind<TaskChangeEventData['task.released']>()({
    summary: 'A hold on a task ended: agents can claim it again',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({ ...ofTask, status: z.literal('TODO'), reason: z.enum(holdReasons), actor }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      reason: data.reason,
      actor: plainActor(data.actor),
    }),
    line: ({ title }) => `Released: ${title}`,
    sample: () => ({ ...sampleTask, status: 'TODO', reason: 'needs_input', actor: SYSTEM }),
    count: null,
  }),

  'task.deleted': eventKind<TaskChangeEventData['task.deleted']>()({
    summary: 'A task was deleted',
    webhooks: true,
    notifications: true,
    realtime: 'tasks',
    publishable: false,
    payload: z.object({ ...ofTask, status: column, actor }),
    render: (data) => ({
      task_id: data.taskId,
      title: data.title,
      status: data.status,
      actor: plainActor(data.actor),
    }),
    line: ({ title }) => `Deleted: ${title}`,
    sample: () => ({ ...sampleTask, status: 'DONE', actor: SYSTEM }),
    count: null,
  }),
} satisfies { readonly [T in keyof TaskChangeEventData]: EventKind<TaskChangeEventData[T]> }

const commentLabels: Record<CommentKind, string> = {
  comment: 'Comment',
  question: 'Question',
  answer: 'Answer',
  decision: 'Decision',
}
