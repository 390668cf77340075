import { crc32 } from 'node:zlib'
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

describe('wrong keys of an address', () => {
  it('ask the storage until the limit is reached, and once each', async () => {
    const storage = memoryStorage()
    let lookups = 0
    const counted = {
      ...storage,
      access: {
        ...storage.access,
        findPrincipal: ((credential, call) => {
          lookups += 1
          return storage.access.findPrincipal(credential, call)
        }) satisfies typeof storage.access.findPrincipal,
      },
    }
    const { services, accounts } = createTaskboard({
      storage: counted,
      limits: { failedCredentialsPerMinute: 3 },
    })
    const { account } = await accounts.create({ name: 'Acme', tier: 'professional' })
    const { key } = await accounts.createKey({ accountId: account.id, name: 'Ours', scopes: ['tasks:read'] })
    const ask = (authorization: string) =>
      services.authenticate({
        ...request,
        clientAddress: '203.0.113.7',
        header: (name) => (name === 'authorization' ? authorization : undefined),
      })
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 20; i++) {
        const secret = String(i).padStart(32, '0')
        expect(await ask(`Bearer ${withChecksum(`tb_${secret}`)}`)).toBeNull()
      }
    }
    expect(lookups).toBe(3)
    expect(await ask(`Bearer ${key}`)).toMatchObject({ accountId: account.id })
    expect(lookups).toBe(4)
  })
})

/** A key with a right checksum, which anybody can compute. */
function withChecksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 7; i++) {
    digits = '0123456789abcdefghjkmnpqrstvwxyz'.charAt(rest & 31) + digits
    rest >>>= 5
  }
  return text + digits
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
