import { describe, expect, it } from 'vitest'
import { parseTaskChange, type TaskChangeInput } from './task.js'

const read = (input: unknown) => parseTaskChange(input as TaskChangeInput)

describe('a change of a task', () => {
  it('has the given fields, and no others', () => {
    expect(read({})).toEqual({})
    expect(read({ title: undefined, dueDate: undefined })).toEqual({})
    expect(read({ title: ' x ', dueDate: '2026-01-01T00:00:00Z', dependsOn: ['a', 'b', 'a'] })).toEqual({
      title: 'x',
      dueDate: Date.UTC(2026, 0, 1),
      dependsOn: ['a', 'b'],
    })
  })

  it('clears with null to the defaults of a new task', () => {
    const fields = [
      'description',
      'type',
      'priority',
      'assignedTo',
      'dueDate',
      'notBefore',
      'tags',
      'metadata',
    ]
    expect(read(Object.fromEntries([...fields, 'dependsOn'].map((field) => [field, null])))).toEqual({
      description: null,
      type: null,
      priority: 'medium',
      assignedTo: null,
      dueDate: null,
      notBefore: null,
      tags: [],
      metadata: {},
      dependsOn: [],
    })
  })

  it.each([
    [{ title: null }, 'title'],
    [{ title: ' ' }, 'title'],
    [{ description: 'x'.repeat(20_001) }, 'description'],
    [{ type: 'x'.repeat(65) }, 'type'],
    [{ priority: 'asap' }, 'priority'],
    [{ assignedTo: 7 }, 'assignedTo'],
    [{ dueDate: 'soon' }, 'dueDate'],
    [{ notBefore: Number.NaN }, 'notBefore'],
    [{ tags: [7] }, 'tags'],
    [{ metadata: { a: { b: 'c' } } }, 'metadata'],
    [{ dependsOn: 'task_1' }, 'dependsOn'],
    [null, undefined],
    [[], undefined],
    ['x', undefined],
  ])('is refused for %j', (input, field) => {
    expect(() => read(input)).toThrow(expect.objectContaining({ code: 'INVALID_FIELD', field }))
  })

  it('accepts metadata with names of the properties that every object has', () => {
    const { metadata = {} } = read({ metadata: JSON.parse('{"toString":"a","constructor":["b"]}') })
    expect(Object.entries(metadata)).toEqual([
      ['toString', 'a'],
      ['constructor', ['b']],
    ])
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype)
  })
})
