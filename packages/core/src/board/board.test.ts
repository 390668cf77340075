import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../taskboard.js'
import type { Column } from './task.js'

describe('a board', () => {
  it('names the argument that is no column', async () => {
    const board = createTaskboard({ storage: memoryStorage() }).board('ws_1')
    const odd = 'LATER' as Column
    const code = 'INVALID_FIELD'
    await expect(board.list(odd)).rejects.toMatchObject({ code, field: 'column' })
    await expect(board.move('task_1', odd)).rejects.toMatchObject({ code, field: 'to' })
  })
})
