import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../taskboard.js'
import type { Principal } from './principal.js'

const ofHost: Principal = {
  id: 'someone',
  kind: 'user',
  accountId: 'acct_1',
  tier: 'custom',
  scopes: [],
  workspaceIds: 'all',
  defaultWorkspaceId: 'ws_1',
}

describe('a host with its own login', () => {
  it('is asked about all that is not an API key', async () => {
    const asked: (string | undefined)[] = []
    const board = createTaskboard({
      storage: memoryStorage(),
      authenticate(request) {
        asked.push(request.header('authorization'))
        return ofHost
      },
    })
    const { account } = await board.accounts.create({ name: 'Ada', tier: 'custom' })
    const { id, key } = await board.accounts.createKey({
      accountId: account.id,
      name: 'k',
      scopes: ['chat:write'],
    })
    const ask = (authorization: string | undefined) =>
      board.surface.authenticate({
        method: 'GET',
        path: '/',
        clientAddress: '::1',
        header: () => authorization,
      })
    expect(await ask(`Bearer ${key}`)).toMatchObject({ id, kind: 'api_key' })
    for (const other of [undefined, 'Bearer a.b.c', `Bearer ${key.slice(1)}`, `Basic ${key}`]) {
      expect(await ask(other)).toBe(ofHost)
    }
    expect(asked).toEqual([undefined, 'Bearer a.b.c', `Bearer ${key.slice(1)}`, `Basic ${key}`])
    expect(board.surface.login).toBeNull()
  })

  it('has no login of ours beside it', () => {
    const options = {
      storage: memoryStorage(),
      authenticate: () => ofHost,
      tokens: { secret: 's'.repeat(32) },
    }
    const refusal = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'tokens' })
    expect(() => createTaskboard(options)).toThrow(refusal)
  })
})
