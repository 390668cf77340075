import type { Instant } from '../environment/index.js'
import type { EventDraft, EventFacts, WebhookEventType } from './catalogue.js'

const SAMPLE_DURATION_MS = 90_000

/** A fictional event of the given type, as of `now`, for the Test button. It belongs to no task and is not logged. */
export function sampleEvent<T extends WebhookEventType>(
  type: T,
  now: Instant,
): Extract<EventDraft, { type: T }> {
  return { type, facts: samples[type](now) } as Extract<EventDraft, { type: T }>
}

const task = { taskId: 'task_sample', title: 'A sample task' }
const agentId = 'agent_sample'
const actor = { kind: 'system', id: null } as const

const samples: { [T in WebhookEventType]: (now: Instant) => EventFacts[T] } = {
  'task.created': (now) => ({
    ...task,
    status: 'TODO',
    description: 'Sent by the Test button.',
    priority: 'medium',
    type: null,
    assignedTo: null,
    dueDate: null,
    tags: ['sample'],
    dependsOn: [],
    createdAt: now,
    actor,
  }),
  'task.started': (now) => ({ ...task, status: 'DOING', agentId, attempt: 1, startedAt: now }),
  'task.completed': (now) => ({
    ...task,
    status: 'DONE',
    startedAt: now - SAMPLE_DURATION_MS,
    completedAt: now,
    result: 'This is what a result looks like.',
  }),
  'task.failed': (now) => ({
    ...task,
    status: 'TODO',
    reason: 'failed',
    message: 'This is what a failure looks like.',
    agentId,
    attempts: 1,
    failedAt: now,
  }),
  'task.moved': () => ({ ...task, from: 'TODO', to: 'DOING', actor }),
  'agent.alert': () => ({ message: 'This is what an alert looks like.', agentId, taskId: task.taskId }),
  'email.received': () => ({ from: 'sender@example.com', subject: 'A sample email' }),
  'order.new': () => ({ order_id: 'order_sample', total: '0.00', currency: 'EUR' }),
}
