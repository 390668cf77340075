import { describe, expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import type { EventDraft } from './catalog.js'
import { describeEvent } from './payloads.js'
import type { NotificationStore, NotificationTarget, NotificationTargetChange } from './notification-store.js'
import { createNotifications } from './notifications.js'

function setup() {
  const targets: NotificationTarget[] = []
  const ats: unknown[] = []
  const store = {
    setTarget({ settings, ...target }: NotificationTargetChange, at: unknown) {
      if (settings === null) return Promise.resolve(target.channel === 'mail')
      targets.push({ ...target, settings })
      ats.push(at)
      return Promise.resolve(true)
    },
    listTargets: () => Promise.resolve(targets),
  } as Partial<NotificationStore<string>> as NotificationStore<string>
  const channels = [{ name: 'mail', send: () => Promise.resolve() }]
  return { notifications: createNotifications({ environment: createEnvironment(), store, channels }), ats }
}

describe('the notifications of a workspace', () => {
  it('are configured, listed and removed', async () => {
    const { notifications, ats } = setup()
    await notifications.configure('ws_1', 'mail', { to: 'a@example.com' }, { tx: 'open' })
    expect(await notifications.list('ws_1')).toEqual([
      { workspaceId: 'ws_1', channel: 'mail', settings: { to: 'a@example.com' } },
    ])
    expect(ats).toEqual([{ now: null, tx: 'open' }])
    expect(await notifications.remove('ws_1', 'mail')).toBe(true)
    expect(await notifications.remove('ws_1', 'chat')).toBe(false)
  })

  it.each([
    ['pigeon', {}, 'channel'],
    ['toString', {}, 'channel'],
    ['mail', { to: 5 }, 'settings'],
    ['mail', { to: 'x'.repeat(2_001) }, 'settings'],
    ['mail', { to: 'a\0' }, 'settings'],
    ['mail', null, 'settings'],
    ['mail', JSON.parse('{"__proto__":"x"}'), 'settings'],
    ['mail', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])), 'settings'],
  ])('refuse %s with %j for its %s', async (channel, settings, field) => {
    const { notifications } = setup()
    const configured = notifications.configure('ws_1', channel, settings as NotificationTarget['settings'])
    await expect(configured).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field }) as Error,
    )
    expect(await notifications.list('ws_1')).toEqual([])
  })
})

describe('describeEvent', () => {
  const task = { taskId: 'task_1', title: 'Ship  it\nnow' }
  const failure = { ...task, status: 'TODO', agentId: null, attempts: 1, failedAt: 0 } as const
  const cases: [EventDraft, string][] = [
    [
      {
        type: 'task.created',
        data: {
          ...task,
          status: 'TODO',
          description: null,
          priority: 'low',
          type: null,
          assignedTo: null,
          dueDate: null,
          tags: [],
          dependsOn: [],
          createdAt: 0,
          actor: { kind: 'host', id: null },
        },
      },
      'New task: Ship it now',
    ],
    [
      { type: 'task.started', data: { ...task, status: 'DOING', agentId: 'a', attempt: 1, startedAt: 0 } },
      'Started: Ship it now',
    ],
    [
      {
        type: 'task.completed',
        data: { ...task, status: 'DONE', startedAt: 0, completedAt: 1, result: 'r' },
      },
      'Completed: Ship it now',
    ],
    [
      { type: 'task.failed', data: { ...failure, reason: 'failed', message: 'no disk' } },
      'Failed: Ship it now (no disk)',
    ],
    [
      { type: 'task.failed', data: { ...failure, reason: 'needs_input', message: null } },
      'Needs input: Ship it now',
    ],
    [
      { type: 'task.failed', data: { ...failure, reason: 'approval', message: null } },
      'Waits for approval: Ship it now',
    ],
    [
      { type: 'task.moved', data: { ...task, from: 'TODO', to: 'DONE', actor: { kind: 'user', id: 'u' } } },
      'Moved from TODO to DONE: Ship it now',
    ],
    [{ type: 'task.progress', data: { taskId: 'task_1', progress: 40 } }, 'Task task_1 is at 40 %'],
    [{ type: 'agent.status', data: { agentId: 'agent_1', status: 'busy' } }, 'Agent agent_1 is busy'],
    [{ type: 'agent.alert', data: { message: 'm' } }, 'Alert: m'],
    [{ type: 'email.received', data: {} }, 'An email was received'],
    [{ type: 'order.new', data: {} }, 'An order was received'],
  ]
  it.each(cases)('%j', (event, text) => {
    expect(describeEvent(event)).toBe(text)
  })

  it('cuts a long text between two characters', () => {
    const text = describeEvent({ type: 'agent.alert', data: { message: '😀'.repeat(700) } })
    expect(Array.from(text)).toHaveLength(600)
    expect(text.endsWith('😀…')).toBe(true)
  })
})
