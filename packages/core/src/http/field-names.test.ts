import { describe, expect, it } from 'vitest'
import { operationSchemas } from './v2/operation-schemas.js'
import { parseFields } from './field-names.js'

const { body: createTasks } = operationSchemas('createTasks')

describe('the fields of a body', () => {
  it('have known names within lists', () => {
    const read = () => parseFields(createTasks, { tasks: [{ title: 'one' }, { titel: 'two' }] })
    expect(read).toThrow('tasks[1].titel is not a field of this request; did you mean title?')
  })

  it('are not looked at in a list that is too long, which is refused', () => {
    let looks = 0
    const entry = new Proxy({}, { ownKeys: () => ((looks += 1), []) })
    const read = () => parseFields(createTasks, { tasks: Array.from({ length: 100_000 }, () => entry) })
    expect(read).toThrow('tasks must have at most 500 entries')
    expect(looks).toBe(0)
  })
})
