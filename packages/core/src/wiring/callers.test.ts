import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../access/index.js'
import { createTaskboard } from './taskboard.js'

const ada: Principal = {
  id: 'user_ada',
  kind: 'user',
  accountId: 'acct_1',
  tier: 'custom',
  scopes: ['tasks:read'],
  workspaceIds: 'all',
  defaultWorkspaceId: 'ws_1',
}
const request = { method: 'GET', path: '/v2/tasks', clientAddress: '', header: () => undefined }

/** As query builders return: a promise of a class of their own. */
function thenable<T>(value: T): Promise<T> {
  const settled = Promise.resolve(value)
  // oxlint-disable-next-line unicorn/no-thenable -- It is what is tested.
  return { then: settled.then.bind(settled) } as Promise<T>
}

describe('the login of a host', () => {
  for (const [what, returned] of [
    ['a value', ada],
    ['a promise', Promise.resolve(ada)],
    ['a promise of another class', thenable(ada)],
  ] as const) {
    it(`may return ${what}`, async () => {
      const { services } = createTaskboard({ storage: memoryStorage(), authenticate: () => returned })
      expect(await services.authenticate(request)).toEqual(ada)
    })
  }

  it('is checked whatever it returns', async () => {
    const wrong = { ...ada, name: 'two\nlines' }
    for (const returned of [Promise.resolve(wrong), thenable(wrong)]) {
      const { services } = createTaskboard({ storage: memoryStorage(), authenticate: () => returned })
      await expect(Promise.resolve(services.authenticate(request))).rejects.toMatchObject({
        code: 'INVALID_CONFIG',
        field: 'name',
      })
    }
  })
})
