import { describe, expect, it } from 'vitest'
import { defaultBackoff } from './backoff.js'
import { columns, createTask, parseNewTask, type Actor, type Task } from './task.js'
import { transition, type TaskCommand } from './transition.js'

const NOW = 1_000_000
const PERSON: Actor = { kind: 'user', id: 'user_1' }
const input = parseNewTask({ title: 'Write the report' }, 'ws_1', 2)
const todo = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })
const claimCommand: TaskCommand = { kind: 'claim', agentId: 'agent_1', leaseMs: 60_000 }
const doing = transition(todo, claimCommand, NOW).task
const done = transition(doing, { kind: 'complete', fencingToken: 1, result: 'ok' }, NOW + 5_000).task

function apply(task: Task, command: TaskCommand, now = NOW + 1) {
  return transition(task, command, now)
}

describe('claim', () => {
  it('starts an attempt under a lease with a new fencing token', () => {
    const { task, events, endedAttempt } = apply({ ...todo, fencingToken: 6, attempts: 1 }, claimCommand)
    expect(task).toMatchObject({ column: 'DOING', attempts: 2, fencingToken: 7, startedAt: NOW + 1 })
    expect(task.lease).toEqual({
      agentId: 'agent_1',
      fencingToken: 7,
      expiresAt: NOW + 60_001,
      durationMs: 60_000,
    })
    expect(events).toEqual([
      {
        type: 'task.started',
        data: {
          taskId: 'task_1',
          title: todo.title,
          status: 'DOING',
          agentId: 'agent_1',
          attempt: 2,
          startedAt: NOW + 1,
        },
      },
    ])
    expect(endedAttempt).toBeNull()
  })

  it('keeps every other field of the task, in the same order', () => {
    const task: Task = {
      ...todo,
      description: 'described',
      type: 'report',
      priority: 'urgent',
      assignedTo: 'agent_1',
      dueDate: 31,
      notBefore: 32,
      tags: ['a'],
      metadata: { b: 'c' },
      dependsOn: ['task_2'],
      progress: 33,
      result: 'delivered',
      createdAt: 34,
      updatedAt: 35,
      startedAt: 36,
      completedAt: 37,
      attempts: 4,
      maxAttempts: 38,
      fencingToken: 5,
    }
    const started = apply(task, claimCommand).task
    expect(started).toEqual({
      ...task,
      column: 'DOING',
      notBefore: null,
      progress: 0,
      startedAt: NOW + 1,
      updatedAt: NOW + 1,
      attempts: 5,
      fencingToken: 6,
      lease: { agentId: 'agent_1', fencingToken: 6, expiresAt: NOW + 60_001, durationMs: 60_000 },
    })
    expect(Object.keys(started)).toEqual(Object.keys(task))
  })

  it.each([
    ['held', { ...todo, hold: { reason: 'approval', message: null, since: 0 } }],
    ['blocked', { ...todo, openDependencies: 1 }],
    ['not due yet', { ...todo, notBefore: NOW + 2 }],
    ['another agent’s', { ...todo, assignedTo: 'agent_2' }],
    ['in DOING', doing],
    ['in DONE', done],
  ] as const)('refuses a task that is %s', (_, task) => {
    expect(() => apply(task, claimCommand)).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
  })

  it('claims a task that is assigned to the agent, and one whose time has come', () => {
    expect(apply({ ...todo, assignedTo: 'agent_1', notBefore: NOW + 1 }, claimCommand).task.column).toBe(
      'DOING',
    )
  })
})

describe('the live lease', () => {
  const commands: TaskCommand[] = [
    { kind: 'renew', fencingToken: 1, leaseMs: 1_000 },
    { kind: 'progress', fencingToken: 1, progress: 5, leaseMs: 1_000 },
    { kind: 'complete', fencingToken: 1, result: '' },
    { kind: 'fail', fencingToken: 1, reason: 'x', backoff: null },
    { kind: 'hold_claimed', fencingToken: 1, reason: 'needs_input', message: null },
    { kind: 'return_claim', fencingToken: 1, reason: 'x' },
    { kind: 'postpone', fencingToken: 1, reason: 'x', delayMs: 1 },
  ]

  it.each(commands)('is required by $kind', (command) => {
    const superseded = {
      ...doing,
      fencingToken: 2,
      lease: { agentId: 'agent_2', fencingToken: 2, expiresAt: NOW + 60_000, durationMs: 60_000 },
    }
    for (const task of [superseded, todo, done, { ...doing, lease: null }]) {
      expect(() => apply(task, command)).toThrow(
        expect.objectContaining({ code: 'CONFLICT', field: 'fencingToken' }),
      )
    }
    expect(() => apply(doing, command, NOW + 59_999)).not.toThrow()
    expect(() => apply(doing, command, NOW + 60_000)).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
  })

  it('is renewed by progress, which raises an event only when it differs', () => {
    const first = apply(doing, { kind: 'progress', fencingToken: 1, progress: 40, leaseMs: 90_000 })
    expect(first.task).toMatchObject({ progress: 40, lease: { expiresAt: NOW + 90_001 } })
    expect(first.events).toEqual([{ type: 'task.progress', data: { taskId: 'task_1', progress: 40 } }])
    expect(apply(first.task, { kind: 'progress', fencingToken: 1, progress: 40, leaseMs: 1 }).events).toEqual(
      [],
    )
  })
})

