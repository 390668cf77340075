import { describe, expect, it } from 'vitest'
import { parseTaskList, type ListedTaskInput } from './task-list.js'

const read = (inputs: unknown) => parseTaskList(inputs as readonly ListedTaskInput[], 'ws_1', 5)

describe('the input of a list of tasks', () => {
  it('separates positions from ids, each once', () => {
    const [, , third] = read([
      { title: 'a' },
      { title: 'b', type: ' market research ' },
      { title: 'c', dependsOn: ['task_1', 1, 0, 1, 'task_1'] },
    ])
    expect(third).toMatchObject({ dependsOn: ['task_1'], follows: [1, 0], parentId: null, maxAttempts: 5 })
    expect(read([{ title: 'a', type: ' market research ' }])[0]?.type).toBe('market research')
  })

  it.each([
    ['no list', {}, 'tasks', 'tasks must be'],
    ['an empty list', [], 'tasks', 'tasks must be'],
    ['too many', Array.from({ length: 501 }, () => ({ title: 't' })), 'tasks', 'tasks must be'],
    ['no task', [{ title: 't' }, null], 'tasks', 'the task must be an object (tasks[1])'],
    ['no title', [{ title: 't' }, {}], 'title', 'title is required (tasks[1])'],
    ['its own position', [{ title: 't', dependsOn: [0] }], 'dependsOn', 'dependsOn must name earlier tasks'],
    ['a later position', [{ title: 't', dependsOn: [1] }, { title: 't' }], 'dependsOn', 'dependsOn must'],
    ['no whole position', [{ title: 't' }, { title: 't', dependsOn: [0.5] }], 'dependsOn', 'dependsOn must'],
    ['a negative position', [{ title: 't' }, { title: 't', dependsOn: [-1] }], 'dependsOn', 'dependsOn must'],
    ['neither', [{ title: 't', dependsOn: [true] }], 'dependsOn', 'dependsOn'],
    ['no list of them', [{ title: 't', dependsOn: 0 }], 'dependsOn', 'dependsOn must be a list'],
    [
      'too many of them',
      [{ title: 't' }, { title: 't', dependsOn: Array.from({ length: 51 }, () => 0) }],
      'dependsOn',
      'dependsOn must have at most 50 entries (tasks[1])',
    ],
  ])('refuses %s', (_, inputs, field, message) => {
    expect(() => read(inputs)).toThrow(
      expect.objectContaining({ field, message: expect.stringContaining(message) as string }),
    )
  })
})
