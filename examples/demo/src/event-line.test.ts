import { describe, expect, it } from 'vitest'
import { eventLine } from './demo.js'

describe('eventLine', () => {
  it('prints an event on one line that no title can break or colour', () => {
    const line = eventLine({
      at: Date.UTC(2026, 0, 1),
      type: 'task.moved',
      data: {
        taskId: 'task_1',
        title: 'a\u001B[31mb\nc\u202E',
        from: 'TODO',
        to: 'DONE',
        actor: { kind: 'host', id: null },
      },
    })
    expect(line).toBe('2026-01-01T00:00:00.000Z task.moved     Moved from TODO to DONE: a[31mb c')
  })
})