describe('a repeated completion', () => {
  const complete = { kind: 'complete', fencingToken: 1, result: 'done' } as const
  const completed = apply(doing, complete).task
  const reopened = apply(completed, { kind: 'move', to: 'TODO', actor: PERSON }).task
  const finished = apply(doing, { kind: 'move', to: 'DONE', actor: PERSON }).task
  const byHand = apply(doing, { kind: 'finish', result: 'done', takeOver: true, actor: PERSON }).task

  it('changes nothing, however late', () => {
    const repeat = apply(completed, complete, NOW + 9e9)
    expect(repeat).toEqual({ task: completed, events: [], endedAttempt: null })
    expect(repeat.task).toBe(completed)
  })

  it.each<[string, Task, TaskCommand]>([
    ['with another result', completed, { ...complete, result: 'other' }],
    ['with another token', completed, { ...complete, fencingToken: 2 }],
    ['after the task was reopened', reopened, complete],
    ['after a person finished the task', finished, complete],
    ['after a person completed it with the same result', byHand, complete],
  ])('is refused %s', (_, task, command) => {
    expect(() => apply(task, command)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', field: 'fencingToken' }),
    )
  })
})

describe('the end of an attempt', () => {
  it('completes with the result', () => {
    const { task, events, endedAttempt } = apply(doing, { kind: 'complete', fencingToken: 1, result: 'done' })
    expect(task).toMatchObject({
      column: 'DONE',
      lease: null,
      result: 'done',
      progress: 100,
      completedAt: NOW + 1,
    })
    expect(events.map((event) => event.type)).toEqual(['task.completed'])
    expect(events[0]?.data).toMatchObject({
      startedAt: NOW,
      completedAt: NOW + 1,
      result: 'done',
      status: 'DONE',
      type: doing.type,
    })
    expect(endedAttempt).toEqual({ fencingToken: 1, outcome: 'completed', reason: null })
  })

  it('retries after a backoff while attempts remain, without task.failed', () => {
    const { task, events, endedAttempt } = apply(doing, {
      kind: 'fail',
      fencingToken: 1,
      reason: 'net',
      backoff: defaultBackoff,
    })
    expect(task).toMatchObject({
      column: 'TODO',
      hold: null,
      notBefore: NOW + 1 + 10_000,
      lease: null,
      attempts: 1,
    })
    expect(events.map((event) => event.type)).toEqual(['task.moved'])
    expect(endedAttempt).toEqual({ fencingToken: 1, outcome: 'retried', reason: 'net' })
  })

  it.each([
    ['the agent gives up', { ...doing, attempts: 1 }, null],
    ['attempts have run out', { ...doing, attempts: 2 }, defaultBackoff],
  ])('holds the task as failed when %s, with one task.failed', (_, task, backoff) => {
    const result = apply(task, { kind: 'fail', fencingToken: 1, reason: 'net', backoff })
    expect(result.task).toMatchObject({
      column: 'TODO',
      hold: { reason: 'failed', message: 'net' },
      lease: null,
    })
    expect(result.events.map((event) => event.type)).toEqual(['task.failed'])
    expect(result.endedAttempt).toMatchObject({ outcome: 'failed' })
  })

  it('expires only once the lease has ended, and counts the attempt', () => {
    const expire: TaskCommand = { kind: 'expire', backoff: defaultBackoff }
    expect(apply(doing, expire, NOW + 59_999).task).toBe(doing)
    const first = apply(doing, expire, NOW + 60_000)
    expect(first.task).toMatchObject({ column: 'TODO', notBefore: NOW + 70_000, attempts: 1, hold: null })
    expect(first.endedAttempt?.outcome).toBe('expired')
    const last = apply({ ...doing, attempts: 2 }, expire, NOW + 60_000)
    expect(last.task.hold?.reason).toBe('failed')
    expect(last.events.map((event) => event.type)).toEqual(['task.failed'])
  })

  it('returns a claim without counting the attempt', () => {
    const { task, endedAttempt } = apply(doing, {
      kind: 'return_claim',
      fencingToken: 1,
      reason: 'shutting down',
    })
    expect(task).toMatchObject({ column: 'TODO', attempts: 0, notBefore: null, lease: null, fencingToken: 1 })
    expect(endedAttempt?.outcome).toBe('returned')
  })

  it('postpones without counting the attempt', () => {
    const postpone = { kind: 'postpone', fencingToken: 1, reason: 'overloaded', delayMs: 5_000 } as const
    const { task, events, endedAttempt } = apply(doing, postpone, NOW + 10)
    expect(task).toMatchObject({
      column: 'TODO',
      attempts: 0,
      notBefore: NOW + 5_010,
      lease: null,
      hold: null,
    })
    expect(events.map(({ type }) => type)).toEqual(['task.moved'])
    expect(endedAttempt).toMatchObject({ outcome: 'postponed', reason: 'overloaded' })
  })
})

