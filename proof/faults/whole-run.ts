import type { Observation } from './observations.js'
import type { Rows } from './rows.js'

/** What a run without any fault leaves behind: two tasks, of which the second waits for the first, and one that was cancelled. */
export function wholeRun(): { observations: Observation[]; rows: { -readonly [K in keyof Rows]: Rows[K] } } {
  const workspaceId = 'ws'
  const task = { description: null, hold: null, dependsOn: [], openDependencies: 0, isQueued: false } as const
  const attempt = { agentId: 'agent', outcome: 'completed' }
  const event = (seq: number, type: string, taskId: string) => ({
    workspaceId,
    seq,
    id: `evt_${seq}`,
    type,
    taskId,
    committedAt: 1_000 * seq,
  })
  const events = [
    event(1, 'task.created', 'a'),
    event(2, 'task.created', 'b'),
    event(3, 'task.created', 'c'),
    event(4, 'task.cancelled', 'c'),
    event(5, 'task.started', 'a'),
    event(6, 'task.completed', 'a'),
    event(7, 'task.started', 'b'),
    event(8, 'task.completed', 'b'),
    event(9, 'task.created', 'd'),
    event(10, 'task.started', 'd'),
    event(11, 'task.completed', 'd'),
  ]
  const done = { column: 'DONE', token: 1, result: 'done under 1' } as const
  const rows: Rows = {
    tasks: [
      { ...task, ...done, id: 'a', title: 'batch #0', description: 'value 2' },
      { ...task, ...done, id: 'b', title: 'batch #1', dependsOn: ['a'] },
      {
        ...task,
        id: 'c',
        title: 'single #0',
        column: 'TODO',
        hold: 'cancelled',
        token: 0,
        result: null,
        isQueued: true,
      },
      { ...task, ...done, id: 'd', title: 'schedule 1' },
    ],
    attempts: [
      { ...attempt, taskId: 'a', token: 1, startedAt: 5_000, endedAt: 6_000 },
      { ...attempt, taskId: 'b', token: 1, startedAt: 7_000, endedAt: 8_000 },
      { ...attempt, taskId: 'd', token: 1, startedAt: 10_000, endedAt: 11_000 },
    ],
    events,
    lastSeqs: [{ workspaceId, seq: events.length }],
    lines: [{ taskId: 'a', at: 5_500, message: 'begun under 1' }],
    comments: [
      { taskId: 'a', kind: 'comment', body: 'hello' },
      { taskId: 'a', kind: 'answer', body: 'that one' },
    ],
    approvals: [{ id: 'apr', taskId: 'b', state: 'used', usedAt: 7_500 }],
    webhooks: [{ id: 'hook', events: ['task.completed'] }],
    deliveries: [6, 8, 11].map((seq) => ({
      id: `dlv_${seq}`,
      webhookId: 'hook',
      eventId: `evt_${seq}`,
      status: 'succeeded',
      attemptCount: 1,
      attempts: 1,
    })),
    usage: [{ taskId: 'a', token: 1, reports: 1, tokens: 100 }],
    usageByDay: { reports: 1, tokens: 100 },
    usageByMonth: { tokens: 100 },
    figures: [{ workspaceId, counted: 4, events: 4 }],
    limits: [{ agentId: 'agent', most: 1 }],
    schedules: [{ id: 'sched', title: 'schedule 1' }],
  }
  const readers = ['feed', 'channel'] as const
  const observations: Observation[] = [
    { kind: 'creating', key: 'batch', count: 2 },
    { kind: 'created', key: 'batch', taskIds: ['a', 'b'] },
    { kind: 'creating', key: 'single', count: 1 },
    { kind: 'created', key: 'single', taskIds: ['c'] },
    { kind: 'updated', taskId: 'a', value: 1, isAcknowledged: true, isCertain: true },
    { kind: 'updated', taskId: 'a', value: 2, isAcknowledged: false, isCertain: false },
    { kind: 'cancelled', taskId: 'c' },
    { kind: 'scheduling', title: 'schedule 1' },
    { kind: 'scheduled', title: 'schedule 1' },
    { kind: 'commenting', taskId: 'a', body: 'hello' },
    { kind: 'commented', taskId: 'a', body: 'hello' },
    { kind: 'answering', taskId: 'a', body: 'that one' },
    { kind: 'answered', taskId: 'a', body: 'that one' },
    { kind: 'deciding', approvalId: 'apr', decision: 'approved' },
    { kind: 'decided', approvalId: 'apr', decision: 'approved' },
    ...['a', 'b', 'd'].map((taskId) => ({ kind: 'claimed', taskId, token: 1, by: 'agent-1.1' }) as const),
    { kind: 'logged', taskId: 'a', token: 1, message: 'begun under 1' },
    { kind: 'using', taskId: 'a', token: 1 },
    { kind: 'used', taskId: 'a', token: 1 },
    { kind: 'heard answer', taskId: 'a', body: 'that one' },
    { kind: 'permitted', taskId: 'b', token: 1, approvalId: 'apr', decision: 'approved' },
    { kind: 'completed', taskId: 'b', token: 1, result: 'done under 1' },
    { kind: 'made due', scheduleIds: ['sched'], isCertain: true },
    { kind: 'admitted', key: 'limited', sentMs: 0, answeredMs: 10 },
    ...[6, 8, 11].map(
      (seq) =>
        ({
          kind: 'received',
          deliveryId: `dlv_${seq}`,
          type: 'task.completed',
          digest: `body ${seq}`,
          isSigned: true,
          isAccepted: true,
          atMs: 1_000 * seq + 5,
        }) as const,
    ),
    ...readers.flatMap((reader) => [
      { kind: 'began', reader, seq: 0 } as const,
      ...events.map(({ seq }) => ({ kind: 'saw', reader, by: reader, workspaceId, seq }) as const),
    ]),
    ...[7, 8, 9].map(
      (seq) => ({ kind: 'saw', reader: 'deliverer-1.2', by: 'listener', workspaceId, seq }) as const,
    ),
    { kind: 'right answer', count: 3 },
    { kind: 'ended', process: 'express.1', how: 'as asked', isExpected: true },
    { kind: 'came to rest', left: [] },
  ]
  return { observations, rows }
}
