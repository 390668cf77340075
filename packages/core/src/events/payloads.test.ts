import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shownInput } from './shown-input.js'
import { TaskboardError } from '../errors/index.js'
import { webhookEventTypes, type EventData, type LoggedEvent, type WebhookEventType } from './catalog.js'
import {
  encodePayload,
  eventPayloadSchemas,
  renderPayload,
  sampleEvent,
  type PayloadSource,
} from './payloads.js'

const instant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) })
const text = fc.string({ unit: 'binary' })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
/** Without `__proto__`, which the schemas leave out. */
const memberName = text.filter((name) => name !== '__proto__')
const hostData = fc.dictionary(memberName, fc.jsonValue()) as fc.Arbitrary<Record<string, unknown>>
const column = fc.constantFrom('TODO', 'DOING', 'DONE')
const actorKind = fc.constantFrom('user', 'api_key', 'agent', 'host', 'system')
const actor = fc.record({ kind: actorKind, id: maybe(text) })
const namedActor = fc.record({ kind: actorKind, id: maybe(text), name: maybe(text) })
const task = { taskId: text, title: text }
const approval = { ...task, approvalId: text, action: text, summary: text }
const digest = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789abcdef')),
  minLength: 64,
  maxLength: 64,
})
/** Members of one record that go together. */
const withInput = <T extends object>(others: fc.Arbitrary<T>) =>
  fc
    .tuple(others, fc.jsonValue(), digest)
    .map(([rest, input, inputDigest]) => ({ ...rest, ...shownInput(input, inputDigest) }))

const dataOf: { [T in WebhookEventType]: fc.Arbitrary<EventData[T]> } = {
  'task.created': fc.record({
    ...task,
    status: fc.constant('TODO'),
    description: maybe(text),
    priority: fc.constantFrom('urgent', 'high', 'medium', 'low'),
    type: maybe(text),
    assignedTo: maybe(text),
    dueDate: maybe(instant),
    tags: fc.array(text),
    dependsOn: fc.array(text),
    createdAt: instant,
    actor,
  }),
  'task.started': fc.record({
    ...task,
    status: fc.constant('DOING'),
    agentId: text,
    attempt: fc.integer({ min: 1 }),
    startedAt: instant,
  }),
  'task.completed': fc.record(
    {
      ...task,
      status: fc.constant('DONE'),
      startedAt: maybe(instant),
      completedAt: instant,
      result: text,
      actor,
    },
    { requiredKeys: ['taskId', 'title', 'status', 'startedAt', 'completedAt', 'result'] },
  ),
  'task.failed': fc.record({
    ...task,
    status: fc.constant('TODO'),
    reason: fc.constantFrom('failed', 'needs_input', 'approval'),
    message: maybe(text),
    agentId: maybe(text),
    attempts: fc.nat(),
    failedAt: instant,
  }),
  'task.moved': fc.record({ ...task, from: column, to: column, actor }),
  'task.commented': fc.record({
    ...task,
    commentId: text,
    kind: fc.constantFrom('comment', 'question', 'answer', 'decision'),
    author: namedActor,
    body: text,
    createdAt: instant,
  }),
  'approval.requested': withInput(
    fc.record({ ...approval, agentId: text, requestedAt: instant, expiresAt: instant }),
  ),
  'approval.decided': withInput(
    fc.record({
      ...approval,
      decision: fc.constantFrom('approved', 'rejected'),
      comment: maybe(text),
      decidedBy: namedActor,
      decidedAt: instant,
    }),
  ),
  'task.updated': fc.record({ ...task, status: column, fields: fc.array(text), actor }),
  'task.cancelled': fc.record({ ...task, status: fc.constant('TODO'), message: maybe(text), actor }),
  'task.released': fc.record({
    ...task,
    status: fc.constant('TODO'),
    reason: fc.constantFrom('failed', 'cancelled', 'needs_input', 'approval'),
    actor,
  }),
  'task.deleted': fc.record({ ...task, status: column, actor }),
  'agent.alert': fc.oneof(
    fc.record(
      {
        message: text,
        agentId: text,
        taskId: maybe(text),
        webhookId: text,
        url: text,
        reason: text,
        data: hostData,
      },
      { requiredKeys: ['message'] },
    ),
    fc
      .tuple(text, fc.dictionary(fc.constantFrom('severity', 'Disk', 'taskId'), fc.jsonValue()))
      .map(([message, rest]) => ({ message, published: { ...rest, message } })),
  ),
  'email.received': hostData,
  'order.new': hostData,
}