describe('holds', () => {
  it.each(['failed', 'needs_input', 'approval'] as const)('%s raises task.failed once', (reason) => {
    const first = apply(todo, { kind: 'hold', reason, message: 'why', actor: PERSON })
    expect(first.task.hold).toEqual({ reason, message: 'why', since: NOW + 1 })
    expect(first.events.map((event) => event.type)).toEqual(['task.failed'])
    expect(apply(first.task, { kind: 'hold', reason, message: 'again', actor: PERSON }).events).toEqual([])
  })

  it('cancelled is not a failure, and revokes a lease', () => {
    const data = { taskId: todo.id, title: todo.title, status: 'TODO', message: 'no', actor: PERSON }
    const cancelled = apply(todo, { kind: 'hold', reason: 'cancelled', message: 'no', actor: PERSON })
    expect(cancelled.events).toEqual([{ type: 'task.cancelled', data }])
    const again = { kind: 'hold', reason: 'cancelled', message: 'again', actor: PERSON } as const
    expect(apply(cancelled.task, again).events).toEqual([])
    const { task, events, endedAttempt } = apply(doing, {
      kind: 'hold',
      reason: 'cancelled',
      message: null,
      actor: PERSON,
    })
    expect(task).toMatchObject({ column: 'TODO', lease: null, hold: { reason: 'cancelled' } })
    expect(events.map((event) => event.type)).toEqual(['task.moved', 'task.cancelled'])
    expect(endedAttempt?.outcome).toBe('revoked')
  })

  it('cannot be put on a task in DONE', () => {
    expect(() => apply(done, { kind: 'hold', reason: 'approval', message: null, actor: PERSON })).toThrow(
      expect.objectContaining({ code: 'CONFLICT' }),
    )
  })

  it('end with a fresh set of attempts', () => {
    const held: Task = { ...todo, attempts: 2, hold: { reason: 'failed', message: null, since: 0 } }
    const data = { taskId: todo.id, title: todo.title, status: 'TODO', reason: 'failed', actor: PERSON }
    const released = { task: { hold: null, attempts: 0 }, events: [{ type: 'task.released', data }] }
    expect(apply(held, { kind: 'release', actor: PERSON })).toMatchObject(released)
    expect(apply(held, { kind: 'move', to: 'TODO', actor: PERSON })).toMatchObject(released)
    expect(apply(todo, { kind: 'release', actor: PERSON })).toMatchObject({ task: todo, events: [] })
  })
})

describe('move', () => {
  it.each(['DOING', 'DONE'] as const)('to %s ends a hold and gives a fresh set of attempts', (to) => {
    const held: Task = { ...todo, attempts: 2, hold: { reason: 'failed', message: null, since: 0 } }
    const { task } = apply(held, { kind: 'move', to, actor: PERSON })
    expect(task).toMatchObject({ column: to, hold: null, attempts: 0 })
  })

  it.each(columns.flatMap((from) => columns.map((to) => [from, to] as const)))(
    'from %s to %s',
    (from, to) => {
      const task = { TODO: todo, DOING: doing, DONE: done }[from]
      const { task: after, events, endedAttempt } = apply(task, { kind: 'move', to, actor: PERSON })
      expect(after.column).toBe(to)
      if (from === to) {
        expect(after).toBe(task)
        expect(events).toEqual([])
        return
      }
      const { id: taskId, title, type, startedAt, completedAt } = task
      expect(events).toEqual([
        {
          type: 'task.moved',
          data: { taskId, title, from, to, actor: PERSON, type, startedAt, completedAt },
        },
      ])
      expect(after.lease).toBeNull()
      expect(after.completedAt).toBe(to === 'DONE' ? NOW + 1 : null)
      expect(endedAttempt?.outcome).toBe(from === 'DOING' ? 'revoked' : undefined)
    },
  )

  it('refuses a column that does not exist', () => {
    const command = { kind: 'move', to: 'LATER', actor: PERSON } as unknown as TaskCommand
    expect(() => apply(todo, command)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'to' }),
    )
  })
})

describe('dependencies', () => {
  it('count down to free and up to blocked', () => {
    const blocked = apply(todo, { kind: 'dependency_reopened' }).task
    expect(blocked.openDependencies).toBe(1)
    expect(apply(blocked, { kind: 'dependency_done' }).task.openDependencies).toBe(0)
    expect(apply(todo, { kind: 'dependency_done' }).task.openDependencies).toBe(0)
  })
})
