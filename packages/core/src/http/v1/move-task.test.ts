import { describe, expect, it } from 'vitest'
import type { BoardCall } from './operation.js'
import { moveTask } from './board-routes.js'

describe('move', () => {
  it.each([
    ['longer than any id', 'x'.repeat(65)],
    ['with NUL', 'task_\0'],
    ['with half of a surrogate pair', 'task_\ud800'],
  ])('does not read the storage for an id %s', async (_, taskId) => {
    const board = { move: () => Promise.reject(new Error('asked')) }
    const call = { principal: { kind: 'api_key', id: 'ak_1' }, board, body: { task_id: taskId, to: 'done' } }
    await expect(moveTask.run(call as unknown as BoardCall)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
  })
})