const webhookEvent: fc.Arbitrary<PayloadSource> = fc
  .constantFrom(...webhookEventTypes)
  .chain((type) =>
    fc
      .tuple(dataOf[type] as fc.Arbitrary<unknown>, instant)
      .map(([data, at]) => ({ type, data, at, payloadVersion: 1 }) as PayloadSource),
  )

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

function completed(startedAt: number, completedAt: number): PayloadSource {
  const data = {
    taskId: 'task_1',
    title: 'Größe ✓',
    status: 'DONE',
    startedAt,
    completedAt,
    result: 'r',
  } as const
  return { type: 'task.completed', data, at, payloadVersion: 1 }
}

describe('a payload', () => {
  it('follows the schema of its type, with nothing beyond it, whatever the data', () => {
    fc.assert(
      fc.property(webhookEvent, (event) => {
        const body: unknown = JSON.parse(encodePayload(event))
        const schema = eventPayloadSchemas[event.type as WebhookEventType]
        expect(schema.parse(body)).toEqual(body)
      }),
      { numRuns: 300 },
    )
  })

  it('depends only on type, time, data and version', () => {
    fc.assert(
      fc.property(webhookEvent, text, fc.nat(), (event, id, seq) => {
        const copy = structuredClone(event)
        const logged = { ...copy, id, workspaceId: id, seq } as LoggedEvent
        expect(encodePayload(logged)).toBe(encodePayload(event))
      }),
      { numRuns: 200 },
    )
  })

  it('of a completed task has exactly the seven documented fields', () => {
    expect(renderPayload(completed(at - 61_999, at))).toEqual({
      event: 'task.completed',
      timestamp: '2026-01-02T03:04:05.006Z',
      data: {
        task_id: 'task_1',
        title: 'Größe ✓',
        status: 'DONE',
        started_at: '2026-01-02T03:03:03.007Z',
        completed_at: '2026-01-02T03:04:05.006Z',
        duration_seconds: 61,
        result: 'r',
      },
    })
  })

  it('never shows a negative duration when the clock stepped back', () => {
    expect(renderPayload(completed(at, at - 5_000)).data['duration_seconds']).toBe(0)
  })

  it('has the library’s names in snake_case and the host’s unchanged', () => {
    const data = { message: 'm', agentId: 'agent_1', taskId: 'task_1', data: { diskFree: 1 } }
    expect(renderPayload({ type: 'agent.alert', data, at, payloadVersion: 1 }).data).toEqual({
      message: 'm',
      agent_id: 'agent_1',
      task_id: 'task_1',
      webhook_id: null,
      reason: null,
      data: { diskFree: 1 },
    })
  })

  it('does not contain the address of a disabled webhook, which may contain a token', () => {
    const data = { message: 'm', webhookId: 'wh_1', url: 'https://example.com/?token=x', reason: 'failing' }
    const body = encodePayload({ type: 'agent.alert', data, at, payloadVersion: 1 })
    expect(body).toContain('"webhook_id":"wh_1"')
    expect(body).not.toContain('token')
  })

  it('of a published alert is the host’s object', () => {
    const published = { message: 'm', taskId: 1, Severity: 'high' }
    const data = { message: 'm', published }
    expect(renderPayload({ type: 'agent.alert', data, at, payloadVersion: 1 }).data).toEqual(published)
  })

  it('renders the live events too', () => {
    const progress = {
      type: 'task.progress',
      data: { taskId: 't', progress: 5 },
      at,
      payloadVersion: 1,
    } as const
    const status = {
      type: 'agent.status',
      data: { agentId: 'a', status: 'busy' },
      at,
      payloadVersion: 1,
    } as const
    expect(renderPayload(progress).data).toEqual({ task_id: 't', progress: 5 })
    expect(renderPayload(status).data).toEqual({ agent_id: 'a', status: 'busy' })
  })

  it('of a version from the future is refused', () => {
    expect(() => renderPayload({ ...completed(at, at), payloadVersion: 2 })).toThrow(TaskboardError)
  })
})

describe('a sample event', () => {
  it.each(webhookEventTypes)('of %s is valid', (type) => {
    const sample = { ...sampleEvent(type, at), at, payloadVersion: 1 } as PayloadSource
    const payload = renderPayload(sample)
    expect(sample.type).toBe(type)
    expect(eventPayloadSchemas[type].parse(payload)).toEqual(payload)
  })
})
