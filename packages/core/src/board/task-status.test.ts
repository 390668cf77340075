import { describe, expect, it } from 'vitest'
import { taskStatus, taskStatuses } from './task-search.js'
import type { HoldReason } from './task.js'

const held = (reason: HoldReason) => taskStatus({ column: 'TODO', hold: { reason, message: null, since: 0 } })

describe('the status of a task', () => {
  it('is that of its column', () => {
    expect(taskStatus({ column: 'TODO', hold: null })).toBe('pending')
    expect(taskStatus({ column: 'DOING', hold: null })).toBe('in_progress')
    expect(taskStatus({ column: 'DONE', hold: null })).toBe('completed')
  })

  it('says in TODO why the task is held', () => {
    expect(held('failed')).toBe('failed')
    expect(held('cancelled')).toBe('cancelled')
    expect(held('needs_input')).toBe('blocked')
    expect(held('approval')).toBe('blocked')
  })

  it('has a code in every storage, its index in the list', () => {
    expect(taskStatuses).toEqual(['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'blocked'])
  })
})
