import { describe, expect, it } from 'vitest'
import { messageLine, type RealtimeMessage } from './realtime-message.js'

const at = { seq: 7, timestamp: '2026-11-21T12:00:00.000Z' }

describe('messageLine', () => {
  it.each<[RealtimeMessage, string]>([
    [
      { ...at, type: 'task.created', data: { title: 'Plan' } },
      '2026-11-21T12:00:00.000Z #7 task.created Plan',
    ],
    [
      { ...at, type: 'task.moved', data: { title: 'Plan', from: 'TODO', to: 'DONE' } },
      '2026-11-21T12:00:00.000Z #7 task.moved Plan (TODO to DONE)',
    ],
    [
      { ...at, type: 'task.progress', task_id: 'task_1', progress: 40 },
      '2026-11-21T12:00:00.000Z #7 task.progress task_1 40 %',
    ],
    [
      { ...at, type: 'agent.status', agent_id: 'agent_1', status: 'busy' },
      '2026-11-21T12:00:00.000Z #7 agent.status agent_1 busy',
    ],
    [{ type: 'subscribed', channel: 'workspace.ws_1', seq: 6 }, '#6 subscribed workspace.ws_1'],
    [{ type: 'gap', from: 3, to: 6 }, 'gap events #3 to #6 are no longer available: look at the board'],
    [{ ...at, type: 'task.sung' }, '2026-11-21T12:00:00.000Z #7 task.sung'],
  ])('prints %j', (message, line) => {
    expect(messageLine(message)).toBe(line)
  })

  it('lets no title control the terminal', () => {
    const line = messageLine({ type: 'task.created', data: { title: 'a\u001B[31mb\nc\u202E' } })
    expect(line).toBe('task.created a[31mbc')
  })
})
