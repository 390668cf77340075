import { describe, expect, it } from 'vitest'
import { createTask, parseNewTask, type Task } from './task.js'
import { changedFields, updatedEvent } from './task-edit.js'

const input = parseNewTask(
  { title: 'a', tags: ['x', 'y'], metadata: { one: '1', two: ['2', '3'] }, dueDate: 5 },
  'ws_1',
  3,
)
const task: Task = createTask(input, { id: 'task_1', now: 0, openDependencies: 0 })

describe('the changed fields of a task', () => {
  it('are those with another value, in the order of the fields', () => {
    expect(changedFields(task, { ...task, dueDate: null, title: 'b', type: 't' })).toEqual([
      'title',
      'type',
      'dueDate',
    ])
  })

  it('are none for equal values in other objects', () => {
    const copy = { ...task, tags: ['x', 'y'], metadata: { two: ['2', '3'], one: '1' }, dependsOn: [] }
    expect(changedFields(task, copy)).toEqual([])
  })

  it('are lists whose entries or whose order differ', () => {
    expect(changedFields(task, { ...task, tags: ['y', 'x'] })).toEqual(['tags'])
    expect(changedFields(task, { ...task, tags: ['x'], dependsOn: ['task_2'] })).toEqual([
      'tags',
      'dependsOn',
    ])
  })

  it('are metadata with another entry, name or kind of value', () => {
    const others = [
      { one: '1' },
      { one: '1', three: ['2', '3'] },
      { one: '1', two: ['3', '2'] },
      { one: '1', two: '2' },
    ]
    for (const metadata of others) expect(changedFields(task, { ...task, metadata })).toEqual(['metadata'])
  })

  it('never include what no caller sets', () => {
    expect(changedFields(task, { ...task, progress: 5, updatedAt: 9, column: 'DONE' } as Task)).toEqual([])
  })
})

describe('the event of an edit', () => {
  const actor = { kind: 'user', id: 'user_1' } as const

  it('names the changed fields and has the title and column after the edit', () => {
    const after: Task = { ...task, title: 'b', column: 'DOING' }
    expect(updatedEvent(task, after, actor)).toEqual({
      type: 'task.updated',
      data: { taskId: 'task_1', title: 'b', status: 'DOING', fields: ['title'], actor },
    })
  })

  it('is not raised when nothing differs', () => {
    expect(updatedEvent(task, { ...task, updatedAt: 7 }, actor)).toBeNull()
  })
})
