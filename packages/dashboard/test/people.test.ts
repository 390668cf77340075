import { expect, it } from 'vitest'
import { nameOf } from '../app/state/people.js'
import { holderName } from '../app/state/work.js'

const ada = { kind: 'user', id: 'member-7', name: 'Ada Lovelace' } as const
const nameless = { ...ada, name: null }

it('shows an author by name, without one by id, and without both by kind', () => {
  expect([ada, nameless].map(nameOf)).toEqual(['Ada Lovelace', 'member-7'])
  expect(nameOf({ kind: 'system', id: null, name: null })).toBe('System')
})

it('shows who has a task by name or id, and nobody while an agent works on it', () => {
  const held = { column: 'doing', attempts: 0 } as const
  expect(holderName({ ...held, taken_by: ada })).toBe('Ada Lovelace')
  expect(holderName({ ...held, taken_by: nameless })).toBe('member-7')
  expect(holderName({ ...held, taken_by: { kind: 'host', id: null, name: null } })).toBeNull()
  expect(holderName({ ...held, taken_by: null })).toBeNull()
  expect(holderName({ ...held, attempts: 1, taken_by: ada })).toBeNull()
})
