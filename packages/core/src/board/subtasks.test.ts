import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dependenciesWhileWaiting, requireSubtaskRoom } from './subtasks.js'

describe('the bounds of subtasks', () => {
  it('are five levels and fifty open subtasks', () => {
    expect(() => requireSubtaskRoom({ level: 4, open: 0 }, 50)).not.toThrow()
    const refused = expect.objectContaining({ code: 'CONFLICT', field: 'parentId' }) as Error
    expect(() => requireSubtaskRoom({ level: 5, open: 0 }, 1)).toThrow(refused)
    expect(() => requireSubtaskRoom({ level: 1, open: 49 }, 2)).toThrow(refused)
  })
})

describe('the dependencies of a task that waits for new subtasks', () => {
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
  const count = fc.integer({ min: 0, max: 50 })

  it('keep all that are open, and of the others the newest that there is room for', () => {
    fc.assert(
      fc.property(
        count,
        count,
        fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }),
        (old, added, flags) => {
          const before = ids('old', old)
          const done = new Set(before.filter((_, at) => flags[at]))
          const subtasks = ids('new', added)
          if (old - done.size + added > 50) {
            expect(() => dependenciesWhileWaiting(before, done, subtasks)).toThrow(
              expect.objectContaining({ code: 'CONFLICT', field: 'dependsOn' }),
            )
            return
          }
          const after = dependenciesWhileWaiting(before, done, subtasks)
          const left = before.filter((id) => !after.includes(id))
          expect(after).toEqual([...before.filter((id) => !left.includes(id)), ...subtasks])
          expect(left).toEqual([...done].slice(0, Math.max(0, old + added - 50)))
        },
      ),
    )
  })
})
